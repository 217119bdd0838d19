import { firstInk, type Lines } from '../markdown/index.js';
import { skipSpace, trimEnd } from './label.js';

/** The text between two pipes, white space included. */
export interface Cell {
  from: number;
  to: number;
}

export interface Row {
  line: number;
  cells: Cell[];
}

export interface Table {
  header: Row;
  /** The line below the header: `|---|---|`. */
  delimiter: number;
  rows: Row[];
  /** The line after its last row. */
  end: number;
  /** Index of the heading above it, -1 where there is none. */
  section: number;
}

const MOST_COLUMNS = 100;

/** The cells of a row; `\|` does not part them. */
export function readRow(lines: Lines, line: number): Row | undefined {
  const { text } = lines;
  const ink = firstInk(lines, line);
  const end = trimEnd(text, ink, lines.ends[line]!);
  const cells: Cell[] = [];
  let from = text[ink] === '|' ? ink + 1 : ink;
  for (let at = from; at < end; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '|') {
      cells.push({ from, to: at });
      if (cells.length > MOST_COLUMNS) return undefined;
      from = at + 1;
    }
  }
  const isOpen = from < end || cells.length === 0;
  if (isOpen) cells.push({ from, to: end });
  return cells.length === 1 && isOpen ? undefined : { line, cells };
}

/** `| --- | :-: |`, with or without the outer pipes. */
export function isDelimiter(lines: Lines, line: number): boolean {
  const { text } = lines;
  const end = lines.ends[line]!;
  const ink = firstInk(lines, line);
  if (text[ink] === '-' && (text[ink + 1] === ' ' || text[ink + 1] === '\t')) return false;
  let dashes = 0;
  let pipes = 0;
  for (let at = ink; at < end; at++) {
    const char = text[at];
    if (char === '-') dashes++;
    else if (char === '|') pipes++;
    else if (char !== ':' && char !== ' ' && char !== '\t') return false;
  }
  return dashes > 0 && pipes > 0;
}

/** The text of a cell without the white space around it, pipes unescaped. */
export function cellText(text: string, cell: Cell | undefined): string {
  if (!cell) return '';
  const from = skipSpace(text, cell.from, cell.to);
  return text.slice(from, trimEnd(text, from, cell.to)).replaceAll('\\|', '|');
}

/** `value` in the place of a cell's text, with as much white space on each side as keeps the cell's width. */
export function refill(text: string, cell: Cell, value: string): string {
  const old = text.slice(cell.from, cell.to);
  const escaped = escapePipes(value);
  if (old.trim() === escaped) return old;
  const from = skipSpace(text, cell.from, cell.to);
  const isEmpty = from === cell.to;
  const left = isEmpty ? Math.min(1, old.length) : from - cell.from;
  const right = isEmpty ? 0 : cell.to - trimEnd(text, from, cell.to);
  const room = old.length - escaped.length;
  // A cell whose text stands to the right keeps it there.
  if (left > 1 && right <= 1) return `${' '.repeat(Math.max(1, room - right))}${escaped}${' '.repeat(right)}`;
  const isLast = right === 0 && !isEmpty;
  return `${' '.repeat(left)}${escaped}${isLast ? '' : ' '.repeat(Math.max(Math.min(left + right, 1), room - left))}`;
}

/** A new row in the style of the table: its indent, its outer pipes, and the widths of a row that keeps the header's. */
export function renderRow(lines: Lines, table: Table, values: readonly string[]): string {
  const { text } = lines;
  const ink = firstInk(lines, table.delimiter);
  const end = trimEnd(text, ink, lines.ends[table.delimiter]!);
  const opens = text[ink] === '|';
  const closes = text[end - 1] === '|';
  const { cells } = table.header;
  const isTight = cells.every(({ from, to }) => from < to && text[from] !== ' ' && text[to - 1] !== ' ');
  const model = table.rows[0]?.cells;
  const isAligned =
    model?.length === cells.length && cells.every((cell, i) => width(cell) === width(model[i]!));
  const parts = cells.map((cell, i) => {
    const value = escapePipes(values[i] ?? '-');
    if (isTight) return value;
    const padded = opens || i > 0 ? ` ${value} ` : `${value} `;
    return isAligned ? padded.padEnd(width(cell)) : padded;
  });
  const row = parts.join('|');
  return `${text.slice(lines.starts[table.delimiter], ink)}${opens ? '|' : ''}${closes ? `${row}|` : row.trimEnd()}`;
}

function width({ from, to }: Cell): number {
  return to - from;
}

/** A backslash before a pipe would be the one that is escaped. */
function escapePipes(value: string): string {
  return value.replace(/\|/g, (_, at: number) => (value[at - 1] === '\\' ? '&#124;' : '\\|'));
}
