import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FileText, findEdit, findEditIn } from '../../../src/core/plan/edit/match.js';

const line = fc.oneof(
  fc.constantFrom(
    '',
    '  ',
    '}',
    '  }',
    'a',
    ' a',
    'a ',
    '“a”',
    '"a"',
    'return x;',
    '\treturn x;',
    'const value = 1;',
  ),
  fc.string({ maxLength: 12 }),
);
const block = (most: number) =>
  fc
    .tuple(fc.array(line, { maxLength: most }), fc.constantFrom('\n', '\r\n'), fc.constantFrom('', '\ufeff'))
    .map(([lines, ending, mark]) => mark + lines.join(ending));

test('edits that share a file find what each of them finds alone', () => {
  fc.assert(
    fc.property(
      block(40),
      fc.array(fc.tuple(block(4), block(4)), { minLength: 2, maxLength: 12 }),
      (text, pairs) => {
        const file = new FileText(text);
        for (const [find, replace] of [...pairs, ...pairs]) {
          expect(findEditIn(file, find, replace)).toEqual(findEdit(text, find, replace));
        }
      },
    ),
    { numRuns: 3000 },
  );
});

test('lines of the file are found as well as any others', () => {
  fc.assert(
    fc.property(
      block(40),
      fc.array(fc.tuple(fc.nat(40), fc.nat(4)), { minLength: 3, maxLength: 8 }),
      (text, cuts) => {
        const file = new FileText(text);
        const lines = text.replace('\ufeff', '').split(/\r?\n/);
        for (const [at, count] of cuts) {
          const find = lines.slice(at, at + count).join('\n  ');
          expect(findEditIn(file, find, 'x')).toEqual(findEdit(text, find, 'x'));
        }
      },
    ),
    { numRuns: 2000 },
  );
});

const missing = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    find: `function other_${i}() {\n  return ${i} ?? nothing;\n}`,
    replace: `gone_${i}()`,
    line: i + 1,
  }));
test('similar lines are looked for as long as that is reasonable, and else the miss says that they were not', () => {
  const file = new FileText('x'.repeat(90_000_000));
  const hints = missing(4).map(({ find, replace }) => {
    const match = findEditIn(file, find, replace);
    return match.status === 'missing' && match.miss;
  });
  expect(hints.slice(0, 2)).toEqual(Array(2).fill({ reason: 'not-found', alreadyApplied: false }));
  expect(hints.slice(2)).toEqual(
    Array(2).fill({ reason: 'not-found', alreadyApplied: false, unsearched: true }),
  );
});
