import { isRepair } from '../../../src/core/plan/issues.js';
import type {
  ContractReport,
  MirroredReport,
  ReportedDecision,
} from '../../../src/core/report/parsed-report.js';
import type { ActionRecord, Decision, Outcome, Run } from '../../../src/core/report/record.js';
import { countActions } from '../../../src/core/report/record.js';

/** What the mirrored form carries of a run. */
export function mirrored(run: Run): Omit<MirroredReport, 'tip'> {
  return {
    status: 'mirrored',
    plan: run.plan,
    overall: run.overall,
    counts: countActions(run.actions),
    ...common(run),
    actions: run.actions.map(({ type, metadata, decision, outcome }) => {
      if (outcome.status === 'not-run') return { type, metadata, decision: reported(decision), outcome };
      const { summary: _, replaced: __, ...carried } = outcome;
      return { type, metadata, decision: reported(decision), outcome: carried };
    }),
  };
}

const STATUS = {
  Completed: 'SUCCESS',
  Partial: 'PARTIAL_SUCCESS',
  Failed: 'FAILURE',
  Skipped: 'FAILURE',
} as const;

/** What the contract form carries of a run. */
export function contract(run: Run): Omit<ContractReport, 'tip'> {
  const { id, plan, startedAt, endedAt, environment } = run;
  return {
    status: 'contract',
    id,
    plan,
    startedAt,
    endedAt,
    environment,
    overall: STATUS[run.overall],
    durationMs: Math.round(run.durationMs / 10) * 10,
    ...common(run),
    actions: run.actions.map(({ type, decision, outcome }: ActionRecord) => ({
      type,
      decision: reported(decision),
      outcome: withoutReplaced(outcome),
    })),
  };
}

/** Only its summary shows it. */
function withoutReplaced(outcome: Outcome): Outcome {
  if (outcome.status === 'not-run') return outcome;
  const { replaced: _, ...carried } = outcome;
  return carried;
}

function common({ refused, interrupted, continues, issues, stateChanges }: Run) {
  return {
    refused,
    interrupted,
    ...(continues === undefined ? {} : { continues }),
    issues: refused ? issues : issues.filter(isRepair),
    stateChanges: stateChanges.map((change) => ({ ...change, decision: reported(change.decision) })),
  };
}

function reported({ by: _, ...decision }: Decision): ReportedDecision {
  return decision;
}
