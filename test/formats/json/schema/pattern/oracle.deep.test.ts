import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compilePattern, type Pattern } from '../../../../../src/core/json/schema/pattern/pattern.js';

const RUNS = process.env.TEDDY_SOAK ? 50_000 : 1_000;
const TIMEOUT = 60_000 + RUNS * 20;

const ATOMS = [
  'a',
  'b',
  'ab',
  '_',
  'é',
  '😀',
  '.',
  '\\.',
  '\\/',
  '\\d',
  '\\D',
  '\\w',
  '\\W',
  '\\s',
  '\\S',
  '\\n',
  '\\t',
  '\\0',
  '\\cA',
  '\\x61',
  '\\u0061',
  '\\u{61}',
  '\\u{1F600}',
  '\\uD83D\\uDE00',
  '\\uD83D',
  '\\p{L}',
  '\\P{L}',
  '\\p{Lu}',
  '\\p{Script=Greek}',
  '[]',
  '[^]',
  '[ab]',
  '[^ab]',
  '[a-c]',
  '[^\\w]',
  '[\\d\\s_]',
  '[-a]',
  '[a-]',
  '[\\-a]',
  '[a-b-c]',
  '[\\b]',
  '[😀é]',
  '[\\u{1F600}-\\u{1F64F}]',
  '[\\p{L}\\d]',
  '[^\\P{L}]',
  '[[(.^$|*+?{}]',
];
const EDGES = ['^', '$', '\\b', '\\B'];
const TIMES = ['*', '+', '?', '{2}', '{0}', '{1,}', '{0,2}', '{2,3}', '*?', '+?', '??', '{1,2}?'];

const pattern = fc.letrec<{ choice: string; sequence: string; term: string; atom: string }>((tie) => ({
  choice: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((options) => options.join('|')),
  sequence: fc.array(tie('term'), { maxLength: 4 }).map((terms) => terms.join('')),
  term: fc.oneof(
    { arbitrary: tie('atom'), weight: 4 },
    { arbitrary: fc.tuple(tie('atom'), fc.constantFrom(...TIMES)).map((parts) => parts.join('')), weight: 3 },
    { arbitrary: fc.constantFrom(...EDGES), weight: 1 },
  ),
  atom: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { arbitrary: fc.constantFrom(...ATOMS), weight: 4 },
    {
      arbitrary: fc
        .tuple(fc.constantFrom('(', '(?:'), tie('choice'))
        .map(([open, inner]) => `${open}${inner})`),
      weight: 2,
    },
  ),
})).choice;

const CHARACTERS = ['a', 'b', 'c', 'A', '_', '-', '1', ' ', '\n', '\u2028', '\ufeff', '.', 'é', 'Ω', '😀'];
const text = fc
  .array(fc.constantFrom(...CHARACTERS, '\ud83d', '\ude00', '\0', '\b', '\u0001'), { maxLength: 8 })
  .map((characters) => characters.join(''));
const texts = fc.array(text, { minLength: 12, maxLength: 12 });

/**
 * Between the two halves of a character there is no place, but the oracle finds `\\B` there, so such texts are left out.
 */
function askBoth(pattern: Pattern, oracle: RegExp, all: readonly string[]) {
  const asked = oracle.source.includes('\\B')
    ? all.filter((one) => !/[\u{10000}-\u{10ffff}]/u.test(one))
    : all;
  return {
    got: asked.map((one) => pattern.test(one, { left: 1_000_000 })),
    wanted: asked.map((one) => oracle.test(one)),
  };
}

test('A pattern that is read finds what RegExp finds', { timeout: TIMEOUT }, () => {
  const seen = { hits: 0, misses: 0 };
  fc.assert(
    fc.property(pattern, texts, (source, all) => {
      const read = compilePattern(source);
      if (read.status === 'refused') throw new Error(read.message);
      const { got, wanted } = askBoth(read.pattern, new RegExp(source, 'u'), all);
      seen.hits += wanted.filter((answer) => answer).length;
      seen.misses += wanted.filter((answer) => !answer).length;
      expect(got).toEqual(wanted);
    }),
    { numRuns: RUNS },
  );
  expect(Math.min(seen.hits, seen.misses)).toBeGreaterThan(RUNS);
});

const NOT_READ = /which is not read here|too many groups|more than 2000 states|plain name of its own/;

const scraps = fc
  .array(
    fc.constantFrom(
      ...'ab1-,^$.|()[]{}*+?\\/_<>=!:'.split(''),
      ...[
        '(?:',
        '(?<n>',
        '(?=a)',
        '(?<!b)',
        '(?=',
        '(a)\\1',
        '(?<n>b)\\k<n>',
        '(?!',
        '\\d',
        '\\b',
        '\\B',
        '\\1',
        '\\k<n>',
        '\\u',
        '\\u{',
        '\\x4',
        '\\c',
      ],
      ...[
        '{1',
        '{2,',
        '{3,1}',
        '\\p{L',
        '\\p{Nope}',
        '\\-',
        '\\ ',
        '\\a',
        '[^',
        '[a-',
        '-z]',
        '\\0',
        '00',
        'é',
      ],
    ),
    { maxLength: 7 },
  )
  .map((parts) => parts.join(''));

test('Whatever stands in a pattern: what is read RegExp reads too, and what is not has a reason', {
  timeout: TIMEOUT,
}, () => {
  const seen = { read: 0, wrong: 0, beyond: 0 };
  fc.assert(
    fc.property(scraps, texts, (source, all) => {
      const read = compilePattern(source);
      const oracle = tryRegExp(source);
      if (oracle === null) seen.wrong++;
      else if (read.status === 'refused') seen.beyond++;
      else seen.read++;
      if (read.status === 'refused') {
        if (oracle !== null)
          expect([source, read.message]).toEqual([source, expect.stringMatching(NOT_READ)]);
        return;
      }
      if (oracle === null) throw new Error('It is read, but it is no pattern.');
      const { got, wanted } = askBoth(read.pattern, oracle, all);
      expect(got).toEqual(wanted);
    }),
    { numRuns: RUNS * 2 },
  );
  expect(Math.min(seen.read, seen.wrong, seen.beyond)).toBeGreaterThan(RUNS / 100);
});

function tryRegExp(source: string): RegExp | null {
  try {
    return new RegExp(source, 'u');
  } catch {
    return null;
  }
}
