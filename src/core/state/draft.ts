import { EARLIER, fieldNameOf, type SectionKind, sectionKindOf, TITLES } from './fields.js';
import {
  findComment,
  indentOf,
  isDelimiter,
  isItem,
  type Label,
  readLabel,
  readRow,
  type TableLines,
} from './line.js';

/** A STATE.md as lines that can be changed one by one: every other line keeps its bytes, its line ending included. */
export class StateDraft {
  /** Without their line endings. */
  readonly lines: string[];
  private readonly endings: string[];
  private readonly bom: string;
  private readonly ending: string;
  private known: Outline | undefined;

  constructor(text: string) {
    this.bom = text.startsWith('\ufeff') ? '\ufeff' : '';
    const whole = text.slice(this.bom.length).split(/(?<=\n)/);
    if (whole.length === 1 && whole[0] === '') whole.pop();
    this.endings = whole.map((line) => /\r?\n$/.exec(line)?.[0] ?? '');
    this.lines = whole.map((line, i) => line.slice(0, line.length - this.endings[i]!.length));
    this.ending = this.endings[0] || '\n';
  }

  get text(): string {
    return this.bom + this.lines.map((line, i) => line + this.endings[i]!).join('');
  }

  get outline(): Outline {
    this.known ??= readOutline(this.lines);
    return this.known;
  }

  isBlank(at: number): boolean {
    return (this.lines[at] ?? '').trim() === '';
  }

  /** A line of the same label or table with another value: the outline stays as it is. */
  setValue(at: number, line: string): void {
    this.lines[at] = line;
  }

  replace(at: number, line: string): void {
    this.lines[at] = line;
    this.known = undefined;
  }

  /** New lines before line `at`. A file without a final line ending has none afterwards either. */
  insert(at: number, lines: readonly string[]): void {
    const endings = lines.map(() => this.ending);
    if (at >= this.lines.length && this.endings.at(-1) === '') {
      this.endings[this.endings.length - 1] = this.ending;
      endings[endings.length - 1] = '';
    }
    this.lines.splice(at, 0, ...lines);
    this.endings.splice(at, 0, ...endings);
    this.known = undefined;
  }

  remove(at: number): void {
    const [ending] = this.endings.splice(at, 1);
    this.lines.splice(at, 1);
    if (ending === '' && this.endings.length > 0) this.endings[this.endings.length - 1] = '';
    this.known = undefined;
  }

  /** A field with a pipe in its value, right above `|---|---|`, would become the header of a table. */
  keepApart(at: number): void {
    if (this.lines[at]!.includes('|') && isDelimiter(this.lines[at + 1] ?? '')) this.insert(at + 1, ['']);
  }

  /** New lines with a blank one on each side, and not in a fence that is never closed. */
  insertBlock(place: number, lines: readonly string[]): void {
    const at = Math.min(place, this.outline.openFence);
    const before = at > 0 && !this.isBlank(at - 1) ? [''] : [];
    const after = at < this.lines.length && !this.isBlank(at) ? [''] : [];
    this.insert(at, [...before, ...lines, ...after]);
  }

  /** New list items: a blank line keeps text that follows from becoming a part of the last one. */
  insertItems(place: number, items: readonly string[]): void {
    const at = Math.min(place, this.outline.openFence);
    const isTight = at >= this.lines.length || this.isBlank(at) || isItem(this.lines[at]!);
    this.insert(at, isTight ? items : [...items, '']);
  }
}

const ORDER: readonly SectionKind[] = ['position', 'metrics', 'blockers', 'session'];

/**
 * Before the first section that follows it in the template, outside that section's own parent heading; otherwise
 * last.
 */
export function addSection(draft: StateDraft, kind: SectionKind, content: readonly string[]): void {
  const { outline } = draft;
  const known = ORDER.flatMap((each) => outline.known.get(each) ?? []).filter(
    ({ level }) => level !== CAPTION,
  );
  const level = known.find((section) => section.kind !== 'blockers')?.level ?? 2;
  const later = ORDER.slice(ORDER.indexOf(kind) + 1);
  const next = known
    .filter((section) => later.includes(section.kind!))
    .map((section) => ancestorAt(section, level))
    .find((section) => section !== undefined);
  draft.insertBlock(next?.line ?? lastLine(draft, level), [
    `${'#'.repeat(level)} ${TITLES[kind]}`,
    '',
    ...content,
  ]);
}

