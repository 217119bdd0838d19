import type { Cover } from './surface.js';
import type { Tag } from './tags.js';
import type { TaskPlanIssueLog } from './types.js';

/** The elements that say something of a task. */
export type PartName =
  | 'name'
  | 'files'
  | 'read_first'
  | 'action'
  | 'behavior'
  | 'verify'
  | 'acceptance_criteria'
  | 'done';

type Parts = Record<PartName, Range | undefined>;

/** An element's content, from offset to offset. */
export interface Range {
  from: number;
  to: number;
  /** From 0. */
  line: number;
}

export interface TaskElement {
  tag: Tag;
  /** After `</task>`, or where the task ends without one. */
  to: number;
  /** The first of each known element that is directly in the task. */
  parts: Readonly<Parts>;
}

export interface Elements {
  tasks: TaskElement[];
  /** The first of each section that is in no task. */
  sections: ReadonlyMap<string, Range>;
  /** What is in other elements, by where it starts: no checkbox in there belongs to a task. */
  enclosed: Cover[];
}

const SECTIONS = new Set(
  'tasks objective execution_context context verification success_criteria output'.split(' '),
);
/** Elements that only hold others together, and so hide no checkbox. */
const WRAPPERS = new Set(['tasks', 'plan', 'success_criteria', 'details', 'div', 'section']);

/**
 * The tasks and sections of a plan. An element without a closing tag is as if it were not there: what is in it
 * belongs to the element around it.
 */
export function readElements(textEnd: number, tags: readonly Tag[], log: TaskPlanIssueLog): Elements {
  const nodes = new Pairing(textEnd).pair(tags);
  for (const node of nodes) findHolders(node);
  findEnds(nodes);
  for (const node of nodes) node.isTask = isRealTask(node, log);
  const sections = new Map<string, Range>();
  for (const node of nodes) {
    if (node.kind === 'section') addSection(node, sections, log);
    else if (node.kind === 'part') addPart(node, log);
  }
  return {
    tasks: nodes.flatMap((node) => (node.isTask ? (readTask(node, log) ?? []) : [])),
    sections,
    enclosed: nodes.filter(hides).map(({ open, end }) => ({ from: open.at, to: end })),
  };
}

/** An element, closed or not. */
interface Node {
  readonly kind: 'task' | 'part' | 'section' | 'other';
  readonly open: Tag;
  /** The element that it is in. */
  readonly parent: Node | undefined;
  closer: Tag | undefined;
  /** A closing tag in the middle of a line, which counts where there is no better one. */
  mention: Tag | undefined;
  /** Where the element around it ends. */
  limit: number;

  // What follows is known once all tags are paired.

  /** The nearest element around it that is closed, or is a task. */
  holder: Node | undefined;
  /** The nearest element around it that is closed. */
  closedHolder: Node | undefined;
  /** It is in a task, however deep. */
  inTask: boolean;
  inClosedTask: boolean;
  /** It is in a section that is closed: then it is that section's text, as of a quoted plan. */
  inSection: boolean;
  /** Where its content ends. */
  end: number;
  isTask: boolean;
  /** A task inside an element of another task: that element's text. */
  isText: boolean;
  parts: Parts | undefined;
}

/** What is open inside one task, or outside all of them: of the open elements those from `task` on. */
interface Frame {
  task: Node | undefined;
  openParts: number;
  hasParts: boolean;
}

/** A `<task` in running text may be taken for a task; a closing tag looks through at most so many of them. */
const MOST_MENTIONS = 8;

/**
 * Pairs tags as a reader would: a closing tag wins over anything open inside its element. The elements come in the
 * order in which they start.
 */
class Pairing {
  private readonly nodes: Node[] = [];
  private readonly stack: Node[] = [];
  private readonly frames: Frame[] = [{ task: undefined, openParts: 0, hasParts: false }];
  /** The open elements of each name, the innermost last. */
  private readonly opened = new Map<string, Node[]>();
  /** Those called `tasks` that stand in no task. */
  private readonly lists: Node[] = [];

