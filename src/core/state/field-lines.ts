import { wordPattern } from '../text.js';
import {
  addGroup,
  addSection,
  CAPTION,
  type LabelLine,
  type Outline,
  type Section,
  type StateDraft,
  type Table,
} from './draft.js';
import {
  EARLIER,
  FIELDS,
  type FieldHome,
  type FieldName,
  fieldNameOf,
  fieldsIn,
  isEmpty,
  type OldValues,
  readCountText,
  type SectionKind,
  TITLES,
} from './fields.js';
import {
  cellText,
  fillRow,
  foldLabel,
  isItem,
  type Label,
  nameLine,
  readLabel,
  readRow,
  renderRow,
  replaceValue,
  textAfter,
  unwrap,
  within,
  withinCell,
  writeLabel,
} from './line.js';
import { type StateFacts, type StateIssue, stateIssue } from './types.js';

/** A field in the file: a line with a label, or a row of a table of two columns. */
interface StateField {
  name: FieldName;
  line: number;
  /** The line after the value and all that continues it. */
  end: number;
  /** As written, and without emphasis around it. */
  raw: string;
  value: string;
  section: Section | undefined;
  /** How well its place suits it, one of `PLACE`. */
  place: number;
  /** Undefined for a row. */
  label: Label | undefined;
  table: Table | undefined;
}

/** The best place first. */
const PLACE = { home: 0, below: 1, top: 2, substitute: 3, elsewhere: 4, none: 5 } as const;

/** Of all fields of one name the one in the best place; of several there, the first. */
export function findFields(outline: Outline): Map<FieldName, StateField> {
  const fields = [
    ...outline.labels.flatMap(fromLabel),
    ...outline.tables.flatMap((table) => fromTable(outline, table)),
  ].sort((a, b) => a.line - b.line);
  const substitute = outline.known.has('position') ? undefined : findSubstitute(fields);
  const best = new Map<FieldName, StateField>();
  for (const field of fields) {
    field.place = placeOf(field, outline, substitute);
    if (field.place < (best.get(field.name)?.place ?? PLACE.none)) best.set(field.name, field);
  }
  return best;
}

export function valuesOf(fields: ReadonlyMap<FieldName, StateField>): OldValues {
  return Object.fromEntries([...fields].map(([name, { value }]) => [name, value]));
}

function fromLabel({ label, line, end, section }: LabelLine): StateField[] {
  const name = fieldNameOf(label.key);
  const { raw } = label;
  const place = PLACE.none;
  return name ? [{ name, line, end, raw, value: unwrap(raw), section, place, label, table: undefined }] : [];
}

function fromTable({ lines }: Outline, table: Table): StateField[] {
  if (table.columns.length !== 2) return [];
  const rows = [table.header];
  for (let line = table.header + 2; line < table.end; line++) rows.push(line);
  return rows.flatMap((line) => {
    const [label, value, more] = readRow(lines[line]!) ?? [];
    if (!label || !value || more) return [];
    const name = fieldNameOf(foldLabel(cellText(lines[line]!, label).slice(0, 60).replace(/[*_:]/g, ' ')));
    const raw = cellText(lines[line]!, value);
    // `| Phase | Plans |` is the header of another kind of table.
    if (!name || (line === table.header && !/^[*_]{0,3}\d/.test(raw))) return [];
    const end = line === table.header ? line + 2 : line + 1;
    const { section } = table;
    return [
      { name, line, end, raw, value: unwrap(raw), section, place: PLACE.none, label: undefined, table },
    ];
  });
}

function placeOf(field: StateField, { known }: Outline, substitute: Section | undefined): number {
  const { section: home, group, isUnmistakable } = FIELDS[field.name];
  const above: (SectionKind | undefined)[] = [];
  for (let section = field.section; section; section = section.parent) above.push(section.kind);
  if (above[0] === (group ?? home)) return PLACE.home;
  if (above.includes(home)) {
    // Under a caption such as `v1.0 velocity`, numbers are those of something else.
    return group && above[0] !== home ? PLACE.none : PLACE.below;
  }
  if (!known.has(home) && isValue(field)) {
    const { section } = field;
    if (!section || (section.level === 1 && !section.kind)) return PLACE.top;
    if (home === 'position' && section === substitute) return PLACE.substitute;
  }
  return isUnmistakable || isBar(field) ? PLACE.elsewhere : PLACE.none;
}

