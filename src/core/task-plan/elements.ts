import type { TextRange } from '../markdown/lines.js';
import { CoveredText, readCovers } from './covers.js';
import { type Tag, TagFinder } from './tags.js';
import type { TaskPlanIssueLog } from './types.js';

const PARTS = 'name|files|read_first|action|behavior|verify|acceptance_criteria|done';
const SECTIONS = 'objective|execution_context|context|verification|success_criteria|output';

const PART_NAMES = new Set(PARTS.split('|'));

/** The elements that describe a task. */
export type PartName =
  | 'name'
  | 'files'
  | 'read_first'
  | 'action'
  | 'behavior'
  | 'verify'
  | 'acceptance_criteria'
  | 'done';

/** The tasks and sections of a plan: one pass finds where they are, and the elements of a task are read when asked for. */
export interface Elements {
  tasks: readonly TaskElement[];
  /** The content of the first of each section that is in no task. */
  sections: ReadonlyMap<string, TextRange>;
  covered: CoveredText;
  /** The content of other elements outside tasks, in order: no checkbox in it belongs to a task. */
  enclosed(): TextRange[];
}

export function readElements(text: string, from: number, log: TaskPlanIssueLog): Elements {
  const covered = new CoveredText(text, readCovers(text, from, log));
  const { tasks, openers } = new TaskReader(covered, from, log).read();
  const sections = readSections(covered, openers, tasks, log);
  return { tasks, sections, covered, enclosed: () => findEnclosed(covered, from, tasks, sections) };
}

/** At most this many tags of the same name between a tag and its closing tag, while the end is unknown. */
const REACH = 50;
/** Limits on the length and number of elements with other names: more are hostile. */
const LONGEST_OTHER = 20_000;
const MOST_OTHERS = 100;

/** A `<task>`. Its elements are read one after the other, as far as asked. */
export class TaskElement {
  /** Where its content ends; not known while it is open. */
  to: number;
  /** After its closing tag, or where it ends without one. */
  end: number;
  isClosed = false;
  /** Tasks of their own inside this one. */
  readonly inner: TaskElement[] = [];
  private readonly parts = new Map<string, TextRange>();
  private last: (TextRange & { isClosed: boolean }) | undefined;
  private at: number;
  private nextInner = 0;

  constructor(
    private readonly finders: Finders,
    readonly tag: Tag,
    private readonly log: TaskPlanIssueLog,
  ) {
    this.at = tag.end;
    this.to = this.end = finders.covered.text.length;
  }

  close(to: number, end: number): void {
    this.isClosed = true;
    this.to = to;
    this.end = end;
  }

  /** The content of the first element of that name. */
  part(name: PartName): TextRange | undefined {
    while (!this.parts.has(name) && this.readPart(this.to)) {}
    return this.parts.get(name);
  }

  get hasParts(): boolean {
    return this.parts.size > 0 || this.readPart(this.to);
  }

  readAll(): void {
    while (this.readPart(this.to)) {}
  }

  /** The end of the element of this task that an offset is in, while the task is still open. */
  endOfPartAt(at: number): number | undefined {
    while (this.readPart(at)) {}
    return this.last?.isClosed && this.last.to > at ? this.last.to : undefined;
  }

  private readPart(to: number): boolean {
    const tag = this.nextPart(to);
    if (!tag) return false;
    const { name, at, end } = tag;
    const { closer, isCertain } = this.finders.findCloser(tag, this.to);
    const next = closer && isCertain ? undefined : this.finders.parts.next(end, to);
    const isClosed = closer !== undefined && (isCertain || closer.at < (next?.at ?? to));
    const from = end;
    const range = { from, to: isClosed ? closer.at : Math.max(from, next?.at ?? to), isClosed };
    this.at = isClosed ? closer.end : range.to;
    this.last = range;
    if (this.parts.has(name)) {
      this.log.add('element-repeated', at, `This task already has <${name}>; the first one counts.`);
      return true;
    }
    if (!isClosed) reportUnclosed(tag, this.log);
    this.parts.set(name, range);
    return true;
  }

