import { findCodeSpans } from '../markdown/lines.js';
import { cutText, wordPattern } from '../text.js';

// The parts of one line: code spans, comments, labels, cells, and text of ours that must stay on it.

/** The offset of the next `<!--` outside code spans; -1 if there is none. */
export function findComment(line: string, from = 0): number {
  let at = line.indexOf('<!--', from);
  if (at === -1 || !line.includes('`')) return at;
  for (const { from: start, to } of findCodeSpans(line)) {
    if (at === -1 || at < start) return at;
    if (at < to) at = line.indexOf('<!--', to);
  }
  return at;
}

/** One line of text that opens no comment, no code span that it does not close, and closes none of other people. */
export function fieldText(text: string): string {
  const folded = foldSpace(text).replaceAll('<!--', '&lt;!--').replaceAll('-->', '--&gt;');
  const closed = outsideCode(folded, (part) => part.replaceAll('`', "'"));
  return trimBreak(closed);
}

/** Without spaces and backslashes at the end, which would break the line or escape what follows. */
function trimBreak(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '\\' || text[end - 1] === ' ')) end--;
  return text.slice(0, end);
}

const UNPLAIN = wordPattern(String.raw`[^\p{L}\p{N}.:_/-]+`, 'g');
const LEADING_MARKS = wordPattern(String.raw`^[^\p{L}\p{N}]+`);

/** A phase or an id without anything that Markdown would read. */
export function plainName(name: string): string {
  const plain = name.replace(UNPLAIN(name), ' ').replace(LEADING_MARKS(name), '');
  return plain.trim() || '?';
}

const ITEM_LENGTH = 200;

/** Text of a list item, cut where it is long: no tag of it ends the list. */
export function itemText(text: string): string {
  return escapeTags(cut(fieldText(text)));
}

/** Whether `itemText` could have written it: nothing in it that it would have escaped or folded. */
export function isItemText(text: string): boolean {
  return text !== '' && escapeTags(fieldText(text)) === text;
}

function cut(text: string): string {
  if (text.length <= ITEM_LENGTH) return text;
  return `${fieldText(cutText(text, ITEM_LENGTH - 1))}…`;
}

function escapeTags(text: string): string {
  return outsideCode(text, (part) => part.replace(/<(?=[A-Za-z/!?])/g, '&lt;'));
}

function outsideCode(text: string, change: (part: string) => string): string {
  let out = '';
  let done = 0;
  for (const { from, to } of findCodeSpans(text)) {
    out += change(text.slice(done, from)) + text.slice(from, to);
    done = to;
  }
  return out + change(text.slice(done));
}

/** White space and control characters, line ends among them, become single spaces. */
function foldSpace(text: string): string {
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
}

export function isItem(line: string): boolean {
  return /^\s{0,40}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/.test(line);
}

export function indentOf(line: string): number {
  return /^[ \t]*/.exec(line)![0].length;
}

/** A line that starts with a label: `- **Status:** Blocked <!-- since May -->`. Joined, its parts are the line. */
export interface Label {
  /** Indent, bullet and emphasis. */
  lead: string;
  name: string;
  /** The name in lower case, with single spaces. */
  key: string;
  /** Colon, emphasis and white space. */
  joint: string;
  /** As written, without white space and comments around it. */
  raw: string;
  /** All that follows the value. */
  rest: string;
  /** The emphasis that is still open at the value, as in `**Status: Blocked**`; else empty. */
  open: string;
}

const LABEL_NAME = String.raw`[\p{L}][\p{L}\p{N} _.&/()-]{0,47}?`;
const LABEL = wordPattern(
  String.raw`^([ \t]{0,3}|[ \t]{0,12}(?:[-*+]|\d{1,9}[.)])[ \t]{1,4})(\*{1,3}|_{1,3}|)(${LABEL_NAME})([ \t]{0,3}(?:\2[ \t]{0,3}:|:\2|:)(?!//)[ \t]*)`,
);
const BARE = wordPattern(String.raw`^([ \t]{0,3})(\*{2,3}|_{2,3})(${LABEL_NAME})(\2)[ \t]*$`);

export function readLabel(line: string): Label | undefined {
  // All that it reads is in front of the first colon, whatever the value is written in.
  const read = LABEL(line.slice(0, line.indexOf(':') + 1)).exec(line);
  if (!read) return readBare(line);
  const [all, lead = '', emphasis = '', name = '', joint = ''] = read;
  const open = joint.includes(emphasis) ? '' : emphasis;
  const value = line.slice(all.length);
  const close = open === '' ? -1 : value.indexOf(open);
  const comment = findComment(value);
  const ends = [close, comment, value.length].filter((end) => end !== -1);
  const raw = value.slice(0, inkEnd(value, Math.min(...ends)));
  const rest = value.slice(raw.length);
  return { lead: lead + emphasis, name, key: foldLabel(name), joint, raw, rest, open };
}

/** `**Velocity**`, without a colon. */
function readBare(line: string): Label | undefined {
  if (!line.includes('**') && !line.includes('__')) return undefined;
  const [, lead = '', emphasis = '', name = '', joint = ''] = BARE(line).exec(line) ?? [];
  if (name === '') return undefined;
  return { lead: lead + emphasis, name, key: foldLabel(name), joint, raw: '', rest: '', open: '' };
}

