import { structuredPatch } from 'diff';

/** Texts with little in common take long to compare; they are then shown as one replacement. */
const PATIENCE_MS = 1000;
const CONTEXT = 3;
const NO_NEWLINE = '\\ No newline at end of file';

export interface DiffText {
  text: string;
  executable: boolean;
  /** The text is the target of a link. */
  link?: boolean;
}

interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: readonly string[];
}

/** The difference of one file as git writes it, `\n` at its end; null is for no file. `git apply` understands it. */
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
  if (modeOf(before) === modeOf(after)) return [];
  return [`old mode ${modeOf(before)}`, `new mode ${modeOf(after)}`];
}

function modeOf({ executable, link }: DiffText): string {
  if (link) return '120000';
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

/** After a name with a space, a tab says where it ends. */
function endName(name: string): string {
  const quoted = quoteName(name);
  return quoted === name && name.includes(' ') ? `${name}\t` : quoted;
}

/** As git does it: in quotes if a character would end the name or break the line. */
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
