import type { FenceMark } from '../../markdown/index.js';

/** Whether `mark` closes `opener` in a text where fences may stand at any indent. */
export function closesInner(mark: FenceMark, opener: FenceMark): boolean {
  return mark.info === '' && mark.char === opener.char && mark.length >= opener.length;
}

/**
 * Whether a text leaves a fence open, by both ways of counting: CommonMark's, and that of authors who nest
 * fences of one length and let those with an info string open and bare ones close.
 */
export class FenceCount {
  private inside: FenceMark | undefined;
  private depth = 0;

  add(mark: FenceMark): void {
    this.inside = step(this.inside, mark);
    this.depth += mark.info !== '' || this.depth === 0 ? 1 : -1;
  }

  get open(): boolean {
    return this.inside !== undefined && this.depth > 0;
  }
}

export function step(open: FenceMark | undefined, mark: FenceMark): FenceMark | undefined {
  if (!open) return mark;
  return closesInner(mark, open) ? undefined : open;
}
