import { firstInk, isBlank } from '../markdown/index.js';
import { type Edit, insertItems, insertLines, type Step, safeLine } from './edits.js';
import { stateIssue } from './issue-codes.js';
import { FIELD_NAMES, FIELDS, type FieldName, type SectionKind, TITLES } from './names.js';
import { groupLines, insertGroup, insertSection, insertUnderTitle } from './new-section.js';
import type { Field } from './paragraphs.js';
import { CAPTION, PLACE, type Section, type StateDocument } from './sections.js';
import { renderRow } from './table.js';
import type { StateIssue } from './types.js';
import type { Value } from './values.js';
import { within, writeField } from './write-field.js';

/** Writes the fields of one section, or of one group of it: in place, or where a missing one belongs. */
export function writeFields(
  document: StateDocument,
  home: { section: SectionKind; group?: SectionKind },
  values: ReadonlyMap<FieldName, Value>,
): Step {
  const family = FIELD_NAMES.filter(
    (name) => FIELDS[name].section === home.section && FIELDS[name].group === home.group,
  );
  const edits: Edit[] = [];
  const issues: StateIssue[] = [];
  const missing: Missing[] = [];
  for (const name of family) {
    const value = values.get(name);
    const field = document.chosen.get(name)?.field;
    if (!value) continue;
    if (!field) {
      const { ours, theirs } = value('');
      missing.push({ name, value: ours + theirs });
      continue;
    }
    const step = writeField(document, field, value);
    edits.push(...step.edits);
    issues.push(...step.issues);
  }
  if (missing.length === 0) return { edits, issues };
  const added = addFields(document, home, family, missing);
  return { edits: [...edits, ...added.edits], issues: [...issues, ...added.issues] };
}

interface Missing {
  name: FieldName;
  value: string;
}

function addFields(
  document: StateDocument,
  home: { section: SectionKind; group?: SectionKind },
  family: readonly FieldName[],
  missing: readonly Missing[],
): Step {
  const issues = missing.map(({ name, value }) =>
    stateIssue('state-field-added', `\`${FIELDS[name].label}\` was missing; it was added: ${value}`),
  );
  const section = document.sections.get(home.section);
  const group = home.group && document.sections.get(home.group);
  const places = placesFor(section, group, missing);
  const anchor = findAnchor(document, family, places);
  if (anchor) return { edits: [addBehind(document, anchor, missing)], issues };

  const isList = home.group !== undefined || section?.level === CAPTION;
  const content = missing.map(({ name, value }) => writeLine(isList ? '- ' : '', name, value));
  if (group) return { edits: [addToGroup(document, group, content)], issues };
  if (section && !home.group) {
    const edit =
      section.level === CAPTION
        ? insertItems(document, section.body, content)
        : insertUnderTitle(document, section, content);
    return { edits: [edit], issues };
  }
  const title = TITLES[home.group ?? home.section];
  issues.unshift(stateIssue('state-section-added', `There was no \`${title}\`; it was added.`));
  if (!home.group) return { edits: [insertSection(document, home.section, content)], issues };
  if (section) return { edits: [insertGroup(document, section, home.group, content)], issues };
  return { edits: [insertSection(document, home.section, groupLines(home.group, content))], issues };
}

function writeLine(lead: string, name: FieldName, value: string): string {
  return `${lead}${FIELDS[name].label}: ${value}`;
}

function addToGroup(document: StateDocument, group: Section, content: readonly string[]): Edit {
  return group.level === CAPTION
    ? insertItems(document, group.body, content)
    : insertUnderTitle(document, group, content);
}

/** Where kin of a missing field may stand, so that it is found again beside them. */
function placesFor(
  section: Section | undefined,
  group: Section | undefined,
  missing: readonly Missing[],
): readonly number[] {
  if (group) return [PLACE.group];
  if (section) return [PLACE.section, PLACE.below];
  const isPlain = missing.every(({ name }) => FIELDS[name].isUnmistakable);
  return [PLACE.top, PLACE.substitute, ...(isPlain ? [PLACE.elsewhere] : [])];
}

/** The last field of the list that a missing one joins, in the first of the places that has one. */
function findAnchor(
  { chosen }: StateDocument,
  family: readonly FieldName[],
  places: readonly number[],
): Field | undefined {
  const kin = family.flatMap((name) => chosen.get(name) ?? []);
  const best = places.find((place) => kin.some((one) => one.place === place));
  return kin
    .flatMap(({ field, place }) => (place === best ? [field] : []))
    .sort((a, b) => a.line - b.line)
    .at(-1);
}

/** New fields in the style of `anchor`, behind it and all that goes on with it. */
function addBehind(document: StateDocument, anchor: Field, missing: readonly Missing[]): Edit {
  const { lines } = document;
  if (anchor.table) {
    const { table } = anchor;
    const rows = missing.map(({ name, value }) => renderRow(lines, table, [FIELDS[name].label, value]));
    return insertLines(document, anchor.end, rows);
  }
  const written = missing.map(({ name, value }, i) => inStyleOf(document, anchor, name, value, i + 1));
  if (anchor.item) return insertItems(document, anchor.item.end, written);
  const isSpread = standsAlone(document, anchor);
  const spread = isSpread ? written.flatMap((line) => ['', line]) : written;
  return insertLines(document, safeLine(document, anchor.end), spread);
}

function inStyleOf(
  { lines }: StateDocument,
  anchor: Field,
  name: FieldName,
  value: string,
  step: number,
): string {
  const { text } = lines;
  const { labelFrom, labelTo, rawFrom, close } = anchor.at;
  const lead = text.slice(lines.starts[anchor.line], labelFrom);
  const between = text.slice(labelTo, rawFrom).trimEnd();
  const number = /^([ \t]{0,9})(\d{1,8})(?=[.)])/.exec(lead);
  const counted = number ? lead.replace(number[2]!, String(Number(number[2]) + step)) : lead;
  return `${counted}${FIELDS[name].label}${between} ${within(anchor.at, value)}${close}`;
}

/** Each field is a paragraph of its own: this one and another before it do not touch. */
function standsAlone({ lines, fields }: StateDocument, anchor: Field): boolean {
  const before = fields.findLast(({ line, section }) => line < anchor.line && section === anchor.section);
  if (!before || anchor.line === 0) return false;
  const hasBlankAbove = ({ line }: Field) => line === 0 || isBlank(lines, line - 1);
  return (
    hasBlankAbove(anchor) &&
    hasBlankAbove(before) &&
    firstInk(lines, anchor.line) === lines.starts[anchor.line]
  );
}
