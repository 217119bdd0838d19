import { type Block, block, careful, type Draft, naive, render, type Step } from '../test/corpus/draft.js';
import { USUAL } from '../test/corpus/plans.js';

export interface SizedPlan {
  name: string;
  /** With fences that are long enough. */
  text: string;
  /** With three backticks everywhere. */
  naive: string;
}

type Filling = (i: number) => Step;

const PARAGRAPH = [
  '## Section',
  '',
  'Some *prose* with `code`, a [link](https://example.com) and a list:',
  '',
  '- one item of it, which says a little more than the heading does',
  '- another item',
  '',
  '```js',
  'export const value = compute({ a: 1, b: [2, 3] });',
  '```',
  '',
];

const repeated = (lines: string[], times: number): string[] =>
  Array.from({ length: times }, () => lines).flat();

/** Fences of three ticks inside fences of four, and so on. */
function nested(depth: number): string[] {
  let lines = ['innermost();'];
  for (let ticks = 3; ticks < 3 + depth; ticks++) {
    const fence = '`'.repeat(ticks);
    lines = [`${fence}md`, 'Around it:', ...lines, fence];
  }
  return lines;
}

const create = (i: number, content: Block): Step => ({
  type: 'CREATE',
  path: `docs/file-${i}.md`,
  block: content,
});

const FILLINGS: Record<string, Filling> = {
  'few large blocks': (i) => create(i, block('markdown', ...repeated(PARAGRAPH, 500))),
  'many small actions': (i) => {
    if (i % 3 === 0) return { type: 'READ', path: `src/file-${i}.ts` };
    if (i % 3 === 1) return { type: 'EXECUTE', block: block('shell', `node script-${i}.js`) };
    return create(i, block('ts', `export const value = ${i};`, '', 'export default value;'));
  },
  'deep fences': (i) => create(i, block('markdown', ...repeated([...nested(12), ''], 20))),
};

/** One plan of each kind, of about `bytes` bytes. */
export function sizedPlans(bytes: number): SizedPlan[] {
  return Object.entries(FILLINGS).map(([name, filling]) => {
    const sample = render(draftOf([filling(0), filling(1), filling(2)]), careful).length;
    const steps = Array.from({ length: Math.max(3, Math.round((3 * bytes) / sample)) }, (_, i) => filling(i));
    const draft = draftOf(steps);
    return { name, text: render(draft, careful), naive: render(draft, naive) };
  });
}

function draftOf(steps: Step[]): Draft {
  const lines = [
    '### 1. Synthesis',
    'A.',
    '',
    '### 2. Justification',
    'B.',
    '',
    '### 3. Expected Outcome',
    'C.',
  ];
  const rationale = block('text', ...lines, '', '### 4. State Dashboard', 'D.');
  return { title: 'A plan of some size', rationale, memos: [], steps, look: USUAL };
}
