import { isFullCount } from './counts.js';
import { FIELDS, type FieldName, type SectionKind } from './names.js';
import { type Outline, readOutline } from './outline.js';
import type { Field } from './paragraphs.js';
import { cellText } from './table.js';

/** A heading with all that belongs to it, or a caption with what stands under it. */
export interface Section {
  kind: SectionKind;
  line: number;
  /** 1 to 6 for a heading, `CAPTION` for a caption. */
  level: number;
  /** Index of its heading; that of the heading above it for a caption. */
  heading: number;
  /** The first line after its title. */
  body: number;
  /** The line after its last. */
  end: number;
  /** Where its own lines end and those of the headings under it begin. */
  ownEnd: number;
}

export const CAPTION = 7;

export interface StateDocument extends Outline {
  readonly sections: ReadonlyMap<SectionKind, Section>;
  /** The field of each name that is meant. */
  readonly chosen: ReadonlyMap<FieldName, ChosenField>;
}

/** A field with one of the places below. */
interface ChosenField {
  field: Field;
  place: number;
}

/** Where a field stands, the best place first. */
export const PLACE = {
  group: 0,
  section: 1,
  /** Under a heading of its section. */
  below: 2,
  /** At the top of the file, before all sections. */
  top: 3,
  /** In the section that stands for a Current Position that is not there. */
  substitute: 4,
  /** Anywhere: its name can mean nothing else. */
  elsewhere: 5,
  /** Where it is something else of the same name. */
  none: 6,
} as const;

/** What is read is mostly changed right after; nobody changes a document in place. */
let lastRead: { text: string; document: StateDocument } | undefined;

export function readDocument(text: string): StateDocument {
  if (lastRead?.text === text) return lastRead.document;
  const outline = readOutline(text);
  const sections = findSections(outline);
  const document = { ...outline, sections, chosen: findFields(outline, sections) };
  lastRead = { text, document };
  return document;
}

/** The first of each kind. A heading goes before a caption, wherever they stand. */
function findSections(outline: Outline): Map<SectionKind, Section> {
  const { headings, captions, lines } = outline;
  const sections = new Map<SectionKind, Section>();
  headings.forEach(({ kind, line, level, end: body }, heading) => {
    if (!kind || sections.has(kind)) return;
    const ownEnd = headings[heading + 1]?.line ?? lines.count;
    const after = headings.find((other, i) => i > heading && other.level <= level);
    sections.set(kind, { kind, line, level, heading, body, end: after?.line ?? lines.count, ownEnd });
  });
  captions.forEach(({ kind, line, end: body }, i) => {
    if (!kind || sections.has(kind)) return;
    const next = headings.findIndex((heading) => heading.line > line);
    const heading = next === -1 ? headings.length - 1 : next - 1;
    const end = Math.min(captions[i + 1]?.line ?? lines.count, headings[heading + 1]?.line ?? lines.count);
    sections.set(kind, { kind, line, level: CAPTION, heading, body, end, ownEnd: end });
  });
  return sections;
}

const GROUPS: readonly SectionKind[] = ['velocity', 'byPhase', 'trend'];

/** The innermost section, or group, that a line stands in. */
function innermost(
  sections: ReadonlyMap<SectionKind, Section>,
  line: number,
  isGroup: boolean,
): Section | undefined {
  let found: Section | undefined;
  for (const section of sections.values()) {
    if (GROUPS.includes(section.kind) !== isGroup) continue;
    if (section.line < line && line < section.end && (!found || section.line > found.line)) found = section;
  }
  return found;
}

/** Of all fields of one name the one in the best place, and of several there the first. */
function findFields(
  outline: Outline,
  sections: ReadonlyMap<SectionKind, Section>,
): Map<FieldName, ChosenField> {
  const substitute = sections.has('position') ? undefined : findSubstitute(outline);
  const chosen = new Map<FieldName, ChosenField>();
  for (const field of outline.fields) {
    const place = placeOf(field, outline, sections, substitute);
    if (place < (chosen.get(field.name)?.place ?? PLACE.none)) chosen.set(field.name, { field, place });
  }
  return chosen;
}

function placeOf(
  field: Field,
  outline: Outline,
  sections: ReadonlyMap<SectionKind, Section>,
  substitute: number | undefined,
): number {
  const { section: wanted, group, isUnmistakable } = FIELDS[field.name];
  if (group && innermost(sections, field.line, true)?.kind === group) return PLACE.group;
  const section = innermost(sections, field.line, false);
  if (section?.kind === wanted) return field.section === section.heading ? PLACE.section : PLACE.below;
  if (!section && isAtTop(field, outline)) return PLACE.top;
  if (wanted === 'position' && field.section === substitute) return PLACE.substitute;
  return isUnmistakable || isBar(field, outline) ? PLACE.elsewhere : PLACE.none;
}

/** Before all sections, or under the title alone. */
function isAtTop({ section }: Field, { headings }: Outline): boolean {
  return section === -1 || (section === 0 && headings[0]!.level === 1);
}

/** Without a Current Position, the section that says `Phase: 3 of 8` stands for it, whatever its name. */
function findSubstitute({ fields, lines }: Outline): number | undefined {
  const says = ({ at: { from, to } }: Field) => isFullCount(cellText(lines.text, { from, to }));
  return fields.find((field) => field.name === 'phase' && says(field))?.section;
}

function isBar({ name, at: { from, to } }: Field, { lines }: Outline): boolean {
  return (
    name === 'progress' &&
    /^`?\[[^\]\d]{0,80}\]`? ?\d{1,3}%/.test(lines.text.slice(from, Math.min(to, from + 100)))
  );
}
