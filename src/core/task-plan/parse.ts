import { findCycles, nameCycle } from '../graph.js';
import { IssueCollector } from '../issue.js';
import { findFrontmatter, splitLines } from '../markdown/lines.js';
import { foldText } from '../text.js';
import {
  assignItems,
  eligibleItems,
  freeItems,
  type Item,
  readPlanNumber,
  scanItems,
  taskItems,
} from './checkboxes.js';
import { DEPENDS_ON, DependencyReader, NO_DEPENDENCIES } from './dependencies.js';
import { type Elements, type PartName, readElements, type TaskElement } from './elements.js';
import { readFiles } from './files.js';
import {
  type Attribute,
  attributeValue,
  innerText,
  isAttributeTrue,
  readAttributes,
  readStatus,
  resolveEntities,
} from './tags.js';
import {
  type Criterion,
  type Task,
  type TaskFile,
  type TaskPlan,
  type TaskPlanIssue,
  type TaskPlanIssueLog,
  type TaskStatus,
  taskPlanIssue,
  type Verify,
} from './types.js';
import { readVerify } from './verify.js';

/** Where a task is in the text. */
export interface TaskPlace {
  element: { tag: TaskElement['tag']; attributes: Attribute[]; body: TaskElement } | undefined;
  item: Item | undefined;
}

/** Reads any text as a plan; what cannot be understood is an issue. Never throws, in linear time. */
export function parseTaskPlan(text: string): TaskPlan {
  return new PlanReading(text);
}

/** Where each task is written, in their order. */
export function placesOf(plan: TaskPlan): readonly TaskPlace[] {
  return (plan instanceof PlanReading ? plan : new PlanReading(plan.text)).places;
}

/** Past this number a plan is beyond help, and hostile text would make millions. */
const MOST_OF_CODE = 200;

/** `lineOf` returns the line of an offset, from 0. */
function openLog(lineOf: (at: number) => number): TaskPlanIssueLog {
  return new IssueCollector(
    (code, at = 0, message, hint) =>
      taskPlanIssue(code, message, { line: lineOf(at) + 1, ...(hint !== undefined && { hint }) }),
    MOST_OF_CODE,
  );
}

/** Rarely used parts are read on demand: a plan may have hundreds of tasks, and a result is about one. */
class PlanReading implements TaskPlan {
  readonly tasks: readonly Task[];
  readonly criteria: readonly Criterion[];
  readonly places: readonly TaskPlace[];
  private readonly elements: Elements;
  private readonly log: TaskPlanIssueLog;
  private knownIssues: readonly TaskPlanIssue[] | undefined;

  constructor(readonly text: string) {
    const lineOf = lineFinder(text);
    this.log = openLog(lineOf);
    const frontmatter = findFrontmatter(text);
    const from = typeof frontmatter === 'object' ? frontmatter.next : text.charCodeAt(0) === BOM ? 1 : 0;
    this.elements = readElements(text, from, this.log);
    const { items, criteria } = scanItems(this.elements, from, lineOf);
    this.criteria = criteria.map(({ criterion }) => criterion);
    const read =
      this.elements.tasks.length > 0
        ? elementTasks(this.elements, eligibleItems(items, this.elements), lineOf, this.log)
        : checkboxTasks(text, taskItems(freeItems(items, this.elements)));
    this.tasks = read.tasks;
    this.places = read.places;
    if (read.tasks.length === 0)
      reportNoTasks(this.log, this.elements.covered.covers.length > 0, taskItems(items).length > 0);
  }

  get objective() {
    return this.section('objective');
  }

  get context() {
    return this.section('context');
  }

  get verification() {
    return this.section('verification');
  }

  get successCriteria() {
    return this.section('success_criteria');
  }

  get output() {
    return this.section('output');
  }

  get issues(): readonly TaskPlanIssue[] {
    if (this.knownIssues) return this.knownIssues;
    for (const element of this.elements.tasks) element.readAll();
    reportRepeats(this.tasks, this.places, this.log);
    reportCycles(this.tasks, this.places, this.log);
    this.knownIssues = this.log.list().sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
    return this.knownIssues;
  }

  toJSON(): TaskPlan {
    return pick<TaskPlan, keyof TaskPlan>(this, PLAN_KEYS);
  }

  private section(name: string): string | null {
    const range = this.elements.sections.get(name);
    return range ? innerText(this.text, range) : null;
  }
}

const PLAN_KEYS = [
  'text',
  'tasks',
  'criteria',
  'objective',
  'context',
  'verification',
  'successCriteria',
  'output',
  'issues',
] as const;

/** As plain data: JSON omits parts that are read on demand. */
function pick<T, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>;
}

const BOM = 0xfeff;

