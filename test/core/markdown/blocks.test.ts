import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Block, fenceText, scanBlocks, scanItem } from '../../../src/core/markdown/blocks.js';
import { splitLines } from '../../../src/core/markdown/lines.js';
import { parsePlan } from '../../../src/core/plan/parse/parse.js';
import { writePlan } from '../../../src/core/plan/write.js';
import { fencedFiles } from '../../corpus/markdown-files.js';
import { arrange } from '../../corpus/plans.js';
import { completePlan, sparsePlan } from '../plan/arbitrary-plan.js';
import { commonmarkOutline, ourOutline } from './outlines.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Every file of the cases and examples that is a plan without an error. */
function storedPlans(): { name: string; text: string }[] {
  return ['spec', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /(?:\.md|stdin)$/.test(path))
      .map((path) => ({ name: join(folder, path), text: readIfText(join(root, folder, path)) }))
      .filter(({ text }) => {
        const { plan, issues } = parsePlan(text);
        return plan !== null && issues.every(({ severity }) => severity !== 'error');
      }),
  );
}

function readIfText(path: string): string {
  try {
    // CommonMark has no word on byte order marks.
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  } catch {
    return '';
  }
}

describe('the same blocks as CommonMark', () => {
  test('in the cases and examples', () => {
    const plans = storedPlans();
    expect(plans.length).toBeGreaterThan(20);
    for (const { name, text } of plans) expect(ourOutline(text), name).toEqual(commonmarkOutline(text));
  });

  test('in plans with real documents, correctly fenced', () => {
    const files = fencedFiles(join(root, 'node_modules')).filter(({ lines }) => lines.length < 400);
    for (const { name, twin } of arrange(files.slice(0, 150), 11, 3)) {
      expect(ourOutline(twin), name).toEqual(commonmarkOutline(twin));
    }
  });

  test('in written plans with any content', () => {
    fc.assert(
      fc.property(fc.oneof(completePlan, sparsePlan), fc.constantFrom('\n', '\r\n'), (plan, eol) => {
        // To CommonMark a lone CR ends a line, and NUL is another character.
        const text = writePlan(plan)
          .replace(/[\r\0]/g, '')
          .replaceAll('\n', eol);
        expect(ourOutline(text)).toEqual(commonmarkOutline(text));
      }),
      { numRuns: 400 },
    );
  });

  test.each([
    ['closing hashes', '# A #\n## B ##  \n### C #x\n#### D\\#\n##### #\n# #\n'],
    ['empty headings', '#\n##\n######\n####### seven\n'],
    ['headings of three spaces and four', '   # a\n\n    # b\n\ntext\n    # c\n'],
    ['a heading after a tab', '#\ta\n#\t\tb\t#\t\n'],
    ['fences with tabs', '```\n\ta\n```\t\n\n\t```\n\tcode\n'],
    ['a tab before a fence in a paragraph', 'text\n\t```\nmore\n'],
    ['an indented fence', '  ```\n  a\n b\n    c\n  ```\n'],
    ['a closing fence too far in', '```\na\n    ```\n```\n'],
    ['a longer closing fence', '```\na\n`````\n'],
    ['a shorter closing fence', '````\na\n```\n````\n'],
    ['tildes and backticks', '~~~ a`b\n```\n~~~\n``` a`b\ntext\n'],
    ['an unclosed fence', 'a\n\n```js\nb\n\nc\n'],
    ['an empty fence', '```\n```\n'],
    ['a fence with text after its closer', '```\na\n``` b\n```\n'],
    ['a fence that ends a list', '- a\n```\nb\n```\n'],
    ['a fence in a list item', '- a\n  ```\n  b\n  ```\n- c\n'],
    ['a fence in a list item, cut off by the end of the item', '- a\n  ```\n  b\nc\n'],
    ['a fence in a list item, with tabs', '- a\n\t```js\n\tb\n\t\tc\n\t```\n'],
    ['a fence in a list item, content less far in', '- a\n\n    ```\n  b\n      c\n    ```\n'],
    ['an indented fence with tabs inside', '  ```\n\ta\n \tb\n  ```\n'],
    ['a fence two lists deep', '- a\n  - b\n    ```\n    c\n    ```\n'],
    ['a quote that ends a list', '- a\n> b\n- c\n'],
    ['nested lists', '- a\n  - b\n    - c\n- d\n'],
    ['lists of other markers', '- a\n* b\n+ c\n1. d\n2. e\n1) f\n'],
    ['a number that does not interrupt a paragraph', 'text\n2. b\n\n2. c\n'],
    ['an empty item that does not interrupt a paragraph', 'text\n-\n\n-\n'],
    ['an item of code', '-     code\n- a\n'],
    ['a lazy line', '- a\nlazy\n- b\n\nnot lazy\n'],
    ['a rule, not an item', '- a\n- - -\n* * *\n'],
    ['a list after a rule', '---\n- a\n'],
    ['ten digits are no marker', '1234567890. a\n'],
    ['a comment over blocks', '<!--\n# a\n```\n-->\n# b\n'],
    ['a comment in one line', '<!-- a -->\n# b\n'],
    ['an item that begins with a blank line', '-\n  a\n- b\n'],
    ['a heading in an item', '- # a\n- b\n# c\n'],
    ['a quote, then a fence', '> a\n```\nb\n```\n'],
    ['CRLF', '# a\r\n\r\n```js\r\nb\r\n```\r\n- c\r\n'],
    ['no final newline', '# a\n```\nb\n```'],
    ['nothing', ''],
    ['blank lines', '\n \n\t\n'],
  ])('%s', (_, text) => {
    expect(ourOutline(text)).toEqual(commonmarkOutline(text));
  });
});

describe('where we differ from CommonMark, on purpose', () => {
  const types = (text: string) => scanBlocks(splitLines(text)).map(({ type }) => type);

  test('a heading of up to three hashes needs no space', () => {
    expect(types('#a\n##b\n###c\n####d\n')).toEqual(['heading', 'heading', 'heading', 'text']);
    expect(scanBlocks(splitLines('#a\n'))[0]).toMatchObject({ text: 'a', spaced: false });
  });

  test('a comment that never closes is text', () => {
    expect(types('<!-- a\n# b\n')).toEqual(['text', 'heading']);
  });
});

describe('the blocks inside a list item', () => {
  function itemBlocks(text: string): { type: string; text?: string }[] {
    const lines = splitLines(text);
    const list = scanBlocks(lines)[0]!;
    if (list.type !== 'list') throw new Error(`Not a list: ${text}`);
    return list.items
      .flatMap((item) => scanItem(lines, item))
      .map((block: Block) =>
        block.type === 'fence' ? { type: 'fence', text: fenceText(lines, block) } : { type: block.type },
      );
  }

  test('a fence keeps what is indented beyond it', () => {
    expect(itemBlocks('- a\n\n  ```\n  b\n    c\n  ```\n')).toEqual([
      { type: 'text' },
      { type: 'fence', text: 'b\n  c\n' },
    ]);
  });

  test('a list under the item', () => {
    expect(itemBlocks('- a\n    - b\n    - c\n')).toEqual([{ type: 'text' }, { type: 'list' }]);
  });

  test('an item that begins with a fence', () => {
    expect(itemBlocks('- ```\n  a\n  ```\n')).toEqual([{ type: 'fence', text: 'a\n' }]);
  });
});
