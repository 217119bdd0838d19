import { columnOf, firstInk, type Lines } from './lines.js';

const BACKTICK = 96;
const TILDE = 126;

/** A line that opens or closes a fenced block: three or more backticks or tildes. */
export interface FenceMark {
  line: number;
  char: '`' | '~';
  length: number;
  /** The column that the fence begins in. */
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

/** Reads the fence that begins at offset `at`. Backticks in the info string make it inline code. */
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
