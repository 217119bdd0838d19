import type { FenceMark } from '../../markdown/lines.js';

/** Whether `mark` closes `opener` in a text where fences may stand at any indent: not if it is in what is fenced. */
export function closesInner(mark: FenceMark, opener: FenceMark): boolean {
  return (
    mark.info === '' &&
    mark.char === opener.char &&
    mark.length >= opener.length &&
    mark.indent <= opener.indent + 3
  );
}

/** Whether a text leaves a fence open: if it begins outside of one, or inside; undefined where it does not begin so. */
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
