import type { FenceMark } from '../../markdown/index.js';
import { COST } from './cost.js';
import { FenceCount, step } from './fence-count.js';
import type { PartReading, PartScan, Surroundings } from './part-scan.js';

const LANGUAGE =
  /^(?:bash|c|console|cpp|css|diff|go|html|java|javascript|js|json|jsonc|jsx|markdown|md|mdx|php|python|py|ruby|rust|rs|sh|shell|sql|text|toml|ts|tsx|txt|typescript|xml|yaml|yml|zsh)$/i;

/** More lines than anyone writes between two actions. */
const PAGE = 12;

/** A part with exactly one block: everything between its opening fence and one of the later ones. */
export class BlockScan implements PartScan {
  private opener: FenceMark | undefined;
  /** The first fence that may close the block: where CommonMark closes it. */
  private first: FenceMark | undefined;
  private openAtFirst = false;
  /** The fence left open behind `first`. */
  private rest: FenceMark | undefined;
  private last: FenceMark | undefined;
  /** The content's own fences. */
  private readonly inner = new FenceCount();
  private openBeforeLast = false;
  /** The longest fence of the opener's kind between the opener and `last`. */
  private longestInside = 0;
  private insideCount = 0;
  /** The last landmark taken for content, how many there were, and what that costs. */
  private quotedLine = -1;
  private quoted = 0;
  private quotes = 0;

  constructor(private readonly around: Surroundings) {}

  add(mark: FenceMark): void {
    if (!this.opener) {
      this.opener = mark;
      return;
    }
    if (this.first) {
      this.rest = step(this.rest, mark);
    } else if (this.mayClose(mark) && mark.length >= this.opener.length) {
      this.first = mark;
      this.openAtFirst = this.inner.open;
    }
    if (this.last && this.last.char === this.opener.char) {
      this.longestInside = Math.max(this.longestInside, this.last.length);
      this.insideCount++;
    }
    this.openBeforeLast = this.inner.open;
    this.inner.add(mark);
    this.last = mark;
  }

  quote(line: number, cost: number): boolean {
    if (!this.opener) return false;
    if (cost > 0) {
      this.quotes = Math.max(this.quotes, cost, this.costOfQuote(line));
      this.quoted++;
    }
    this.quotedLine = line;
    return true;
  }

  private costOfQuote(line: number): number {
    if (this.around.isHalf || this.openBeforeLast) return COST.QUOTED_PART;
    if (this.closedByLast(this.opener!, line)?.cost !== this.quotes) return COST.QUOTED_PART;
    const sound = this.first === this.last && this.longestInside < this.opener!.length;
    return sound ? COST.QUOTED_AFTER_SOUND_BLOCK : COST.QUOTED_AFTER_BLOCK;
  }

  get quoteCost(): number {
    return this.isNested(this.opener) ? 0 : this.quotes;
  }

  get inFence(): boolean {
    return this.first ? this.rest !== undefined : this.opener !== undefined;
  }

  settled(end: number): boolean {
    const { opener, first } = this;
    if (!opener || !first || first !== this.last || opener.indent > 0) return false;
    const rivals = this.longestInside >= opener.length;
    return !rivals || (this.quotes === 0 && !this.textAfter(first, end));
  }

  readings(end: number): PartReading[] {
    const { opener } = this;
    // No fence is amiss where there is none: that is the parser's to say.
    if (!opener) return [{ cost: 0, blocks: [] }];
    const closed = [this.closedByLast(opener, end), this.closedByFirst(opener)];
    return [...closed.filter((reading) => reading !== undefined), ...this.neverClosed(opener, end)];
  }

  private closedByLast(opener: FenceMark, end: number): PartReading | undefined {
    const { last } = this;
    if (!last || last.char !== opener.char || last.line < this.quotedLine) return undefined;
    if (last.indent > opener.indent + 3) return undefined;
    const dirty = last.info !== '';
    const short = last.length < opener.length;
    const textAfter = this.textAfter(last, end);
    if (short && dirty) return undefined;
    let cost = dirty ? this.textOnCloserCost(last, end) : 0;
    if (short) cost += this.first ? COST.SHORT_CLOSER_LATE : COST.SHORT_CLOSER;
    if (textAfter) cost += end - last.line > PAGE ? COST.LEFT_PAGE : COST.LEFT_TEXT;
    if (this.first && this.first !== last && this.around.isCode(opener)) cost += COST.FENCE_IN_CODE;
    if (short || !this.isNested(opener)) cost += this.quotes;
    return {
      cost,
      blocks: [{ opener, closer: last, from: opener.line + 1, to: last.line }],
      open: this.openBeforeLast,
      quoted: this.quoted,
      doubtful: dirty || short || textAfter,
    };
  }

  /** CommonMark's reading, where more fences follow. */
  private closedByFirst(opener: FenceMark): PartReading | undefined {
    const { first } = this;
    if (!first || first === this.last || first.line < this.quotedLine) return undefined;
    return {
      cost: COST.LEFT_BLOCK + (this.rest ? COST.UNBALANCED : 0),
      blocks: [{ opener, closer: first, from: opener.line + 1, to: first.line }],
      open: this.openAtFirst,
      doubtful: true,
    };
  }

  private neverClosed(opener: FenceMark, end: number): PartReading[] {
    let cost: number = COST.MISSING_CLOSER;
    cost += this.quotes;
    if (this.first && this.around.isCode(opener)) cost += COST.FENCE_IN_CODE;
    const from = opener.line + 1;
    return this.around.possibleEnds(from, end).map((to) => ({
      cost,
      blocks: [{ opener, closer: null, from, to }],
      open: this.inner.open,
      quoted: this.quoted,
      doubtful: true,
    }));
  }

  /** What could as well open a block of the content hardly closes one. */
  private textOnCloserCost(mark: FenceMark, end: number): number {
    const textBelow = mark.line + 2 <= end && this.around.lastInkBefore(mark.line + 2) > mark.line;
    return LANGUAGE.test(mark.info) || (textBelow && /^\S+$/.test(mark.info))
      ? COST.WORD_ON_CLOSER
      : COST.TEXT_ON_CLOSER;
  }

  /** The opening fence is longer than those it holds, as the format asks: what it quotes is content. */
  private isNested(opener: FenceMark | undefined): boolean {
    return this.insideCount > 0 && opener !== undefined && this.longestInside < opener.length;
  }

  private mayClose(mark: FenceMark): boolean {
    const opener = this.opener!;
    return mark.info === '' && mark.char === opener.char && mark.indent <= opener.indent + 3;
  }

  private textAfter(mark: FenceMark, end: number): boolean {
    return this.around.lastInkBefore(end) > mark.line;
  }
}
