import { findComment } from './inline.js';

export interface Cover {
  /** The lines that a reader of fields does not see: frontmatter, fences and comments. */
  hidden: readonly boolean[];
  /** The line of a fence that is never closed; the number of lines where there is none. */
  openFence: number;
}

/** A comment that begins a line hides that line, too; one behind other text hides only the lines after it. */
export function readCover(lines: readonly string[]): Cover {
  const hidden = lines.map(() => false);
  const ahead = lookAhead(lines);
  const hide = (from: number, to: number) => hidden.fill(true, from, to);
  let openFence = lines.length;
  let at = frontmatterEnd(lines);
  hide(0, at);
  while (at < lines.length) {
    const line = lines[at]!;
    const fence = /^(\s*)(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`]*$)|~{3,})/.exec(line.slice(0, 200));
    const comment = fence ? -1 : findOpenComment(line);
    if (fence) {
      const end = fenceEnd(lines, at, fence[2]!, fence[0].length - fence[2]!.length);
      if (end > lines.length) openFence = at;
      hide(at, Math.min(end, lines.length));
      at = end;
    } else if (comment === -1) {
      hidden[at] = /^\s*<!--.*?-->/.test(line);
      at++;
    } else {
      const startsLine = line.slice(0, comment).trim() === '';
      const close = ahead.close[at + 1]!;
      const isComment = close < lines.length && (startsLine || close < ahead.blank[at + 1]!);
      if (isComment) hide(startsLine ? at : at + 1, close + 1);
      at = isComment ? close + 1 : at + 1;
    }
  }
  return { hidden, openFence };
}

/** Where a comment begins that the line does not close; -1 where there is none. */
function findOpenComment(line: string): number {
  let from = 0;
  for (let count = 0; count < MOST_COMMENTS; count++) {
    const at = findComment(line, from);
    const close = at === -1 ? -1 : line.indexOf('-->', at + 4);
    if (close === -1) return at;
    from = close + 3;
  }
  return -1;
}

/** Keeps a hostile line from being read again and again. */
const MOST_COMMENTS = 50;

/** For each line, the next one with an end of a comment, and the next blank one. */
function lookAhead(lines: readonly string[]): { close: number[]; blank: number[] } {
  const close: number[] = [];
  const blank: number[] = [];
  close[lines.length] = blank[lines.length] = lines.length;
  for (let at = lines.length - 1; at >= 0; at--) {
    close[at] = lines[at]!.includes('-->') ? at : close[at + 1]!;
    blank[at] = lines[at]!.trim() === '' ? at : blank[at + 1]!;
  }
  return { close, blank };
}

/** A fence in a list item ends with that item, at the latest; one that is never closed ends after the last line. */
function fenceEnd(lines: readonly string[], from: number, mark: string, column: number): number {
  for (let at = from + 1; at < lines.length; at++) {
    const line = lines[at]!;
    const text = line.trim();
    if (text.length >= mark.length && text === mark[0]!.repeat(text.length)) return at + 1;
    if (column > 1 && text !== '' && line.length - line.trimStart().length < Math.min(column, 2)) return at;
  }
  return lines.length + 1;
}

/** YAML between `---` lines at the top. A rule with Markdown below it is none. */
function frontmatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== '---' || (lines[1] ?? '').trim() === '') return 0;
  const end = lines.findIndex((line, at) => at > 0 && (line.trimEnd() === '---' || line.startsWith('##')));
  return end === -1 || lines[end]!.startsWith('##') ? 0 : end + 1;
}
