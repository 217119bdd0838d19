const CR = 13;
const SPACE = 32;
const TAB = 9;
const BOM = 0xfeff;

/**
 * A text as lines, without copying it: line `i` is `text.slice(starts[i], ends[i])`, its line ending
 * excluded. A byte order mark belongs to no line. Line numbers here count from 0.
 */
export interface Lines {
  readonly text: string;
  readonly count: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly bom: boolean;
  /** The first line ends in CRLF: the document's own line ending, not part of any content. */
  readonly crlf: boolean;
}

export function splitLines(text: string): Lines {
  const bom = text.charCodeAt(0) === BOM;
  const first = bom ? 1 : 0;
  const count = countLines(text, first);
  const starts = new Int32Array(count);
  const ends = new Int32Array(count);
  for (let line = 0, start = first; line < count; line++) {
    const lf = text.indexOf('\n', start);
    const stop = lf === -1 ? text.length : lf;
    starts[line] = start;
    ends[line] = lf > start && text.charCodeAt(lf - 1) === CR ? lf - 1 : stop;
    start = stop + 1;
  }
  return { text, count, starts, ends, bom, crlf: endsInCrlf(text) };
}

function countLines(text: string, from: number): number {
  let count = 0;
  let at = from;
  for (let lf = text.indexOf('\n', at); lf !== -1; lf = text.indexOf('\n', at)) {
    count++;
    at = lf + 1;
  }
  return at < text.length ? count + 1 : count;
}

export function lineText(lines: Lines, i: number): string {
  return lines.text.slice(lines.starts[i], lines.ends[i]);
}

/** Where line `i` starts; past the last line, the end of the text. */
function lineStart(lines: Lines, i: number): number {
  return i < lines.count ? lines.starts[i]! : lines.text.length;
}

/** Offset of the first character of line `i` that is neither space nor tab; its end when blank. */
export function firstInk(lines: Lines, i: number): number {
  const { text } = lines;
  const end = lines.ends[i]!;
  let at = lines.starts[i]!;
  while (at < end) {
    const c = text.charCodeAt(at);
    if (c !== SPACE && c !== TAB) break;
    at++;
  }
  return at;
}

export function isBlank(lines: Lines, i: number): boolean {
  return firstInk(lines, i) === lines.ends[i];
}

/** The column that offset `at` of the line starting at `start` is in; tabs stop every four columns. */
export function columnOf(text: string, start: number, at: number): number {
  let column = 0;
  for (let i = start; i < at; i++) column += text.charCodeAt(i) === TAB ? 4 - (column % 4) : 1;
  return column;
}

/** The line endings of content: those of a CRLF document are read as LF; any others are content. */
export function contentText(lines: Lines, from: number, to: number): string {
  const raw = lines.text.slice(lineStart(lines, from), lineStart(lines, to));
  return lines.crlf ? raw.replaceAll('\r\n', '\n') : raw;
}

function endsInCrlf(text: string): boolean {
  const lf = text.indexOf('\n');
  return lf > 0 && text.charCodeAt(lf - 1) === CR;
}

const BACKTICK = 96;
const TILDE = 126;

/** A line that opens or closes a fenced block: three or more backticks or tildes. */
export interface FenceMark {
  line: number;
  char: '`' | '~';
  length: number;
  /** The column that the fence starts in. */
  indent: number;
  /** What follows the fence; empty on a line that may close a block. */
  info: string;
}

/** Whether a line could be a fence, judged by its first character alone: cheap enough for every line. */
export function mayBeFence(text: string, at: number): boolean {
  const c = text.charCodeAt(at);
  return (c === BACKTICK || c === TILDE) && text.charCodeAt(at + 2) === c && text.charCodeAt(at + 1) === c;
}

export function readFence(lines: Lines, line: number): FenceMark | undefined {
  return readFenceAt(lines, line, firstInk(lines, line));
}

