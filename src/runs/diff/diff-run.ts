import { redactorFor } from '../../config/redactor.js';
import { applyHunks, diffHunks } from '../../core/changeset/hunks.js';
import { hasEffect, resourcesOf, simulateAction } from '../../core/plan/actions.js';
import { readAction, readPlan } from '../../core/plan/read.js';
import type { Action, Plan } from '../../core/plan/types.js';
import type { ActionRecord, KeptChanges, Run } from '../../core/report/record.js';
import { Overlay, type Tree } from '../../core/tree.js';
import { decodeText } from '../../node/files.js';
import { sha256 } from '../../node/ids.js';
import type { RunChange } from '../../workspace/runs/run-changes.js';
import { openTree } from '../../workspace/tree.js';
import type { Workspace } from '../../workspace/workspace.js';
import { type PlanCopy, readPlanCopy } from '../plan-copy.js';
import type { CommitNote } from '../progress.js';
import { runOf } from '../run-list.js';
import { type DiffText, writeFileDiff } from './unified-diff.js';

/** What a run changed in files. */
export interface RunDiff {
  run: string;
  undone: boolean;
  /** The files that the undo left as they were; absent if it left none. */
  left?: string[];
  /** Why its changes cannot be shown, as a sentence; null if they can. */
  reason: string | null;
  /** The project's own files first, then those under `.teddy`. */
  files: FileDiff[];
  /** Whether its plan is what it received: only then are its commands certain; null without a run or its journal. */
  plan: PlanCopy['status'] | null;
  /** The commands that ran. Their changes are among those of the files, if they were recorded. */
  commands: CommandRun[];
}

interface FileDiff {
  path: string;
  change: 'created' | 'modified' | 'deleted';
  /** Unified, for `git apply`; null if it is not known. */
  diff: string | null;
  /** Why it is not known, or what else matters about it, as a sentence; null if there is nothing to say. */
  reason: string | null;
}

export interface CommandRun {
  /** Of the action, from 1. */
  number: number;
  description: string | null;
  /** As it ran; null if that is no longer known. */
  command: string | null;
  /** Runs of older versions did not record what commands changed. */
  recorded: boolean;
}

type Mask = (text: string) => string;

/**
 * What a run changed, from its journal, with secrets masked. Nothing is guessed: a content that its hash does not prove is
 * not shown.
 */
export function diffRun(
  workspace: Workspace,
  run: string,
  environment: Readonly<Record<string, string | undefined>>,
): RunDiff {
  const changes = workspace.runChanges(run);
  if (!changes) {
    const reason = explainUnknown(workspace, run);
    return { run, undone: false, reason, plan: null, files: [], commands: [] };
  }
  const copy = readPlanCopy(workspace, run);
  // The command of a changeset ran in a copy that is gone.
  const isPlan = (ownRecord(workspace, run)?.kind ?? 'plan') === 'plan';
  const { plan } = readPlan('text' in copy ? copy.text : '', openTree(workspace.root));
  const redactor = redactorFor(plan, environment);
  const mask: Mask = (text) => redactor.mask(text);
  const undone = workspace.readUndone(run);
  return {
    run,
    undone: undone !== undefined,
    ...(undone && undone.left.length > 0 ? { left: undone.left } : {}),
    reason: null,
    plan: isPlan ? copy.status : null,
    files: ownLast(changes.filter(isChange)).map((change) =>
      diffFile(
        change.after === undefined ? { ...change, after: remakeFile(change, plan, workspace) } : change,
        mask,
      ),
    ),
    commands: isPlan ? listCommands(ownRecord(workspace, run), plan, mask) : [],
  };
}

/** A file as it was before a run. */
export type OldText =
  /** With secrets masked. */
  | { status: 'text'; text: string; masked: boolean }
  /** `reason` is a whole sentence. */
  | { status: 'none'; reason: string };

