import { FIELDS, type FieldName, fieldNameOf, type OldValues } from './fields.js';
import { readCountText } from './forms.js';
import { foldLabel, type Label, unwrap } from './line.js';
import type { LabelLine, Outline } from './outline.js';
import { cellText, readRow, type Section, type SectionKind, type Table } from './section.js';

/** A field in the file: a line with a label, or a row of a table of two columns. */
export interface StateField {
  name: FieldName;
  line: number;
  /** The line after the value and all that continues it. */
  end: number;
  /** As it is written, and without emphasis around it. */
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
export const PLACE = { home: 0, below: 1, top: 2, substitute: 3, elsewhere: 4, none: 5 } as const;

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
  if (!name) return [];
  return [
    {
      name,
      line,
      end,
      raw: label.raw,
      value: unwrap(label.raw),
      section,
      place: PLACE.none,
      label,
      table: undefined,
    },
  ];
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
    return [
      {
        name,
        line,
        end,
        raw,
        value: unwrap(raw),
        section: table.section,
        place: PLACE.none,
        label: undefined,
        table,
      },
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

/** Without a Current Position, the section that says `Phase: 3 of 8` takes its place, whatever its name. */
function findSubstitute(fields: readonly StateField[]): Section | undefined {
  const phase = fields.find(
    ({ name, value }) => name === 'phase' && typeof readCountText(value)?.of === 'number',
  );
  return phase?.section;
}

function isBar({ name, value }: StateField): boolean {
  return name === 'progress' && /^`?\[[^\]\p{L}\d]{0,120}\]`? ?\d{1,3}%/u.test(value);
}