/** At the end of the metrics, titled like the groups that are there. */
export function addGroup(draft: StateDraft, kind: SectionKind, content: readonly string[]): void {
  const { outline } = draft;
  const groups = (['velocity', 'byPhase', 'trend'] as const).flatMap((each) => outline.known.get(each) ?? []);
  const level = groups[0]?.level ?? CAPTION;
  const isItems = content[0]!.startsWith('- ');
  const title = level === CAPTION ? `**${TITLES[kind]}:**` : `${'#'.repeat(level)} ${TITLES[kind]}`;
  const lines = [title, ...(isItems && level === CAPTION ? [] : ['']), ...content];
  const metrics = outline.known.get('metrics');
  if (!metrics) addSection(draft, 'metrics', lines);
  else draft.insertBlock(contentEnd(draft, metrics.body, metrics.end), lines);
}

/** The heading of this level or above that contains a section, or is it. */
function ancestorAt(section: Section, level: number): Section | undefined {
  let top: Section | undefined = section;
  while (top && top.level > level) top = top.parent;
  return top && top.level < level && top !== section ? undefined : top;
}

/** The end of the file; where a fence is open there, before the section that it is in. */
function lastLine(draft: StateDraft, level: number): number {
  const { openFence, sections } = draft.outline;
  let end = draft.lines.length;
  while (end > 0 && draft.isBlank(end - 1)) end--;
  if (openFence === draft.lines.length) return end;
  const around = sections.findLast(({ line }) => line < openFence);
  return (around && ancestorAt(around, level)?.line) ?? openFence;
}

/** The line after the last one with content; rules that separate it from the next section do not count. */
export function contentEnd(draft: StateDraft, from: number, end: number): number {
  let at = end;
  for (;;) {
    while (at > from && draft.isBlank(at - 1)) at--;
    const isSeparator =
      at - 1 > from && draft.isBlank(at - 2) && !draft.outline.hidden[at - 1] && isRule(draft.lines[at - 1]!);
    if (!isSeparator) return at;
    at--;
  }
}

/** The level of a caption: below those of all headings. */
export const CAPTION = 7;

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
  /** Where the first section in it starts, or `end`. */
  ownEnd: number;
  parent: Section | undefined;
}

export interface Table extends TableLines {
  section: Section | undefined;
}

/** A line that starts with a label, and the lines that continue its value. */
export interface LabelLine {
  label: Label;
  line: number;
  end: number;
  section: Section | undefined;
}

/** The parts of a STATE.md, in the order of its lines. */
export interface Outline extends Cover {
  lines: readonly string[];
  sections: readonly Section[];
  /** Of each kind the first heading that means it, else the first caption. */
  known: ReadonlyMap<SectionKind, Section>;
  labels: readonly LabelLine[];
  tables: readonly Table[];
}

function readOutline(lines: readonly string[]): Outline {
  return new OutlineReader(lines).read();
}

class OutlineReader {
  private readonly cover: Cover;
  private readonly sections: Section[] = [];
  private readonly labels: LabelLine[] = [];
  private readonly tables: Table[] = [];
  private section: Section | undefined;
  /** The paragraph did not start with a label: it is prose, whatever its other lines start with. */
  private isProse = false;

  constructor(private readonly lines: readonly string[]) {
    this.cover = readCover(lines);
  }

  read(): Outline {
    for (let at = 0; at < this.lines.length; ) at = this.readLine(at);
    while (this.section) this.close(this.section, this.lines.length);
    const { lines, cover, sections, labels, tables } = this;
    return { lines, ...cover, sections, known: firstOfKind(sections), labels, tables };
  }