  constructor(private readonly textEnd: number) {}

  pair(tags: readonly Tag[]): Node[] {
    for (const tag of tags) {
      if (tag.end === -1) continue;
      if (tag.close) this.close(tag);
      else this.open(tag);
    }
    this.popAll(this.textEnd);
    return this.nodes;
  }

  private open(tag: Tag): void {
    const frame = this.frames.at(-1)!;
    const kind = kindOf(tag.name);
    if (kind === 'other' && (tag.selfClosing || frame.openParts > 0)) return;
    const node = newNode(kind, tag, this.stack.at(-1), this.textEnd);
    this.nodes.push(node);
    if (kind === 'part') frame.hasParts = true;
    if (tag.selfClosing) {
      node.closer = tag;
      return;
    }
    this.stack.push(node);
    if (kind === 'task') {
      this.frames.push({ task: node, openParts: 0, hasParts: false });
      return;
    }
    if (kind === 'part') frame.openParts++;
    const same = this.opened.get(tag.name);
    if (same) same.push(node);
    else this.opened.set(tag.name, [node]);
    if (tag.name === 'tasks' && this.frames.length === 1) this.lists.push(node);
  }

  private close(tag: Tag): void {
    const node = this.findOpen(tag.name);
    if (!node) {
      if (tag.name === 'tasks' && tag.leads) this.popAll(tag.at);
      return;
    }
    if (!tag.leads && !tag.trails) {
      node.mention ??= tag;
      return;
    }
    while (this.stack.at(-1) !== node) this.pop(tag.at);
    node.closer = tag;
    this.pop(tag.at);
  }

  private findOpen(name: string): Node | undefined {
    if (name === 'task') return this.frames.at(-1)!.task;
    if (name === 'tasks') return this.lists.at(-1);
    const last = this.opened.get(name)?.at(-1);
    if (!last) return undefined;
    for (let depth = 1; depth <= Math.min(MOST_MENTIONS, this.frames.length); depth++) {
      const { task, hasParts } = this.frames.at(-depth)!;
      if (!task || last.open.at > task.open.at) return last;
      if (hasParts) return undefined;
    }
    return undefined;
  }

  private popAll(at: number): void {
    while (this.stack.length > 0) this.pop(at);
  }

  private pop(at: number): void {
    const node = this.stack.pop()!;
    node.limit = at;
    if (node.kind === 'task') {
      this.frames.pop();
      return;
    }
    this.opened.get(node.open.name)!.pop();
    if (this.lists.at(-1) === node) this.lists.pop();
    if (node.kind === 'part') this.frames.at(-1)!.openParts--;
  }
}

function newNode(kind: Node['kind'], open: Tag, parent: Node | undefined, limit: number): Node {
  return {
    kind,
    open,
    parent,
    closer: undefined,
    mention: undefined,
    limit,
    holder: undefined,
    closedHolder: undefined,
    inTask: false,
    inClosedTask: false,
    inSection: false,
    end: limit,
    isTask: false,
    isText: false,
    parts: undefined,
  };
}

function kindOf(name: string): Node['kind'] {
  if (name === 'task') return 'task';
  if (Object.hasOwn(NO_PARTS, name)) return 'part';
  return SECTIONS.has(name) ? 'section' : 'other';
}

/** In the order in which elements start: what is around a node is known before it. */
function findHolders(node: Node): void {
  const { parent } = node;
  if (!parent) return;
  const isClosed = parent.closer !== undefined;
  node.holder = isClosed || parent.kind === 'task' ? parent : parent.holder;
  node.closedHolder = isClosed ? parent : parent.closedHolder;
  const { holder, closedHolder } = node;
  node.inTask = holder !== undefined && (holder.kind === 'task' || holder.inTask);
  node.inClosedTask =
    closedHolder !== undefined && (closedHolder.kind === 'task' || closedHolder.inClosedTask);
  const isInSection = isClosed && parent.kind === 'section' && parent.open.name !== 'tasks';
  node.inSection = isInSection || parent.inSection;
}

