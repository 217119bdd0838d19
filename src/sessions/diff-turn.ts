import { structuredPatch } from 'diff';
import { redactorFor } from '../config/redactor.js';
import { readAction, readPlan } from '../core/plan/read.js';
import type { Plan } from '../core/plan/types.js';
import type { ActionRecord, Run } from '../core/report/record.js';
import { UserError } from '../node/errors.js';
import { decodeText } from '../node/files.js';
import { remakeFile } from '../runs/after-image.js';
import { findRun } from '../runs/run-list.js';
import { PLAN_COPY } from '../runs/run-record.js';
import type { RunChange } from '../workspace/runs/run-changes.js';
import { openTree } from '../workspace/tree.js';
import type { Workspace } from '../workspace/workspace.js';
import { Sessions } from './turns/sessions.js';
import { readTurnRef, type Turn, turnId } from './turns/turn.js';

/** What a turn changed in files. */
export interface TurnDiff {
  /** `auth/03` */
  turn: string;
  /** What carried it out; null where nothing did yet. */
  run: string | null;
  undone: boolean;
  /** The files that undoing it left as they were, where it did. */
  left?: string[];
  /** Why nothing can be told of its files: a sentence; null where something can. */
  reason: string | null;
  /** The project's own files first, then those under `.teddy`. */
  files: FileDiff[];
  /** The commands that ran. What they changed is in no journal. */
  commands: CommandRun[];
}

interface FileDiff {
  path: string;
  change: 'created' | 'modified' | 'deleted';
  /** Unified, for `git apply`; null where it cannot be told. */
  diff: string | null;
  /** Why not, or what else is to be known of it: a sentence; null where there is nothing to say. */
  reason: string | null;
}

export interface CommandRun {
  /** Of the action, from 1. */
  number: number;
  description: string | null;
  /** As it ran; null where that is not known any more. */
  command: string | null;
}

type Mask = (text: string) => string;

/**
 * What a turn changed, by the journal of its run, secrets masked. `ref`: `3`, or `auth/03`; a bare number is of the session
 * last worked in. Nothing is guessed: a content that its hash does not prove is not shown.
 */
export async function diffTurn(
  workspace: Workspace,
  ref: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<TurnDiff> {
  const turn = findTurn(new Sessions(workspace), ref);
  const { run } = turn.meta;
  const id = turnId(turn.meta.session, turn.meta.turn);
  const nothing: TurnDiff = {
    turn: id,
    run: run?.id ?? null,
    undone: false,
    reason: null,
    files: [],
    commands: [],
  };
  if (run === null) return { ...nothing, reason: `${id} has not been carried out yet.` };
  const changes = workspace.runChanges(run.id);
  if (!changes) return { ...nothing, reason: explainUnknown(workspace, id, run.id, turn.folder) };
  const text = workspace.readRunFile(run.id, PLAN_COPY) ?? turn.plan ?? '';
  const { plan } = readPlan(text, openTree(workspace.root));
  const redactor = redactorFor(plan, environment);
  const mask: Mask = (text) => redactor.mask(text);
  const undone = workspace.readUndone(run.id);
  return {
    ...nothing,
    undone: undone !== undefined,
    ...(undone && undone.left.length > 0 ? { left: undone.left } : {}),
    files: ownLast(changes.filter(isChange)).map((change) =>
      diffFile(
        change.after === undefined ? { ...change, after: remakeFile(change, plan, workspace) } : change,
        mask,
      ),
    ),
    commands: listCommands(ownRecord(workspace, run.id), plan, mask),
  };
}

function ownRecord(workspace: Workspace, run: string): Run | undefined {
  const found = findRun(workspace, run);
  return found.status === 'found' && found.origin === 'own' ? found.run : undefined;
}

function findTurn(sessions: Sessions, ref: string): Turn {
  const read = readTurnRef(ref);
  if (!read) throw new UserError(`${JSON.stringify(ref)} names no turn: say 3, or auth/03.`);
  return sessions.readTurn(sessions.choose(read.session ?? undefined), read.turn);
}

function explainUnknown(workspace: Workspace, turn: string, run: string, folder: string): string {
  const left = `What it did is in ${folder}/report.md.`;
  return workspace.runs().includes(run) || workspace.foreignRuns().includes(run)
    ? `The run ${run} of ${turn} has no journal that you wrote, so its changes cannot be shown. ${left}`
    : `The run ${run} of ${turn} is no longer kept here, so its changes cannot be shown. ${left}`;
}

/** Whether the file is not, in the end, what it had been. */
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
  const untold = (why: string): FileDiff => ({ ...facts, diff: null, reason: `${path} ${why}.` });
  if (change.before === undefined) return untold('cannot be compared: its copy in the journal is damaged');
  if (change.after === undefined)
    return untold('was changed since, and what the turn made of it is not kept');
  const before = readVersion(change.before, states.before, mask);
  const after = readVersion(change.after, states.after, mask);
  for (const version of [before, after]) if (version?.status === 'refused') return untold(version.reason);
  const diff = writeFileDiff(path, textOf(before), textOf(after));
  const notes = [
    ...(mixed ? ['Something else changed it during the run, and that is shown, too.'] : []),
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
  state: { mode: number } | null,
  mask: Mask,
): Version | undefined {
  if (bytes === null || state === null) return undefined;
  const read = decodeText(bytes);
  if (read.status === 'refused') return read;
  const text = mask(read.text);
  return { status: 'text', text, masked: text !== read.text, executable: isExecutable(state) };
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
    return [{ number: i + 1, description, command: command === null ? null : mask(command) }];
  });
}

