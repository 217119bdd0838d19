import type { Cell } from './cell.js';

const FONT = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';
const SIZE = 14;
const CELL = { width: 8.4, height: 20 };
const BASELINE = 14.5;
const BAR = 38;
const MARGIN = { side: 20, top: 14, bottom: 18 };

const PAPER = '#10151c';
const INK = '#d7dee8';
const TITLE_INK = '#8b97a7';
/** A terminal's sixteen, the dark eight and the light eight. */
const PALETTE = [
  ...['#10151c', '#ff7b72', '#56d364', '#e3b341', '#79b8ff', '#d2a8ff', '#5ccfe6', '#d7dee8'],
  ...['#6b7686', '#ffa198', '#7ee787', '#f2cc60', '#a5d1ff', '#e2c5ff', '#8be4f2', '#ffffff'],
];
const BUTTONS = ['#ff6159', '#ffbd2e', '#28c941'];

export interface Picture {
  columns: number;
  title: string;
  /** For those who cannot see it. */
  about: string;
}

/** A screen as SVG, in a window's frame. Every run of text has its width set, so that columns stand under any font. */
export function drawScreen(rows: readonly (readonly Cell[])[], { columns, title, about }: Picture): string {
  const width = columns * CELL.width + 2 * MARGIN.side;
  const height = BAR + MARGIN.top + rows.length * CELL.height + MARGIN.bottom;
  const box = `x="0.5" y="0.5" width="${number(width - 1)}" height="${number(height - 1)}" rx="10"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${number(width)}" height="${number(height)}" viewBox="0 0 ${number(width)} ${number(height)}" xml:space="preserve" role="img" aria-label="${escapeXml(about)}">`,
    '<!-- Made by npm run picture. -->',
    `<style>text{font-family:${FONT};font-size:${SIZE}px;white-space:pre}.b{font-weight:700}.d{opacity:.6}.i{font-style:italic}</style>`,
    `<rect ${box} fill="${PAPER}" stroke="#2c3542"/>`,
    ...BUTTONS.map((fill, at) => `<circle cx="${22 + at * 20}" cy="${BAR / 2}" r="6" fill="${fill}"/>`),
    `<text x="${number(width / 2)}" y="${BAR / 2 + 5}" fill="${TITLE_INK}" text-anchor="middle">${escapeXml(title)}</text>`,
    `<path d="M0.5 ${BAR}H${number(width - 0.5)}" stroke="#2c3542"/>`,
    ...rows.flatMap((row, at) => drawRow(row, BAR + MARGIN.top + at * CELL.height)),
    '</svg>',
    '',
  ].join('\n');
}

function drawRow(row: readonly Cell[], top: number): string[] {
  return splitRuns(row).flatMap((run) => drawRun(run, top));
}

/** Cells side by side that look alike. A wide character is alone: fonts do not agree on how wide it is. */
function splitRuns(row: readonly Cell[]): Cell[][] {
  const runs: Cell[][] = [];
  for (const cell of row) {
    const run = runs.at(-1);
    if (run !== undefined && joins(run[0]!, cell)) run.push(cell);
    else runs.push([cell]);
  }
  return runs;
}

function joins(one: Cell, other: Cell): boolean {
  if (one.width !== 1 || other.width !== 1 || isLine(one) !== isLine(other)) return false;
  if (isLine(one) && one.text !== other.text) return false;
  return lookOf(one) === lookOf(other);
}

function lookOf({ colour, bold, dim, italic, inverse }: Cell): string {
  return [colour, bold, dim, italic, inverse].join();
}

function drawRun(cells: readonly Cell[], top: number): string[] {
  const [first] = cells as [Cell];
  const ink = first.colour === null ? INK : PALETTE[first.colour]!;
  const rect = first.inverse
    ? [
        `<rect x="${left(first.column)}" y="${top + 1}" width="${number(widthOf(cells))}" height="${CELL.height - 2}" rx="2" fill="${ink}"/>`,
      ]
    : [];
  if (isLine(first)) return [...rect, drawLine(cells, top, ink)];
  return [...rect, ...drawText(cells, top, first.inverse ? PAPER : ink)];
}

function drawText(cells: readonly Cell[], top: number, fill: string): string[] {
  const from = cells.findIndex(isInked);
  if (from < 0) return [];
  const inked = cells.slice(from, cells.findLastIndex(isInked) + 1);
  const { column, bold, dim, italic } = inked[0]!;
  const classes = [bold ? 'b' : '', dim ? 'd' : '', italic ? 'i' : '']
    .filter((each) => each !== '')
    .join(' ');
  const text = inked.map((cell) => cell.text).join('');
  return [
    `<text x="${left(column)}" y="${number(top + BASELINE)}" textLength="${number(widthOf(inked))}" lengthAdjust="spacingAndGlyphs" fill="${fill}"${classes === '' ? '' : ` class="${classes}"`}>${escapeXml(text)}</text>`,
  ];
}

/** Lines are drawn, not written: the glyphs of most fonts leave gaps between rows. */
function drawLine(cells: readonly Cell[], top: number, stroke: string): string {
  const { column, text, dim } = cells[0]!;
  const style = `stroke="${stroke}"${dim ? ' class="d"' : ''}`;
  if (text === '─')
    return `<path d="M${left(column)} ${top + CELL.height / 2}h${number(widthOf(cells))}" ${style}/>`;
  const dashes = text === '┊' ? ' stroke-dasharray="3 3"' : '';
  const paths = cells.map((cell) => `M${left(cell.column + 0.5)} ${top}v${CELL.height}`);
  return `<path d="${paths.join('')}" ${style}${text === '┃' ? ' stroke-width="2"' : ''}${dashes}/>`;
}

function isLine({ text }: Cell): boolean {
  return ['─', '│', '┊', '┃'].includes(text);
}

function isInked({ text }: Cell): boolean {
  return text.trim() !== '';
}

function widthOf(cells: readonly Cell[]): number {
  return cells.reduce((sum, { width }) => sum + width, 0) * CELL.width;
}

function left(column: number): string {
  return number(MARGIN.side + column * CELL.width);
}

function number(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
