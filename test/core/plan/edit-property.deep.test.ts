import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdit } from '../../../src/core/plan/edit/apply.js';
import {
  type EditMatch,
  type EditTier,
  type FoundEdit,
  findEdit,
} from '../../../src/core/plan/edit/match.js';
import { describeMiss } from '../../../src/core/plan/edit/miss.js';
import { SOAK } from '../../workspace/faults/random.js';
import { askOracle, countOverlapping, listLines } from './edit-oracle.js';

const RUNS = { numRuns: SOAK ? 20_000 : 1000 };

const LOOSE: EditTier[] = ['indent', 'unicode', 'leading-space', 'blank-lines'];
const TIERS: EditTier[] = ['exact', 'line-endings', 'trailing-space', ...LOOSE];

const content = fc.constantFrom('', '', 'a', 'b', 'a b', '}', 'x = 1', 'max = 1', '"a"', '“a”', '- b', '– b');
const indent = fc.constantFrom('', '', '  ', '    ', '\t', '\u00a0 ');
const trail = fc.constantFrom('', '', '', ' ', '\t');
const fileLine = fc.tuple(indent, content, trail).map((parts) => parts.join(''));

const file = fc
  .record({
    bom: fc.constantFrom('', '', '', '\ufeff'),
    lines: fc.array(fileLine, { minLength: 1, maxLength: 14 }),
    endings: fc.constantFrom(['\n'], ['\n'], ['\r\n'], ['\n', '\r\n']),
    isClosed: fc.boolean(),
  })
  .map(({ bom, lines, endings, isClosed }) => {
    const ended = lines.map((line, index) => line + endings[index % endings.length]!);
    if (!isClosed) ended[ended.length - 1] = lines.at(-1)!;
    return bom + ended.join('');
  });

/** A span of whole lines, and ways to write it otherwise. */
const span = fc.record({
  from: fc.nat(13),
  count: fc.integer({ min: 1, max: 4 }),
  shift: fc.constantFrom('', '', '  ', '\t', '-'),
  ending: fc.constantFrom('\n', '\r\n'),
  tidies: fc.boolean(),
  folds: fc.boolean(),
  edges: fc.tuple(fc.nat(2), fc.nat(2)),
});

function perturb(lines: string[], how: typeof span extends fc.Arbitrary<infer T> ? T : never): string {
  const shifted = lines.map((line) => {
    if (line.trim() === '') return line;
    return how.shift === '-' ? line.replace(/^(\t| {2})/, '') : how.shift + line;
  });
  const tidied = how.tidies ? shifted.map((line) => line.trimEnd()) : shifted;
  const folded = how.folds
    ? tidied.map((line) => line.replaceAll('“', '"').replaceAll('”', '"').replaceAll('–', '-'))
    : tidied;
  const [top, bottom] = how.edges;
  return [...Array<string>(top).fill(''), ...folded, ...Array<string>(bottom).fill('')].join(how.ending);
}

describe('findEdit', () => {
  it('finds a substring where it is, or says why not', () => {
    const token = fc.constantFrom('a', 'b', ' ', '_', 'é', '.', '\n', 'ab', '😀');
    const text = fc.array(token, { minLength: 1, maxLength: 60 }).map((tokens) => tokens.join(''));
    fc.assert(
      fc.property(text, fc.nat(), fc.integer({ min: 1, max: 12 }), (whole, seed, length) => {
        const start = seed % whole.length;
        const find = whole.slice(start, start + length);
        const places = countOverlapping(whole, find);
        const match = findEdit(whole, find);
        if (places.length > 1) {
          expect(match).toMatchObject({ status: 'ambiguous', tier: 'exact', count: places.length });
        } else if (match.status === 'missing') {
          expect(match.miss.reason).toBe('inside-word');
        } else {
          expectExact(whole, start, find, match);
        }
      }),
      RUNS,
    );
  });

  it('answers as the rules do', () => {
    const find = fc.oneof(
      fc.array(fileLine, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n')),
      fc.constant(undefined),
    );
    fc.assert(
      fc.property(file, span, find, (text, how, other) => {
        const lines = listLines(text).map((line) => line.content);
        const from = how.from % lines.length;
        const wanted = other ?? perturb(lines.slice(from, from + how.count), how);
        if (wanted !== '') expectAsOracle(text, wanted, findEdit(text, wanted));
      }),
      RUNS,
    );
  });

  it('never takes another place for a span of lines that was written otherwise', () => {
    fc.assert(
      fc.property(file, span, (text, how) => {
        const lines = listLines(text);
        const from = how.from % lines.length;
        const taken = lines.slice(from, from + how.count);
        const find = perturb(
          taken.map((line) => line.content),
          how,
        );
        const match = findEdit(text, find);
        if (match.status !== 'found') return;
        const first = taken.find((line) => line.content.trim() !== '');
        if (!first || (match.start <= first.start + first.content.length && first.start <= match.end)) return;
        // Only what is literally there, or by a tighter tier than the true place needs, may win over it.
        const answer = askOracle(text, find)!;
        expect(answer.starts).not.toContain(first.start);
        if (answer.tier !== 'exact') expect(match.tier).toBe(answer.tier);
      }),
      RUNS,
    );
  });

  it('never throws, and always has words for a miss', () => {
    const any = fc.string({ unit: 'binary', maxLength: 40 });
    const rough = fc.array(fc.constantFrom('\ud800', '\udc00', '\r', '\n', '\ufeff', ' ', 'a'), {
      maxLength: 12,
    });
    const text = fc.oneof(
      any,
      rough.map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, text, text, (whole, find, replace) => {
        const match = findEdit(whole, find, replace);
        if (match.status === 'missing') expect(describeMiss(match.miss)).not.toBe('');
        if (match.status !== 'found') return;
        const result = applyEdit(whole, match, find, replace);
        if (result.status === 'refused') expectDoubt(whole, match);
      }),
      RUNS,
    );
  });
});

