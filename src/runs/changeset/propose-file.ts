import { type ChangedFile, decisionIds } from '../../core/changeset/changeset.js';
import { textOfBytes } from '../../core/changeset/content.js';
import type { Entry } from '../../core/changeset/entry-tree.js';
import { diffHunks } from '../../core/changeset/hunks.js';
import { writePathLink } from '../../core/markdown/inline.js';
import type { FileChangeType, KeptChanges } from '../../core/report/record.js';
import { sha256 } from '../../node/ids.js';
import type { FilePart, FileQuestion, HunkChoice } from '../../review/question.js';
import { risksOfFile } from '../../review/risks.js';
import { entryMark } from '../../workspace/commit/change.js';
import { writeRows } from '../propose.js';
import type { RebasedChangeset } from './rebase.js';

// A file of a changeset as a question, and what an answer to it keeps.

const TYPES: Record<ChangedFile['change'], FileChangeType> = {
  created: 'CREATE',
  edited: 'EDIT',
  deleted: 'DELETE',
  renamed: 'RENAME',
};

interface FilePlace {
  number: number;
  total: number;
  modified: boolean;
}

export interface FileView {
  rebased: RebasedChangeset;
  /** The command that will verify the result. */
  verify: string | null;
  /** The files that the agent's task names; null: it has none. */
  taskFiles: readonly string[] | null;
  /** The bytes of files that are not texts are not known. */
  isWithoutBytes?: true;
  /** Whether a text holds what looks like a secret. */
  hasSecret(text: string): boolean;
}

export function proposeFile(file: ChangedFile, place: FilePlace, view: FileView): FileQuestion {
  const { path, from } = file;
  const before = view.rebased.project.entry(from ?? path);
  const after = file.change === 'deleted' ? undefined : view.rebased.target.entry(path);
  const texts = { before: textOf(before), after: textOf(after) };
  const conflict = place.modified ? null : (view.rebased.conflicts.get(path) ?? null);
  const rows = file.hunks.flatMap(({ lines }) => lines);
  const rowsOf = (sign: string) => rows.flatMap((row) => (row.startsWith(sign) ? [row.slice(1)] : []));
  const [added, removed] = [rowsOf('+'), rowsOf('-')];
  const shown = {
    type: TYPES[file.change],
    path,
    ...(from !== undefined && { from }),
    texts,
    facts: describeFacts(file, before, after, view),
    parts: partsOf(file),
    conflict,
  };
  return {
    kind: 'file',
    ...place,
    ...shown,
    risks: risksOfFile(
      {
        path,
        isDeleted: file.change === 'deleted',
        conflict: conflict?.reason ?? null,
        added,
        removed,
        target: after?.kind === 'link' ? after.target : null,
        becomesExecutable: isExecutable(after) && !isExecutable(before),
        hasSecret: view.hasSecret(added.join('')),
      },
      view,
    ),
    // Content that is not shown, of binary files, is covered as well.
    hash: sha256(JSON.stringify([shown, before && entryMark(before), after && entryMark(after)])),
  };
}

/** The same change with another result: what the user made of it. */
export function rewriteFile(file: ChangedFile, before: Entry | undefined, text: string): ChangedFile {
  const hunks = diffHunks(before?.kind === 'file' ? (textOf(before) ?? '') : '', text, file.path);
  return { ...file, binary: false, hunks: file.change === 'created' ? [] : hunks };
}

export type ChosenFile =
  | { status: 'chosen'; kept: ReadonlySet<string>; facts: { kept?: KeptChanges } }
  /** The answer names something that was not shown. */
  | { status: 'unknown' };

export function chooseFile(file: ChangedFile, question: FileQuestion, keep?: HunkChoice): ChosenFile {
  const all = decisionIds(file);
  if (keep === undefined) return { status: 'chosen', kept: all, facts: {} };
  const ids = new Set(keep.ids);
  const known = new Set(question.parts.map(({ id }) => id));
  if (![...ids].every((id) => known.has(id))) return { status: 'unknown' };
  const dropped = question.parts.filter(({ id }) => !ids.has(id));
  const drop = new Set(dropped.map(({ id }) => id));
  const kept: KeptChanges = {
    count: ids.size,
    dropped: dropped.map(({ id, lines }) => ({
      id,
      change: writeRows(lines),
      reason: keep.reasons[id] ?? null,
    })),
  };
  return { status: 'chosen', kept: new Set([...all].filter((id) => !drop.has(id))), facts: { kept } };
}

/** As the entries of a plan's report have it. */
export function metadataOf({ path, from, facts }: FileQuestion): Record<string, string> {
  return {
    'File Path': writePathLink(path),
    ...(from !== undefined && { From: writePathLink(from) }),
    ...(facts.length > 0 && { Facts: facts.join(', ') }),
  };
}

export function summarizeFile({ type, path, from }: FileQuestion): string {
  const verbs: Record<FileChangeType, string> = {
    CREATE: 'created',
    EDIT: 'edited',
    DELETE: 'deleted',
    RENAME: `renamed from '${from}'`,
  };
  return `File '${path}' ${verbs[type]}.`;
}

/** One part is the whole file. */
function partsOf({ hunks, mode, change, whole }: ChangedFile): FilePart[] {
  if (change === 'created' || change === 'deleted' || (change === 'edited' && whole !== undefined)) return [];
  const parts: FilePart[] = hunks.map(({ id, lines }) => ({ id, lines }));
  if (mode?.id !== undefined) parts.push({ id: mode.id, lines: [`-${mode.before}\n`, `+${mode.after}\n`] });
  return parts.length > 1 ? parts : [];
}

function describeFacts(
  { binary, mode, link }: ChangedFile,
  before: Entry | undefined,
  after: Entry | undefined,
  { isWithoutBytes }: FileView,
): string[] {
  const facts: string[] = [];
  if (mode?.before !== undefined && mode.after !== undefined && mode.before !== mode.after)
    facts.push(`${mode.before} becomes ${mode.after}`);
  else if (mode?.after === 'executable' && mode.before === undefined) facts.push('executable');
  if (link?.before !== undefined) facts.push(`was a link to ${link.before}`);
  if (link?.after !== undefined) facts.push(`link to ${link.after}`);
  if (binary) facts.push(isWithoutBytes ? 'binary' : `binary, ${describeBytes(before, after)}`);
  return facts;
}

function describeBytes(before: Entry | undefined, after: Entry | undefined): string {
  const sizes = [before, after].flatMap((entry) => (entry?.kind === 'file' ? entry.bytes.length : []));
  const [old = 0, now = old] = sizes;
  return old === now ? `${now} ${now === 1 ? 'byte' : 'bytes'}` : `${old} bytes become ${now}`;
}

function textOf(entry: Entry | undefined): string | null {
  return entry?.kind === 'file' ? (textOfBytes(entry.bytes) ?? null) : null;
}

function isExecutable(entry: Entry | undefined): boolean {
  return entry?.kind === 'file' && entry.executable;
}
