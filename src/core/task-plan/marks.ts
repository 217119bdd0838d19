import { type FenceMark, readFence } from '../markdown/fence.js';
import { firstInk, type Lines, splitLines } from '../markdown/lines.js';
import { isDigit, skipBlanks } from './text.js';

/** A fence mark. One behind a list marker or a tag only opens a block, one before a closing tag only closes it. */
export interface TaskMark {
  at: number;
  /** Behind the fence, or its line. */
  to: number;
  mark: FenceMark;
  opens: boolean;
  closes: boolean;
}

/** All lines from an offset on that could open or close a fenced block. */
export function scanMarks(lines: Lines, from: number): TaskMark[] {
  const { text } = lines;
  const marks: TaskMark[] = [];
  if (!text.includes('```', from) && !text.includes('~~~', from)) return marks;
  for (let line = 0; line < lines.count; line++) {
    if (lines.starts[line]! < from) continue;
    const ink = firstInk(lines, line);
    const code = text.charCodeAt(ink);
    let mark: TaskMark | undefined;
    if (code === 96 || code === 126) mark = readPlainMark(lines, line, ink);
    else if (code === 60) mark = readMarkAt(lines, line, behindTag(text, ink, lines.ends[line]!));
    else if (code === 45 || code === 42 || code === 43 || isDigit(code))
      mark = readMarkAt(lines, line, itemContent(text, ink, lines.ends[line]!));
    if (mark) marks.push(mark);
  }
  return marks;
}

function readPlainMark(lines: Lines, line: number, at: number): TaskMark | undefined {
  const mark = readFence(lines, line);
  if (!mark) return undefined;
  // No language is called "</action>": this is a closing fence whose element ends on the same line.
  if (mark.info.startsWith('</'))
    return { at, to: at + mark.length, mark: { ...mark, info: '' }, opens: false, closes: true };
  return { at, to: lines.ends[line]!, mark, opens: true, closes: true };
}

/** A fence behind something else on its line. */
function readMarkAt(lines: Lines, line: number, at: number | undefined): TaskMark | undefined {
  const code = at === undefined ? 0 : lines.text.charCodeAt(at);
  if (at === undefined || (code !== 96 && code !== 126)) return undefined;
  const to = lines.ends[line]!;
  const mark = readFence(splitLines(lines.text.slice(at, to)), 0);
  const indent = at - lines.starts[line]!;
  return mark && { at, to, mark: { ...mark, line, indent }, opens: true, closes: false };
}

/** `<verify>```bash`: where the fence begins. */
function behindTag(text: string, ink: number, end: number): number | undefined {
  const line = text.slice(ink, end);
  const found = />[ \t]*(?=```|~~~)/.exec(line);
  return found ? ink + found.index + found[0].length : undefined;
}

/** Where the content of a list item begins whose marker stands at `ink`; undefined where there is no marker. */
export function itemContent(text: string, ink: number, end: number): number | undefined {
  let at = ink;
  while (at < end && at - ink < 9 && isDigit(text.charCodeAt(at))) at++;
  const marker = text[at];
  if (marker === undefined || at >= end || !(at === ink ? '-*+' : '.)').includes(marker)) return undefined;
  const content = skipBlanks(text, at + 1, end);
  return content === at + 1 ? undefined : content;
}
