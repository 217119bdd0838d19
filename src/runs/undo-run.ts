import { hasEffect } from '../core/plan/actions.js';
import type { ActionRecord, Done, MovedRef, Run, UnrestorableFile } from '../core/report/record.js';
import type { RedoResult, UndoResult } from '../workspace/runs/undo.js';
import type { Workspace } from '../workspace/workspace.js';
import { explainForeign, findRun, runOf } from './run-list.js';

/** A command that a run started. Redo does not run it again. */
export interface RunCommand {
  /** Of the action, from 1. */
  number: number;
  line: number;
  description: string | null;
  /** Whether undo reverts what it did to files that git does not ignore. Runs of older versions did not record it. */
  recorded: boolean;
  /** What it changed and undo leaves, besides files of the run's journal. */
  unrestorable: UnrestorableFile[];
  moved: MovedRef[];
}

export type UndoChoice =
  | { status: 'found'; run: Run; passedOver: PassedOver[] }
  /** `reason` is a whole sentence. */
  | { status: 'missing'; reason: string };

/** A newer run that left nothing to undo. */
export interface PassedOver {
  id: string;
  title: string | null;
}

/** The run to undo: the named one, or this user's newest run that is not undone and left something to undo. */
export async function chooseUndo(workspace: Workspace, named: string | undefined): Promise<UndoChoice> {
  if (named !== undefined) return findUndoable(workspace, named);
  const passedOver: PassedOver[] = [];
  for (const id of workspace.runs().reverse()) {
    if (workspace.readUndone(id) || !runOf(workspace, id)) continue;
    const found = findUndoable(workspace, id);
    if (found.status === 'missing') return found;
    const result = await workspace.undo(id, { dryRun: true });
    const isEmpty = result.status === 'undone' && result.restored.length + result.refused.length === 0;
    const hasLeftovers = commandsOf(found.run).some(
      (each) => each.unrestorable.length + each.moved.length > 0,
    );
    if (!isEmpty || hasLeftovers) return { ...found, passedOver };
    passedOver.push({ id, title: found.run.plan.title });
  }
  const last = findRun(workspace, undefined);
  if (last.status === 'missing') return last;
  return {
    status: 'missing',
    reason: 'Nothing to undo: every run here has been undone, or changed no file.',
  };
}

function findUndoable(workspace: Workspace, named: string): UndoChoice {
  const found = findRun(workspace, named);
  if (found.status === 'missing') return found;
  if (found.origin !== 'own') return { status: 'missing', reason: `Cannot undo: ${explainForeign(found)}` };
  return { status: 'found', run: found.run, passedOver: [] };
}

/** What undoing a run did, or would do. */
export interface UndoneRun {
  run: Run;
  result: UndoResult;
  /** It was undone before; this time there may have been something left to do. */
  wasUndone: boolean;
  commands: RunCommand[];
}

/** With `preview`, of a dry run: does what that showed, or nothing. */
export async function undoRun(
  workspace: Workspace,
  run: Run,
  how: { dryRun?: boolean; preview?: string; force?: string } = {},
): Promise<UndoneRun> {
  const wasUndone = workspace.readUndone(run.id) !== undefined;
  const result = await workspace.undo(run.id, how);
  return { run, result, wasUndone, commands: commandsOf(run) };
}

export type RedoneRun =
  | { status: 'found'; run: Run; result: RedoResult; commands: RunCommand[] }
  /** `reason` is a whole sentence. */
  | { status: 'missing'; reason: string };

/** Reverts the last undo. Commands are not run again. */
export async function redoRun(workspace: Workspace): Promise<RedoneRun> {
  const id = workspace.lastUndone();
  if (id === undefined) return { status: 'missing', reason: 'Nothing to redo: no run here is undone.' };
  const found = findUndoable(workspace, id);
  if (found.status === 'missing') return found;
  const { run } = found;
  return { status: 'found', run, result: await workspace.redo(id), commands: commandsOf(run) };
}

function commandsOf({ actions, kind }: Run): RunCommand[] {
  // That of a changeset ran in a copy that is gone.
  if (kind === 'changeset') return [];
  return actions.flatMap((action, i) =>
    hasEffect(action, 'runs') && action.outcome.status !== 'not-run' && action.outcome.doneIn === undefined
      ? [describeCommand(i + 1, action, action.outcome)]
      : [],
  );
}

function describeCommand(number: number, { line, metadata }: ActionRecord, outcome: Done): RunCommand {
  const { changed, unrestorable = [], moved = [] } = outcome;
  const description = metadata.Description ?? null;
  return { number, line, description, recorded: changed !== undefined, unrestorable, moved };
}
