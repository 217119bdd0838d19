import { foldLabel } from './line.js';

export type SectionKind = 'position' | 'metrics' | 'velocity' | 'byPhase' | 'trend' | 'blockers' | 'session';

/** The heading that a missing section or group gets. */
export const TITLES: Readonly<Record<SectionKind, string>> = {
  position: 'Current Position',
  metrics: 'Performance Metrics',
  velocity: 'Velocity',
  byPhase: 'By Phase',
  trend: 'Recent Trend',
  blockers: 'Blockers/Concerns',
  session: 'Session Continuity',
};

const SPELLINGS: Readonly<Partial<Record<SectionKind, readonly string[]>>> = {
  position: ['position', 'current state', 'current status'],
  metrics: ['performance', 'metrics'],
  trend: ['recent trends'],
  session: ['session', 'continuity'],
};

const KINDS = new Map(
  (Object.keys(TITLES) as SectionKind[]).flatMap((kind) =>
    [foldLabel(TITLES[kind]), ...(SPELLINGS[kind] ?? [])].map((title) => [title, kind] as const),
  ),
);

/** What a heading or caption means; numbers and emoji before it, emphasis and a colon aside. */
export function sectionKindOf(title: string): SectionKind | undefined {
  if (title.length > 80) return undefined;
  const folded = foldLabel(title.replace(/[*_`]/g, ' '));
  const words = /^[a-z](?:[ /a-z]*[a-z])?$/.test(folded) ? folded : trimToWords(folded);
  return KINDS.get(words) ?? (isBlockersTitle(words) ? 'blockers' : undefined);
}

function trimToWords(title: string): string {
  return title.replace(/^[^\p{L}]+/u, '').replace(/[^\p{L}\p{N})]+$/u, '');
}

/** `Blockers`, `Open blockers & risks`, `Concerns / Blockers`; not `Blockers resolved in May`. */
function isBlockersTitle(words: string): boolean {
  return (
    /^(?:(?:current|open|known|active) )?blockers?(?: ?[/&,+(]| and | or |$)/.test(words) ||
    /^[a-z]+ ?(?:[/&]|and|or) ?blockers?$/.test(words)
  );
}

/** A heading with all that is under it, or a caption such as `**Velocity:**` with the lines up to the next one. */
export interface Section {
  kind: SectionKind | undefined;
  /** 1 to 6 for a heading, 7 for a caption. */
  level: number;
  line: number;
  /** The first line after its title. */
  body: number;
  /** The line after its last. */
  end: number;
  /** Where the first section in it begins, or `end`. */
  ownEnd: number;
  parent: Section | undefined;
}

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