  /** Not one inside another element, or inside a task in this one. */
  private nextPart(to: number): Tag | undefined {
    for (let tag = this.finders.any.next(this.at, to); tag; tag = this.finders.any.next(this.at, to)) {
      const { at, end, name, isClosing } = tag;
      while (this.nextInner < this.inner.length && this.inner[this.nextInner]!.end <= at) this.nextInner++;
      const inner = this.inner[this.nextInner];
      if (inner !== undefined && inner.tag.at <= at) this.at = inner.end;
      else if (isClosing || end === -1) this.at = at + 1;
      else if (PART_NAMES.has(name)) return tag;
      else this.at = this.finders.findOtherCloser(tag, to)?.end ?? end;
    }
    return undefined;
  }
}

class Finders {
  readonly any: TagFinder;
  readonly parts: TagFinder;
  private readonly byName = new Map<string, TagFinder>();

  constructor(readonly covered: CoveredText) {
    this.any = new TagFinder(covered, '[a-z][\\w-]*');
    this.parts = new TagFinder(covered, PARTS);
  }

  /** Of an element that a plan may have anywhere, such as `<options>`. */
  findOtherCloser(tag: Tag, to: number): Tag | undefined {
    if (this.byName.size > MOST_OTHERS && !this.byName.has(tag.name)) return undefined;
    const { closer, isCertain } = this.findCloser(tag, Math.min(to, tag.end + LONGEST_OTHER));
    return isCertain ? closer : undefined;
  }

  /**
   * The tag that closes an element before `to`. One in running text counts if there is no better one, and
   * elements of the same name inside it have closing tags of their own.
   */
  findCloser(tag: Tag, to: number): { closer: Tag | undefined; isCertain: boolean } {
    const { name, end, isSelfClosing } = tag;
    if (isSelfClosing) return { closer: { ...tag, at: end }, isCertain: true };
    const finder = this.byName.get(name) ?? new TagFinder(this.covered, name);
    this.byName.set(name, finder);
    let mention: Tag | undefined;
    let open = 0;
    let next = finder.next(end, to);
    for (let count = 0; next && count < REACH; count++) {
      if (!next.isClosing) open += next.isSelfClosing ? 0 : 1;
      else if (!next.isCertain) mention ??= open === 0 ? next : undefined;
      else if (open-- === 0) return { closer: next, isCertain: true };
      next = finder.next(next.end, to);
    }
    return { closer: mention, isCertain: false };
  }
}

class TaskReader {
  private readonly finders: Finders;
  private readonly tasks: TaskElement[] = [];
  private readonly open: TaskElement[] = [];
  private readonly openers: Tag[] = [];

  constructor(
    private readonly covered: CoveredText,
    private readonly from: number,
    private readonly log: TaskPlanIssueLog,
  ) {
    this.finders = new Finders(covered);
  }

  /** All tasks, and the opening tags of sections and tasks. */
  read(): { tasks: TaskElement[]; openers: Tag[] } {
    const finder = new TagFinder(this.covered, `tasks?|${SECTIONS}`);
    const end = this.covered.text.length;
    for (let tag = finder.next(this.from, end); tag; )
      tag = finder.next(tag.name === 'task' ? this.readTask(tag) : this.readOther(tag), end);
    this.endUnclosed();
    return { tasks: this.tasks.filter((task) => this.isTask(task)), openers: this.openers };
  }

  /** Returns the offset to continue reading at. */
  private readTask(tag: Tag): number {
    const { at, end, isClosing, isCertain } = tag;
    const around = this.open.at(-1);
    if (isClosing) {
      if (isCertain) this.open.pop()?.close(at, end);
      return end;
    }
    if (end === -1) {
      this.log.add('tag-malformed', at, 'This <task has no ">"; it is not read as a task.', 'Close the tag.');
      return at + 1;
    }
    const textEnd = around?.endOfPartAt(at);
    if (textEnd !== undefined) {
      this.log.add(
        'task-nested',
        at,
        'This <task> is inside an element of another task and is read as text.',
        'Put examples in a code fence.',
      );
      return textEnd;
    }
    this.openers.push(tag);
    const task = new TaskElement(this.finders, tag, this.log);
    this.tasks.push(task);
    around?.inner.push(task);
    if (tag.isSelfClosing) task.close(end, end);
    else this.open.push(task);
    return end;
  }