/** From the last to the first, so that what an unclosed element runs into is known. */
function findEnds(nodes: readonly Node[]): void {
  let nextTask = Number.POSITIVE_INFINITY;
  let nextPart = Number.POSITIVE_INFINITY;
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i]!;
    const { kind, open, closer, mention, limit } = node;
    const stop = kind === 'task' ? nextTask : Math.min(nextTask, nextPart);
    const unclosed = mention && mention.at < stop ? mention.at : Math.min(limit, stop);
    node.end = closer ? Math.max(open.end, closer.at) : unclosed;
    if (kind === 'task' || (kind === 'section' && open.name !== 'context')) nextTask = open.at;
    else if (kind === 'part') nextPart = open.at;
  }
}

function isRealTask(node: Node, log: TaskPlanIssueLog): boolean {
  if (node.kind !== 'task') return false;
  const around = node.closedHolder;
  if (!around) return true;
  const isInPart = around.kind !== 'task';
  if (isInPart && !around.inTask) return true;
  node.isText = isInPart || around.isText;
  log.add(
    'task-nested',
    node.open.line,
    node.isText
      ? `This <task> is inside <${around.open.name}> of another task and is read as text.`
      : 'This <task> is inside another <task>; it is read as a separate task.',
    node.isText ? 'Put examples in a code fence.' : 'Close the first task with </task> before this one.',
  );
  return !node.isText;
}

function hides({ kind, open, closer }: Node): boolean {
  return kind !== 'task' && !WRAPPERS.has(open.name) && (closer !== undefined || kind === 'section');
}

function addSection(node: Node, sections: Map<string, Range>, log: TaskPlanIssueLog): void {
  const { open, closer, holder, end } = node;
  if (open.name === 'tasks' || sections.has(open.name) || node.inClosedTask || node.inSection) return;
  if (open.name === 'context' && holder?.isTask && open.at < holder.end) return;
  if (!closer) reportUnclosed(open, log);
  sections.set(open.name, { from: open.end, to: end, line: open.line });
}

function addPart({ open, closer, mention, holder: task, end }: Node, log: TaskPlanIssueLog): void {
  if (!task?.isTask || open.at >= task.end) return;
  task.parts ??= { ...NO_PARTS };
  const name = open.name as PartName;
  if (task.parts[name]) {
    log.add('element-repeated', open.line, `This task already has <${name}>; the first one counts.`);
    return;
  }
  if (!closer && !mention) reportUnclosed(open, log);
  const to = Math.max(open.end, Math.min(end, task.end));
  task.parts[name] = { from: open.end, to, line: open.line };
}

function readTask({ open, closer, parts, end }: Node, log: TaskPlanIssueLog): TaskElement | undefined {
  if (!closer) {
    const isMention = parts === undefined;
    log.add(
      'task-unclosed',
      open.line,
      isMention
        ? 'This <task> has neither elements nor </task>; it is not read as a task.'
        : 'This <task> has no </task>; it ends where the next part of the file starts.',
      isMention ? 'Write it as `<task>` if it is only a mention.' : 'Write </task> at its end.',
    );
    if (isMention) return undefined;
  }
  return { tag: open, to: closer ? closer.end : Math.max(open.end, end), parts: parts ?? NO_PARTS };
}

function reportUnclosed({ name, line }: Tag, log: TaskPlanIssueLog): void {
  log.add(
    'element-unclosed',
    line,
    `<${name}> has no </${name}>; it ends where the next element starts.`,
    `Write </${name}> at its end.`,
  );
}

const NO_PARTS: Readonly<Parts> = {
  name: undefined,
  files: undefined,
  read_first: undefined,
  action: undefined,
  behavior: undefined,
  verify: undefined,
  acceptance_criteria: undefined,
  done: undefined,
};
