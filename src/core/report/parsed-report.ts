import type { Issue } from '../issue.js';
import type { Metadata } from '../plan/types.js';
import type { ContractStatus } from './contract.js';
import type {
  ActionCounts,
  ActionRecord,
  Facts,
  LineComment,
  Outcome,
  Overall,
  Run,
  RunPlan,
  StateChangeRecord,
} from './record.js';

/** What a report says, as far as its form goes: a Run without what the form has no place for. */
export type ParsedReport =
  | MirroredReport
  | ContractReport
  /** Not a report. `reason` is a sentence that starts with the line. */
  | { status: 'refused'; reason: string };

/** What a report of either form says besides its actions. */
export interface Reported {
  refused: boolean;
  interrupted: string | null;
  continues?: string;
  /** All issues of a refused plan, or the repairs of another one. */
  issues: Issue[];
  stateChanges: ReportedStateChange[];
  /** It ends with the tip. */
  tip: boolean;
}

/** A decision as a report shows it, without its decider. */
export type ReportedDecision = { comments?: LineComment[] } & (
  | { status: 'approved' }
  | { status: 'skipped'; reason: string | null }
);

export interface ReportedStateChange extends Omit<StateChangeRecord, 'decision'> {
  decision: ReportedDecision;
}

export interface MirroredReport extends Reported {
  status: 'mirrored';
  plan: RunPlan;
  overall: Overall;
  /** As the header has them. */
  counts?: ActionCounts;
  actions: MirroredAction[];
}

export interface MirroredAction {
  type: ActionRecord['type'];
  metadata: Metadata;
  decision: ReportedDecision;
  outcome: { status: 'not-run' } | ({ status: 'success' | 'failure' } & Facts);
}

export interface ContractReport extends Reported, Pick<Run, 'startedAt' | 'endedAt' | 'environment'> {
  status: 'contract';
  /** Null if another program wrote the report: the contract does not ask for it. */
  id: string | null;
  /** `path` is null for the same reason. */
  plan: { title: string | null; path: string | null };
  overall: ContractStatus;
  /** To ten milliseconds. */
  durationMs: number;
  actions: ContractAction[];
}

export interface ContractAction {
  type: ActionRecord['type'];
  decision: ReportedDecision;
  outcome: Outcome;
}
