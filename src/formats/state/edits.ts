import { firstInk, isBlank } from '../markdown/index.js';
import { isInside } from './cover.js';
import type { StateDocument } from './sections.js';
import type { StateIssue } from './types.js';

/** `text` in the place of what stands between two offsets. */
export interface Edit {
  from: number;
  to: number;
  text: string;
}

/** What one step does to a document. No two of its edits overlap; those at one offset stay in their order. */
export interface Step {
  edits: Edit[];
  issues: StateIssue[];
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
  const out: string[] = [];
  let done = 0;
  for (const { from, to, text: written } of [...edits].sort((a, b) => a.from - b.from)) {
    out.push(text.slice(done, Math.max(done, from)), written);
    done = Math.max(done, to);
  }
  out.push(text.slice(done));
  return out.join('');
}

type Document = Pick<StateDocument, 'lines' | 'cover' | 'openFence'>;

/** New lines before line `line`. At the end of a file without a final newline, there is none afterwards either. */
export function insertLines({ lines }: Document, line: number, written: readonly string[]): Edit {
  const eol = lines.crlf ? '\r\n' : '\n';
  if (line < lines.count) {
    const at = lines.starts[line]!;
    return { from: at, to: at, text: written.map((each) => each + eol).join('') };
  }
  const at = lines.text.length;
  const isOpen = lines.count > 0 && !lines.text.endsWith('\n');
  const text = written.map((each) => (isOpen ? eol + each : each + eol)).join('');
  return { from: at, to: at, text };
}

/** New lines with a blank one on each side. */
export function insertBlock(document: Document, line: number, written: readonly string[]): Edit {
  const { lines } = document;
  const at = safeLine(document, line);
  const before = at > 0 && !isBlank(lines, at - 1) ? [''] : [];
  const after = at < lines.count && !isBlank(lines, at) ? [''] : [];
  return insertLines(document, at, [...before, ...written, ...after]);
}

/** Items of a list, right under what stands there; a blank line keeps text that follows from going on with them. */
export function insertItems(document: Document, line: number, written: readonly string[]): Edit {
  const { lines } = document;
  const at = safeLine(document, line);
  const isTight = at >= lines.count || isBlank(lines, at) || isItem(document, at);
  return insertLines(document, at, isTight ? written : [...written, '']);
}

/** Takes a line out, its line ending included. */
export function removeLine({ lines }: Document, line: number): Edit {
  if (line + 1 < lines.count) return { from: lines.starts[line]!, to: lines.starts[line + 1]!, text: '' };
  const hasEnding = lines.text.endsWith('\n');
  const from = hasEnding || line === 0 ? lines.starts[line]! : lines.ends[line - 1]!;
  return { from, to: lines.text.length, text: '' };
}

/** Whether a line begins with a bullet or a number, in any column. */
export function isItem({ lines }: Pick<Document, 'lines'>, line: number): boolean {
  const ink = firstInk(lines, line);
  return /^(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/.test(
    lines.text.slice(ink, Math.min(lines.ends[line]!, ink + 12)),
  );
}

/** The nearest line from `line` on that new lines may stand before: not in a fence, not in a comment. */
export function safeLine({ lines, cover, openFence }: Document, line: number): number {
  let at = line;
  if (at > openFence) {
    at = openFence;
    while (at > 0 && isInside(cover[at])) at--;
    return at;
  }
  while (at < lines.count && isInside(cover[at])) at++;
  return at;
}

/** The line after the last one of `from` to `end` that holds something; rules that part it from what follows aside. */
export function contentEnd({ lines, cover }: Document, from: number, end: number): number {
  let at = end;
  for (;;) {
    while (at > from && isBlank(lines, at - 1)) at--;
    const isParted = at - 1 > from && isBlank(lines, at - 2) && cover[at - 1] === 0 && isRule(lines, at - 1);
    if (!isParted) return at;
    at--;
  }
}

export function isRule(lines: StateDocument['lines'], line: number): boolean {
  const ink = firstInk(lines, line);
  const char = lines.text[ink]!;
  if (ink === lines.ends[line] || !'-*_'.includes(char)) return false;
  let count = 0;
  for (let at = ink; at < lines.ends[line]!; at++) {
    if (lines.text[at] === char) count++;
    else if (lines.text[at] !== ' ' && lines.text[at] !== '\t') return false;
  }
  return count >= 3;
}
