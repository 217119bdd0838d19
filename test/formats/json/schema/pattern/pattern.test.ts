import { describe, expect, test } from 'vitest';
import { compilePattern } from '../../../../../src/core/json/schema/pattern/pattern.js';

const BUDGET = 20_000_000;

function find(source: string, text: string): boolean {
  const read = compilePattern(source);
  if (read.status === 'refused') throw new Error(read.message);
  const budget = { left: BUDGET };
  const found = read.pattern.test(text, budget);
  if (budget.left < 0) throw new Error('There is no verdict.');
  return found;
}

function problemOf(source: string): string {
  const read = compilePattern(source);
  return read.status === 'refused' ? read.message : 'none';
}

describe('What is found', () => {
  const CASES: [source: string, found: string[], missed: string[]][] = [
    ['', ['', 'a'], []],
    ['abc', ['abc', 'xabcx'], ['ab', 'ABC', '']],
    ['^a|b$', ['ax', 'xb'], ['xa', 'bx', '']],
    ['^(?:\\d{4})-(\\d\\d)$', ['2024-01'], ['2024-1', '20240-01', 'x2024-01']],
    ['^.$', ['a', '😀', '\ud83d'], ['', 'ab', '\n', '\u2028']],
    ['^[^a-c]$', ['d', '\n', '😀'], ['a', 'c', '']],
    ['^\\p{Lu}\\p{Ll}*$', ['Éa', 'Ωμέγα'], ['éa', 'A1']],
    ['\\bcat\\b', ['a cat!', 'cat'], ['concat', 'cats', 'cat_']],
    ['^\\u{1F600}\\uD83D\\uDE00\\x41\\u0042\\cJ\\0$', ['😀😀AB\n\0'], ['😀AB\n\0']],
    ['^(?<a>x)(?<b>y)$', ['xy'], ['x']],
    ['^a{2,3}?$', ['aa', 'aaa'], ['a', 'aaaa']],
    ['^(|a)+$', ['', 'aa'], ['b']],
    ['^(?:a?){3}$', ['', 'aaa'], ['aaaa']],
    ['[]', [], ['', 'a']],
    ['^[^]$', ['a', '\n'], ['', 'ab']],
    ['x$y|$', ['', 'x'], []],
    ['\\$\\(\\w+\\)\\{', ['a $(b){'], ['a (b){']],
  ];
  test.each(CASES)('%s', (source, found, missed) => {
    expect(found.filter((text) => !find(source, text))).toEqual([]);
    expect(missed.filter((text) => find(source, text))).toEqual([]);
  });
});

describe('What is refused, with its reason', () => {
  const CASES: [source: string, reason: string][] = [
    ['(?=a)b', 'looks ahead or behind with (?=…), which is not read here'],
    ['a(?!b)', 'looks ahead or behind with (?!…), which is not read here'],
    ['(?<=a)b', 'looks ahead or behind with (?<=…), which is not read here'],
    ['(?<!a)b', 'looks ahead or behind with (?<!…), which is not read here'],
    ['(a)\\1', 'refers back to a group with \\1, which is not read here'],
    ['(?<n>a)\\k<n>', 'refers back to a group with \\k, which is not read here'],
    ['(?<n>a)(?<n>b)', 'has a group without a plain name of its own; write (?:…)'],
    ['(?i:a)', 'has a group that begins with (?i, which is not read here; write (?:…)'],
    ['(a', 'has a "(" that is not closed; as a character it is written \\('],
    ['a)', 'has a ")" too many; as a character it is written \\)'],
    ['[a', 'has a "[" that is not closed; as a character it is written \\['],
    ['[z-a]', 'has a range in […] that does not go from a lower to a higher character; write \\- for a dash'],
    [
      '[\\w-z]',
      'has a range in […] that does not go from a lower to a higher character; write \\- for a dash',
    ],
    ['*a', 'has a "*" with nothing before it that could be repeated'],
    ['a**', 'has a "*" with nothing before it that could be repeated'],
    ['^*', 'repeats a place, such as ^ or $, which is not a character'],
    ['a{2,1}', 'repeats something at least 2 and at most 1 times'],
    ['a{x}', 'has a "{" that must be written \\{, or as in a{2,5}'],
    ['}', 'has a "}" that must be written \\}'],
    [']', 'has a "]" that must be written \\]'],
    ['\\-', 'has \\-, which means nothing; write - without the backslash'],
    ['a\\', 'ends with a backslash'],
    ['\\u12', '\\u must be followed by four digits or by {…}, as in \\u00e9 or \\u{1f600}'],
    ['\\u{110000}', '\\u must be followed by four digits or by {…}, as in \\u00e9 or \\u{1f600}'],
    ['\\xg', '\\x must be followed by two digits, as in \\x41'],
    ['\\p{Nothing}', 'has a property of characters that is not known; write it as \\p{L} or \\p{Lu}'],
    ['\\01', 'refers back to a group with \\0, which is not read here'],
    [
      'a{2001}',
      'has more than 2000 states with its repetitions written out; make them smaller, or say it with minLength and maxLength',
    ],
    [
      '(?:(?:a{100}){100}){100}',
      'has more than 2000 states with its repetitions written out; make them smaller, or say it with minLength and maxLength',
    ],
    [
      'a{99999999999999999999,}',
      'has more than 2000 states with its repetitions written out; make them smaller, or say it with minLength and maxLength',
    ],
  ];
  test.each(CASES)('%s', (source, reason) => {
    expect(problemOf(source)).toBe(`The pattern ${JSON.stringify(source)} ${reason}.`);
  });

  test('Patterns without end', () => {
    expect(problemOf('a'.repeat(10_001))).toMatch(/^The pattern "a{79}…" has more than 10000 characters\.$/);
    expect(problemOf('('.repeat(101) + ')'.repeat(101))).toMatch(
      / has too many groups one inside the other\.$/,
    );
    expect(problemOf('('.repeat(100) + ')'.repeat(100))).toBe('none');
  });
});

