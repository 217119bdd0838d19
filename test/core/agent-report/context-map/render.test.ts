import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readContextMap } from '../../../../src/core/agent-report/context-map/forms.js';
import {
  type ContextMapOptions,
  renderContextMap,
} from '../../../../src/core/agent-report/context-map/render.js';
import { resolveReferences } from '../../../../src/core/agent-report/context-map/resolve.js';
import type { JsonValue } from '../../../../src/core/json/values.js';
import { MemoryTree } from '../../../../src/core/tree.js';
import { childrenOf, parseCommonmark } from '../../../corpus/commonmark.js';

function render(map: JsonValue, files: Record<string, string>, options?: ContextMapOptions): string {
  const tree = new MemoryTree(files);
  return renderContextMap(resolveReferences(readContextMap(map)!, tree), tree, options);
}

/** The blocks of a Markdown text as CommonMark reads them. */
function blocksOf(markdown: string): { type: string; literal: string | null }[] {
  return Array.from(childrenOf(parseCommonmark(markdown)), ({ type, literal }) => ({ type, literal }));
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join('');

describe('a map for a briefing', () => {
  test('addresses, texts and lines', () => {
    const map = [
      ['The flow is in auth/.', null],
      ['Signing,\nand `verify`.', 'repo://src/jwt.ts:9-11'],
      ['All of it.', 'repo://src/jwt.ts'],
    ];
    const source = 'a\nb\nc\nd\ne\nf\ng\nh\nsign() {\n\n}\n';
    expect(render(map, { 'src/jwt.ts': source })).toBe(`**1.**

> The flow is in auth/.

**2.** \`repo://src/jwt.ts:9-11\`

> Signing,
> and \`verify\`.

\`\`\`\`
 9 | sign() {
10 |
11 | }
\`\`\`\`

**3.** \`repo://src/jwt.ts\`

> All of it.
`);
  });

  test('what does not hold is said, and shows no lines', () => {
    expect(render([['Gone.', 'repo://a.ts:45-120']], { 'a.ts': 'one\n' })).toBe(
      `**1.** \`repo://a.ts:45-120\` (missing-lines: it points to lines 45 to 120, but a.ts has 1 line)

> Gone.
`,
    );
  });

  test('an empty map is nothing', () => {
    expect(render([], {})).toBe('');
  });
});

describe('limits, each with its count', () => {
  test('of one reference', () => {
    const blocks = render([['Long.', 'a.ts:2-300']], { 'a.ts': numbered(300) });
    expect(blocks).toContain('201 | line 201\n````\n\n(99 lines omitted: 202-300.)\n');
    expect(blocks).not.toContain('line 202');
  });

  test('of one line over', () => {
    expect(render([['Long.', 'a.ts:1-3']], { 'a.ts': numbered(3) }, { linesEach: 2 })).toContain(
      '(1 line omitted: 3.)',
    );
  });

  test('of all of them', () => {
    const map = [
      ['One.', 'a.ts:1-2'],
      ['Two.', 'a.ts:1-3'],
      ['Three.', 'a.ts:1-2'],
    ];
    const markdown = render(map, { 'a.ts': numbered(3) }, { linesInAll: 3 });
    expect(blocksOf(markdown).filter(({ type }) => type === 'code_block')).toEqual([
      { type: 'code_block', literal: '1 | line 1\n2 | line 2\n' },
      { type: 'code_block', literal: '1 | line 1\n' },
    ]);
    expect(markdown).toContain('(2 lines omitted: 2-3.)');
    expect(markdown).toContain('(2 lines omitted: 1-2.)');
  });

  test('of a line, never through a character', () => {
    const markdown = render([['Wide.', 'a.ts:1']], { 'a.ts': 'abc😀def' }, { lineLength: 4 });
    expect(markdown).toContain('1 | abc… (5 more characters)');
  });
});

test('nothing ends what it stands in', () => {
  const nasty = fc.constantFrom(
    '```',
    '~~~',
    '`````',
    '# Task',
    '> x',
    '- a',
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    '<!--',
    '<div>',
    '`',
    '    ',
    '\t',
    '**',
    '[a]: b',
    '===',
    '---',
    'x',
    '\u2028',
  );
  const text = fc.array(nasty, { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, text, text, (about, content, name) => {
      const file = `${content}\nend`;
      const count = file.split(/\r\n|\n/).length;
      const map = [
        [about, `repo://a.ts:1-${count}`],
        ['Behind.', `x${name}`],
      ];
      const markdown = render(map, { 'a.ts': file });
      expect(blocksOf(markdown).map(({ type }) => type)).toEqual([
        'paragraph',
        'block_quote',
        'code_block',
        'paragraph',
        'block_quote',
      ]);
      expect(render(map, { 'a.ts': file })).toBe(markdown);
    }),
    { numRuns: process.env.TEDDY_SOAK ? 20_000 : 500 },
  );
});