/** The end of a value without trailing white space and line-break backslashes. */
function inkEnd(value: string, to: number): number {
  let end = to;
  while (end > 0 && ' \t\r\\\u00a0'.includes(value[end - 1]!)) end--;
  return end;
}

export function foldLabel(name: string): string {
  return name
    .toLowerCase()
    .replace(/[\s_]+/g, ' ')
    .trim();
}

/** A value without emphasis or code ticks around all of it. */
export function unwrap(raw: string): string {
  const [, mark = '', inner = ''] = /^(\*{1,3}|_{1,3}|`)(.+)\1$/.exec(raw) ?? [];
  return mark !== '' && !inner.includes(mark[0]!) ? inner.trim() : raw;
}

/** A line like that of `like`, with another name and value; a break at its end stays. */
export function writeLabel(like: Label, name: string, value: string): string {
  const lineBreak = /^(?: {2,}|\\)$/.test(like.rest) ? like.rest : '';
  return `${like.lead}${name}${spaced(like.joint)}${within(like, value)}${like.open}${lineBreak}`;
}

/** The line with another value; what follows the value stays. */
export function replaceValue(label: Label, value: string): string {
  const isNew = label.raw === '';
  const after = isNew && label.rest.startsWith('<') ? ' ' : '';
  return `${label.lead}${label.name}${isNew ? spaced(label.joint) : label.joint}${value}${after}${label.rest}`;
}

/** The line with another name. */
export function nameLine({ lead, joint, raw, rest }: Label, name: string): string {
  return lead + name + joint + raw + rest;
}

/** Words after the value, outside its emphasis: ` since May` in `**Status: Blocked** since May`. */
export function textAfter({ rest, open }: Label): string {
  const behind = rest.trimStart().slice(open.length);
  const comment = findComment(behind);
  return (comment === -1 ? behind : behind.slice(0, comment)).replaceAll('\\', '').trim();
}

function spaced(joint: string): string {
  return /[ \t]$/.test(joint) ? joint : `${joint} `;
}

/** Open emphasis would end at the same characters in the value. */
export function within({ open }: Label, value: string): string {
  return open === '' ? value : trimBreak(value.replaceAll(open[0]!, '').trimStart());
}

/** The text between two pipes, white space included, as offsets into its line. */
export interface StateCell {
  from: number;
  to: number;
}

/** The lines of a table. */
export interface TableLines {
  /** The line of its header; the delimiter is the next one, the rows follow. */
  header: number;
  /** The line after its last row. */
  end: number;
  columns: readonly StateCell[];
}

const MOST_COLUMNS = 100;

/** The cells of a row; `\|` does not separate them. Undefined if the line is not a row. */
export function readRow(line: string): StateCell[] | undefined {
  const end = line.trimEnd().length;
  const ink = line.length - line.trimStart().length;
  const cells: StateCell[] = [];
  let from = line[ink] === '|' ? ink + 1 : ink;
  for (let at = from; at < end; at++) {
    if (line[at] === '\\') at++;
    else if (line[at] === '|') {
      cells.push({ from, to: at });
      if (cells.length > MOST_COLUMNS) return undefined;
      from = at + 1;
    }
  }
  if (cells.length === 0) return undefined;
  return from < end ? [...cells, { from, to: end }] : cells;
}

/** `| --- | :-: |`, with or without the outer pipes. */
export function isDelimiter(line: string): boolean {
  return line.includes('|') && line.includes('-') && !/[^\s:|-]|^\s*-[ \t]/.test(line);
}

export function cellText(line: string, cell: StateCell | undefined): string {
  return cell ? unescapePipes(line.slice(cell.from, cell.to).trim()) : '';
}

/** The row with other texts in some cells. A cell that is padded, or must be, stays as wide as it was. */
export function fillRow(
  line: string,
  cells: readonly StateCell[],
  texts: ReadonlyMap<number, string>,
  isPadded = false,
): string {
  let row = '';
  let done = 0;
  cells.forEach((cell, i) => {
    const text = texts.get(i);
    if (text === undefined || text === cellText(line, cell)) return;
    const old = line.slice(cell.from, cell.to);
    const [left, right] = old.trim() === '' ? [' ', ' '] : [/^\s?/.exec(old)![0], /\s?$/.exec(old)![0]];
    const filled = left + escapePipes(text) + right;
    row += line.slice(done, cell.from) + (isPadded || / {2}$/.test(old) ? filled.padEnd(old.length) : filled);
    done = cell.to;
  });
  return row + line.slice(done);
}

/** A new row in the style of the header, and as wide as that where the first row is, too. */
export function renderRow(
  lines: readonly string[],
  { header, end, columns }: TableLines,
  texts: readonly string[],
): string {
  const first = end > header + 2 ? readRow(lines[header + 2]!) : undefined;
  const isPadded = columns.every(
    ({ from, to }, i) => first?.[i] && first[i].to - first[i].from === to - from,
  );
  return fillRow(lines[header]!, columns, new Map(columns.map((_, i) => [i, texts[i] ?? '-'])), isPadded);
}

/** A value as a cell reads it back. */
export function withinCell(value: string): string {
  return unescapePipes(escapePipes(value));
}

function unescapePipes(text: string): string {
  return text.replaceAll('\\|', '|');
}

/** A backslash before a pipe would be the one that is escaped. */
function escapePipes(text: string): string {
  return text.replace(/\|/g, (_, at: number) => (text[at - 1] === '\\' ? '&#124;' : '\\|'));
}
