import type { Tag } from './tags.js';

const PARTS: ReadonlySet<string> = new Set<PartName>([
  'name',
  'files',
  'read_first',
  'action',
  'behavior',
  'verify',
  'acceptance_criteria',
  'done',
]);
const SECTIONS = new Set(
  'objective execution_context context verification success_criteria output'.split(' '),
);

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

type Kind = 'task' | 'part' | 'section' | 'other';

/** An element, closed or not. */
export interface Node {
  kind: Kind;
  open: Tag;
  /** The element that it stands in; -1 for none. */
  parent: number;
  closer: Tag | undefined;
  /** A closing tag in the middle of a line, which counts where there is no better one. */
  mention: Tag | undefined;
  /** Where the element around it ends. */
  limit: number;
}

/**
 * Pairs tags as a person would: a closing tag wins over whatever is open inside its element. The elements come in the
 * order in which they begin.
 */
export function pairTags(tags: readonly Tag[], textEnd: number): Node[] {
  return new Pairing(textEnd).pair(tags);
}

/** What is open inside one task, or outside all of them: of the open elements those from `node` on. */
interface Frame {
  node: number;
  openParts: number;
  hasParts: boolean;
}

/** A `<task` in running text may be taken for a task; a closing tag looks through at most so many of them. */
const MOST_MENTIONS = 8;

class Pairing {
  private readonly nodes: Node[] = [];
  private readonly stack: number[] = [];
  private readonly frames: Frame[] = [newFrame(-1)];
  /** The open elements of each name, as nodes, the innermost last. */
  private readonly opened = new Map<string, number[]>();
  /** Those called `tasks` that stand in no task. */
  private readonly lists: number[] = [];

  constructor(private readonly textEnd: number) {}

  pair(tags: readonly Tag[]): Node[] {
    for (const tag of tags) {
      if (tag.end === -1) continue;
      if (tag.close) this.close(tag);
      else this.open(tag);
    }
    this.popTo(0, this.textEnd);
    return this.nodes;
  }

  private open(tag: Tag): void {
    const frame = this.frames.at(-1)!;
    const kind = kindOf(tag.name);
    if (kind === 'other' && (tag.selfClosing || frame.openParts > 0)) return;
    const index = this.nodes.length;
    const parent = this.stack.at(-1) ?? -1;
    const node: Node = {
      kind,
      open: tag,
      parent,
      closer: undefined,
      mention: undefined,
      limit: this.textEnd,
    };
    this.nodes.push(node);
    if (kind === 'part') frame.hasParts = true;
    if (tag.selfClosing) {
      node.closer = tag;
      return;
    }
    this.stack.push(index);
    if (kind === 'task') {
      this.frames.push(newFrame(index));
      return;
    }
    if (kind === 'part') frame.openParts++;
    const same = this.opened.get(tag.name);
    if (same) same.push(index);
    else this.opened.set(tag.name, [index]);
    if (tag.name === 'tasks' && this.frames.length === 1) this.lists.push(index);
  }

  private close(tag: Tag): void {
    const index = this.findOpen(tag.name);
    if (index === undefined) {
      if (tag.name === 'tasks' && tag.leads) this.popTo(0, tag.at);
      return;
    }
    const node = this.nodes[index]!;
    if (!tag.leads && !tag.trails) {
      node.mention ??= tag;
      return;
    }
    while (this.stack.at(-1) !== index) this.pop(tag.at);
    node.closer = tag;
    this.pop(tag.at);
  }

  private findOpen(name: string): number | undefined {
    if (name === 'task') return this.frames.length > 1 ? this.frames.at(-1)!.node : undefined;
    if (name === 'tasks') return this.lists.at(-1);
    const last = this.opened.get(name)?.at(-1);
    if (last === undefined) return undefined;
    for (let i = this.frames.length - 1, seen = 0; i >= 0 && seen < MOST_MENTIONS; i--, seen++) {
      const frame = this.frames[i]!;
      if (last > frame.node) return last;
      if (frame.hasParts) return undefined;
    }
    return undefined;
  }

  private popTo(height: number, at: number): void {
    while (this.stack.length > height) this.pop(at);
  }

  private pop(at: number): void {
    const index = this.stack.pop()!;
    const node = this.nodes[index]!;
    node.limit = at;
    if (node.kind === 'task') {
      this.frames.pop();
      return;
    }
    const frame = this.frames.at(-1)!;
    this.opened.get(node.open.name)!.pop();
    if (this.lists.at(-1) === index) this.lists.pop();
    if (node.kind === 'part') frame.openParts--;
  }
}

function newFrame(node: number): Frame {
  return { node, openParts: 0, hasParts: false };
}

function kindOf(name: string): Kind {
  if (name === 'task') return 'task';
  if (PARTS.has(name)) return 'part';
  return SECTIONS.has(name) || name === 'tasks' ? 'section' : 'other';
}
