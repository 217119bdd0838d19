import type { Look } from '../output.js';
import { foreignLine, type Line } from '../terminal/line.js';

/** Labels in a column of their own, or on a line of their own on a narrow screen. */
export function labelled(
  facts: readonly (readonly [label: string, values: readonly string[]])[],
  look: Look,
  width: number,
): Line[] {
  const column = width < 40 ? 0 : Math.max(0, ...facts.map(([label]) => label.length)) + 2;
  return facts.flatMap(([label, values]) =>
    values.map((value, at): Line => {
      const name = at > 0 ? '' : label;
      const indent = { text: ' '.repeat(column === 0 ? 4 : 2 + column) };
      return {
        lead:
          column === 0
            ? [{ text: at > 0 ? '    ' : `  ${name}: `, style: 'dim' }]
            : [{ text: `  ${name.padEnd(column)}`, style: 'dim' }],
        more: [indent],
        spans: foreignLine(value, look),
        wrap: 'words',
      };
    }),
  );
}
