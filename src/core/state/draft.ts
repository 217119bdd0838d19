import { type SectionKind, TITLES } from './fields.js';
import { isDelimiter, isItem } from './line.js';
import { CAPTION, isRule, type Outline, readOutline, type Section } from './outline.js';

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

/** Before the first section that comes after it in the template, outside the heading that holds that one; else last. */
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

/** The heading of this level or above that holds a section, or is it. */
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

/** The line after the last one that holds something; rules that separate it from what follows do not count. */
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
