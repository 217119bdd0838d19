import type { FenceMark } from '../../markdown/index.js';
import { COST } from './cost.js';
import { closesInner, step } from './fence-count.js';
import type { PartReading, PartScan, Surroundings } from './part-scan.js';

/** Any number of blocks, read as CommonMark does: the queries of a RESEARCH, the Markdown of a message. */
export class FencesScan implements PartScan {
  private any = false;
  private open: FenceMark | undefined;
  private rivals = false;
  private quotes = 0;

  constructor(
    private readonly required: boolean,
    private readonly around: Surroundings,
  ) {}

  add(mark: FenceMark): void {
    const { open } = this;
    if (!open) {
      this.open = mark;
      this.any = true;
    } else if (closesInner(mark, open)) {
      this.open = undefined;
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
    if (this.open || (this.required && !this.any)) return false;
    return !(this.rivals && this.quotes > 0);
  }

  readings(end: number): PartReading[] {
    let cost = this.quoteCost;
    const holdsFences = this.any && !this.required;
    if (!this.open) return [{ cost, blocks: [], holdsFences }];
    cost += this.required ? COST.MISSING_CLOSER : COST.UNBALANCED;
    const from = this.open.line + 1;
    const to = Math.max(from, this.around.lastInkBefore(end) + 1);
    return [{ cost, blocks: [{ opener: this.open, closer: null, from, to }], holdsFences }];
  }
}

/** A part without blocks: any fence in it is left over. */
export class BareScan implements PartScan {
  readonly quoteCost = 0;
  private any = false;
  private open: FenceMark | undefined;

  add(mark: FenceMark): void {
    this.any = true;
    this.open = step(this.open, mark);
  }

  quote(): boolean {
    return false;
  }

  get inFence(): boolean {
    return this.open !== undefined;
  }

  settled(): boolean {
    return !this.any;
  }

  readings(): PartReading[] {
    let cost: number = this.any ? COST.LEFT_BLOCK : 0;
    if (this.open) cost += COST.UNBALANCED;
    return [{ cost, blocks: [] }];
  }
}