function commandOf({ outcome }: ActionRecord, planned: Plan['actions'][number] | undefined): string | null {
  const ranAs = outcome.status === 'not-run' ? undefined : outcome.ranAs;
  const action = ranAs === undefined ? planned : readAction(ranAs).action;
  return action?.type === 'EXECUTE' ? action.command : null;
}

/** Two texts that have little in common take long to compare, and the difference would tell nobody anything. */
const PATIENCE_MS = 1000;
const CONTEXT = 3;
const NO_NEWLINE = '\\ No newline at end of file';

export interface DiffText {
  text: string;
  executable: boolean;
}

interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: readonly string[];
}

/** The difference of one file as git writes it, `\n` at its end; null stands for no file. `git apply` understands it. */
export function writeFileDiff(path: string, before: DiffText | null, after: DiffText | null): string {
  const [from, to] = [`a/${path}`, `b/${path}`];
  const hunks = before?.text === after?.text ? [] : findHunks(before?.text ?? '', after?.text ?? '');
  const names = [
    `--- ${before === null ? '/dev/null' : endName(from)}`,
    `+++ ${after === null ? '/dev/null' : endName(to)}`,
  ];
  const lines = [
    `diff --git ${quoteName(from)} ${quoteName(to)}`,
    ...modeLines(before, after),
    ...(hunks.length === 0 ? [] : names),
    ...hunks.flatMap(hunkLines),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function modeLines(before: DiffText | null, after: DiffText | null): string[] {
  if (before === null) return after === null ? [] : [`new file mode ${modeOf(after)}`];
  if (after === null) return [`deleted file mode ${modeOf(before)}`];
  if (before.executable === after.executable) return [];
  return [`old mode ${modeOf(before)}`, `new mode ${modeOf(after)}`];
}

function modeOf({ executable }: DiffText): string {
  return executable ? '100755' : '100644';
}

function findHunks(before: string, after: string): Hunk[] {
  const patch = structuredPatch('', '', before, after, undefined, undefined, {
    context: CONTEXT,
    timeout: PATIENCE_MS,
  });
  return patch?.hunks ?? [replaceAll(before, after)];
}

function replaceAll(before: string, after: string): Hunk {
  const [old, now] = [signedLines('-', before), signedLines('+', after)];
  const count = (lines: readonly string[]) => lines.filter((line) => line !== NO_NEWLINE).length;
  return { oldStart: 1, oldLines: count(old), newStart: 1, newLines: count(now), lines: [...old, ...now] };
}

function signedLines(sign: string, text: string): string[] {
  if (text === '') return [];
  const ended = text.endsWith('\n');
  const lines = (ended ? text.slice(0, -1) : text).split('\n').map((line) => sign + line);
  return ended ? lines : [...lines, NO_NEWLINE];
}

function hunkLines({ oldStart, oldLines, newStart, newLines, lines }: Hunk): string[] {
  return [`@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`, ...lines];
}

/** A range without lines is named by the line before it. */
function range(start: number, lines: number): string {
  if (lines === 0) return `${start - 1},0`;
  return lines === 1 ? `${start}` : `${start},${lines}`;
}

/** Behind a name with a space a tab says where it ends. */
function endName(name: string): string {
  const quoted = quoteName(name);
  return quoted === name && name.includes(' ') ? `${name}\t` : quoted;
}

/** As git does it: in quotes where a character would end the name, or could not stand on a line. */
function quoteName(name: string): string {
  if (!/[\p{Cc}"\\]/u.test(name)) return name;
  const escaped = name.replace(/[\p{Cc}"\\]/gu, (character) =>
    /["\\]/.test(character)
      ? `\\${character}`
      : [...new TextEncoder().encode(character)]
          .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
          .join(''),
  );
  return `"${escaped}"`;
}
