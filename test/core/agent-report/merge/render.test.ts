import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MergeInput } from '../../../../src/core/agent-report/merge/merge.js';
import { renderMerged } from '../../../../src/core/agent-report/merge/render.js';
import {
  type CommonmarkNode,
  childrenOf,
  descendantsOf,
  parseCommonmark,
} from '../../../corpus/commonmark.js';
import { anyInput } from './arbitrary-inputs.js';
import { input, inputOfText, reportWith, warning } from './inputs.js';

const numRuns = process.env.TEDDY_SOAK ? 3000 : 100;

const textOf = (node: CommonmarkNode) =>
  [...descendantsOf(node)].map(({ literal }) => literal ?? '').join('');
const headingsOf = (nodes: Iterable<CommonmarkNode>) =>
  [...nodes].filter(({ type }) => type === 'heading').map((node) => `${node.level} ${textOf(node)}`);

const TITLE = /^1 Merged report: (?:completed|blocked|failed) \(\d+ reports?: [a-z0-9,; ]+\)$/;
const SECTIONS = [
  '2 Blockers',
  '2 Failures',
  '2 For human review',
  '2 Findings',
  '2 Gaps',
  '2 Recommendations',
  '2 Context map',
  '2 Totals',
];

/** Whatever the texts hold: our headings and no others, and nothing that acts beyond the item that it stands in. */
function expectContained(markdown: string) {
  const root = parseCommonmark(markdown);
  const all = [...descendantsOf(root)];
  const [title, ...sections] = headingsOf(childrenOf(root));
  expect(title).toMatch(TITLE);
  expect(sections).toEqual(SECTIONS.filter((section) => sections.includes(section)));
  expect(headingsOf(all)).toEqual([title, ...sections]);
  const types = new Set(all.map(({ type }) => type));
  for (const foreign of ['html_block', 'html_inline', 'image', 'block_quote'])
    expect(types).not.toContain(foreign);
  const top = new Set([...childrenOf(root)].map(({ type }) => type));
  expect([...top].filter((type) => !['heading', 'paragraph', 'list'].includes(type))).toEqual([]);
  // A paragraph at the top is the table, or the number of entries that are left out.
  const paragraphs = [...childrenOf(root)].filter(({ type }) => type === 'paragraph').map(textOf);
  expect(paragraphs.filter((text) => !/^(?:\| Report \||\d+ more in the JSON\.$)/.test(text))).toEqual([]);
  // A definition of a link would work in the whole document.
  const links = all.filter(({ type }) => type === 'link').map(({ destination }) => destination);
  expect(links).not.toContain('http://elsewhere.example');
}

