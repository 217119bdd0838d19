import plan from './demo-project/plan.md';

/** The project that `teddy demo` creates: a bug, a plan that fixes it, and an action that is better skipped. */
export const DEMO_FILES: Readonly<Record<string, string>> = {
  'plan.md': plan,
  'src/total.mjs': `/** The price of an order, in cents. */
export function total(items) {
  let sum = 0;
  for (const item of items) {
    sum += item.price;
  }
  return sum;
}
`,
  'notes.txt': 'Ask the baker about the price of apples.\n',
  // It also makes the folder a root of its own, whatever repository it is in.
  '.teddy/memos.yaml': '- Prices are in cents.\n',
};