  /** Returns the line to read next. */
  private readLine(at: number): number {
    const line = this.lines[at]!;
    if (this.cover.hidden[at] || line.trim() === '' || isRule(line)) {
      this.isProse = false;
      return at + 1;
    }
    const heading = this.readHeading(at);
    if (heading) return this.open(heading);
    const table = this.readTable(at);
    if (table) {
      this.tables.push(table);
      this.isProse = false;
      return table.end;
    }
    const label = this.isProse && !isItem(line) ? undefined : readLabel(line);
    if (!label) {
      this.isProse = !isItem(line);
      return at + 1;
    }
    this.isProse = false;
    const caption = sectionKindOf(label.key);
    const isTitle =
      caption !== undefined || (!isItem(line) && /[*_]$/.test(label.lead) && label.joint.includes(':'));
    const end = this.continuationEnd(at);
    const isKept = label.name === EARLIER && end > at + 1;
    if (isTitle && label.raw === '' && label.rest.trim() === '' && !fieldNameOf(label.key) && !isKept) {
      return this.open({ kind: caption, level: CAPTION, line: at, body: at + 1 });
    }
    this.labels.push({ label, line: at, end, section: this.section });
    return end;
  }

  private open(title: Pick<Section, 'kind' | 'level' | 'line' | 'body'>): number {
    this.isProse = false;
    while (this.section && this.section.level >= title.level) this.close(this.section, title.line);
    const parent = this.section;
    if (parent) parent.ownEnd = Math.min(parent.ownEnd, title.line);
    this.section = { ...title, end: this.lines.length, ownEnd: this.lines.length, parent };
    this.sections.push(this.section);
    return title.body;
  }

  private close(section: Section, end: number): void {
    section.end = end;
    section.ownEnd = Math.min(section.ownEnd, end);
    this.section = section.parent;
  }

