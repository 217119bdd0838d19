import { isTerminal, terminalWidth } from '../../node/terminal/terminal.js';
import { type Paint, visibleLine } from './output.js';
import { textWidth } from './terminal/line.js';

export type CellStyle = Parameters<Paint>[0];

/** One cell of a table. */
export interface Cell {
  text: string;
  style: CellStyle | undefined;
}

const GAP = '  ';
/** The minimum, however narrow the terminal is. */
const NARROWEST = 16;

/** The terminal's width within limits. */
export function pageWidth(): number {
  return isTerminal('stdout') ? Math.min(Math.max(terminalWidth(), 40), 120) : 80;
}

/** Wraps text at a terminal, leaving room for a margin of `column` columns. */
export function wrapText(text: string, column = 0): string {
  return isTerminal('stdout') ? wrapLines(text, Math.max(pageWidth() - column, NARROWEST)) : text;
}

/** Wraps each line that is not indented; those are laid out already. */
export function wrapLines(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => (line.startsWith(' ') ? [line] : wrapWords(line, width)))
    .join('\n');
}

/** Indents the lines after the first to `column`. */
export function hang(text: string, column: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(column)}`);
}

/** Indents every line that is not empty by two spaces. */
export function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

/** A cell with text from elsewhere, made safe for one line. */
export function cell(text: string, style?: CellStyle): Cell {
  return { text: visibleLine(text).replaceAll('\t', ' '), style };
}

/**
 * Aligns rows in columns. The `flexible` column gets the remaining width and is wrapped; nothing is cut off.
 */
export function tableLines(
  rows: readonly (readonly Cell[])[],
  { flexible, paint, width = pageWidth() }: { flexible: number; paint: Paint; width?: number },
): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, { text }] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, textWidth(text));
  const others = widths.reduce(
    (sum, each, at) => (at === flexible || each === 0 ? sum : sum + each + GAP.length),
    0,
  );
  widths[flexible] = Math.min(widths[flexible] ?? 0, Math.max(width - others, NARROWEST));
  return rows.flatMap((row) => rowLines(row, widths, flexible, paint));
}

function rowLines(row: readonly Cell[], widths: readonly number[], flexible: number, paint: Paint): string[] {
  const wrapped = wrapWords(row[flexible]?.text ?? '', widths[flexible]!);
  return wrapped.map((part, line) => {
    const cells = row.map(({ text, style }, at) => {
      const shown = at === flexible ? part : line === 0 ? text : '';
      const padding = ' '.repeat(Math.max(0, widths[at]! - textWidth(shown)));
      return { shown: style && shown !== '' ? paint(style, shown) : shown, padding, width: widths[at]! };
    });
    return cells
      .filter(({ width }) => width > 0)
      .map(({ shown, padding }) => shown + padding)
      .join(GAP)
      .trimEnd();
  });
}

const COLOUR = /\u001b\[[0-9;]*m/g;

/** Wraps at spaces to at most `width` columns if possible; at least one line. Ignores colour codes. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && textWidth(longer.replace(COLOUR, '')) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
