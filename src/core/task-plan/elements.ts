import type { Lines } from '../markdown/lines.js';
import type { TaskPlanIssueLog } from './issue-codes.js';
import { type Node, type PartName, pairTags } from './pairing.js';
import type { Tag } from './tags.js';

/** An element's content, from offset to offset. */
export interface Range {
  from: number;
  to: number;
  /** From 0. */
  line: number;
}

export interface TaskElement {
  tag: Tag;
  /** Behind `</task>`, or where the task ends without one. */
  to: number;
  /** The first of each known element that stands directly in the task. */
  parts: Readonly<Parts>;
}

type Parts = Record<PartName, Range | undefined>;

export interface Elements {
  tasks: TaskElement[];
  /** The first of each section that stands in no task. */
  sections: ReadonlyMap<string, Range>;
  /** What stands in other elements, by where it begins: no checkbox in there stands for a task. */
  findEnclosed(): Enclosed[];
}

export interface Enclosed {
  from: number;
  to: number;
}

/** Elements that only hold others together, and so hide no checkbox. */
const WRAPPERS = new Set(['tasks', 'plan', 'success_criteria', 'details', 'div', 'section']);

/**
 * The tasks and sections of a plan. An element without a closing tag is as if it were not there: what stands in it
 * belongs to the element around it.
 */
export function readElements(lines: Lines, tags: readonly Tag[], log: TaskPlanIssueLog): Elements {
  return new Reading(pairTags(tags, lines.text.length), log).read();
}

class Reading {
  /** The nearest element around each node that is closed, or is a task. */
  private readonly holders: Int32Array;
  /** The nearest element around each node that is closed. */
  private readonly closedHolders: Int32Array;
  /** Whether each node stands in a task, however deep. */
  private readonly inTask: Uint8Array;
  /** Whether each node stands in a task that is closed. */
  private readonly inClosedTask: Uint8Array;
  /** Whether each node stands in a section that is closed: then it is that section's text, as of a quoted plan. */
  private readonly inSection: Uint8Array;
  /** Where the content of each task and part ends. */
  private readonly ends: Float64Array;
  /** Tasks inside an element of another task: that element's text. */
  private readonly texts = new Set<number>();
  private readonly parts: (Parts | undefined)[] = [];

  constructor(
    private readonly nodes: readonly Node[],
    private readonly log: TaskPlanIssueLog,
  ) {
    this.holders = new Int32Array(nodes.length).fill(-1);
    this.closedHolders = new Int32Array(nodes.length).fill(-1);
    this.inTask = new Uint8Array(nodes.length);
    this.inClosedTask = new Uint8Array(nodes.length);
    this.inSection = new Uint8Array(nodes.length);
    this.ends = new Float64Array(nodes.length);
  }

  read(): Elements {
    this.findHolders();
    this.findEnds();
    const isTask = this.nodes.map((_, i) => this.isRealTask(i));
    const sections = new Map<string, Range>();
    this.nodes.forEach((node, i) => {
      if (node.kind === 'section') this.addSection(i, sections, isTask);
      else if (node.kind === 'part') this.addPart(i, isTask);
    });
    const tasks: TaskElement[] = [];
    this.nodes.forEach((node, i) => {
      const task = isTask[i] ? this.task(node, i) : undefined;
      if (task) tasks.push(task);
    });
    return { tasks, sections, findEnclosed: () => this.findEnclosed() };
  }

  private findHolders(): void {
    this.nodes.forEach(({ parent }, i) => {
      if (parent === -1) return;
      const around = this.nodes[parent]!;
      const isClosed = around.closer !== undefined;
      this.holders[i] = isClosed || around.kind === 'task' ? parent : this.holders[parent]!;
      this.closedHolders[i] = isClosed ? parent : this.closedHolders[parent]!;
      this.inTask[i] = this.isInTask(this.holders[i]!, this.inTask);
      this.inClosedTask[i] = this.isInTask(this.closedHolders[i]!, this.inClosedTask);
      const isInSection = isClosed && around.kind === 'section' && around.open.name !== 'tasks';
      this.inSection[i] = isInSection ? 1 : this.inSection[parent]!;
    });
  }

  private isInTask(holder: number, known: Uint8Array): number {
    if (holder === -1) return 0;
    return this.nodes[holder]!.kind === 'task' ? 1 : known[holder]!;
  }

