import { lineText } from '../markdown/index.js';
import { comparePhases, phaseKey } from './counts.js';
import { applyEdits, type Edit, insertLines, type Step } from './edits.js';
import { plainName } from './inline.js';
import { stateIssue } from './issue-codes.js';
import { groupLines, insertGroup, insertSection, insertUnderTitle } from './new-section.js';
import { FORMS, replaceOwn } from './own-part.js';
import type { StateDocument } from './sections.js';
import { cellText, type Row, refill, renderRow, type Table } from './table.js';
import type { PhaseRow } from './types.js';
import { phaseCells } from './values.js';

type Column = 'phase' | 'plans' | 'total' | 'average';

const COLUMNS: Readonly<Record<Column, { title: string; spellings: readonly string[] }>> = {
  phase: { title: 'Phase', spellings: ['phase', 'phases', '#'] },
  plans: { title: 'Plans', spellings: ['plans', 'plan'] },
  total: { title: 'Total', spellings: ['total', 'totaltime', 'time'] },
  average: {
    title: 'Avg/Plan',
    spellings: ['avg/plan', 'avg', 'average', 'average/plan', 'avgperplan', 'avgplan'],
  },
};

const COLUMN_NAMES = Object.keys(COLUMNS) as Column[];

/** The table under By Phase: which of its columns is which. */
export interface PhaseTable {
  table: Table;
  columns: ReadonlyMap<Column, number>;
}

/** Under By Phase; else in the metrics; else any with three of the four columns. */
export function findPhaseTable({ tables, lines, sections }: StateDocument): PhaseTable | undefined {
  const within = (kind: 'byPhase' | 'metrics', { header }: Table) => {
    const section = sections.get(kind);
    return section !== undefined && section.line < header.line && header.line < section.end;
  };
  const rankOf = ({ table, columns }: PhaseTable) => {
    if (within('byPhase', table)) return 0;
    if (columns.size > 1 && within('metrics', table)) return 1;
    return columns.size > 2 ? 2 : 3;
  };
  let best: PhaseTable | undefined;
  for (const table of tables) {
    const found = { table, columns: readColumns(lines.text, table) };
    if (!found.columns.has('phase') || rankOf(found) === 3) continue;
    if (!best || rankOf(found) < rankOf(best)) best = found;
  }
  return best;
}

