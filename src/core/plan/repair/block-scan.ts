import type { FenceMark } from '../../markdown/lines.js';
import { COST } from './cost.js';
import {
  type BlockReading,
  CLOSED,
  closesInner,
  FenceCount,
  type OpenFences,
  type PartReading,
  type PartScan,
  type PartSurroundings,
  step,
} from './part-scan.js';

/** More lines than anyone writes between two actions. */
const PAGE = 12;

/** A fence of the part, and what is known of the content before it. */
interface Candidate {
  mark: FenceMark;
  /** What the content before it leaves open of its own fences. */
  open: OpenFences;
  inHeredoc: boolean;
}

/** A part with exactly one block: everything between its opening fence and one of the later ones. */
export class BlockScan implements PartScan {
  private opener: FenceMark | undefined;
  /** The first fence that may close the block: where CommonMark closes it. */
  private first: Candidate | undefined;
  /** The fence after it, and the one left open from there on. */
  private second: FenceMark | undefined;
  private rest: FenceMark | undefined;
  private last: Candidate | undefined;
  private previous: Candidate | undefined;
  /** The content's own fences. */
  private readonly inner = new FenceCount();
  private inHeredoc: (line: number) => boolean = () => false;
  /** The longest fence of the opener's kind between the opener and `last`. */
  private longestInside = 0;
  private insideCount = 0;
  /** The last candidate taken for content, and what all of them cost. */
  private quotedLine = -1;
  private quotes = 0;

  constructor(private readonly around: PartSurroundings) {}

  add(mark: FenceMark): void {
    if (!this.opener) {
      this.opener = mark;
      this.inHeredoc = this.around.heredocs(mark);
      return;
    }
    const candidate = {
      mark,
      open: this.openBefore(mark.indent),
      inHeredoc: this.inHeredoc(mark.line),
    };
    if (this.first) {
      this.second ??= mark;
      this.rest = step(this.rest, mark);
    } else if (closesInner(mark, this.opener)) {
      this.first = candidate;
    }
    if (this.last && this.last.mark.char === this.opener.char) {
      this.longestInside = Math.max(this.longestInside, this.last.mark.length);
      this.insideCount++;
    }
    if (!candidate.inHeredoc) this.inner.add(mark);
    this.previous = this.last;
    this.last = candidate;
  }

  private openBefore(indent: number): OpenFences {
    if (this.around.isHalf) return this.inner.openInExcerpt();
    return { outside: this.inner.isOpenBefore(indent), inside: undefined };
  }

  quote(line: number, cost: number): boolean {
    if (!this.opener) return false;
    if (cost > 0) {
      this.quotes = Math.max(this.quotes, cost, this.costOfQuote(line));
    }
    this.quotedLine = line;
    return true;
  }

  private costOfQuote(line: number): number {
    if (this.around.isHalf || this.last?.open.outside) return COST.QUOTED_PART;
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
    if (!opener || !first || first !== this.last || opener.indent > 0 || first.inHeredoc) return false;
    if (this.leftCost(first.mark, end) === COST.LEFT_BELOW) return false;
    const rivals = this.longestInside >= opener.length;
    return !rivals || (this.quotes === 0 && !this.textAfter(first.mark, end));
  }

  readings(end: number): PartReading[] {
    const { opener } = this;
    // No fence is amiss where there is none: that is the parser's to say.
    if (!opener) return [{ cost: 0, blocks: [] }];
    return [
      this.closedByLast(opener, end),
      this.closedBeforeStray(opener, end),
      this.closedByFirst(opener),
      ...this.neverClosed(opener, end),
    ].filter((reading) => reading !== undefined);
  }

  private closedByLast(opener: FenceMark, end: number): PartReading | undefined {
    const { last } = this;
    if (!last || last.mark.char !== opener.char || last.mark.line < this.quotedLine) return undefined;
    if (last.mark.indent > opener.indent + 3) return undefined;
    const dirty = last.mark.info !== '';
    const short = last.mark.length < opener.length;
    if (short && dirty) return undefined;
    let cost = dirty ? this.textOnCloserCost(last.mark, end) : 0;
    // Half of a change may hold a fence of any length.
    if (short) cost += this.first ? COST.SHORT_CLOSER_LATE - (this.around.isHalf ? 2 : 0) : COST.SHORT_CLOSER;
    const isLong = last.mark.length > opener.length && !last.open.outside && !this.around.isHalf;
    if (isLong && this.closedBeforeStray(opener, end)) cost += COST.LONG_CLOSER_LATE;
    const odd = short || last.mark.indent > opener.indent + 1;
    if (odd && this.around.isTextEnd(end)) cost += COST.ODD_LAST_CLOSER;
    cost += this.leftCost(last.mark, end) + this.closerCost(opener, last);
    if (short || !this.isNested(opener)) cost += this.quotes;
    return {
      cost,
      blocks: [closedBy(opener, last.mark)],
      open: last.open,
    };
  }

