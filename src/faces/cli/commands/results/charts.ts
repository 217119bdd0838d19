import type { Paint } from '../../paint.js';

/** How often each end was reached. */
export interface Ends {
  succeeded: number;
  failed: number;
  blocked: number;
}

// Different without colours too.
const PARTS = [
  ['succeeded', '█', 'green'],
  ['failed', '▒', 'red'],
  ['blocked', '░', 'yellow'],
] as const satisfies readonly (readonly [keyof Ends, string, Parameters<Paint>[0]])[];

/** What the blocks of a bar stand for. */
export function barLegend(paint: Paint): string {
  return PARTS.map(([name, block, style]) => `${paint(style, block)} ${name}`).join('  ');
}

/** A bar as long as its sum is of `most`, which fills the width; whatever is not 0 is seen. */
export function bar(ends: Ends, most: number, width: number, paint: Paint): string {
  const cells = PARTS.map(([name, block, style]) => {
    const count = ends[name];
    const length = count === 0 ? 0 : Math.max(1, Math.round((count / most) * width));
    return { length, block, style };
  });
  // Small parts that were made visible are paid for by the largest.
  const largest = cells.reduce((one, other) => (other.length > one.length ? other : one));
  const over = cells.reduce((sum, { length }) => sum + length, 0) - width;
  if (over > 0) largest.length -= over;
  const drawn = cells.map(({ length, block, style }) =>
    length === 0 ? '' : paint(style, block.repeat(length)),
  );
  const length = cells.reduce((sum, each) => sum + each.length, 0);
  return drawn.join('') + ' '.repeat(Math.max(0, width - length));
}

const STEPS = '▁▂▃▄▅▆▇█';

/** One block for each value, as high as it is among them: the largest is full, nothing is empty. */
export function sparkline(values: readonly number[]): string {
  const most = Math.max(0, ...values);
  return values
    .map((value) => STEPS[most === 0 ? 0 : Math.round((value / most) * (STEPS.length - 1))])
    .join('');
}
