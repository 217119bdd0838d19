import type { FenceMark } from '../../markdown/fence.js';

/** Whether `mark` closes `opener` in a text where fences may stand at any indent: not if it is in what is fenced. */
export function closesInner(mark: FenceMark, opener: FenceMark): boolean {
  return (
    mark.info === '' &&
    mark.char === opener.char &&
    mark.length >= opener.length &&
    mark.indent <= opener.indent + 3
  );
}

/**
 * Whether a text leaves a fence open, by every way of counting: CommonMark's; that of authors who nest fences
 * of one length and let those with an info string open and bare ones close; and that of lists, whose items
 * end their fences.
 */
export class FenceCount {
  private inside: FenceMark | undefined;
  private depth = 0;
  private inList: FenceMark | undefined;

  add(mark: FenceMark): void {
    this.inside = step(this.inside, mark);
    this.inList = endsItem(this.inList, mark) ? mark : step(this.inList, mark);
    this.depth += mark.info !== '' || this.depth === 0 ? 1 : -1;
  }

  get open(): boolean {
    return this.isOpenBefore(0);
  }

  /** Whether a fence is open that a line at `indent` would not end. */
  isOpenBefore(indent: number): boolean {
    if (!this.inside || this.depth === 0 || !this.inList) return false;
    return !isInItem(this.inList) || indent >= ITEM_INDENT;
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
