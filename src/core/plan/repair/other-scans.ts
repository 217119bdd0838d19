import type { FenceMark } from '../../markdown/fence.js';
import { COST } from './cost.js';
import { closesInner, step } from './fence-count.js';
import type { BlockReading, PartReading, PartScan, PartSurroundings } from './part-scan.js';

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

  /** A query whose closing fence stands at the end of its last line. */
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
