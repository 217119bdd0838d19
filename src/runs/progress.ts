import type { ContextChange } from '../core/plan/types.js';
import type { ActionRecord, Decision, Run, StateChangeRecord } from '../core/report/record.js';
import type { ProcessMark } from '../node/process/process-table.js';
import type { CommandChanges } from '../workspace/snapshot/snapshot.js';

/** A line of a run's journal: from these, recovery reconstructs what a run did whose process died. */
export type Progress = { at: string } & ProgressStep;

type ProgressStep =
  /** Everything that is known before the first decision. */
  | { kind: 'begun'; run: Run; turn?: TurnMark; planHash?: string }
  | { kind: 'state'; record: StateChangeRecord }
  | { kind: 'decided'; number: number; decision: Decision; ranAs?: string }
  /** About to begin; an EXECUTE once more with its process. */
  | { kind: 'started'; number: number; decision: Decision; ranAs?: string; process?: ProcessMark }
  | { kind: 'ended'; number: number; record: ActionRecord; context?: ContextStep | undefined };

/** The turn of a session whose plan is run. */
export interface TurnMark {
  session: string;
  turn: number;
  /** When its plan came: a turn that was planned again is another one. */
  plannedAt?: string;
}

/** What an action changes of the next turn's context, once the run is over. */
export type ContextStep = Pick<ContextChange, 'op' | 'path'>;

/** What the commits of a run keep in its journal: there exactly when the commit happened. */
export type CommitNote =
  | { kind: 'actions'; ended: { number: number; record: ActionRecord }[] }
  | { kind: 'state'; record: StateChangeRecord }
  | { kind: 'context' }
  /** What a command did, which is no commit. */
  | { kind: 'command'; number: number; changes: CommandChanges };

const CUT_OFF = 'Not run: the run was interrupted first.';

/** The decision on an action that the run did not reach. */
export const notReached: Decision = { status: 'skipped', by: 'teddy', reason: CUT_OFF };

/** The processes that a run had started and not seen end. */
export function openProcesses(progress: readonly Progress[]): ProcessMark[] {
  const open = new Map<number, ProcessMark>();
  for (const entry of progress) {
    if (entry.kind === 'started' && entry.process) open.set(entry.number, entry.process);
    if (entry.kind === 'ended') open.delete(entry.number);
  }
  return [...open.values()];
}

/** The EXECUTE that a dead run had started and not seen end. */
export function openCommand(progress: readonly Progress[]): number | undefined {
  const last = progress.findLast(({ kind }) => kind === 'started' || kind === 'ended');
  return last?.kind === 'started' ? last.number : undefined;
}

/** The context changes that a dead run did not make. */
export function openContext(progress: readonly Progress[], commits: readonly CommitNote[]): ContextStep[] {
  if (commits.some((note) => note.kind === 'context')) return [];
  return progress.flatMap((entry) => (entry.kind === 'ended' && entry.context ? [entry.context] : []));
}

/**
 * The record of a run whose process died, as far as its notes go: what ended has its outcome, what had started is
 * interrupted, the rest was not reached. Undefined where not even its beginning is known.
 */
export function recordOfDead(
  progress: readonly Progress[],
  commits: readonly CommitNote[],
): Omit<Run, 'overall'> | undefined {
  const begun = progress.find((entry) => entry.kind === 'begun');
  if (!begun) return undefined;
  const { run } = begun;
  const actions = [...run.actions];
  const stateChanges = [...run.stateChanges];
  const setState = (record: StateChangeRecord) => {
    const at = stateChanges.findIndex(({ section }) => section === record.section);
    if (at !== -1) stateChanges[at] = record;
  };
  for (const entry of progress) {
    if (entry.kind === 'state') setState(entry.record);
    else if (entry.kind === 'decided') update(actions, entry.number, afterDecision(entry));
    else if (entry.kind === 'started') update(actions, entry.number, afterStart(entry));
    else if (entry.kind === 'ended') actions[entry.number - 1] = entry.record;
  }
  for (const note of commits) {
    if (note.kind === 'state') setState(note.record);
    if (note.kind === 'actions') for (const { number, record } of note.ended) actions[number - 1] = record;
    if (note.kind === 'command') update(actions, note.number, withChanges(actions[note.number - 1], note));
  }
  const endedAt = progress.at(-1)!.at;
  return {
    ...run,
    endedAt,
    durationMs: Math.max(0, Date.parse(endedAt) - Date.parse(run.startedAt)),
    interrupted: 'The teddy process of this run was killed or crashed.',
    stateChanges,
    actions,
  };
}

/** What an interrupted command had changed by the time of the recovery, which may include what others did since. */
function withChanges(
  record: ActionRecord | undefined,
  { changes }: Extract<CommitNote, { kind: 'command' }>,
): Partial<ActionRecord> {
  const outcome = record?.outcome;
  if (outcome === undefined || outcome.status === 'not-run' || outcome.interrupted === undefined) return {};
  return { outcome: { ...outcome, ...changes, interrupted: INTERRUPTED } };
}

const INTERRUPTED =
  'the run was interrupted during this action; changed files are listed as the recovery found them, other effects are unknown';

function update(actions: ActionRecord[], number: number, change: Partial<ActionRecord>): void {
  const record = actions[number - 1];
  if (record) actions[number - 1] = { ...record, ...change };
}

/** How far an action came, and what a person had made of it. */
interface Step {
  decision: Decision;
  ranAs?: string;
}

function afterDecision({ decision, ranAs }: Step): Partial<ActionRecord> {
  if (decision.status === 'skipped') return { decision, outcome: { status: 'not-run' } };
  const summary = 'Approved but not run: the run was interrupted before this action. Nothing was changed.';
  return {
    decision,
    outcome: { status: 'failure', summary, error: { text: `${summary}\n` }, ...changed(ranAs) },
  };
}

function changed(ranAs: string | undefined): { ranAs?: string } {
  return ranAs === undefined ? {} : { ranAs };
}

function afterStart({ decision, ranAs }: Step): Partial<ActionRecord> {
  return {
    decision,
    outcome: {
      status: 'failure',
      summary: 'Interrupted; its effects are unknown.',
      interrupted: 'the run was interrupted during this action; its effects are unknown',
      ...changed(ranAs),
    },
  };
}