function readColumns(text: string, { header }: Table): Map<Column, number> {
  const columns = new Map<Column, number>();
  header.cells.forEach((cell, index) => {
    const title = cellText(text, cell)
      .slice(0, 40)
      .toLowerCase()
      .replace(/[\s*_`.]/g, '');
    const name = COLUMN_NAMES.find((column) => COLUMNS[column].spellings.includes(title));
    if (name && !columns.has(name)) columns.set(name, index);
  });
  return columns;
}

/** Rows of other phases stay to the letter; new ones stand in the table, in ascending order. */
export function writePhases(document: StateDocument, facts: readonly PhaseRow[]): Step {
  const rows = new Map(facts.map((row) => [phaseKey(plainName(row.phase)), row]));
  const found = findPhaseTable(document);
  if (rows.size === 0) return { edits: [], issues: [] };
  if (!found) return addTable(document, [...rows.values()]);
  const issues = COLUMN_NAMES.filter((column) => !found.columns.has(column)).map((column) =>
    stateIssue('state-column-missing', `The table By Phase has no column \`${COLUMNS[column].title}\`.`, {
      line: found.table.header.line + 1,
      hint: `Add a column \`${COLUMNS[column].title}\` to its header, and it is filled the next time.`,
    }),
  );
  return { edits: editTable(document, found, rows), issues };
}

interface Entry {
  key: string;
  text: string;
  /** The line that it stands on already, as its line ending has to stay. */
  line?: number;
}

function editTable(document: StateDocument, found: PhaseTable, facts: Map<string, PhaseRow>): Edit[] {
  const { lines } = document;
  const { table, columns } = found;
  const missing = new Map(facts);
  const old = table.rows.map((row): Entry => {
    const key = phaseKey(cellText(lines.text, row.cells[columns.get('phase')!]));
    const fact = isPlaceholder(lines.text, row) ? undefined : missing.get(key);
    if (fact) missing.delete(key);
    return {
      key,
      line: row.line,
      text: fact ? rewriteRow(document, found, row, fact) : lineText(lines, row.line),
    };
  });
  const changed = old.filter(({ line, text }) => text !== lineText(lines, line!));
  if (missing.size === 0) return changed.map(({ line, text }) => lineEdit(document, line!, text));

  const entries = old.filter((_, i) => !isPlaceholder(lines.text, table.rows[i]!));
  for (const [key, fact] of missing) {
    const text = renderRow(lines, table, newCells(found, fact));
    entries.splice(placeOf(key, entries), 0, { key, text });
  }
  if (old.length === 0)
    return [
      insertLines(
        document,
        table.end,
        entries.map(({ text }) => text),
      ),
    ];
  const from = lines.starts[table.end - old.length]!;
  const to = table.end < lines.count ? lines.starts[table.end]! : lines.text.length;
  return [
    { from, to, text: joinEntries(document, entries, lines.text.slice(lines.ends[table.end - 1], to)) },
  ];
}

function lineEdit({ lines }: StateDocument, line: number, text: string): Edit {
  return { from: lines.starts[line]!, to: lines.ends[line]!, text };
}

/** Every line keeps its own ending; the last one ends as the table did. */
function joinEntries({ lines }: StateDocument, entries: readonly Entry[], lastEnding: string): string {
  const endingOf = ({ line }: Entry) =>
    line === undefined || line + 1 >= lines.count
      ? ''
      : lines.text.slice(lines.ends[line], lines.starts[line + 1]);
  const usual = lines.crlf ? '\r\n' : '\n';
  return entries
    .map((entry, i) => entry.text + (i === entries.length - 1 ? lastEnding : endingOf(entry) || usual))
    .join('');
}

function rewriteRow(
  document: StateDocument,
  { table, columns }: PhaseTable,
  row: Row,
  fact: PhaseRow,
): string {
  const { lines } = document;
  const { text } = lines;
  const values = Object.entries(phaseCells(fact)).flatMap(([column, value]) => {
    const index = columns.get(column as Column);
    const form = column === 'plans' ? FORMS.count : FORMS.durations;
    const valueFor = (old: string) => {
      const { ours, theirs } = replaceOwn(old, value, form);
      return ours + theirs;
    };
    return index === undefined ? [] : [{ index, value: valueFor }];
  });
  if (values.some(({ index }) => index >= row.cells.length)) {
    const cells = table.header.cells.map((_, i) => cellText(text, row.cells[i]) || '-');
    for (const { index, value } of values) cells[index] = value(cells[index]!);
    return renderRow(lines, table, cells);
  }
  const start = lines.starts[row.line]!;
  const edits = values.map(({ index, value }) => {
    const cell = row.cells[index]!;
    return {
      from: cell.from - start,
      to: cell.to - start,
      text: refill(text, cell, value(cellText(text, cell))),
    };
  });
  return applyEdits(lineText(lines, row.line), edits);
}

function newCells({ table, columns }: PhaseTable, fact: PhaseRow): string[] {
  const cells = table.header.cells.map(() => '-');
  const values = { phase: plainName(fact.phase), ...phaseCells(fact) };
  for (const [column, index] of columns) cells[index] = values[column];
  return cells;
}

/** `| - | - | - | - |`: a row that says nothing yet. */
export function isPlaceholder(text: string, row: Row): boolean {
  return row.cells.every((cell) =>
    /^(?:[-–—.…_?]*|n\/a|tbd|none(?: yet)?\.?)$/i.test(cellText(text, cell).slice(0, 20)),
  );
}

/** Behind the last row of an earlier phase; without numbers at the end, but before a row of totals. */
function placeOf(key: string, entries: readonly Entry[]): number {
  const order = entries.map((entry) => comparePhases(entry.key, key));
  const smaller = order.findLastIndex((each) => each !== null && each < 0);
  if (smaller !== -1) return smaller + 1;
  const larger = order.findIndex((each) => each !== null);
  if (larger !== -1) return larger;
  const hasTotals = /^(?:total|sum|all|overall)/.test(entries.at(-1)?.key ?? '');
  return entries.length - (hasTotals ? 1 : 0);
}

const HEADER = ['| Phase | Plans | Total | Avg/Plan |', '|-------|-------|-------|----------|'];

function addTable(document: StateDocument, facts: readonly PhaseRow[]): Step {
  const sorted = [...facts].sort(
    (a, b) => comparePhases(phaseKey(plainName(a.phase)), phaseKey(plainName(b.phase))) ?? 0,
  );
  const content = [
    ...HEADER,
    ...sorted.map((fact) => {
      const { plans, total, average } = phaseCells(fact);
      return `| ${plainName(fact.phase)} | ${plans} | ${total} | ${average} |`;
    }),
  ];
  const issues = [stateIssue('state-section-added', 'There was no table By Phase; it was added.')];
  const group = document.sections.get('byPhase');
  const metrics = document.sections.get('metrics');
  if (group) return { edits: [insertUnderTitle(document, group, content)], issues };
  if (metrics) return { edits: [insertGroup(document, metrics, 'byPhase', content)], issues };
  return { edits: [insertSection(document, 'metrics', groupLines('byPhase', content))], issues };
}
