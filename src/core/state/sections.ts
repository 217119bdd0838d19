import { compareText, formatDuration, wordPattern } from '../text.js';
import {
  addGroup,
  addSection,
  contentEnd,
  isRule,
  type Outline,
  type Section,
  type StateDraft,
  type Table,
} from './draft.js';
import { EARLIER, FORMS, type Form, isEmpty, readWholeNumber } from './fields.js';
import {
  cellText,
  fillRow,
  indentOf,
  isItem,
  isItemText,
  itemText,
  plainName,
  readRow,
  renderRow,
} from './line.js';
import { type BlockerChange, type PhaseRow, type StateIssue, stateIssue } from './types.js';

type Column = 'phase' | 'plans' | 'total' | 'average';

const COLUMNS: Readonly<Record<Column, { title: string; spellings: readonly string[]; form?: Form }>> = {
  phase: { title: 'Phase', spellings: ['phase', 'phases', '#'] },
  plans: { title: 'Plans', spellings: ['plans', 'plan'], form: FORMS.share },
  total: { title: 'Total', spellings: ['total', 'totaltime', 'time'], form: FORMS.duration },
  average: {
    title: 'Avg/Plan',
    spellings: ['avg/plan', 'avg', 'average', 'average/plan', 'avgperplan', 'avgplan'],
    form: FORMS.duration,
  },
};
/** The phase cell of a row with old text. */
const COLUMN_NAMES = Object.keys(COLUMNS) as Column[];

interface PhaseTable {
  table: Table;
  columns: ReadonlyMap<Column, number>;
}

/** A row about a phase. */
interface PhaseCells extends Record<Column, string> {
  line: number;
  key: string;
}

/** The tables under By Phase; else those of the metrics; else any with three of the four columns. */
function findTables(outline: Outline): PhaseTable[] {
  const within = (kind: 'byPhase' | 'metrics', { header }: Table) => {
    const section = outline.known.get(kind);
    return section !== undefined && section.line < header && header < section.end;
  };
  const rankOf = ({ table, columns }: PhaseTable) => {
    if (!columns.has('phase')) return 3;
    if (within('byPhase', table)) return 0;
    if (columns.has('plans') && columns.size > 2) return within('metrics', table) ? 1 : 2;
    return 3;
  };
  const found = outline.tables.map((table) => ({ table, columns: readColumns(outline, table) }));
  const best = Math.min(3, ...found.map(rankOf));
  return best === 3 ? [] : found.filter((each) => rankOf(each) === best);
}

