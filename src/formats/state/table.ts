import type { Section } from './outline.js';

/** The text between two pipes, white space included, as offsets into its line. */
export interface Cell {
  from: number;
  to: number;
}

export interface Table {
  /** The line of its header; the delimiter is the next one, the rows follow. */
  header: number;
  /** The line after its last row. */
  end: number;
  columns: readonly Cell[];
  section: Section | undefined;
}

const MOST_COLUMNS = 100;

/** The cells of a row; `\|` does not separate them. Undefined where the line is not a row. */
export function readRow(line: string): Cell[] | undefined {
  const end = line.trimEnd().length;
  const ink = line.length - line.trimStart().length;
  const cells: Cell[] = [];
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

export function cellText(line: string, cell: Cell | undefined): string {
  return cell ? line.slice(cell.from, cell.to).trim().replaceAll('\\|', '|') : '';
}

/** The row with other texts in some cells; a cell that was padded stays as wide as it was, where the text fits. */
export function fillRow(line: string, cells: readonly Cell[], texts: ReadonlyMap<number, string>): string {
  let row = '';
  let done = 0;
  cells.forEach((cell, i) => {
    const text = texts.get(i);
    if (text === undefined || text === cellText(line, cell)) return;
    const old = line.slice(cell.from, cell.to);
    const isTight = old.trim() !== '' && old === old.trimStart();
    const isLast = i === cells.length - 1 && cell.to === line.trimEnd().length;
    const filled = `${isTight ? '' : ' '}${escapePipes(text)}${isTight || isLast ? '' : ' '}`;
    row += line.slice(done, cell.from) + (/ {2}$/.test(old) ? filled.padEnd(old.length) : filled);
    done = cell.to;
  });
  return row + line.slice(done);
}

/** A new row in the style of the table: its indent, its outer pipes, and its widths where the first row has the header's. */
export function renderRow(lines: readonly string[], table: Table, texts: readonly string[]): string {
  const delimiter = lines[table.header + 1]!;
  const indent = delimiter.slice(0, delimiter.length - delimiter.trimStart().length);
  const opens = delimiter.trimStart().startsWith('|');
  const closes = delimiter.trimEnd().endsWith('|');
  const header = lines[table.header]!;
  const isTight = table.columns.every(
    ({ from, to }) => header.slice(from, to).trim() === header.slice(from, to),
  );
  const widths = table.columns.map(({ from, to }) => to - from);
  const model = table.end > table.header + 2 ? readRow(lines[table.header + 2]!) : undefined;
  const isAligned = widths.every((width, i) => model?.[i] && model[i].to - model[i].from === width);
  const parts = table.columns.map((_, i) => {
    const text = escapePipes(texts[i] ?? '-');
    if (isTight) return text;
    const padded = opens || i > 0 ? ` ${text} ` : `${text} `;
    return isAligned ? padded.padEnd(widths[i]!) : padded;
  });
  const row = parts.join('|');
  return `${indent}${opens ? '|' : ''}${closes ? `${row}|` : row.trimEnd()}`;
}

/** A backslash before a pipe would be the one that is escaped. */
function escapePipes(text: string): string {
  return text.replace(/\|/g, (_, at: number) => (text[at - 1] === '\\' ? '&#124;' : '\\|'));
}