/** Outside of its section, `Plan: ask Bob` is a sentence. */
function isValue({ name, value }: StateField): boolean {
  if (name !== 'phase' && name !== 'plan') return true;
  return FIELDS[name].isPlain(value, {}) || typeof readCountText(value)?.of === 'number';
}

/** Without a Current Position, the section with `Phase: 3 of 8` takes its place, whatever its name. */
function findSubstitute(fields: readonly StateField[]): Section | undefined {
  const phase = fields.find(
    ({ name, value }) => name === 'phase' && typeof readCountText(value)?.of === 'number',
  );
  return phase?.section;
}

const BAR = wordPattern('^`?\\[[^\\]\\p{L}\\d]{0,120}\\]`? ?\\d{1,3}%');

function isBar({ name, value }: StateField): boolean {
  return name === 'progress' && BAR(value).test(value);
}

/** Writes the fields of one section, or of one group of it: in place, or where a missing one belongs. */
export function writeFields(
  draft: StateDraft,
  home: FieldHome,
  facts: StateFacts,
  old: OldValues,
): StateIssue[] {
  const issues: StateIssue[] = [];
  const family = fieldsIn(home);
  const missing = new Map<FieldName, string>();
  const there: { field: StateField; value: string }[] = [];
  const fields = findFields(draft.outline);
  for (const name of family) {
    const field = fields.get(name);
    const value = FIELDS[name].write(facts, field?.value ?? '');
    if (value === undefined) continue;
    if (field) there.push({ field, value });
    else missing.set(name, value);
  }
  // From the bottom up: a line that is added moves none of those that are still to be written.
  for (const { field, value } of there.sort((a, b) => b.field.line - a.field.line)) {
    issues.push(...rewrite(draft, field, value, old));
  }
  if (missing.size > 0) issues.push(...addFields(draft, home, family, missing));
  return issues;
}

/** Replaces the whole value. Anything beyond the template's form is kept once, on the next line. */
function rewrite(draft: StateDraft, field: StateField, said: string, old: OldValues): StateIssue[] {
  const { name, line, label, end } = field;
  const value = label ? within(label, said) : withinCell(said);
  if (field.raw === value || field.value === value) return [];
  if (value === '-' && !isEmpty(field.value)) return [];
  if (isReplaceable(field, old)) {
    draft.setValue(line, label ? replaceValue(label, value) : fillCells(draft, field, [[1, value]]));
    if (label) draft.keepApart(line);
    return [];
  }
  const earlier = label ? nameLine(label, EARLIER) : fillCells(draft, field, [[0, EARLIER]]);
  const now = label ? writeLabel(label, label.name, value) : fillCells(draft, field, [[1, value]]);
  if (isKept(draft, field, earlier)) {
    draft.replace(line, now);
    if (label) draft.keepApart(line);
    return [];
  }
  if (label) {
    draft.replace(line, earlier);
    draft.insert(line, [now]);
  } else {
    draft.replace(line, now);
    draft.insert(end, [earlier]);
  }
  const message = `\`${FIELDS[name].label}\` is now "${value}". Its old text is on the next line, as \`${EARLIER}\`.`;
  return [stateIssue('state-text-kept', message, { line: line + 1 })];
}

/** Whether a value can be replaced without loss: it has nothing that the template does not. */
function isReplaceable({ name, value, label, line, end }: StateField, old: OldValues): boolean {
  if (!FIELDS[name].isPlain(value, old)) return false;
  const continues = label !== undefined && end > line + 1 && (value === '' || !isEmpty(value));
  return !continues && (label === undefined || textAfter(label) === '');
}

function fillCells(draft: StateDraft, { line }: StateField, texts: [number, string][]): string {
  const row = draft.lines[line]!;
  return fillRow(row, readRow(row)!, new Map(texts));
}

/** Another program that writes the same words again does not make the file longer. */
function isKept(draft: StateDraft, { line, end, label, table }: StateField, earlier: string): boolean {
  if (label && end > line + 1) return false;
  const { lines } = draft;
  for (let at = end; at < lines.length && (table ? at < table.end : isEarlier(lines[at]!)); at++) {
    if (lines[at] === earlier) return true;
  }
  return false;
}

