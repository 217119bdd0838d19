import { diffArrays } from 'diff';

// Two texts of a file become hunks that the user keeps or drops one by one, and kept hunks become a text again. Lines
// keep their endings, so every byte is in exactly one of them: BOM, CRLF and a missing final newline need no rule.

/** Changed lines with no unchanged line in between: the smallest change that can be decided separately. */
export interface Hunk {
  /** A hash of path and content; of equal hunks in a file, the second is `…-2`. */
  id: string;
  /** Rows of a diff, each ` `, `-` or `+` and then a line with its ending; up to three unchanged ones on either side. */
  lines: readonly string[];
  /** The changed lines of the old and of the new text. */
  before: ChangedLines;
  after: ChangedLines;
}

interface ChangedLines {
  /** 0-based; where `count` is 0, the line before which the others are. */
  start: number;
  count: number;
}

const CONTEXT = 3;

/**
 * Comparing costs time in the square of the lines that differ. Beyond this many, everything between the first and the
 * last difference is one hunk: the limit counts steps, so that the same texts give the same hunks on any machine.
 */
const MOST_DIFFERENCES = 2000;

export function diffHunks(before: string, after: string, path: string): Hunk[] {
  const old = linesWithEndings(before);
  const now = linesWithEndings(after);
  const ids = new Map<string, number>();
  return findChanges(old, now).map((change): Hunk => {
    const changed = [
      ...slice(old, change.before).map((line) => `-${line}`),
      ...slice(now, change.after).map((line) => `+${line}`),
    ];
    const hash = hashChange([path, ...changed].join('\0'));
    const ordinal = (ids.get(hash) ?? 0) + 1;
    ids.set(hash, ordinal);
    const end = change.before.start + change.before.count;
    return {
      id: ordinal === 1 ? hash : `${hash}-${ordinal}`,
      lines: [
        ...asContext(old.slice(Math.max(change.from, change.before.start - CONTEXT), change.before.start)),
        ...changed,
        ...asContext(old.slice(end, Math.min(change.to, end + CONTEXT))),
      ],
      before: change.before,
      after: change.after,
    };
  });
}

/** The old text with the kept hunks in it; all other bytes are as they were. */
export function applyHunks(before: string, hunks: readonly Hunk[], kept: ReadonlySet<string>): string {
  const old = linesWithEndings(before);
  const parts: string[] = [];
  let next = 0;
  for (const hunk of hunks) {
    if (!kept.has(hunk.id)) continue;
    parts.push(old.slice(next, hunk.before.start).join(''), addedText(hunk));
    next = hunk.before.start + hunk.before.count;
  }
  return [...parts, old.slice(next).join('')].join('');
}

function addedText({ lines }: Hunk): string {
  return lines
    .filter((line) => line.startsWith('+'))
    .map((line) => line.slice(1))
    .join('');
}

interface Change {
  before: ChangedLines;
  after: ChangedLines;
  /** The unchanged lines around it, in the old text: from here, and up to there. */
  from: number;
  to: number;
}

function findChanges(old: readonly string[], now: readonly string[]): Change[] {
  const head = countSame(old, now, (lines, at) => lines[at]);
  const rest = [old.slice(head), now.slice(head)] as const;
  const tail = countSame(...rest, (lines, at) => lines.at(-1 - at));
  const middle = rest.map((lines) => lines.slice(0, lines.length - tail)) as [string[], string[]];
  const parts = diffArrays(...middle, { maxEditLength: MOST_DIFFERENCES }) ?? [
    { added: false, removed: true, count: middle[0].length },
    { added: true, removed: false, count: middle[1].length },
  ];
  const changes: Change[] = [];
  const at = { before: head, after: head };
  let isOpen = false;
  let from = 0;
  for (const { added, removed, count } of parts) {
    if (count === 0) continue;
    if (!added && !removed) {
      from = at.before;
      at.before += count;
      at.after += count;
      isOpen = false;
      continue;
    }
    if (!isOpen) {
      if (changes.length > 0) changes.at(-1)!.to = at.before;
      const range = (start: number) => ({ start, count: 0 });
      changes.push({ before: range(at.before), after: range(at.after), from, to: old.length });
      isOpen = true;
    }
    const side = added ? 'after' : 'before';
    changes.at(-1)![side].count += count;
    at[side] += count;
  }
  return changes;
}

type LineAt = (lines: readonly string[], at: number) => string | undefined;

function countSame(old: readonly string[], now: readonly string[], lineAt: LineAt): number {
  const most = Math.min(old.length, now.length);
  let count = 0;
  while (count < most && lineAt(old, count) === lineAt(now, count)) count++;
  return count;
}

/** Each line with its ending; the last may have none. */
export function linesWithEndings(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function slice(lines: readonly string[], { start, count }: ChangedLines): readonly string[] {
  return lines.slice(start, start + count);
}

function asContext(lines: readonly string[]): string[] {
  return lines.map((line) => ` ${line}`);
}

/** 64 bits in hexadecimal. It names a change; what was approved is guarded by the question's own hash. */
export function hashChange(text: string): string {
  let one = 0x811c9dc5;
  let other = 0x9747b28c;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x85ebca6b);
    other ^= other >>> 13;
  }
  return [one, other].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}