/** The line of an offset, from 0. */
function lineFinder(text: string): (at: number) => number {
  let starts: Int32Array | undefined;
  return (at) => {
    starts ??= splitLines(text).starts;
    let [low, high] = [0, starts.length];
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= at) low = middle;
      else high = middle;
    }
    return low;
  };
}

interface TasksRead {
  tasks: Task[];
  places: TaskPlace[];
}

function elementTasks(
  { tasks: elements, covered: { text } }: Elements,
  items: readonly Item[],
  lineOf: (at: number) => number,
  log: TaskPlanIssueLog,
): TasksRead {
  const attributes = elements.map(({ tag }) => readAttributes(text, tag));
  const names = elements.map((element, i) => readName(text, element, attributes[i]!, i, log));
  const boxes = assignItems(items, names, log);
  // Most plans have no such attribute.
  const dependencies = attributes.some((list) => list.some(({ name }) => DEPENDS_ON.has(name)))
    ? new DependencyReader(
        attributes.map((list, i) => ({ ...names[i]!, id: attributeValue(list, 'id') })),
        log,
      )
    : undefined;
  const tasks = elements.map((element, i) => {
    const { at } = element.tag;
    const checkbox = boxes[i]?.criterion ?? null;
    const status = readStatus(attributes[i]!, checkbox, at, log);
    const depends = dependencies?.read(attributes[i]!, i + 1, at) ?? NO_DEPENDENCIES;
    return new ElementTask(
      i + 1,
      names[i]!,
      status,
      checkbox,
      depends,
      text,
      element,
      attributes[i]!,
      lineOf,
    );
  });
  const places = elements.map((body, i) => ({
    element: { tag: body.tag, attributes: attributes[i]!, body },
    item: boxes[i],
  }));
  return { tasks, places };
}

class ElementTask implements Task {
  readonly isElement = true;
  readonly name: string;
  readonly named: boolean;
  readonly dependsOn: Task['dependsOn'];
  readonly dependsOnUnknown: Task['dependsOnUnknown'];
  readonly dependsOnItself: Task['dependsOnItself'];
  private knownVerify: Verify | null | undefined;
  private knownFiles: readonly TaskFile[] | undefined;

  constructor(
    readonly index: number,
    { name, named }: Pick<Task, 'name' | 'named'>,
    readonly status: TaskStatus,
    readonly checkbox: Criterion | null,
    { dependsOn, dependsOnUnknown, dependsOnItself }: typeof NO_DEPENDENCIES,
    private readonly text: string,
    private readonly element: TaskElement,
    private readonly attributes: readonly Attribute[],
    private readonly lineOf: (at: number) => number,
  ) {
    this.name = name;
    this.named = named;
    this.dependsOn = dependsOn;
    this.dependsOnUnknown = dependsOnUnknown;
    this.dependsOnItself = dependsOnItself;
  }

  get line(): number {
    return this.lineOf(this.element.tag.at) + 1;
  }

  get type(): string {
    return attributeValue(this.attributes, 'type') || 'auto';
  }

  get tdd(): boolean {
    return isAttributeTrue(this.attributes, 'tdd');
  }

  get id() {
    return attributeValue(this.attributes, 'id');
  }

  get gate() {
    return attributeValue(this.attributes, 'gate');
  }

  get completedAt() {
    return attributeValue(this.attributes, 'completed_at');
  }

  get files(): readonly TaskFile[] {
    this.knownFiles ??= readFiles(this.part('files') ?? '');
    return this.knownFiles;
  }

  get readFirst(): readonly TaskFile[] {
    return readFiles(this.part('read_first') ?? '').map(dropAt);
  }

  get action() {
    return this.part('action');
  }

  get behavior() {
    return this.part('behavior');
  }

  get verify(): Verify | null {
    if (this.knownVerify !== undefined) return this.knownVerify;
    const written = this.part('verify');
    this.knownVerify = written ? readVerify(written) : null;
    return this.knownVerify;
  }

  get acceptanceCriteria() {
    return this.part('acceptance_criteria');
  }

  get done() {
    return this.part('done');
  }

  get source(): string {
    return this.text.slice(this.element.tag.at, this.element.end).trimEnd();
  }

  toJSON(): Task {
    return pick<Task, keyof Task>(this, TASK_KEYS);
  }

  private part(name: PartName): string | null {
    const range = this.element.part(name);
    return range ? innerText(this.text, range) : null;
  }
}

const TASK_KEYS = [
  'index',
  'isElement',
  'line',
  'name',
  'named',
  'type',
  'tdd',
  'id',
  'gate',
  'status',
  'completedAt',
  'files',
  'readFirst',
  'action',
  'behavior',
  'verify',
  'acceptanceCriteria',
  'done',
  'dependsOn',
  'dependsOnUnknown',
  'dependsOnItself',
  'checkbox',
  'source',
] as const;