describe('Patterns that make others hang are matched at once', () => {
  const many = 'a'.repeat(100_000);
  // A matcher that goes back would need more steps than there are atoms; this one has a budget of twenty million.
  test.each([
    ['^(a+)+$', `${many}b`],
    ['^(a|a)*$', `${many}b`],
    ['^(a|aa)+$', `${many}b`],
    ['(?:a*)*b', many],
    ['^(?:a?){50}a{50}b$', many],
    ['(.*)(.*)(.*)(.*)(.*)x', many],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', many],
    ['\\s+$', `${' '.repeat(100_000)}x`],
  ])('%s', (source, text) => {
    expect(find(source, text)).toBe(false);
  });

  test('One that has as many situations as a text can show ends without a verdict', () => {
    const read = compilePattern('^[ab]*a[ab]{1500}c$');
    if (read.status === 'refused') throw new Error(read.message);
    const next = createRandom();
    const text = Array.from({ length: 100_000 }, () => 'ab'[next(2)]).join('');
    const budget = { left: 1_000_000 };
    expect(read.pattern.test(text, budget)).toBe(false);
    expect(budget.left).toBeLessThan(0);
  });
});

test('What is remembered from text to text changes nothing, even when it is begun anew', () => {
  // Thousands of situations: more than are kept.
  const source = '^[ab]*a[ab]{12}$';
  const read = compilePattern(source);
  if (read.status === 'refused') throw new Error(read.message);
  const oracle = new RegExp(source, 'u');
  const next = createRandom();
  const texts = Array.from({ length: 2_000 }, () =>
    Array.from({ length: 10 + next(30) }, () => 'abababababac'[next(12)]).join(''),
  );
  const wanted = texts.map((text) => oracle.test(text));
  expect(texts.map((text) => read.pattern.test(text, { left: BUDGET }))).toEqual(wanted);
  expect(wanted.filter((found) => found).length).toBeGreaterThan(100);
});

test('More sorts of characters than are kept', () => {
  const letters = Array.from({ length: 900 }, (_, index) => String.fromCodePoint(0x4e00 + index));
  const read = compilePattern(`^(?:${letters.join('|')})$`);
  if (read.status === 'refused') throw new Error(read.message);
  const ask = (text: string) => read.pattern.test(text, { left: BUDGET });
  for (let round = 0; round < 2; round++) {
    expect(letters.filter((letter) => !ask(letter))).toEqual([]);
    expect(['a', '', 'é', `${letters[0]}${letters[1]}`].filter(ask)).toEqual([]);
  }
});

test('A long class that is asked about many characters is paid for', () => {
  const ranges = Array.from({ length: 2_000 }, (_, index) => String.fromCodePoint(0x4e00 + 2 * index));
  const read = compilePattern(`^[${ranges.join('')}]*x`);
  if (read.status === 'refused') throw new Error(read.message);
  const text = Array.from({ length: 20_000 }, (_, index) =>
    String.fromCodePoint(0x4e00 + ((2 * index) % 4_000)),
  );
  const budget = { left: 1_000_000 };
  expect(read.pattern.test(`${text.join('')}x`, budget)).toBe(false);
  expect(budget.left).toBeLessThan(0);
  expect(read.pattern.test(`${text.slice(0, 100).join('')}x`, { left: BUDGET })).toBe(true);
});

/** The same numbers each time. */
function createRandom(): (below: number) => number {
  let state = 7;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