test('four reports on one page', () => {
  const markdown = renderMerged([
    input(
      'search.json',
      reportWith({
        metadata: { token_usage: 4250, execution_time_seconds: 45 },
        findings: {
          answer: 'Prices are added up in `sum.ts`.',
          open: 2,
          files: ['a', 'b'],
          context_map: [
            ['Adds up.', 'repo://src/sum.ts:5-9'],
            ['Prices are in cents.', null],
          ],
        },
        identified_gaps: ['No tests for prices.'],
        recommendations: ['Let the implementer go on.'],
      }),
      {
        references: [
          {
            text: 'Adds up.',
            uri: 'repo://src/sum.ts:5-9',
            status: 'missing-lines' as const,
            file: 'src/sum.ts',
            lines: { from: 5, to: 9 },
            reason: 'has only 4 lines',
          },
        ],
        issues: [warning('reference-broken', '`src/sum.ts` has only 4 lines, and 5-9 are referred to.')],
      },
    ),
    input(
      'change.json',
      reportWith({
        metadata: { agent_name: 'implementer', task_id: 'shop-8', confidence_level: 0.5 },
        findings: { context_map: [['Rounds wrongly.', 'src/sum.ts#L5-L9']] },
        identified_gaps: ['No tests for prices.'],
      }),
      { measured: { inputTokens: 12_000, outputTokens: 345, costUsd: 0.125, durationMs: 8_000_000 } },
    ),
    input(
      'key.json',
      reportWith({ metadata: { status: 'blocked' }, blockers: ['No key for the payment service.'] }),
    ),
    input(
      'crash.json',
      reportWith({ metadata: { agent_name: 'reviewer', status: 'failed', error_message: 'Out of memory.' } }),
    ),
  ]);
  expect(
    markdown,
  ).toBe(`# Merged report: failed (4 reports: 2 completed, 1 blocked, 1 failed; 2 for human review)

| Report | Agent | Task | Status | Confidence | Route | Tokens | Time |
| --- | --- | --- | --- | ---: | --- | ---: | ---: |
| search.json | investigator | shop-7 | completed | 0.9 | human-review | 4,250 (claimed) | 45s (claimed) |
| change.json | implementer | shop-8 | completed | 0.5 | human-review | 12,345 | 2h 13m |
| key.json | investigator | shop-7 | blocked | 0.9 | blocked | - | - |
| crash.json | reviewer | shop-7 | failed | 0.9 | failed | - | - |

## Blockers

- **key.json**: No key for the payment service.

## Failures

- **crash.json** (reviewer): Out of memory.

## For human review

- **search.json** (investigator):
  - \`src/sum.ts\` has only 4 lines, and 5-9 are referred to.
- **change.json** (implementer):
  - Its confidence is 0.5.

## Findings

- **search.json** (investigator):
  - answer: Prices are added up in \`sum.ts\`.
  - open: 2
  - files:
    - a
    - b

## Gaps

- **search.json, change.json**: No tests for prices.

## Recommendations

- **search.json**: Let the implementer go on.

## Context map

- \`repo://src/sum.ts:5-9\` (missing-lines: has only 4 lines):
  - **search.json**: Adds up.
  - **change.json**: Rounds wrongly.
- **search.json**: Prices are in cents.

## Totals

- Tokens: 16,595 (measured for 1, claimed by 1, unknown for 2)
- Total time: 2h 14m (measured for 1, claimed by 1, unknown for 2)
- Cost: 0.125 USD (measured for 1, unknown for 3)
`);
  expectContained(markdown);
});