/** Shared by the many tasks without entries. */
const NONE: readonly never[] = [];

function checkboxTasks(text: string, found: readonly { item: Item; name: string }[]): TasksRead {
  const tasks = found.map(({ item: { criterion, at }, name }, i): Task => {
    const end = text.indexOf('\n', at);
    return {
      index: i + 1,
      isElement: false,
      line: criterion.line,
      name: foldText(resolveEntities(name)),
      named: true,
      type: 'auto',
      tdd: false,
      id: null,
      gate: null,
      status: criterion.checked ? 'completed' : 'pending',
      completedAt: null,
      files: NONE,
      readFirst: NONE,
      action: null,
      behavior: null,
      verify: null,
      acceptanceCriteria: null,
      done: null,
      ...NO_DEPENDENCIES,
      checkbox: criterion,
      source: text.slice(at, end === -1 ? text.length : end).replace(/^\ufeff|\r$/g, ''),
    };
  });
  return { tasks, places: found.map(({ item }) => ({ element: undefined, item })) };
}

/** `<name>`, else the attribute `name`; else the position. */
function readName(
  text: string,
  element: TaskElement,
  attributes: readonly Attribute[],
  index: number,
  log: TaskPlanIssueLog,
): { name: string; named: boolean; at: number } {
  const { at } = element.tag;
  const range = element.part('name');
  const written = (range && innerText(text, range)) || attributeValue(attributes, 'name') || '';
  const name = foldText(resolveEntities(written));
  if (name !== '') return { name, named: true, at };
  log.add(
    'name-missing',
    at,
    `This task has no name; it is called "Task ${index + 1}".`,
    `Write <name>Task ${index + 1}: What it does</name>.`,
  );
  return { name: `Task ${index + 1}`, named: false, at };
}

/** `@src/a.ts` names the file `src/a.ts`. */
function dropAt<File extends { path: string }>(file: File): File {
  return /^@[\w.~]/.test(file.path) ? { ...file, path: file.path.slice(1) } : file;
}

function reportNoTasks(log: TaskPlanIssueLog, hasCovers: boolean, hasBoxes: boolean): void {
  const elsewhere = hasCovers
    ? 'Tasks inside a code fence or a comment do not count: move them out.'
    : 'Write <task type="auto"><name>Task 1: …</name> … </task>.';
  log.add(
    'tasks-missing',
    0,
    'The task file has no tasks: neither <task> elements nor checkboxes that start with "Task N:".',
    hasBoxes
      ? 'Checkboxes inside <context> and other elements do not count: move them to <tasks> or <success_criteria>.'
      : elsewhere,
  );
}

function offsetOf({ element, item }: TaskPlace): number {
  return element?.tag.at ?? item!.at;
}

function reportRepeats(tasks: readonly Task[], places: readonly TaskPlace[], log: TaskPlanIssueLog): void {
  const names = new Map<string, Task>();
  const numbers = new Map<string, Task>();
  for (const task of tasks) {
    if (!task.named) continue;
    const at = offsetOf(places[task.index - 1]!);
    const sameName = names.get(task.name);
    const number = readPlanNumber(task.name)?.number;
    const sameNumber = number === undefined ? undefined : numbers.get(number);
    const hint = 'Give each task a unique number and name.';
    if (sameName) log.add('name-repeated', at, `The task on line ${sameName.line} has the same name.`, hint);
    else if (sameNumber)
      log.add('number-repeated', at, `The task on line ${sameNumber.line} is also Task ${number}.`, hint);
    if (!sameName) names.set(task.name, task);
    if (number !== undefined && !sameNumber) numbers.set(number, task);
  }
}

function reportCycles(tasks: readonly Task[], places: readonly TaskPlace[], log: TaskPlanIssueLog): void {
  // A task that depends only on those before it closes no cycle.
  if (!tasks.some(({ index, dependsOn }) => dependsOn?.some((other) => other > index))) return;
  for (const cycle of findCycles(new Map(tasks.map(({ index, dependsOn }) => [index, dependsOn ?? []])))) {
    cycle.sort((one, other) => one - other);
    const open = cycle.filter((index) => !/^(?:completed|skipped)$/.test(tasks[index - 1]!.status));
    if (open.length < cycle.length) continue;
    log.add(
      'dependency-cycle',
      offsetOf(places[cycle[0]! - 1]!),
      `Dependency cycle: tasks ${nameCycle(cycle.map(String))} wait for each other, so they never start.`,
      'Remove one of them from the depends_on of another.',
    );
  }
}
