import { findCycles, nameCycle } from '../graph.js';
import { findFrontmatter } from '../markdown/frontmatter.js';
import { type Lines, splitLines } from '../markdown/lines.js';
import { assignItems, eligibleItems, freeItems, type Item, scanItems, taskItems } from './checkboxes.js';
import { DependencyReader, NO_DEPENDENCIES, namesDependencies } from './dependencies.js';
import { type PartName, type Range, readElements, type TaskElement } from './elements.js';
import { readFiles } from './files.js';
import { readPlanNumber } from './names.js';
import { readSurface } from './surface.js';
import { type Attribute, attributeValue, isAttributeTrue, readAttributes, readStatus } from './tags.js';
import { innerText, joinLines, resolveEntities } from './text.js';
import type { Task, TaskPlan, Verify } from './types.js';
import { openTaskPlanLog, type TaskPlanIssueLog } from './types.js';
import { readVerify } from './verify.js';

/** Where a task's status is in the text. */
export interface TaskPlace {
  element: { tag: TaskElement['tag']; attributes: Attribute[] } | undefined;
  item: Item | undefined;
}

export interface PlanRead {
  readonly plan: TaskPlan;
  readonly places: readonly TaskPlace[];
  readonly sections: Sections;
}

type Sections = ReadonlyMap<string, Pick<Range, 'from' | 'to'>>;

/** A plan is mostly changed right after it was read. */
const reads = new WeakMap<TaskPlan, PlanRead>();

/** Reads any text as a plan; what cannot be understood is an issue. Never throws, in linear time. */
export function parseTaskPlan(text: string): TaskPlan {
  const read = readAnew(text);
  reads.set(read.plan, read);
  return read.plan;
}

/** A plan with the places of its tasks. */
export function readPlaces(plan: TaskPlan): PlanRead {
  return reads.get(plan) ?? readAnew(plan.text);
}

function readAnew(text: string): PlanRead {
  const lines = splitLines(text);
  const log = openTaskPlanLog();
  const frontmatter = findFrontmatter(text);
  const from = typeof frontmatter === 'object' ? frontmatter.next : lines.bom ? 1 : 0;
  const surface = readSurface(lines, from, log);
  const malformed = surface.tags.filter(({ end }) => end === -1);
  for (const { line } of malformed) {
    log.add('tag-malformed', line, 'This <task has no ">"; it is not read as a task.', 'Close the tag.');
  }
  const elements = readElements(text.length, surface.tags, log);
  const criteria = elements.sections.get('success_criteria');
  const found = scanItems(lines, from, surface.covers, criteria);
  const read =
    elements.tasks.length > 0
      ? elementTasks(lines, elements.tasks, eligibleItems(found.items, criteria, elements), log)
      : checkboxTasks(lines, taskItems(freeItems(found.items, criteria, elements)));
  if (read.tasks.length === 0)
    reportNoTasks(log, surface.covers.length > 0, taskItems(found.items).length > 0);
  reportRepeats(read.tasks, log);
  reportCycles(read.tasks, log);
  const plan: TaskPlan = {
    text,
    tasks: read.tasks,
    criteria: found.criteria.map(({ criterion }) => criterion),
    ...sectionTexts(text, elements.sections),
    issues: log.list().sort((a, b) => (a.line ?? 0) - (b.line ?? 0)),
  };
  return { plan, places: read.places, sections: elements.sections };
}

export function sectionTexts(text: string, sections: Sections) {
  const section = (name: string) => contentOf(text, sections.get(name));
  return {
    objective: section('objective'),
    context: section('context'),
    verification: section('verification'),
    successCriteria: section('success_criteria'),
    output: section('output'),
  };
}

/** What most tasks have none of. */
const NONE: readonly never[] = [];

interface TasksRead {
  tasks: Task[];
  places: TaskPlace[];
}