/** Reads the fence that starts at offset `at`. Backticks in the info string make it inline code. */
export function readFenceAt(lines: Lines, line: number, at: number): FenceMark | undefined {
  const { text } = lines;
  const end = lines.ends[line]!;
  if (at + 3 > end || !mayBeFence(text, at)) return undefined;
  const code = text.charCodeAt(at);
  let stop = at + 3;
  while (stop < end && text.charCodeAt(stop) === code) stop++;
  const info = text.slice(stop, end).trim();
  if (code === BACKTICK && info.includes('`')) return undefined;
  return {
    line,
    char: code === BACKTICK ? '`' : '~',
    length: stop - at,
    indent: columnOf(text, lines.starts[line]!, at),
    info,
  };
}

/** Whether CommonMark lets `mark` close a block that `opener` opened in a container at column `base`. */
export function closes(mark: FenceMark, opener: FenceMark, base = 0): boolean {
  return (
    mark.info === '' && mark.char === opener.char && mark.length >= opener.length && mark.indent - base <= 3
  );
}

/** A fence long enough for `content`: longer than any run of backticks in it. */
export function fenceFor(content: string, char: '`' | '~' = '`', least = 4): string {
  let longest = 0;
  for (let at = content.indexOf(char); at !== -1; at = content.indexOf(char, at)) {
    const from = at;
    while (content[at] === char) at++;
    longest = Math.max(longest, at - from);
  }
  return char.repeat(Math.max(least, longest + 1));
}

/** Where the YAML of the frontmatter is. */
export interface FrontmatterRange {
  from: number;
  to: number;
  /** Lines before the YAML. */
  linesBefore: number;
  /** Where the document continues after it. */
  next: number;
}

/**
 * The first line that is not blank is `---`, a later one is too. A line that starts with a tag before that shows
 * that the second one is missing: what follows is the document, and no task of it may be lost.
 */
export function findFrontmatter(text: string): FrontmatterRange | 'none' | 'unclosed' {
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  let linesBefore = 1;
  for (;;) {
    const ink = skipBlanks(text, at);
    const lf = text.indexOf('\n', at);
    if (lf === -1) return 'none';
    if (isRule(text, at, lf)) {
      at = lf + 1;
      break;
    }
    if (ink !== lf && !(text[ink] === '\r' && ink + 1 === lf)) return 'none';
    at = lf + 1;
    linesBefore++;
  }
  const from = at;
  while (at < text.length) {
    const lf = text.indexOf('\n', at);
    const end = lf === -1 ? text.length : lf;
    if (isRule(text, at, end)) return { from, to: at, linesBefore, next: Math.min(end + 1, text.length) };
    if (text[at] === '<' && /[a-z]/i.test(text[at + 1] ?? '')) return 'unclosed';
    at = end + 1;
  }
  return 'unclosed';
}

function isRule(text: string, at: number, end: number): boolean {
  if (!text.startsWith('---', at)) return false;
  const ink = skipBlanks(text, at + 3, end);
  return ink === end || (ink + 1 === end && text[ink] === '\r');
}

/** The first offset from `at` on that is neither a space nor a tab. */
export function skipBlanks(text: string, at: number, to = text.length): number {
  let next = at;
  while (next < to && (text[next] === ' ' || text[next] === '\t')) next++;
  return next;
}

/** A part of a text, from offset to offset, the end excluded. */
export interface TextRange {
  from: number;
  to: number;
}

/** The code spans of one line: runs of backticks in pairs of the same length. */
export function findCodeSpans(line: string): TextRange[] {
  const runs = [...line.matchAll(/`+/g)].map(({ index, 0: { length } }) => ({
    at: index,
    length,
    partner: -1,
  }));
  const next = new Map<number, number>();
  for (let i = runs.length - 1; i >= 0; i--) {
    const run = runs[i]!;
    run.partner = next.get(run.length) ?? -1;
    next.set(run.length, i);
  }
  const spans: TextRange[] = [];
  for (let i = 0; i < runs.length; i++) {
    const { at, length, partner } = runs[i]!;
    const isEscaped = length === 1 && line[at - 1] === '\\';
    if (partner === -1 || isEscaped) continue;
    spans.push({ from: at, to: runs[partner]!.at + length });
    i = partner;
  }
  return spans;
}
