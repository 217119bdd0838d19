import { firstInk, type ListItem } from '../markdown/index.js';
import { isCountValue } from './counts.js';
import type { CoveredLines } from './cover.js';
import { type Label, readLabel } from './label.js';
import { FIELDS, type FieldName, fieldNameOf, foldLabel, type SectionKind, sectionKindOf } from './names.js';
import { cellText, isDelimiter, type Row, readRow, type Table } from './table.js';

/** A label without a value that stands over a group: `**Velocity:**`. */
export interface Caption {
  line: number;
  /** The line after the label and all that goes on with it. */
  end: number;
  kind: SectionKind | undefined;
}

export interface Field {
  name: FieldName;
  /** Its offsets in the text. */
  at: Label;
  line: number;
  /** The line after the field and all that goes on with it. */
  end: number;
  /** Index of the heading above it, -1 where there is none. */
  section: number;
  /** The list item that it begins. */
  item: ListItem | undefined;
  /** The table of two columns that it is a row of. */
  table: Table | undefined;
}

/** Collects captions, fields and tables from the paragraphs of a document, which come in their order. */
export class Paragraphs {
  /** Index of the heading above the next paragraph. */
  section = -1;
  private readonly captions: Caption[] = [];
  private readonly fields: Field[] = [];
  private readonly tables: Table[] = [];

  constructor(private readonly covered: CoveredLines) {}

  /**
   * A paragraph holds fields when its first line begins with a label; else it is prose, whatever its other lines begin
   * with. A table may stand at the end of either.
   */
  read(from: number, end: number, item: ListItem | undefined, isTop: boolean): void {
    const { lines } = this.covered;
    const labelOf = (line: number) =>
      readLabel(lines.text, item && line === from ? item.offset : firstInk(lines, line), lines.ends[line]!);
    const hasLabels = labelOf(from) !== undefined;
    let last: { end: number } | undefined;
    for (let line = from; line < end; line++) {
      if (!this.covered.isPlain(line)) continue;
      if (line + 1 < end && this.covered.isPlain(line + 1) && this.addTable(line)) {
        if (last) last.end = line;
        return;
      }
      const label = hasLabels ? labelOf(line) : undefined;
      if (!label) continue;
      if (last) last.end = line;
      last = this.addLabel(label, line, end, line === from ? item : undefined, isTop);
    }
  }

  /** Once everything is read, and known what is covered. */
  finish(): { captions: Caption[]; fields: Field[]; tables: Table[] } {
    this.tables.forEach((table, i) => {
      this.readRows(table, this.tables[i + 1]?.header.line ?? this.covered.lines.count);
    });
    const cells = this.tables.flatMap((table) => this.readCells(table));
    const fields =
      cells.length === 0 ? this.fields : [...this.fields, ...cells].sort((a, b) => a.line - b.line);
    return { captions: this.captions, fields, tables: this.tables };
  }

  private addLabel(
    label: Label,
    line: number,
    end: number,
    item: ListItem | undefined,
    isTop: boolean,
  ): Field | Caption | undefined {
    const name = label.isBare ? undefined : fieldNameOf(label.label);
    if (name && this.isValue(name, label.from, label.to)) {
      const field: Field = { name, at: label, line, end, section: this.section, item, table: undefined };
      this.fields.push(field);
      return field;
    }
    if (label.rawTo > label.rawFrom) return undefined;
    const kind = sectionKindOf(label.label);
    // Inside a list item, emphasis is a matter of that item.
    if (!(isTop ? kind || label.open !== '' : kind && item)) return undefined;
    const caption = { line, end, kind };
    this.captions.push(caption);
    return caption;
  }

  private isValue(name: FieldName, from: number, to: number): boolean {
    const { text } = this.covered.lines;
    return !FIELDS[name].isCounted || isCountValue(cellText(text, { from, to }));
  }

  private addTable(line: number): boolean {
    const { lines } = this.covered;
    if (!isDelimiter(lines, line + 1)) return false;
    const header = readRow(lines, line);
    if (!header || readRow(lines, line + 1)?.cells.length !== header.cells.length) return false;
    this.tables.push({ header, delimiter: line + 1, rows: [], end: line + 2, section: this.section });
    return true;
  }

  /** Rows go on as long as lines have pipes: also where `- | - | -` looks like a list. */
  private readRows(table: Table, limit: number): void {
    const { lines } = this.covered;
    for (; table.end < limit && this.covered.isPlain(table.end); table.end++) {
      const row = lines.text[firstInk(lines, table.end)] === '#' ? undefined : readRow(lines, table.end);
      if (!row) return;
      table.rows.push(row);
    }
  }

  private readCells(table: Table): Field[] {
    if (table.header.cells.length !== 2) return [];
    return [table.header, ...table.rows].flatMap((row) => this.readCell(row, table) ?? []);
  }

  private readCell(row: Row, table: Table): Field | undefined {
    const { text } = this.covered.lines;
    const [label, value] = row.cells;
    if (!label || !value || row.cells.length !== 2) return undefined;
    const folded = foldLabel(text.slice(label.from, label.to).replace(/[*_:]/g, ' '));
    const name = fieldNameOf(folded);
    const isHeader = row === table.header;
    // `| Phase | Plans |` heads a table of another kind.
    if (!name || (isHeader && !/^[\s*_`]{0,8}\d/.test(text.slice(value.from, value.to)))) return undefined;
    if (!this.isValue(name, value.from, value.to)) return undefined;
    const at: Label = {
      label: folded,
      labelFrom: label.from,
      labelTo: label.to,
      open: '',
      runsOn: false,
      close: '',
      rawFrom: value.from,
      rawTo: value.to,
      from: value.from,
      to: value.to,
      isBare: false,
    };
    const end = isHeader ? table.delimiter + 1 : row.line + 1;
    return { name, at, line: row.line, end, section: table.section, item: undefined, table };
  }
}