function elementTasks(
  lines: Lines,
  elements: readonly TaskElement[],
  items: readonly Item[],
  log: TaskPlanIssueLog,
): TasksRead {
  const attributes = elements.map(({ tag }) => readAttributes(lines.text, tag));
  const names = elements.map((element, i) => readName(lines, element, attributes[i]!, i, log));
  const boxes = assignItems(
    items,
    elements.map((element, i) => ({ ...names[i]!, element })),
    log,
  );
  // Most plans have no such attribute.
  const dependencies = attributes.some(namesDependencies)
    ? new DependencyReader(
        attributes.map((list, i) => ({ ...names[i]!, id: attributeValue(list, 'id') })),
        log,
      )
    : undefined;
  const verifies = new Map<string, Verify>();
  const tasks = elements.map((element, i): Task => {
    const part = (name: PartName) => contentOf(lines.text, element.parts[name]);
    const list = attributes[i]!;
    const verify = part('verify');
    return {
      index: i + 1,
      line: element.tag.line + 1,
      name: names[i]!.name,
      named: names[i]!.named,
      type: attributeValue(list, 'type') || 'auto',
      tdd: isAttributeTrue(list, 'tdd'),
      id: attributeValue(list, 'id'),
      gate: attributeValue(list, 'gate'),
      status: readStatus(list, boxes[i]?.criterion, element.tag.line, log),
      completedAt: attributeValue(list, 'completed_at'),
      files: readFiles(part('files') ?? ''),
      readFirst: element.parts.read_first ? readFiles(part('read_first')!).map(dropAt) : NONE,
      action: part('action'),
      behavior: part('behavior'),
      // Read when it is asked for: a plan may have hundreds, and a result is about one task.
      get verify() {
        return verify ? readOnce(verifies, verify, readVerify) : null;
      },
      acceptanceCriteria: part('acceptance_criteria'),
      done: part('done'),
      ...(dependencies?.read(list, i + 1, element.tag.line) ?? NO_DEPENDENCIES),
      checkbox: boxes[i]?.criterion ?? null,
      source: lines.text.slice(element.tag.at, element.to).trimEnd(),
    };
  });
  const places = elements.map(({ tag }, i) => ({
    element: { tag, attributes: attributes[i]! },
    item: boxes[i],
  }));
  return { tasks, places };
}

/** Many tasks of a plan are verified in the same way. */
function readOnce<Value>(known: Map<string, Value>, text: string, read: (text: string) => Value): Value {
  const value = known.get(text) ?? read(text);
  known.set(text, value);
  return value;
}

function checkboxTasks(lines: Lines, found: readonly { item: Item; name: string }[]): TasksRead {
  const tasks = found.map(({ item, name }, i): Task => {
    const line = item.criterion.line - 1;
    return {
      index: i + 1,
      line: item.criterion.line,
      name: joinLines(resolveEntities(name)),
      named: true,
      type: 'auto',
      tdd: false,
      id: null,
      gate: null,
      status: item.criterion.checked ? 'completed' : 'pending',
      completedAt: null,
      files: NONE,
      readFirst: NONE,
      action: null,
      behavior: null,
      verify: null,
      acceptanceCriteria: null,
      done: null,
      ...NO_DEPENDENCIES,
      checkbox: item.criterion,
      source: lines.text.slice(lines.starts[line], lines.ends[line]),
    };
  });
  return { tasks, places: found.map(({ item }) => ({ element: undefined, item })) };
}

function contentOf(text: string, range: Pick<Range, 'from' | 'to'> | undefined): string | null {
  return range ? innerText(text, range.from, range.to) : null;
}

/** `<name>`, else the attribute `name`; else the position. */
function readName(
  { text }: Lines,
  { tag, parts }: TaskElement,
  attributes: readonly Attribute[],
  index: number,
  log: TaskPlanIssueLog,
): { name: string; named: boolean } {
  const written = contentOf(text, parts.name) || attributeValue(attributes, 'name') || '';
  const name = joinLines(resolveEntities(written));
  if (name !== '') return { name, named: true };
  log.add(
    'name-missing',
    tag.line,
    `This task has no name; it is called "Task ${index + 1}".`,
    `Write <name>Task ${index + 1}: What it does</name>.`,
  );
  return { name: `Task ${index + 1}`, named: false };
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

function reportRepeats(tasks: readonly Task[], log: TaskPlanIssueLog): void {
  const names = new Map<string, Task>();
  const numbers = new Map<string, Task>();
  for (const task of tasks) {
    if (!task.named) continue;
    const sameName = names.get(task.name);
    const number = readPlanNumber(task.name)?.number;
    const sameNumber = number === undefined ? undefined : numbers.get(number);
    const hint = 'Give each task a unique number and name.';
    if (sameName) {
      log.add('name-repeated', task.line - 1, `The task on line ${sameName.line} has the same name.`, hint);
    } else if (sameNumber) {
      log.add(
        'number-repeated',
        task.line - 1,
        `The task on line ${sameNumber.line} is also Task ${number}.`,
        hint,
      );
    }
    if (!sameName) names.set(task.name, task);
    if (number !== undefined && !sameNumber) numbers.set(number, task);
  }
}

function reportCycles(tasks: readonly Task[], log: TaskPlanIssueLog): void {
  // A task that depends only on those before it closes no cycle.
  if (!tasks.some(({ index, dependsOn }) => dependsOn?.some((other) => other > index))) return;
  for (const cycle of findCycles(new Map(tasks.map(({ index, dependsOn }) => [index, dependsOn ?? []])))) {
    cycle.sort((one, other) => one - other);
    const open = cycle.filter((index) => !/^(?:completed|skipped)$/.test(tasks[index - 1]!.status));
    if (open.length < cycle.length) continue;
    log.add(
      'dependency-cycle',
      tasks[cycle[0]! - 1]!.line - 1,
      `Dependency cycle: tasks ${nameCycle(cycle.map(String))} wait for each other, so none of them ever starts.`,
      'Remove one of them from the depends_on of another.',
    );
  }
}