  private readHeading(at: number): Pick<Section, 'kind' | 'level' | 'line' | 'body'> | undefined {
    // The last line may end in a lone carriage return.
    const line = this.lines[at]!.trimEnd();
    const [, marks = '', space = '', title = ''] = /^ {0,3}(#{1,6})([ \t]*)(.*)$/.exec(line) ?? [];
    if (marks !== '') {
      const kind = sectionKindOf(title.slice(0, 200));
      // `#5 waits for the vendor` is text.
      return kind || space || title === ''
        ? { kind, level: marks.length, line: at, body: at + 1 }
        : undefined;
    }
    const [, underline = ''] = /^ {0,3}(={2,}|-{3,})\s*$/.exec(this.lines[at + 1] ?? '') ?? [];
    if (underline === '' || this.isProse || this.cover.hidden[at + 1] || /^\s*[>|<]/.test(line))
      return undefined;
    const kind = sectionKindOf(line);
    const isTitle = !isItem(line) && !readLabel(line) && (underline[0] === '=' || underline.length > 3);
    const level = underline[0] === '=' ? 1 : 2;
    return kind || isTitle ? { kind, level, line: at, body: at + 2 } : undefined;
  }

  private readTable(at: number): Table | undefined {
    const next = this.lines[at + 1];
    if (next === undefined || this.cover.hidden[at + 1] || !isDelimiter(next)) return undefined;
    const header = readRow(this.lines[at]!);
    if (!header || readRow(next)?.length !== header.length) return undefined;
    let end = at + 2;
    while (end < this.lines.length && !this.cover.hidden[end] && isRow(this.lines[end]!)) end++;
    return { header: at, end, columns: header, section: this.section };
  }

  /** Lines that belong to the value above them: the rest of its paragraph, and of its list item. */
  private continuationEnd(at: number): number {
    const isInItem = isItem(this.lines[at]!);
    const indent = indentOf(this.lines[at]!);
    let end = at + 1;
    for (; end < this.lines.length && !this.cover.hidden[end]; end++) {
      const line = this.lines[end]!;
      if (line.trim() === '' || isRule(line) || /^\s*(?:[|>#]|([*_]).*\1\s*$)/.test(line)) break;
      const label = readLabel(line);
      if (label && fieldNameOf(label.key)) break;
      if (isInItem && indentOf(line) > indent) continue;
      if (isItem(line) || label || isDelimiter(this.lines[end + 1] ?? '')) break;
    }
    return end;
  }
}

function firstOfKind(sections: readonly Section[]): Map<SectionKind, Section> {
  const first = new Map<SectionKind, Section>();
  for (const isCaption of [false, true]) {
    for (const section of sections) {
      const { kind, level } = section;
      if (kind && (level === CAPTION) === isCaption && !first.has(kind)) first.set(kind, section);
    }
  }
  return first;
}

function isRow(line: string): boolean {
  return !line.trimStart().startsWith('#') && readRow(line) !== undefined;
}

export function isRule(line: string): boolean {
  const text = line.replace(/[ \t]/g, '');
  return text.length > 2 && '-*_'.includes(text[0]!) && text === text[0]!.repeat(text.length);
}

interface Cover {
  /** The lines that a reader of fields does not see: frontmatter, fences and comments. */
  hidden: readonly boolean[];
  /** The line of a fence that is never closed; the number of lines if there is none. */
  openFence: number;
  /** The lines of all fences that no mark closes. An indented line after one that ends with its item would be in it. */
  unclosedFences: ReadonlySet<number>;
}

/** A comment that starts a line hides that line, too; one after other text hides only the lines after it. */
function readCover(lines: readonly string[]): Cover {
  const hidden = lines.map(() => false);
  const ahead = lookAhead(lines);
  const hide = (from: number, to: number) => hidden.fill(true, from, to);
  const unclosedFences = new Set<number>();
  let openFence = lines.length;
  let at = frontmatterEnd(lines);
  hide(0, at);
  while (at < lines.length) {
    const line = lines[at]!;
    const fence = readFenceLine(line);
    const comment = fence ? -1 : findOpenComment(line);
    if (fence) {
      const { end, isClosed } = fenceEnd(lines, at, fence.mark, fence.column);
      if (!isClosed) unclosedFences.add(at);
      if (!isClosed && end === lines.length) openFence = at;
      hide(at, end);
      at = end;
    } else if (comment === -1) {
      hidden[at] = line.includes('<!--') && /^\s*<!--.*?-->/.test(line);
      at++;
    } else {
      const startsLine = line.slice(0, comment).trim() === '';
      const close = ahead.close[at + 1]!;
      const isComment = close < lines.length && (startsLine || close < ahead.blank[at + 1]!);
      if (isComment) hide(startsLine ? at : at + 1, close + 1);
      at = isComment ? close + 1 : at + 1;
    }
  }
  return { hidden, openFence, unclosedFences };
}

function readFenceLine(line: string): { mark: string; column: number } | undefined {
  if (!line.includes('```') && !line.includes('~~~')) return undefined;
  const found = /^(\s*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(`{3,}(?=[^`]*$)|~{3,})/.exec(line.slice(0, 200));
  return found ? { mark: found[2]!, column: found[1]!.length } : undefined;
}

/** The offset of a comment that the line does not close; -1 if there is none. */
function findOpenComment(line: string): number {
  let from = 0;
  for (let count = 0; count < MOST_COMMENTS; count++) {
    const at = findComment(line, from);
    const close = at === -1 ? -1 : line.indexOf('-->', at + 4);
    if (close === -1) return at;
    from = close + 3;
  }
  return -1;
}

/** Bounds the work on a hostile line. */
const MOST_COMMENTS = 50;

/** For each line, the next one with an end of a comment, and the next blank one. */
function lookAhead(lines: readonly string[]): { close: number[]; blank: number[] } {
  const close: number[] = [];
  const blank: number[] = [];
  close[lines.length] = blank[lines.length] = lines.length;
  for (let at = lines.length - 1; at >= 0; at--) {
    close[at] = lines[at]!.includes('-->') ? at : close[at + 1]!;
    blank[at] = lines[at]!.trim() === '' ? at : blank[at + 1]!;
  }
  return { close, blank };
}

/** A fence in a list item ends with that item, at the latest; one that is never closed ends after the last line. */
function fenceEnd(
  lines: readonly string[],
  from: number,
  mark: string,
  column: number,
): { end: number; isClosed: boolean } {
  for (let at = from + 1; at < lines.length; at++) {
    const line = lines[at]!;
    const text = line.trim();
    if (text.length >= mark.length && text === mark[0]!.repeat(text.length))
      return { end: at + 1, isClosed: true };
    if (column > 1 && text !== '' && line.length - line.trimStart().length < Math.min(column, 2))
      return { end: at, isClosed: false };
  }
  return { end: lines.length, isClosed: false };
}

/** YAML between `---` lines at the top. A rule with Markdown below it is none. */
function frontmatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== '---' || (lines[1] ?? '').trim() === '') return 0;
  const end = lines.findIndex((line, at) => at > 0 && (line.trimEnd() === '---' || line.startsWith('##')));
  return end === -1 || lines[end]!.startsWith('##') ? 0 : end + 1;
}
