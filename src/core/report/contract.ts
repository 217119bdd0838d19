import {
  addTip,
  TIP_LIMITS,
  type TipLimits,
  writeComments,
  writeDetails,
  writeIssues,
  writeLineValue,
  writeListFacts,
  writeListItem,
  writePathValue,
  writeStateChangeRecords,
  writeTextValue,
} from './markdown.js';
import type { ActionRecord, Decision, Overall, Run } from './record.js';

export type ContractStatus = 'SUCCESS' | 'FAILURE' | 'PARTIAL_SUCCESS';

const STATUS: Record<Overall, ContractStatus> = {
  Completed: 'SUCCESS',
  Partial: 'PARTIAL_SUCCESS',
  Failed: 'FAILURE',
  Skipped: 'FAILURE',
};

const UNCHANGED = 'These changes have not been implemented, and the previous state is still the current one.';
const REJECTED = `User rejected this action. ${UNCHANGED}`;
const NOT_RUN = `Not run. ${UNCHANGED}`;
export const APPROVED_NOT_RUN = `Approved, but not run. ${UNCHANGED}`;

/** The contract report: a summary of the run, where it took place, and its actions by number. */
export function renderContract(run: Run, tip: TipLimits = TIP_LIMITS): string {
  const sections = [
    `# Execution Report\n\n${writeSummary(run)}\n\n${writeEnvironment(run)}`,
    ...writeIssues(run),
    ...writeStateChangeRecords(run.stateChanges),
    ['## Action Log', ...run.actions.slice(0, 1).map(writeAction)].join('\n\n'),
    ...run.actions.slice(1).map((action, at) => writeAction(action, at + 1)),
  ];
  return addTip(`${sections.join('\n\n---\n\n')}\n`, tip);
}

function writeSummary(run: Run): string {
  const { id, plan, overall, startedAt, endedAt, durationMs, interrupted, continues } = run;
  return [
    '**Run Summary:**',
    writeListItem('Status', STATUS[overall]),
    writeListItem('Start Time', writeLineValue(startedAt)),
    writeListItem('End Time', writeLineValue(endedAt)),
    writeListItem('Duration', `${(Math.round(durationMs / 10) / 100).toFixed(2)} seconds`),
    writeListItem('Run', writeLineValue(id)),
    ...(plan.title === null ? [] : [writeListItem('Plan', writeTextValue(plan.title))]),
    writeListItem('Plan File', writePathValue(plan.path)),
    ...(interrupted === null ? [] : [writeListItem('Interrupted', writeTextValue(interrupted))]),
    ...(continues === undefined ? [] : [writeListItem('Continues', writeTextValue(continues))]),
  ].join('\n');
}

function writeEnvironment({ environment: { os, cwd } }: Run): string {
  return [
    '**Environment:**',
    writeListItem('Operating System', writeLineValue(os)),
    writeListItem('Working Directory', writeLineValue(cwd)),
  ].join('\n');
}

function writeAction(action: ActionRecord, at: number): string {
  return `### Action ${at + 1}: ${action.type.toLowerCase()}\n\n${writeItems(action).join('\n')}`;
}

function writeItems({ decision, outcome }: ActionRecord): string[] {
  if (decision.status === 'skipped') return writeSkip(decision);
  if (outcome.status === 'not-run')
    return [
      writeListItem('Status', 'SKIPPED'),
      writeListItem('Details', APPROVED_NOT_RUN),
      ...writeComments(decision),
    ];
  return [
    writeListItem('Status', outcome.status === 'success' ? 'SUCCESS' : 'FAILURE'),
    writeListItem('Details', writeTextValue(outcome.summary)),
    ...writeComments(decision),
    ...writeListFacts(outcome),
    ...writeDetails(outcome, 3).map((fact) => `- ${fact}`),
  ];
}

function writeSkip(decision: Extract<Decision, { status: 'skipped' }>): string[] {
  const { by, reason } = decision;
  const byUser = by === 'person' || by === 'rest' || by === 'decisions';
  return [
    writeListItem('Status', 'SKIPPED'),
    writeListItem('Details', byUser ? REJECTED : NOT_RUN),
    ...(reason === null ? [] : [writeListItem('Reason', writeTextValue(`"${reason}"`))]),
    ...writeComments(decision),
  ];
}