/** The text of one file before a run. `paths`: from the root, what the user may mean; the first that the run changed counts. */
export function readOldText(
  workspace: Workspace,
  run: string,
  paths: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): OldText {
  const none = (reason: string): OldText => ({ status: 'none', reason });
  const changes = workspace.runChanges(run);
  if (!changes) return none(explainUnknown(workspace, run));
  const change = paths
    .map((path) => changes.find((each) => each.path === path))
    .find((each) => each !== undefined);
  if (!change) return none(`Run ${run} did not change ${paths[0]}.`);
  const { path, before, states, lost } = change;
  if (before === null) return none(`${path} did not exist before run ${run}.`);
  if (before === undefined)
    return none(
      `The old text of ${path} was not kept${lost === undefined ? ', or is damaged' : `: it ${lost}`}.`,
    );
  const copy = readPlanCopy(workspace, run);
  const { plan } = readPlan('text' in copy ? copy.text : '', openTree(workspace.root));
  const redactor = redactorFor(plan, environment);
  const version = readVersion(before, states.before, (text) => redactor.mask(text))!;
  return version.status === 'text' ? version : none(`${path} ${version.reason}.`);
}

/** The files that a run changed, each before and after it, with secrets masked. Those of which a text is not certain are left out. */
export function* readChangedTexts(
  workspace: Workspace,
  run: string,
  environment: Readonly<Record<string, string | undefined>>,
  isWanted: (path: string) => boolean,
): Generator<{ path: string; before: string | null; after: string }> {
  const changes = workspace.runChanges(run)?.filter((each) => isChange(each) && isWanted(each.path)) ?? [];
  if (changes.length === 0) return;
  const copy = readPlanCopy(workspace, run);
  const { plan } = readPlan('text' in copy ? copy.text : '', openTree(workspace.root));
  const redactor = redactorFor(plan, environment);
  const read = (bytes: Uint8Array | null | undefined, state: RunChange['states']['after']) =>
    bytes === undefined ? undefined : readVersion(bytes, state, (text) => redactor.mask(text));
  for (const change of changes) {
    if (change.before === undefined) continue;
    const before = read(change.before, change.states.before);
    const after = read(change.after ?? remakeFile(change, plan, workspace), change.states.after);
    if (before?.status === 'refused' || after?.status !== 'text') continue;
    yield { path: change.path, before: before?.text ?? null, after: after.text };
  }
}

function ownRecord(workspace: Workspace, run: string): Run | undefined {
  const read = runOf(workspace, run);
  return read?.origin === 'own' ? read.run : undefined;
}

function explainUnknown(workspace: Workspace, run: string): string {
  const isHere = workspace.runs().includes(run) || workspace.foreignRuns().includes(run);
  const why = isHere ? 'has no journal that you wrote' : 'is no longer kept here';
  return `Run ${run} ${why}, so its changes cannot be shown.`;
}

/** Whether the file ended up different. */
function isChange({ states: { before, after } }: RunChange): boolean {
  return before?.hash !== after?.hash || isExecutable(before) !== isExecutable(after);
}

function ownLast(changes: readonly RunChange[]): RunChange[] {
  const isOwn = ({ path }: RunChange) => path.startsWith('.teddy/');
  return [...changes.filter((change) => !isOwn(change)), ...changes.filter(isOwn)];
}

function diffFile(change: RunChange, mask: Mask): FileDiff {
  const { path, states, mixed } = change;
  const facts = { path, change: kindOf(states) };
  const refuse = (why: string): FileDiff => ({ ...facts, diff: null, reason: `${path} ${why}.` });
  if (change.before === undefined)
    return refuse(
      `cannot be compared: ${change.lost ? `it ${change.lost}` : 'its copy in the journal is damaged'}`,
    );
  if (change.after === undefined)
    return refuse('was changed after the run, and no copy of what the run wrote was kept');
  const before = readVersion(change.before, states.before, mask);
  const after = readVersion(change.after, states.after, mask);
  for (const version of [before, after]) if (version?.status === 'refused') return refuse(version.reason);
  const diff = writeFileDiff(path, textOf(before), textOf(after));
  const notes = [
    ...(mixed ? ['The diff includes what another program changed during the run.'] : []),
    ...(isMasked(before) || isMasked(after) ? ['Secrets in it are masked.'] : []),
  ];
  return { ...facts, diff, reason: notes.length === 0 ? null : `${path}: ${notes.join(' ')}` };
}

function kindOf({ before, after }: RunChange['states']): FileDiff['change'] {
  if (before === null) return 'created';
  return after === null ? 'deleted' : 'modified';
}