function isEarlier(line: string): boolean {
  return readLabel(line)?.name === EARLIER;
}

function isEarlierRow(line: string): boolean {
  return cellText(line, readRow(line)?.[0]) === EARLIER;
}

function addFields(
  draft: StateDraft,
  home: FieldHome,
  family: readonly FieldName[],
  missing: ReadonlyMap<FieldName, string>,
): StateIssue[] {
  const issues = [...missing].map(([name, value]) =>
    stateIssue('state-field-added', `\`${FIELDS[name].label}\` was missing and was added: ${value}`),
  );
  const anchor = findAnchor(draft, family);
  if (anchor) {
    addAfter(draft, anchor, missing);
    return issues;
  }
  const place = draft.outline.known.get(home.group ?? home.section);
  const isList = home.group !== undefined || place?.level === CAPTION;
  const lines = [...missing].map(([name, value]) => `${isList ? '- ' : ''}${FIELDS[name].label}: ${value}`);
  if (place) {
    if (place.level === CAPTION) draft.insertItems(place.body, lines);
    else draft.insertBlock(place.body + (draft.isBlank(place.body) ? 1 : 0), lines);
    return issues;
  }
  const title = TITLES[home.group ?? home.section];
  issues.unshift(stateIssue('state-section-added', `\`${title}\` was missing and was added.`));
  if (home.group) addGroup(draft, home.group, lines);
  else addSection(draft, home.section, lines);
  return issues;
}

/** The last field of the same section or group; fields that are elsewhere attract no others. */
function findAnchor({ outline }: StateDraft, family: readonly FieldName[]): StateField | undefined {
  const fields = findFields(outline);
  const kin = family.flatMap((name) => fields.get(name) ?? []).sort((a, b) => a.line - b.line);
  const best = Math.min(PLACE.elsewhere, ...kin.map(({ place }) => place));
  return best === PLACE.elsewhere ? undefined : kin.findLast(({ place }) => place === best);
}

/** New fields in the style of `anchor`, after it and all that continues it. */
function addAfter(draft: StateDraft, anchor: StateField, missing: ReadonlyMap<FieldName, string>): void {
  const { lines } = draft;
  const { label, table } = anchor;
  let at = anchor.end;
  if (table) {
    while (at < table.end && isEarlierRow(lines[at]!)) at++;
    const rows = [...missing].map(([name, value]) => renderRow(lines, table, [FIELDS[name].label, value]));
    draft.insert(at, rows);
    return;
  }
  const { hidden, unclosedFences } = draft.outline;
  while (!unclosedFences.has(at) && (hidden[at] || (at < lines.length && isEarlier(lines[at]!))))
    at = labelEnd(draft, at);
  const written = [...missing].map(([name, value], i) =>
    writeLabel({ ...label!, lead: countOn(label!.lead, i + 1) }, FIELDS[name].label, value),
  );
  if (isItem(lines[anchor.line]!)) {
    draft.insertItems(at, written);
    return;
  }
  const added = isSpread(draft, anchor) ? written.flatMap((line) => ['', line]) : written;
  draft.insert(at, added);
  draft.keepApart(at + added.length - 1);
}

/** The line after a label and all that continues it; after any other line, the next one. */
function labelEnd({ outline }: StateDraft, at: number): number {
  return outline.labels.find(({ line }) => line === at)?.end ?? at + 1;
}

/** `3. ` → `4. ` */
function countOn(lead: string, step: number): string {
  return lead.replace(/^(\s*)(\d+)/, (_, space: string, number: string) => space + (Number(number) + step));
}

/** Each field is a paragraph of its own: this one and the one before it. */
function isSpread(draft: StateDraft, anchor: StateField): boolean {
  const before = [...findFields(draft.outline).values()]
    .filter(({ line, section }) => line < anchor.line && section === anchor.section)
    .sort((a, b) => b.line - a.line)[0];
  const hasBlankAbove = ({ line }: StateField) => line === 0 || draft.isBlank(line - 1);
  return before !== undefined && hasBlankAbove(anchor) && hasBlankAbove(before);
}