  private readOther(tag: Tag): number {
    const { name, at, end, isClosing, isCertain } = tag;
    if (name !== 'tasks' && !isClosing) this.openers.push(tag);
    if (name === 'tasks' && isClosing && isCertain) {
      for (const task of this.open) task.to = task.end = at;
      this.open.length = 0;
    }
    return end;
  }

  /** A task without a closing tag ends where the next task or section starts. */
  private endUnclosed(): void {
    let next = this.openers.length - 1;
    let following = Number.POSITIVE_INFINITY;
    for (const task of this.tasks.toReversed()) {
      for (; this.openers[next]!.at > task.tag.at; next--)
        if (this.openers[next]!.name !== 'context') following = this.openers[next]!.at;
      if (!task.isClosed) task.to = task.end = Math.max(task.tag.end, Math.min(task.to, following));
    }
  }

  private isTask(task: TaskElement): boolean {
    const { at } = task.tag;
    if (task.isClosed) {
      for (const { tag } of task.inner)
        this.log.add(
          'task-nested',
          tag.at,
          'This <task> is inside another <task>; it is read as a separate task.',
          'Close the first task with </task> before this one.',
        );
      return true;
    }
    const isMention = !task.hasParts;
    this.log.add(
      'task-unclosed',
      at,
      isMention
        ? 'This <task> has neither elements nor </task>; it is not read as a task.'
        : 'This <task> has no </task>; it ends where the next part of the file starts.',
      isMention ? 'Write it as `<task>` if it is only a mention.' : 'Write </task> at its end.',
    );
    return !isMention;
  }
}

function readSections(
  covered: CoveredText,
  openers: readonly Tag[],
  tasks: readonly TaskElement[],
  log: TaskPlanIssueLog,
): Map<string, TextRange> {
  const sections = new Map<string, TextRange>();
  const finders = new Finders(covered);
  let task = 0;
  let sectionEnd = 0;
  openers.forEach((tag, i) => {
    const { name, at, end } = tag;
    while (task < tasks.length && tasks[task]!.end <= at) task++;
    const around = tasks[task];
    const isInTask = around !== undefined && around.tag.at < at && (around.isClosed || name === 'context');
    if (name === 'task' || isInTask || at < sectionEnd || sections.has(name)) return;
    const { closer } = finders.findCloser(tag, covered.text.length);
    if (!closer) reportUnclosed(tag, log);
    else sectionEnd = closer.end;
    const to = closer?.at ?? openers[i + 1]?.at ?? covered.text.length;
    sections.set(name, { from: end, to });
  });
  return sections;
}

function reportUnclosed({ name, at }: Tag, log: TaskPlanIssueLog): void {
  log.add(
    'element-unclosed',
    at,
    `<${name}> has no </${name}>; it ends where the next element starts.`,
    `Write </${name}> at its end.`,
  );
}

/** Elements that only group others, and so hide no checkbox. */
const WRAPPERS = new Set(['task', 'tasks', 'plan', 'success_criteria', 'details', 'div', 'section']);

function findEnclosed(
  covered: CoveredText,
  from: number,
  tasks: readonly TaskElement[],
  sections: ReadonlyMap<string, TextRange>,
): TextRange[] {
  const enclosed = [...sections].flatMap(([name, range]) => (WRAPPERS.has(name) ? [] : range));
  const finder = new TagFinder(covered, '[a-z][\\w-]*');
  const open: Tag[] = [];
  let task = 0;
  for (let tag = finder.next(from, covered.text.length); tag; ) {
    const { name, at, end, isClosing, isSelfClosing } = tag;
    while (task < tasks.length && tasks[task]!.end <= at) task++;
    if (task < tasks.length && tasks[task]!.tag.at <= at) {
      tag = finder.next(Math.max(end, tasks[task]!.end), covered.text.length);
      continue;
    }
    if (!isClosing && !isSelfClosing) open.push(tag);
    else if (isClosing) {
      const opener = open.findLastIndex((each, i) => each.name === name || i < open.length - REACH);
      if (open[opener]?.name === name) {
        if (!WRAPPERS.has(name)) enclosed.push({ from: open[opener]!.at, to: at });
        open.length = opener;
      }
    }
    tag = finder.next(end === -1 ? at + 1 : end, covered.text.length);
  }
  return enclosed.sort((one, other) => one.from - other.from);
}