  /** From the last to the first, so that what an unclosed element runs into is known. */
  private findEnds(): void {
    let nextTask = Number.POSITIVE_INFINITY;
    let nextPart = Number.POSITIVE_INFINITY;
    for (let i = this.nodes.length - 1; i >= 0; i--) {
      const { kind, open, closer, mention, limit } = this.nodes[i]!;
      const stop = kind === 'task' ? nextTask : Math.min(nextTask, nextPart);
      const unclosed = mention && mention.at < stop ? mention.at : Math.min(limit, stop);
      this.ends[i] = closer ? Math.max(open.end, closer.at) : unclosed;
      if (closer === open) this.ends[i] = open.end;
      if (kind === 'task' || (kind === 'section' && open.name !== 'context')) nextTask = open.at;
      else if (kind === 'part') nextPart = open.at;
    }
  }

  private isRealTask(index: number): boolean {
    const { kind, open } = this.nodes[index]!;
    if (kind !== 'task') return false;
    const holder = this.closedHolders[index]!;
    if (holder === -1) return true;
    const around = this.nodes[holder]!;
    const isInPart = around.kind !== 'task';
    if (isInPart && !this.inTask[holder]) return true;
    const isText = isInPart || this.texts.has(holder);
    if (isText) this.texts.add(index);
    this.log.add(
      'task-nested',
      open.line,
      isText
        ? `This <task> stands inside <${around.open.name}> of another task and is read as text.`
        : 'This <task> stands inside another <task>; it is read as a task of its own.',
      isText ? 'Put examples in a code fence.' : 'Close the first task with </task> before this one.',
    );
    return !isText;
  }

  private findEnclosed(): Enclosed[] {
    return this.nodes.flatMap(({ kind, open, closer }, i) => {
      const hides =
        kind !== 'task' && !WRAPPERS.has(open.name) && (closer !== undefined || kind === 'section');
      return hides ? [{ from: open.at, to: this.ends[i]! }] : [];
    });
  }

  private addSection(index: number, sections: Map<string, Range>, isTask: readonly boolean[]): void {
    const { open, closer } = this.nodes[index]!;
    if (open.name === 'tasks' || sections.has(open.name) || this.inClosedTask[index]) return;
    if (this.inSection[index]) return;
    const task = this.holders[index]!;
    if (open.name === 'context' && task !== -1 && isTask[task] && open.at < this.ends[task]!) return;
    if (!closer) this.reportUnclosed(open);
    sections.set(open.name, { from: open.end, to: this.ends[index]!, line: open.line });
  }

  private addPart(index: number, isTask: readonly boolean[]): void {
    const { open, closer } = this.nodes[index]!;
    const task = this.holders[index]!;
    if (task === -1 || !isTask[task] || open.at >= this.ends[task]!) return;
    this.parts[task] ??= noParts();
    const parts = this.parts[task];
    const name = open.name as PartName;
    if (parts[name]) {
      this.log.add(
        'element-repeated',
        open.line,
        `This task has <${open.name}> already; the first one counts.`,
      );
      return;
    }
    if (!closer && !this.nodes[index]!.mention) this.reportUnclosed(open);
    const to = Math.min(this.ends[index]!, this.ends[task]!);
    parts[name] = { from: open.end, to: Math.max(open.end, to), line: open.line };
  }

  private task({ open, closer }: Node, index: number): TaskElement | undefined {
    const parts = this.parts[index];
    const end = this.ends[index]!;
    if (!closer) {
      const isMention = parts === undefined;
      this.log.add(
        'task-unclosed',
        open.line,
        isMention
          ? 'This <task> has neither elements nor </task>; it is not read as a task.'
          : 'This <task> has no </task>; it ends where the next part of the plan begins.',
        isMention ? 'Write it as `<task>` when you only speak of it.' : 'Write </task> at its end.',
      );
      if (isMention) return undefined;
    }
    return { tag: open, to: closer ? closer.end : Math.max(open.end, end), parts: parts ?? noParts() };
  }

  private reportUnclosed({ name, line }: Tag): void {
    this.log.add(
      'element-unclosed',
      line,
      `<${name}> has no </${name}>; it ends where the next element begins.`,
      `Write </${name}> at its end.`,
    );
  }
}

/** One shape for all, as there are many. */
function noParts(): Parts {
  return {
    name: undefined,
    files: undefined,
    read_first: undefined,
    action: undefined,
    behavior: undefined,
    verify: undefined,
    acceptance_criteria: undefined,
    done: undefined,
  };
}
