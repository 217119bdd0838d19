import type { Section } from './names.js';

/** The text between two pipes, white space included, as offsets into its line. */
export interface StateCell {
  from: number;
  to: number;
}

export interface Table {
  /** The line of its header; the delimiter is the next one, the rows follow. */
  header: number;
  /** The line after its last row. */
  end: number;
  columns: readonly StateCell[];
  section: Section | undefined;
}

const MOST_COLUMNS = 100;

/** The cells of a row; `\|` does not separate them. Undefined where the line is not a row. */
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
  return cell ? line.slice(cell.from, cell.to).trim().replaceAll('\\|', '|') : '';
}

/** The row with other texts in some cells. A cell that is padded, or has to be, stays as wide as it was. */
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
export function renderRow(lines: readonly string[], table: Table, texts: readonly string[]): string {
  const { header, end, columns } = table;
  const first = end > header + 2 ? readRow(lines[header + 2]!) : undefined;
  const isPadded = columns.every(
    ({ from, to }, i) => first?.[i] && first[i].to - first[i].from === to - from,
  );
  return fillRow(lines[header]!, columns, new Map(columns.map((_, i) => [i, texts[i] ?? '-'])), isPadded);
}

/** A backslash before a pipe would be the one that is escaped. */
function escapePipes(text: string): string {
  return text.replace(/\|/g, (_, at: number) => (text[at - 1] === '\\' ? '&#124;' : '\\|'));
}