  /** The last fence is alone after the one that closes the block. */
  private closedBeforeStray(opener: FenceMark, end: number): PartReading | undefined {
    const { last, previous } = this;
    if (!last || !previous || !closesInner(previous.mark, opener) || last.mark.info !== '') return undefined;
    if (previous.mark.line < this.quotedLine || this.textAfter(last.mark, end)) return undefined;
    if (this.around.lastInkBefore(last.mark.line) !== previous.mark.line) return undefined;
    // A blank line hardly ends content, but a fence may; and half of a change may hold a fence of any kind.
    const { isHalf } = this.around;
    const isApart = last.mark.line > previous.mark.line + 1 && !isHalf;
    const closer = isHalf ? last : previous;
    return {
      cost: COST.STRAY_FENCE + (isApart ? 0 : 1) + this.closerCost(opener, closer) + this.quotes,
      blocks: [closedBy(opener, previous.mark)],
      stray: last.mark,
      open: previous.open,
    };
  }

  /** CommonMark's reading, where more fences follow. */
  private closedByFirst(opener: FenceMark): PartReading | undefined {
    const { first } = this;
    if (!first || first === this.last || first.mark.line < this.quotedLine) return undefined;
    const below = this.around.continues(first.mark.line + 1) ? COST.LEFT_BELOW : 0;
    // Blank lines are hardly ever fenced: there one block ends and another starts. Half of a change may hold such a seam.
    const isNext =
      !this.around.isHalf &&
      !first.open.outside &&
      this.around.lastInkBefore(this.second!.line) === first.mark.line;
    const left = isNext ? COST.LEFT_TEXT : COST.LEFT_BLOCK;
    return {
      cost: left + (this.rest ? COST.UNBALANCED : 0) + below + this.closerCost(opener, first) + this.quotes,
      blocks: [closedBy(opener, first.mark)],
      open: first.open,
    };
  }

  private neverClosed(opener: FenceMark, end: number): PartReading[] {
    const from = opener.line + 1;
    const passedOver = this.first && !this.first.inHeredoc && this.around.isCode(opener);
    const cost = this.quotes + (passedOver ? COST.FENCE_IN_CODE : 0);
    // Below the last fence and the last candidate.
    const below = Math.max(opener.line, this.last?.mark.line ?? -1, this.quotedLine) + 1;
    const isTextEnd = this.around.isTextEnd(end);
    const readings: PartReading[] = [];
    const read = (excuse: number, to: number, ends: BlockReading['ends']) => {
      const block = { opener, closer: null, from, to, ends };
      const open = ends === 'cut-off' ? CLOSED : this.openBefore(0);
      readings.push({ cost: cost + excuse, blocks: [block], open });
    };
    for (const to of this.around.possibleEnds(from, end)) {
      if (to > below && this.around.isGlued(to - 1, opener)) {
        const left = this.around.lastInkBefore(end) >= to ? COST.LEFT_TEXT : 0;
        const odd = isTextEnd && this.around.holdsGlued(from, to - 1) ? COST.ODD_LAST_CLOSER : 0;
        read(COST.GLUED_CLOSER + left + odd, to, 'glued');
      }
      if (!isTextEnd) read(COST.MISSING_CLOSER, to, undefined);
    }
    if (isTextEnd) read(COST.MISSING_CLOSER, end, 'cut-off');
    return readings;
  }

  /** What it costs that the block goes past fences which could have closed it, or ends inside a here-document. */
  private closerCost(opener: FenceMark, closer: Candidate): number {
    const passedOver = this.first && this.first !== closer && !this.first.inHeredoc;
    return (
      (passedOver && this.around.isCode(opener) ? COST.FENCE_IN_CODE : 0) +
      (closer.inHeredoc ? COST.OPEN_HEREDOC : 0)
    );
  }

  /** What could as well open a block of the content hardly closes one; where the text ends, it never does. */
  private textOnCloserCost(mark: FenceMark, end: number): number {
    const textAfter = this.textAfter(mark, end);
    if (this.around.isTextEnd(end) && (textAfter || !this.around.isRemark(mark)))
      return Number.POSITIVE_INFINITY;
    if (this.around.isRemark(mark)) return COST.TEXT_ON_CLOSER;
    // Right above an action it may open a block that quotes the action; a label is right below a closing fence.
    const mayOpen =
      mark.length !== this.opener!.length || (end === mark.line + 1 && this.around.isAction(end));
    if (textAfter || mayOpen) return COST.OPENER_AS_CLOSER;
    // Half of a change may well end in a fence of the file's.
    const mayBeContent = this.around.isHalf && !this.around.isCode(this.opener!);
    return COST.INFO_ON_CLOSER + (mayBeContent ? 2 : 0);
  }

  /** What it costs that text is left over between the closing fence and the part's end. */
  private leftCost(closer: FenceMark, end: number): number {
    if (!this.textAfter(closer, end)) return 0;
    if (this.around.continues(closer.line + 1)) return COST.LEFT_BELOW;
    // Half of a change may hold any number of fences: where the text ends, these may be some of them.
    const mayBeContent = this.insideCount > 0 || closer.line === this.opener!.line + 1;
    const isDoubtful = this.around.isHalf && mayBeContent && this.around.isTextEnd(end);
    return isDoubtful || end - closer.line > PAGE ? COST.LEFT_PAGE : COST.LEFT_TEXT;
  }

  /** The opening fence is longer than those it holds, as the format asks: what it quotes is content. */
  private isNested(opener: FenceMark | undefined): boolean {
    return this.insideCount > 0 && opener !== undefined && this.longestInside < opener.length;
  }

  private textAfter(mark: FenceMark, end: number): boolean {
    return this.around.lastInkBefore(end) > mark.line;
  }
}

function closedBy(opener: FenceMark, closer: FenceMark): BlockReading {
  return { opener, closer, from: opener.line + 1, to: closer.line };
}