function readColumns({ lines }: Outline, { header, columns }: Table): Map<Column, number> {
  const found = new Map<Column, number>();
  columns.forEach((cell, index) => {
    const title = cellText(lines[header]!, cell)
      .slice(0, 40)
      .toLowerCase()
      .replace(/[\s*_`.]/g, '');
    const name = COLUMN_NAMES.find((column) => COLUMNS[column].spellings.includes(title));
    if (name && !found.has(name)) found.set(name, index);
  });
  return found;
}

export function readPhaseRows(outline: Outline): PhaseCells[] {
  return findTables(outline).flatMap((each) => rowsOf(outline, each));
}

const COUNT = wordPattern(String.raw`^\d{1,9}(?!\s?[\p{L}])`);

/** Rows of a phase. Others, such as totals, or the times of single plans that a tool appends, are not ours. */
function rowsOf({ lines }: Outline, { table, columns }: PhaseTable): PhaseCells[] {
  const rows: PhaseCells[] = [];
  for (let line = table.header + 2; line < table.end; line++) {
    const cells = readRow(lines[line]!)!;
    const at = (column: Column) => cellText(lines[line]!, cells[columns.get(column) ?? -1]);
    const isCount = !columns.has('plans') || COUNT(at('plans')).test(at('plans')) || isEmpty(at('plans'));
    if (!isCount || cells.every((cell) => isEmpty(cellText(lines[line]!, cell)))) continue;
    rows.push({
      line,
      key: phaseKey(at('phase')),
      phase: at('phase'),
      plans: at('plans'),
      total: at('total'),
      average: at('average'),
    });
  }
  return rows;
}

/** `03`, `3.`, `Phase 3`, `3. Name` and `03-name` are all `3`; `Phase 3 P01` is a plan, and itself, as any other text is. */
export function phaseKey(cell: string): string {
  const plain = cell
    .slice(0, 200)
    .replace(/[*_`~[]/g, '')
    .trim()
    .toLowerCase();
  const read =
    /^(?:phase[ #:]{0,3})?(\d{1,9}(?:\.\d{1,9}){0,4})([a-z]?)(?![a-z\d]|-\d)(?!.* p+\d[\d-]*$)/.exec(plain);
  return read ? read[1]!.split('.').map(Number).join('.') + read[2]! : plain;
}

/** Each row is written as a whole; rows of other phases stay to the letter, and new ones are put in ascending order. */
export function writePhases(draft: StateDraft, facts: readonly PhaseRow[]): StateIssue[] {
  if (facts.length === 0) return [];
  const last = findTables(draft.outline).at(-1);
  if (!last) return addTable(draft, facts);
  const missing = COLUMN_NAMES.filter((column) => !last.columns.has(column)).map((column) =>
    stateIssue('state-column-missing', `The By Phase table has no column \`${COLUMNS[column].title}\`.`, {
      line: last.table.header + 1,
      hint: `Add a column \`${COLUMNS[column].title}\` to its header; the next update fills it.`,
    }),
  );
  return [...missing, ...facts.flatMap((fact) => writeRow(draft, fact))];
}

function writeRow(draft: StateDraft, fact: PhaseRow): StateIssue[] {
  const key = phaseKey(plainName(fact.phase));
  const tables = findTables(draft.outline);
  for (const found of tables.toReversed()) {
    const row = rowsOf(draft.outline, found).find((each) => each.key === key);
    if (row) return rewriteRow(draft, found, row, fact);
  }
  addRow(draft, tables.at(-1)!, key, fact);
  return [];
}

/** The cells that change are replaced as a whole; a row with more than numbers in one of them stays below it. */
function rewriteRow(
  draft: StateDraft,
  { table, columns }: PhaseTable,
  row: PhaseCells,
  fact: PhaseRow,
): StateIssue[] {
  const { line } = row;
  const old = draft.lines[line]!;
  const cells = readRow(old)!;
  const texts = new Map<number, string>();
  let isPlain = true;
  for (const [column, text] of Object.entries(phaseCells(fact)) as [Column, string][]) {
    const index = columns.get(column);
    if (index === undefined || text === row[column] || (text === '-' && !isEmpty(row[column]))) continue;
    texts.set(index, text);
    isPlain &&= COLUMNS[column].form?.(row[column]) ?? true;
  }
  if (texts.size === 0) return [];
  const isShort = [...texts.keys()].some((index) => index >= cells.length);
  const now = isShort
    ? renderRow(
        draft.lines,
        table,
        table.columns.map((_, i) => texts.get(i) ?? (cellText(old, cells[i]) || '-')),
      )
    : fillRow(old, cells, texts);
  const earlier = fillRow(old, cells, new Map([[columns.get('phase')!, EARLIER]]));
  draft.setValue(line, now);
  if (isPlain || draft.lines[line + 1] === earlier) return [];
  draft.insert(line + 1, [earlier]);
  const message = `The row of phase ${row.phase} had other text than numbers; it is now on the next line, as \`${EARLIER}\`.`;
  return [stateIssue('state-text-kept', message, { line: line + 1 })];
}

function phaseCells({
  completed,
  plans,
  totalMs,
  averageMs,
}: PhaseRow): Record<'plans' | 'total' | 'average', string> {
  return {
    plans: `${readWholeNumber(completed)}/${readWholeNumber(plans)}`,
    total: totalMs === null ? '-' : formatDuration(totalMs),
    average: averageMs === null ? '-' : formatDuration(averageMs),
  };
}

function addRow(draft: StateDraft, { table, columns }: PhaseTable, key: string, fact: PhaseRow): void {
  const values = { phase: plainName(fact.phase), ...phaseCells(fact) };
  const texts = table.columns.map(() => '-');
  for (const [column, index] of columns) texts[index] = values[column];
  const written = renderRow(draft.lines, table, texts);
  const rows = draft.lines
    .slice(table.header + 2, table.end)
    .map((line) => readRow(line)!.map((cell) => cellText(line, cell)));
  const blank = rows.flatMap((cells, i) => (cells.every(isEmpty) ? [table.header + 2 + i] : []));
  if (blank.length > 0) {
    for (const line of blank.slice(1).reverse()) draft.remove(line);
    draft.replace(blank[0]!, written);
    return;
  }
  const keys = rows.map((cells) => phaseKey(cells[columns.get('phase')!] ?? ''));
  draft.insert(table.header + 2 + placeFor(key, keys), [written]);
}

/** After the last row of an earlier phase, with what is kept below it; else before the first later one, or the totals. */
function placeFor(key: string, keys: readonly string[]): number {
  const order = keys.map((each) => comparePhases(each, key));
  let place = order.findLastIndex((each) => each !== null && each < 0) + 1;
  if (place === 0) {
    const later = order.findIndex((each) => each !== null);
    if (later !== -1) return later;
    return keys.length - (/^(?:total|sum|all|overall)/.test(keys.at(-1) ?? '') ? 1 : 0);
  }
  while (keys[place] === EARLIER.toLowerCase()) place++;
  return place;
}

/** Ascending by number: 2 before 2.1 before 10. Null if one of them has none. */
function comparePhases(one: string, other: string): number | null {
  const [ours, theirs] = [one, other].map((key) =>
    /^[\d.]+[a-z]?$/.test(key) ? key.split('.').map(Number.parseFloat) : [],
  );
  if (ours!.length === 0 || theirs!.length === 0) return null;
  for (let i = 0; i < Math.max(ours!.length, theirs!.length); i++) {
    const difference = (ours![i] ?? -1) - (theirs![i] ?? -1);
    if (difference !== 0) return difference;
  }
  return compareText(one, other);
}

const HEADER = ['| Phase | Plans | Total | Avg/Plan |', '|-------|-------|-------|----------|'];

function addTable(draft: StateDraft, facts: readonly PhaseRow[]): StateIssue[] {
  const section = draft.outline.known.get('byPhase');
  const blank = '| - | - | - | - |';
  if (section) draft.insertBlock(section.body + (draft.isBlank(section.body) ? 1 : 0), [...HEADER, blank]);
  else addGroup(draft, 'byPhase', [...HEADER, blank]);
  for (const fact of facts) writeRow(draft, fact);
  return [stateIssue('state-section-added', 'The By Phase table was missing and was added.')];
}

const EMPTY_SECTION = 'None yet.';
const UNDATED = 'undated';

/** Changes only our own entries; any other line belongs to the user. */
export function writeBlockers(draft: StateDraft, change: BlockerChange): StateIssue[] {
  const section = draft.outline.known.get('blockers');
  if (change.change === 'add') return addBlocker(draft, section, change);
  return section ? removeBlockers(draft, section, change.taskId) : [];
}

function addBlocker(
  draft: StateDraft,
  section: Section | undefined,
  { taskId, date, text }: Extract<BlockerChange, { change: 'add' }>,
): StateIssue[] {
  const entry = `${entryLead(taskId)}${isDate(date) ? date : UNDATED}): ${itemText(text) || 'no reason given'}`;
  if (!section) {
    addSection(draft, 'blockers', [entry]);
    return [stateIssue('state-section-added', 'The blockers section was missing and was added.')];
  }
  const line = findEntries(draft.outline, section, taskId)[0] ?? findPlaceholder(draft, section);
  if (line !== undefined) draft.replace(line, entry);
  else insertEntry(draft, section, entry);
  return [];
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text);
}

/** `- 03-01:2 (`, the id without anything that Markdown would read. */
function entryLead(taskId: string): string {
  return `- ${plainName(taskId)} (`;
}

function isEntry(line: string, lead: string): boolean {
  if (!line.startsWith(lead)) return false;
  const close = line.indexOf('): ', lead.length);
  const date = line.slice(lead.length, close);
  return close !== -1 && (isDate(date) || date === UNDATED) && isItemText(line.slice(close + 3));
}

function findEntries({ lines, hidden }: Outline, { body, end }: Section, taskId: string): number[] {
  const lead = entryLead(taskId);
  const found: number[] = [];
  for (let line = body; line < end; line++) {
    if (!hidden[line] && isEntry(lines[line]!, lead)) found.push(line);
  }
  return found;
}

/** After the last item of the section's own lines; else after all of them. */
function insertEntry(draft: StateDraft, { body, ownEnd }: Section, entry: string): void {
  const { lines, hidden } = draft.outline;
  const own = contentEnd(draft, body, ownEnd);
  for (let line = own - 1; line >= body; line--) {
    if (hidden[line] || !isItem(lines[line]!) || indentOf(lines[line]!) > 1) continue;
    draft.insertItems(itemEnd(draft, line, own), [entry]);
    return;
  }
  draft.insertBlock(own === body && draft.isBlank(body) && body < ownEnd ? body + 1 : own, [entry]);
}

/** The line after a list item and all that belongs to it. */
function itemEnd(draft: StateDraft, item: number, limit: number): number {
  let end = item + 1;
  for (let line = end; line < limit; line++) {
    if (draft.isBlank(line)) continue;
    const isLazy = line === end && !isRule(draft.lines[line]!) && !draft.outline.hidden[line];
    if (indentOf(draft.lines[line]!) < 2 && !isLazy) break;
    end = line + 1;
  }
  return end;
}

function removeBlockers(draft: StateDraft, section: Section, taskId: string): StateIssue[] {
  const entries = findEntries(draft.outline, section, taskId);
  const kept = entries.filter((line) => hasNotes(draft, line));
  const gone = entries.filter((line) => !kept.includes(line));
  const isLeftEmpty =
    gone.length > 0 && contentLines(draft.outline, section).every((line) => gone.includes(line));
  for (const line of gone.toReversed()) {
    if (isLeftEmpty && line === gone[0]) draft.replace(line, EMPTY_SECTION);
    else takeAway(draft, line);
  }
  return kept.map((line) =>
    stateIssue(
      'state-blocker-kept',
      `${plainName(taskId)} is no longer blocked, but its entry has notes under it.`,
      {
        line: line + 1,
        hint: 'Remove the entry and its notes when you no longer need them.',
      },
    ),
  );
}

/** Lines that are indented under an entry belong to it, and people wrote them. */
function hasNotes(draft: StateDraft, entry: number): boolean {
  let line = entry + 1;
  while (line < draft.lines.length && draft.isBlank(line)) line++;
  return line < draft.lines.length && indentOf(draft.lines[line]!) >= '- '.length;
}

/** With the entry goes one of the two blank lines around it. Text that follows it directly keeps its distance from the rest. */
function takeAway(draft: StateDraft, line: number): void {
  const { lines } = draft;
  const blankBefore = line > 0 && draft.isBlank(line - 1);
  const blankAfter = line + 1 >= lines.length || draft.isBlank(line + 1);
  if (!blankBefore && !blankAfter && !isItem(lines[line + 1]!)) draft.replace(line, '');
  else {
    draft.remove(line);
    if (blankBefore && blankAfter) draft.remove(line - 1);
  }
}

const NOTHING =
  /^(?:none(?: yet| currently| known| at this time)?|no blockers(?: yet)?|nothing(?: yet)?|n\/a|nil)$/i;

/** A line that means "empty": `None yet.`, `- _None_`, `(none)`. */
function isPlaceholder(line: string): boolean {
  if (line.length > 40) return false;
  const words = line
    .trim()
    .replace(/^[-*+] /, '')
    .replace(/[*_`()[\].!]/g, '');
  return NOTHING.test(words.trim());
}

/** It must be a paragraph or an item by itself: `None` may be the first word of a sentence. */
function findPlaceholder(draft: StateDraft, { body, ownEnd }: Section): number | undefined {
  const { lines, hidden } = draft.outline;
  const isApart = (line: number) => draft.isBlank(line) || hidden[line] || isRule(lines[line]!);
  for (let line = body; line < ownEnd; line++) {
    if (hidden[line] || !isPlaceholder(lines[line]!)) continue;
    const isNextItem =
      (lines[line + 1] ?? '') !== '' &&
      isItem(lines[line + 1]!) &&
      indentOf(lines[line + 1]!) <= indentOf(lines[line]!);
    const startsHere = isItem(lines[line]!) || line === body || isApart(line - 1);
    if (startsHere && (line + 1 >= ownEnd || isApart(line + 1) || isNextItem)) return line;
  }
  return undefined;
}

/** The entries there, without blank lines, comments, rules and a placeholder. */
export function readBlockers(outline: Outline): string[] {
  const section = outline.known.get('blockers');
  if (!section) return [];
  return contentLines(outline, section)
    .map((line) => outline.lines[line]!.trimEnd())
    .filter((line) => !isPlaceholder(line));
}

function contentLines({ lines, hidden }: Outline, { body, end }: Section): number[] {
  const found: number[] = [];
  for (let line = body; line < end; line++) {
    const text = lines[line]!.trim();
    if (text !== '' && !text.startsWith('<!--') && (hidden[line] || !isRule(text))) found.push(line);
  }
  return found;
}