describe('applyEdit', () => {
  it('changes nothing outside the span, and puts REPLACE there', () => {
    const replacement = fc.array(fileLine, { maxLength: 4 });
    fc.assert(
      fc.property(file, span, replacement, (text, how, lines) => {
        const all = listLines(text).map((line) => line.content);
        const from = how.from % all.length;
        const find = perturb(all.slice(from, from + how.count), how);
        const match = findEdit(text, find);
        if (match.status !== 'found') return;
        const result = applyEdit(text, match, find, lines.join('\n'));
        if (result.status === 'refused') return expectDoubt(text, match);
        expect(result.text.startsWith(text.slice(0, match.start))).toBe(true);
        expect(result.text.endsWith(text.slice(match.end))).toBe(true);
        if (text.startsWith('\ufeff')) expect(result.text.startsWith('\ufeff')).toBe(true);
        if (!text.includes('\r')) expect(result.text).not.toContain('\r');
        if (text.includes('\n') && !/(^|[^\r])\n/.test(text)) expect(result.text).not.toMatch(/[^\r]\n/);
      }),
      RUNS,
    );
  });

  it('writes an exact edit of a file with LF byte for byte', () => {
    const text = fc.array(fc.constantFrom('a', ' ', '.', '\n', '$&'), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(text, fc.nat(), fc.integer({ min: 1, max: 9 }), text, (tokens, seed, length, others) => {
        const whole = `${tokens.join('')}end.\n`;
        const start = seed % (whole.length - 1);
        const find = whole.slice(start, Math.min(start + length, whole.length - 1));
        const replace = others.join('');
        const match = findEdit(whole, find);
        if (match.status !== 'found') return;
        const expected = whole.slice(0, start) + replace + whole.slice(start + find.length);
        const result = applyEdit(whole, match, find, replace);
        if (result.status === 'refused') return expectDoubt(whole, match);
        if (match.tier === 'exact') expect(result.text).toBe(expected);
      }),
      RUNS,
    );
  });
});

function expectAsOracle(text: string, find: string, match: EditMatch): void {
  const answer = askOracle(text, find);
  if (answer === undefined) {
    expect(match.status).toBe('missing');
  } else if (answer.starts.length > 1) {
    expect(match).toMatchObject({ status: 'ambiguous', tier: answer.tier, count: answer.starts.length });
  } else if (answer.tier === 'exact') {
    expectExact(text, answer.starts[0]!, find, match);
  } else {
    expect(match).toMatchObject({ status: 'found', tier: answer.tier });
    if (match.status !== 'found') return;
    const lead = text.slice(match.start, answer.starts[0]);
    expect(lead.replaceAll('\u00a0', ' ').trim()).toBe('');
    expect(TIERS).toContain(match.tier);
  }
}

function expectExact(text: string, start: number, find: string, match: EditMatch): void {
  if (match.status === 'missing') {
    expect(match.miss.reason).toBe('inside-word');
    return;
  }
  if (match.status !== 'found') throw new Error('one exact hit is not ambiguous');
  expect(match.end).toBe(start + find.length);
  if (match.tier === 'leading-space') expect(indentBefore(text, start)).toBe(text.slice(match.start, start));
  else expect(match.start).toBe(match.tier === 'exact' ? start : start - 1);
}

/** What is refused either differs from the file in more than line ends, or begins inside an indent. */
function expectDoubt(text: string, { tier, start }: FoundEdit): void {
  if (!LOOSE.includes(tier)) expect(indentBefore(text, start)).not.toBe('');
}

/** The white space between a line's start and an offset; empty where there is something else. */
function indentBefore(text: string, offset: number): string {
  return /(?:^\ufeff?|\n)([^\S\n\ufeff]*)$/.exec(text.slice(0, offset))?.[1] ?? '';
}
