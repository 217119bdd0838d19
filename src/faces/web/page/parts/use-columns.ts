import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** The width of a row's code in characters, unified and side by side; for estimates only. */
export function useColumns(frame: RefObject<HTMLElement | null>): {
  width: number;
  columns: { one: number; two: number };
} {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = frame.current!;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const columnsOf = (pixels: number) => Math.max(20, Math.floor(pixels / CHARACTER));
  return { width, columns: { one: columnsOf(width - GUTTER), two: columnsOf(width / 2 - GUTTER / 2) } };
}

/** Of the code font, and of the numbers before the code, in pixels. */
const CHARACTER = 7.5;
const GUTTER = 110;
