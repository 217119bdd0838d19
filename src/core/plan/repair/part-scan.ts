import type { FenceMark } from '../../markdown/lines.js';
import { COST } from './cost.js';

/** One block as a reading has it: content from line `from` to line `to - 1`. */
export interface BlockReading {
  opener: FenceMark;
  /** Null where the closing fence is missing. */
  closer: FenceMark | null;
  from: number;
  to: number;
  /** How a block without a closing fence ends; left out: with its last line. */
  ends?: 'glued' | 'cut-off' | undefined;
}

export interface PartReading {
  cost: number;
  /** The blocks whose fences a repair may have to rewrite. */
  blocks: BlockReading[];
  /** A fence after everything else that neither opens nor closes a block. */
  stray?: FenceMark;
  /** What the content of the block leaves open of its own fences. */
  open?: OpenFences;
  /** A message with fenced blocks in it, which could as well be the rest of a document. */
  holdsFences?: boolean;
}

/** What a scan has to know of the text around the fences. */
export interface PartSurroundings {
  /** The last line before `line` that is neither blank nor a thematic break; -1 if none. */
  lastInkBefore(line: number): number;
  /** Whether content seems to continue at a line, and not a remark to start somewhere below. */
  continues(line: number): boolean;
  /** Whether an action, or a section, may start at a line. */
  isAction(line: number): boolean;
  /** Whether the text ends before `line`, and not only the plan. */
  isTextEnd(line: number): boolean;
  /** Whether the line ends in a fence that `opener` would need to be closed. */
  isGlued(line: number, opener: FenceMark): boolean;
  /** Whether a line from `from` to `to - 1` ends in a fence. */
  holdsGlued(from: number, to: number): boolean;
  /** Whether what follows a fence on its line is a remark, and no info string. */
  isRemark(mark: FenceMark): boolean;
  /** For lines in their order: whether each is inside a here-document of the block's command. */
  heredocs(opener: FenceMark): (line: number) => boolean;
  /** Whether the part's blocks hold something other than Markdown. */
  isCode(opener: FenceMark): boolean;
  /** A FIND or a REPLACE. */
  isHalf: boolean;
  /** The lines before which content that starts at `from` may end, if nothing closes it before `end`. */
  possibleEnds(from: number, end: number): number[];
}

/**
 * Reads one part of a plan, fence by fence, as its possible end moves down the text. `add` takes the
 * next fence, `quote` the next candidate if it is content; `readings` then says how the part can
 * be read if it ends before line `end`.
 */
export interface PartScan {
  add(mark: FenceMark): void;
  /** False where a candidate cannot be content of this part, so that the part has to end there. */
  quote(line: number, cost: number): boolean;
  /** What the quoted candidates cost so far, at the least. */
  readonly quoteCost: number;
  /** Whether plain CommonMark would be inside a fenced block now. */
  readonly inFence: boolean;
  /** Whether plain CommonMark reads the part whole, with no sign that it is mistaken. */
  settled(end: number): boolean;
  readings(end: number): PartReading[];
}

/** Any number of blocks, read as CommonMark does: the queries of a RESEARCH, the Markdown of a message. */
export class FencesScan implements PartScan {
  private count = 0;
  private open: FenceMark | undefined;
  private readonly glued: BlockReading[] = [];
  private rivals = false;
  private quotes = 0;

  constructor(
    private readonly required: boolean,
    private readonly around: PartSurroundings,
  ) {}

  add(mark: FenceMark): void {
    const { open } = this;
    if (open && closesInner(mark, open)) {
      this.open = undefined;
    } else if (!open || this.closeGlued(open, mark.line)) {
      this.open = mark;
      this.count++;
    } else if (mark.char === open.char && mark.length >= open.length) {
      this.rivals = true;
    }
  }

  quote(_line: number, cost: number): boolean {
    if (!this.open) return false;
    this.quotes = Math.max(this.quotes, cost);
    return true;
  }

  get quoteCost(): number {
    return this.quotes;
  }

  get inFence(): boolean {
    return this.open !== undefined;
  }

  settled(): boolean {
    if (this.open || this.glued.length > 0 || (this.required && this.count === 0)) return false;
    return !(this.rivals && this.quotes > 0);
  }

  readings(end: number): PartReading[] {
    const { open, glued, required } = this;
    const cost = this.quoteCost + glued.length * COST.GLUED_CLOSER;
    const common = { holdsFences: this.count > 0 && !required };
    if (!open) return [{ ...common, cost, blocks: glued }];
    const from = open.line + 1;
    const to = Math.max(from, this.around.lastInkBefore(end) + 1);
    const isStray = open.info === '' && to === from && this.count > (required ? 1 : 0);
    if (isStray) return [{ ...common, cost: cost + COST.STRAY_FENCE, blocks: glued, stray: open }];
    const block = { opener: open, closer: null, from };
    if (this.isGluedTo(open, to)) {
      const blocks = [...glued, { ...block, to, ends: 'glued' as const }];
      return [{ ...common, cost: cost + COST.GLUED_CLOSER, blocks }];
    }
    const missing = required || this.around.isTextEnd(end) ? COST.MISSING_CLOSER : COST.UNBALANCED;
    const last = this.around.isTextEnd(end)
      ? { ...block, to: end, ends: 'cut-off' as const }
      : { ...block, to };
    return [{ ...common, cost: cost + missing, blocks: [...glued, last] }];
  }

