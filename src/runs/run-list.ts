import { readRun } from '../core/report/read-run.js';
import type { Overall, Run } from '../core/report/record.js';
import type { RecordRead } from '../workspace/runs/runs.js';
import type { Workspace } from '../workspace/workspace.js';

/** One line of the list of runs. */
export interface RunSummary {
  id: string;
  title: string | null;
  startedAt: string;
  overall: Overall;
  undone: boolean;
  /** The files that the undo left as they were; absent if it left none. */
  left?: string[];
  interrupted: boolean;
  /** Its record does not have this user's seal: it is shown but decides nothing. */
  foreign: boolean;
}

/** All runs that have a record, newest first; those that others recorded come last. */
export function listRuns(workspace: Workspace): RunSummary[] {
  return [...workspace.runs().reverse(), ...workspace.foreignRuns().reverse()].flatMap((id) => {
    const read = runOf(workspace, id);
    return read ? [summarise(workspace, read)] : [];
  });
}

function summarise(workspace: Workspace, { run, origin }: ReadRun): RunSummary {
  const undone = workspace.readUndone(run.id);
  return {
    id: run.id,
    title: run.plan.title,
    startedAt: run.startedAt,
    overall: run.overall,
    undone: undone !== undefined,
    ...(undone && undone.left.length > 0 ? { left: undone.left } : {}),
    interrupted: run.interrupted !== null,
    foreign: origin !== 'own',
  };
}

/** A run with its record; see `RecordRead` for whose it is. */
export interface ReadRun {
  run: Run;
  origin: RecordRead['origin'];
}

export type FoundRun =
  | ({ status: 'found' } & ReadRun)
  /** `reason` is a whole sentence. */
  | { status: 'missing'; reason: string };

/** The run with that id, or the only one whose id starts or ends like that; without a name, this user's last run. */
export function findRun(workspace: Workspace, named: string | undefined): FoundRun {
  if (named === undefined) return findLastRun(workspace);
  if (named === '') return { status: 'missing', reason: 'Name a run, or leave it out for the last one.' };
  const ids = [...workspace.runs(), ...workspace.foreignRuns()];
  const fitting = ids.filter((id) => id.startsWith(named) || id.endsWith(named)).sort();
  if (fitting.length > 1 && !ids.includes(named)) {
    return { status: 'missing', reason: `${named} matches ${fitting.join(', ')}. Type more of the id.` };
  }
  const id = ids.includes(named) ? named : fitting[0];
  if (id === undefined) {
    return { status: 'missing', reason: `There is no run ${named}. List the runs with: teddy runs` };
  }
  const read = runOf(workspace, id);
  return read
    ? { status: 'found', ...read }
    : {
        status: 'missing',
        reason: `The run ${id} has no record: it is still running, or its folder is damaged.`,
      };
}

/** A run whose record was changed is not passed over: the run before it is not the last one. */
function findLastRun(workspace: Workspace): FoundRun {
  for (const id of workspace.runs().reverse()) {
    const read = runOf(workspace, id);
    if (read?.origin === 'altered')
      return { status: 'missing', reason: `The last run is foreign: ${explainForeign(read)}` };
    if (read) return { status: 'found', ...read };
  }
  const others = workspace.foreignRuns().length;
  const but = others === 0 ? '' : ' The runs that teddy runs lists are not yours.';
  return { status: 'missing', reason: `There are no runs here yet.${but}` };
}

/** Why a run decides nothing, and what to do where something can be done. */
export function explainForeign({ run, origin }: ReadRun): string {
  if (origin !== 'altered') return 'this run was recorded by another user or with another HOME.';
  const path = `.teddy/runs/${run.id}/run.json`;
  return `${path} was changed after the run. Delete that file, and teddy writes it again from the run's journal.`;
}

export function runOf(workspace: Workspace, id: string): ReadRun | undefined {
  const record = workspace.readRunRecord(id);
  const run = record && readRun(record.text);
  return run?.id === id ? { run, origin: record!.origin } : undefined;
}
