import { type Overall, type Run, readRun } from '../formats/report/index.js';
import type { Progress } from '../run/index.js';
import type { TurnMeta } from '../session/index.js';
import { RUN_RECORD, type UndoResult, type Workspace } from '../workspace/index.js';
import { isUndecided } from './run-record.js';

/** One line of the list of runs. */
export interface RunSummary {
  id: string;
  title: string | null;
  startedAt: string;
  overall: Overall;
  undone: boolean;
  /** The files that undoing it left as they were, where it did. */
  left?: string[];
  interrupted: boolean;
}

/** All runs that have a record, the newest first. */
export function listRuns(workspace: Workspace): RunSummary[] {
  return workspace
    .runs()
    .reverse()
    .flatMap((id) => {
      const run = runOf(workspace, id);
      return run ? [summarise(workspace, run)] : [];
    });
}

function summarise(workspace: Workspace, run: Run): RunSummary {
  const undone = workspace.readUndone(run.id);
  return {
    id: run.id,
    title: run.plan.title,
    startedAt: run.startedAt,
    overall: run.overall,
    undone: undone !== undefined,
    ...(undone && undone.left.length > 0 ? { left: undone.left } : {}),
    interrupted: run.interrupted !== null,
  };
}

export type FoundRun =
  | { status: 'found'; run: Run }
  /** `reason` is a whole sentence. */
  | { status: 'missing'; reason: string };

/** The run with that id, or the only one whose id begins or ends like that; the newest where none is named. */
export function findRun(workspace: Workspace, named: string | undefined): FoundRun {
  const ids = workspace.runs();
  if (named === undefined) {
    const newest = ids.reverse().find((id) => runOf(workspace, id) !== undefined);
    if (newest === undefined) return { status: 'missing', reason: 'There are no runs here yet.' };
    return { status: 'found', run: runOf(workspace, newest)! };
  }
  if (named === '') return { status: 'missing', reason: 'Name a run, or leave it out for the last one.' };
  const fitting = ids.filter((id) => id.startsWith(named) || id.endsWith(named));
  if (fitting.length > 1 && !ids.includes(named)) {
    return { status: 'missing', reason: `${named} could be any of ${fitting.join(', ')}; say more of it.` };
  }
  const id = ids.includes(named) ? named : fitting[0];
  if (id === undefined) {
    return { status: 'missing', reason: `There is no run ${named}; teddy runs lists them.` };
  }
  const run = runOf(workspace, id);
  return run
    ? { status: 'found', run }
    : {
        status: 'missing',
        reason: `The run ${id} has no record: it is still under way, or its folder is damaged.`,
      };
}

/**
 * The run that carried out the plan of a turn and is over; not one that was refused or left, which did nothing. What a run was of
 * stands in its journal, which only this user's teddy can have written.
 */
export function findRunOfTurn(
  workspace: Workspace,
  { session, turn, madeAt, plannedAt }: Pick<TurnMeta, 'session' | 'turn' | 'madeAt' | 'plannedAt'>,
): Run | undefined {
  const since = Date.parse(plannedAt ?? madeAt);
  for (const id of workspace.runs().reverse()) {
    const run = runOf(workspace, id);
    if (!run) continue;
    if (Date.parse(run.startedAt) < since) return undefined;
    if (run.refused || isUndecided(run)) continue;
    const mark = (workspace.runNotes(id).progress as Progress[]).find(({ kind }) => kind === 'begun');
    if (mark?.kind !== 'begun' || mark.turn?.session !== session || mark.turn.turn !== turn) continue;
    return run;
  }
  return undefined;
}

/** What undoing a run did, or would do. */
export interface Undone {
  run: Run;
  result: UndoResult;
  /** It was undone before; now there may have been something left to do, or not. */
  wasUndone: boolean;
  /** The commands that it ran: what they did nobody can undo. */
  commands: { number: number; line: number; description: string | null }[];
}

export async function undoRun(workspace: Workspace, run: Run, { dryRun = false } = {}): Promise<Undone> {
  const wasUndone = workspace.readUndone(run.id) !== undefined;
  const result = await workspace.undo(run.id, { dryRun });
  const commands = run.actions.flatMap(({ type, line, metadata, outcome }, i) =>
    type === 'EXECUTE' && outcome.status !== 'not-run'
      ? [{ number: i + 1, line, description: metadata.Description ?? null }]
      : [],
  );
  return { run, result, wasUndone, commands };
}

function runOf(workspace: Workspace, id: string): Run | undefined {
  const text = workspace.readRunFile(id, RUN_RECORD);
  const run = text === undefined ? undefined : readRun(text);
  return run?.id === id ? run : undefined;
}