  /** A query whose closing fence is at the end of its last line. */
  private closeGlued(open: FenceMark, line: number): boolean {
    const to = this.around.lastInkBefore(line) + 1;
    if (!this.isGluedTo(open, to)) return false;
    this.glued.push({ opener: open, closer: null, from: open.line + 1, to, ends: 'glued' });
    return true;
  }

  private isGluedTo(open: FenceMark, to: number): boolean {
    return this.required && to > open.line + 1 && this.around.isGlued(to - 1, open);
  }
}

/** A part without blocks: any fence in it is left over. */
export class BareScan implements PartScan {
  readonly quoteCost = 0;
  private count = 0;
  private open: FenceMark | undefined;

  constructor(private readonly around: PartSurroundings) {}

  add(mark: FenceMark): void {
    this.count++;
    this.open = step(this.open, mark);
  }

  quote(): boolean {
    return false;
  }

  get inFence(): boolean {
    return this.open !== undefined;
  }

  settled(): boolean {
    return this.count === 0;
  }

  readings(end: number): PartReading[] {
    const { open } = this;
    const isStray = open?.info === '' && this.around.lastInkBefore(end) === open.line;
    if (isStray) {
      const left = this.count > 1 ? COST.LEFT_BLOCK : 0;
      return [{ cost: COST.STRAY_FENCE + left, blocks: [], stray: open }];
    }
    const left = this.count > 0 ? COST.LEFT_BLOCK : 0;
    return [{ cost: left + (open ? COST.UNBALANCED : 0), blocks: [] }];
  }
}

/** Whether `mark` closes `opener` in a text where fences may stand at any indent: not if it is in what is fenced. */
export function closesInner(mark: FenceMark, opener: FenceMark): boolean {
  return (
    mark.info === '' &&
    mark.char === opener.char &&
    mark.length >= opener.length &&
    mark.indent <= opener.indent + 3
  );
}

/** Whether a text leaves a fence open: if it starts outside of one, or inside; undefined where it does not start so. */
export interface OpenFences {
  outside: boolean | undefined;
  inside: boolean | undefined;
}

/** What a text without fences leaves open. */
export const CLOSED: OpenFences = { outside: false, inside: undefined };

/** Counts the fences of a text as they come. */
export class FenceCount {
  private fence: FenceMark | undefined;
  private depth = 0;
  private inList: FenceMark | undefined;
  private first: FenceMark | undefined;
  private second: FenceMark | undefined;
  private around: FenceMark | undefined;

  add(mark: FenceMark): void {
    this.fence = step(this.fence, mark);
    this.inList = endsItem(this.inList, mark) ? mark : step(this.inList, mark);
    this.depth += mark.info !== '' || this.depth === 0 ? 1 : -1;
    if (!this.first) this.around = { ...mark, char: '`', length: 3 };
    this.around = step(this.around, mark);
    if (this.first) this.second ??= mark;
    this.first ??= mark;
  }

  /**
   * Whether a fence is open that a line at `indent` would not end, by every way of counting: CommonMark's; that of
   * authors who nest fences of one length and let those with an info string open and bare ones close; and that
   * of lists, whose items end their fences.
   */
  isOpenBefore(indent: number): boolean {
    if (!this.fence || this.depth === 0 || !this.inList) return false;
    return !isInItem(this.inList) || indent >= ITEM_INDENT;
  }

  /** The same for an excerpt. A fence with an info string opens a block, so the bare one before it has closed one. */
  openInExcerpt(): OpenFences {
    const { first, second } = this;
    if (!first) return CLOSED;
    const inside = this.around !== undefined;
    if (first.info !== '') return { outside: this.isOpenBefore(0), inside: undefined };
    return { outside: second && second.info !== '' ? undefined : this.isOpenBefore(0), inside };
  }
}

/** The least indent of what belongs to a list item. */
const ITEM_INDENT = 2;

const isInItem = ({ indent }: FenceMark): boolean => indent >= ITEM_INDENT;

function endsItem(open: FenceMark | undefined, mark: FenceMark): boolean {
  return open !== undefined && isInItem(open) && mark.indent < ITEM_INDENT;
}

export function step(open: FenceMark | undefined, mark: FenceMark): FenceMark | undefined {
  if (!open) return mark;
  return closesInner(mark, open) ? undefined : open;
}