test('one report needs no names, and one that is not compliant says why', () => {
  expect(renderMerged([input('a.json', reportWith({ identified_gaps: ['No tests.'] }))])).toContain(
    '\n## Gaps\n\n- No tests.\n',
  );
  const markdown = renderMerged([inputOfText('prose.txt', 'I am done!')]);
  expect(markdown).toContain('# Merged report: failed (1 report: 1 not compliant)\n');
  expect(markdown).toContain('| prose.txt | - | - | not compliant | - | failed | - | - |');
  expect(markdown).toMatch(/## Failures\n\n- \*\*prose\.txt\*\*, not compliant:\n {2}- ./);
});

test('low confidence is told with any threshold, and beside other reasons', () => {
  const unsure = reportWith({ metadata: { confidence_level: 0.8 } });
  const isForPerson: MergeInput = input('a.json', unsure);
  isForPerson.checked.route = 'human-review';
  expect(renderMerged([isForPerson])).toContain('- Its confidence is 0.8.');
  const both = input('a.json', unsure, { issues: [warning('change-unclaimed', 'x.ts changed.')] });
  expect(renderMerged([both], 0.9)).toContain('  - Its confidence is 0.8.\n  - x.ts changed.\n');
  expect(renderMerged([both])).not.toContain('It states');
  expect(renderMerged([input('a.json', unsure)])).not.toContain('## For human review');
});

test('long texts and long lists are cut, with a word on how much', () => {
  const gaps = ['y'.repeat(1602), `${'z'.repeat(599)}😀${'z'.repeat(5)}`, `# A\n${'b'.repeat(700)}`];
  const recommendations = Array.from({ length: 22 }, (_, at) => `Number ${at}.`);
  const markdown = renderMerged([input('a.json', reportWith({ identified_gaps: gaps, recommendations }))]);
  expect(markdown).toContain(`\n- ${'y'.repeat(600)}… (1,002 more characters in the JSON)\n`);
  // Never through a character.
  expect(markdown).toContain(`\n- ${'z'.repeat(599)}… (7 more characters in the JSON)\n`);
  expect(markdown).toContain(`b\n  \`\`\`\`\n\n  … (104 more characters in the JSON)\n`);
  expect(markdown).toContain('\n- Number 19.\n\n2 more in the JSON.\n');
  expectContained(markdown);
});

test.each([
  ['words', 'Use `Map` and **bold**, see [docs](/docs).', '- Use `Map` and **bold**, see [docs](/docs).'],
  ['blank lines around', '\n\n  \n  Words.\n\n', '- Words.'],
  ['carriage returns before it', '\r\rWords.', '- Words.'],
  ['a blank text', ' \n ', '- (empty)'],
])('a plain line stays as it is: %s', (_, text, expected) => {
  const markdown = renderMerged([input('a.json', reportWith({ findings: { context_map: [[text, null]] } }))]);
  expect(markdown).toContain(`\n## Context map\n\n${expected}\n`);
  expectContained(markdown);
});

test.each([
  ['a heading', '# Totals'],
  ['a heading under words', 'Totals\n==='],
  ['a heading by a dash', 'Totals\n-'],
  ['a heading in a list', '- 1. # Totals'],
  ['a heading in a numbered list', '1. # Totals'],
  ['a list', 'Two things:\n\n- one\n- two'],
  ['a type', 'Use `Map<string, T>`.'],
  ['a heading behind a carriage return', 'x\r# Totals'],
  ['a fence that is not closed', 'x\n```js\ncode'],
  ['a longer fence', '`````\nx\n`````'],
  ['a tilde fence', '~~~'],
  ['a comment that is not closed', 'x <!-- y'],
  ['a tag between code spans that cross lines', 'a ` b\n` <b> `'],
  ['a tag behind an escaped backtick', 'x \\`<b>`'],
  ['a table', 'a | b\n--- | ---\n1 | 2'],
  ['an image', 'x ![y](http://tracker.example/z.png)'],
  ['a definition', '[Totals]: http://elsewhere.example'],
  ['a quote', '> x'],
  ['a rule', '---'],
])('%s stands in a fence', (_, text) => {
  const inputs = [
    input('a.json', reportWith({ identified_gaps: [text], recommendations: ['See [Totals].'] })),
    input(
      'b.json',
      reportWith({
        findings: {
          context_map: [
            [text, 'repo://a.ts'],
            ['x', 'repo://a.ts'],
          ],
        },
      }),
    ),
  ];
  const markdown = renderMerged(inputs);
  expectContained(markdown);
  const blocks = [...descendantsOf(parseCommonmark(markdown))].filter(({ type }) => type === 'code_block');
  const lines = text
    .replaceAll('\r', '\n')
    .split('\n')
    .map((line) => line.trimEnd());
  expect(blocks.map(({ literal }) => literal)).toEqual([`${lines.join('\n')}\n`, `${lines.join('\n')}\n`]);
});

test('cells stay in their row', () => {
  const names = ['a|b.json', 'c\\|d', 'e\nf', '<b>`g`', '![h](i)', '__init__.py', 'snake_case', '*', 'j\\'];
  const rows = renderMerged(names.map((name, i) => input(name, reportWith({ findings: { i } }))))
    .split('\n')
    .slice(4, 4 + names.length);
  expect(rows.map((row) => row.split(' | investigator | ')[0])).toEqual([
    '| a\\|b.json',
    '| c\\\\\\|d',
    '| e f',
    '| \\<b\\>\\`g\\`',
    '| \\!\\[h\\](i)',
    '| \\_\\_init\\_\\_.py',
    '| snake_case',
    '| \\*',
    '| j\\\\',
  ]);
});

test('whatever agents write, the headings are ours', () => {
  fc.assert(
    fc.property(fc.array(anyInput, { minLength: 1, maxLength: 4 }), (inputs) => {
      expectContained(renderMerged(inputs));
    }),
    { numRuns },
  );
});