type Version = (DiffText & { status: 'text'; masked: boolean }) | { status: 'refused'; reason: string };

function readVersion(
  bytes: Uint8Array | null,
  state: { mode: number; target?: string } | null,
  mask: Mask,
): Version | undefined {
  if (bytes === null || state === null) return undefined;
  const read = decodeText(bytes);
  if (read.status === 'refused') return read;
  const text = mask(read.text);
  const isLink = state.target !== undefined;
  return {
    status: 'text',
    text,
    masked: text !== read.text,
    executable: !isLink && isExecutable(state),
    ...(isLink && { link: true }),
  };
}

function isExecutable(state: { mode: number } | null): boolean {
  return state !== null && (state.mode & 0o100) !== 0;
}

function textOf(version: Version | undefined): DiffText | null {
  return version?.status === 'text' ? version : null;
}

function isMasked(version: Version | undefined): boolean {
  return version?.status === 'text' && version.masked;
}

function listCommands(run: Run | undefined, plan: Plan | null, mask: Mask): CommandRun[] {
  return (run?.actions ?? []).flatMap((record, i) => {
    if (record.type !== 'EXECUTE' || record.outcome.status === 'not-run') return [];
    const command = commandOf(record, plan?.actions[i]);
    const description = record.metadata.Description ?? null;
    const recorded = record.outcome.changed !== undefined;
    return [{ number: i + 1, description, command: command === null ? null : mask(command), recorded }];
  });
}

function commandOf({ outcome }: ActionRecord, planned: Plan['actions'][number] | undefined): string | null {
  const ranAs = outcome.status === 'not-run' ? undefined : outcome.ranAs;
  const action = ranAs === undefined ? planned : readAction(ranAs).action;
  return action?.type === 'EXECUTE' ? action.command : null;
}

/**
 * What a run made of a file, where no copy of it is left: its last commit is done again in memory, on what that commit
 * had found. Undefined unless the journal's hash says that it is the very same content.
 */
function remakeFile(change: RunChange, plan: Plan | null, workspace: Workspace): Uint8Array | undefined {
  const { path, last, states } = change;
  if (plan === null || last.before === undefined || states.after === null) return undefined;
  const tree = new Overlay(treeOfOne(path, last.before));
  for (const { action, kept } of writesOf(last.note as CommitNote | undefined, plan)) {
    const located = resourcesOf(action).map(({ target }) => workspace.locate(target));
    if (!located.some((each) => each.status === 'inside' && each.path === path)) continue;
    const written = simulateAction(action, tree);
    if (written?.status !== 'written') return undefined;
    tree.write(path, kept ? withoutDropped(written, kept) : written.after);
  }
  const made = tree.text(path);
  const bytes = made.status === 'text' ? new TextEncoder().encode(made.text) : undefined;
  return bytes && sha256(bytes) === states.after.hash ? bytes : undefined;
}

/** What was written of a change of which the user dropped hunks. */
function withoutDropped(
  { path, before, after }: { path: string; before: string | null; after: string },
  { dropped }: KeptChanges,
): string {
  const hunks = diffHunks(before ?? '', after, path);
  const ids = new Set(dropped.map(({ id }) => id));
  return applyHunks(before ?? '', hunks, new Set(hunks.map(({ id }) => id).filter((id) => !ids.has(id))));
}

/** The writing actions of one commit, each as it ran. */
function writesOf(
  note: CommitNote | undefined,
  plan: Plan,
): { action: Action; kept: KeptChanges | undefined }[] {
  if (note?.kind !== 'actions') return [];
  return note.ended.flatMap(({ number, record: { outcome } }) => {
    const { ranAs, kept } = outcome.status === 'not-run' ? {} : outcome;
    const action = ranAs === undefined ? plan.actions[number - 1] : readAction(ranAs).action;
    return action && hasEffect(action, 'writes') ? [{ action, kept }] : [];
  });
}

/** A tree in which every name leads to the one file. */
function treeOfOne(path: string, bytes: Uint8Array | null): Tree {
  return {
    stat: (each) => (each === path && bytes !== null ? { kind: 'file' } : undefined),
    text: (each) => (each === path && bytes !== null ? decodeText(bytes) : { status: 'missing' }),
    real: () => path,
  };
}
