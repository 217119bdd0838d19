import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { RowHeights } from './row-heights.js';

/** Rows above and below the visible ones that are rendered, too, as a part of the visible height. */
const MARGIN = 0.5;

export interface ListHandle {
  /** Scrolls so that the row is visible; `start` puts it near the top. */
  reveal(row: number, where: 'nearest' | 'start'): void;
}

interface VirtualListProps {
  count: number;
  /** In pixels; a row is measured once it is shown. */
  estimate: (row: number) => number;
  /** The key changes when other rows are in their place. */
  keyOf?: (row: number) => string | number;
  render: (row: number) => ComponentChildren;
  /** What the rows belong to: heights are estimated anew when it changes. */
  source: unknown;
  label?: string;
  class?: string;
  /** A list for screen readers; otherwise the rows are what they render. */
  list?: boolean;
  handle?: RefObject<ListHandle | null>;
  /** Stays at its end while rows are added there. */
  follow?: boolean;
}

interface Shown {
  from: number;
  to: number;
}

/** Renders only the rows that can be seen in the nearest ancestor that scrolls. */
export function VirtualList(props: VirtualListProps) {
  const { count, estimate, render, source, list = false } = props;
  const root = useRef<HTMLElement>(null);
  const heights = useHeights(count, estimate, source);
  const [shown, setShown] = useState<Shown>({ from: 0, to: Math.min(count, 40) });
  const [, setVersion] = useState(0);

  // Before the frame is painted: a row that was added, such as a text box, is there for the next key.
  useLayoutEffect(() => {
    const element = root.current!;
    const scroller = scrollerOf(element);
    const update = () => {
      const next = visibleRows(element, scroller, heights);
      setShown((now) => (now.from === next.from && now.to === next.to ? now : next));
    };
    update();
    const observer = new ResizeObserver(update);
    observer.observe(scroller);
    scroller.addEventListener('scroll', update, { passive: true });
    return () => {
      observer.disconnect();
      scroller.removeEventListener('scroll', update);
    };
  }, [heights]);

  useLayoutEffect(() => {
    let changed = false;
    for (const element of root.current!.children) {
      const row = Number((element as HTMLElement).dataset.row);
      const { height } = element.getBoundingClientRect();
      if (height > 0 && heights.measure(row, height)) changed = true;
    }
    // In the next frame: this one has enough to do.
    if (changed) requestAnimationFrame(() => setVersion((version) => version + 1));
  });

  useFollowedEnd(root, props.follow ?? false, count);

  if (props.handle)
    props.handle.current = { reveal: (row, where) => revealRow(root.current!, heights, row, where) };

  const from = Math.min(shown.from, count);
  const to = Math.min(shown.to, count);
  const rows = Array.from({ length: to - from }, (_, at) => from + at);
  const Tag = list ? 'ul' : 'div';
  const Row = list ? 'li' : 'div';
  const place = {
    paddingTop: `${heights.offsetOf(from)}px`,
    paddingBottom: `${heights.total - heights.offsetOf(to)}px`,
  };
  return (
    <Tag
      ref={root as never}
      class={`virtual ${props.class ?? ''}`}
      style={place}
      {...(props.label === undefined ? {} : { 'aria-label': props.label })}
    >
      {rows.map((row) => (
        <Row
          key={props.keyOf?.(row) ?? row}
          data-row={row}
          {...(list ? { 'aria-setsize': count, 'aria-posinset': row + 1 } : {})}
        >
          {render(row)}
        </Row>
      ))}
    </Tag>
  );
}

/** Of a list that grows, what was measured stays. */
function useHeights(count: number, estimate: (row: number) => number, source: unknown): RowHeights {
  const last = useRef<{ source: unknown; heights: RowHeights } | null>(null);
  return useMemo(() => {
    const { current } = last;
    const known = current !== null && current.source === source ? current.heights : undefined;
    const heights = new RowHeights(count, (row) =>
      known !== undefined && row < known.count ? known.heightOf(row) : estimate(row),
    );
    last.current = { source, heights };
    return heights;
  }, [count, source]);
}

function scrollerOf(element: HTMLElement): HTMLElement {
  return element.closest<HTMLElement>('.scroller') ?? document.documentElement;
}

function visibleRows(root: HTMLElement, scroller: HTMLElement, heights: RowHeights): Shown {
  if (heights.count === 0) return { from: 0, to: 0 };
  const top = scroller.getBoundingClientRect().top - root.getBoundingClientRect().top;
  const margin = scroller.clientHeight * MARGIN;
  const from = heights.rowAt(Math.max(0, top - margin));
  const to = heights.rowAt(Math.max(0, top + scroller.clientHeight + margin)) + 1;
  return { from, to };
}

/** Room for what sticks to the top of a scroller. */
const HEADROOM = 96;

function revealRow(root: HTMLElement, heights: RowHeights, row: number, where: 'nearest' | 'start'): void {
  const scroller = scrollerOf(root);
  const view = scroller.getBoundingClientRect();
  const top = root.getBoundingClientRect().top - view.top + heights.offsetOf(row);
  const bottom = top + heights.heightOf(row);
  if (where === 'nearest' && top >= 0 && bottom <= scroller.clientHeight) return;
  const wanted =
    where === 'start' || top < 0
      ? top - (where === 'start' ? HEADROOM : 8)
      : bottom - scroller.clientHeight + 8;
  scroller.scrollTop += wanted;
}

/** Within this many pixels of the end, the user is reading the end. */
const NEAR_END = 40;

function useFollowedEnd(root: RefObject<HTMLElement | null>, follow: boolean, count: number): void {
  const atEnd = useRef(true);
  useEffect(() => {
    if (!follow) return;
    const scroller = scrollerOf(root.current!);
    const note = () => {
      atEnd.current = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_END;
    };
    scroller.addEventListener('scroll', note, { passive: true });
    return () => scroller.removeEventListener('scroll', note);
  }, [follow]);
  useLayoutEffect(() => {
    if (!follow || !atEnd.current) return;
    const scroller = scrollerOf(root.current!);
    scroller.scrollTop = scroller.scrollHeight;
  }, [follow, count]);
}
