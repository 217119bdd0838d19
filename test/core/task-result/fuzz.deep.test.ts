import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeResult } from '../../../src/core/task-result/judge.js';
import { readResult } from '../../../src/core/task-result/read.js';
import { RESULT_ISSUES } from '../../../src/core/task-result/types.js';
import { RESULT_EXAMPLE } from '../../../src/core/task-result/write.js';
import { expectLinear } from '../../growth.js';
import { MUTATIONS } from './mutations.js';
import { LINES, SUBJECT } from './subject.js';

const RUNS = process.env.TEDDY_SOAK ? 30_000 : 300;
const SIZE = process.env.TEDDY_SOAK ? 1_000_000 : 10_000;

/** Reads and judges, and holds to what every verdict promises. */
function takeApart(text: string) {
  const read = readResult(text);
  const verdict = judgeResult(read, SUBJECT);
  const lines = text.split('\n').length;
  for (const { code, severity, line, message } of verdict.issues) {
    expect(severity).toBe(RESULT_ISSUES[code].severity);
    expect(message.length).toBeLessThan(2000);
    if (line !== undefined) {
      expect(line).toBeGreaterThanOrEqual(1);
      expect(line).toBeLessThanOrEqual(lines);
    }
  }
  const failed = verdict.issues.some(({ severity }) => severity === 'error');
  expect(verdict.verdict === 'INVALID').toBe(failed);
  if (read.result === null) expect(failed).toBe(true);
  expect(verdict.checks.map(({ rule }) => rule)).toEqual(['schema', 'status', 'task', 'files']);
  expect(text).toContain(read.yaml);
  return verdict;
}

const texts = MUTATIONS.map(({ text }) => text).filter((text) => text.length < 10_000);
const piece = fc.oneof(
  fc.constantFrom(...LINES, ...LINES.map((line) => line.trim())),
  fc.constantFrom(
    '```',
    '```yaml',
    '~~~',
    '---',
    '...',
    '{',
    '}',
    '- ',
    '  ',
    '\t',
    '\r',
    '\uFEFF',
    '? ',
    ': ',
    '| ',
    '&a',
    '*a',
    '<<: *a',
    '!x',
    '"',
    "'",
    '\0',
    '#',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

test('any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => void takeApart(text)),
    { numRuns: RUNS },
  );
});

test('any lines that results are made of', () => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 40 }),
      fc.constantFrom('\n', '\n', ' ', '\r\n'),
      (pieces, between) => {
        takeApart(pieces.join(between));
      },
    ),
    { numRuns: RUNS },
  );
});

test('two results cut and joined', () => {
  const one = fc.constantFrom(RESULT_EXAMPLE, ...texts);
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(one, one, place, place, piece, (a, b, from, to, between) => {
      takeApart(a.slice(0, from * a.length) + between + b.slice(to * b.length));
    }),
    { numRuns: RUNS },
  );
});

test('any one character taken out or put in', () => {
  fc.assert(
    fc.property(fc.nat(RESULT_EXAMPLE.length - 1), piece, fc.boolean(), (at, put, out) => {
      takeApart(RESULT_EXAMPLE.slice(0, at) + (out ? '' : put) + RESULT_EXAMPLE.slice(out ? at + 1 : at));
    }),
    { numRuns: RUNS },
  );
});

test.each([
  '- a\n',
  '[',
  '{',
  '{"status":',
  '? ',
  'a: ',
  '- ',
  '&a x\n',
  '- *a\n',
  '"',
  "'",
  '\n',
  '# x\n',
  '```\n',
  '```yaml\nstatus: x\n',
  '~~~\n```\n',
  '---\n',
  '%A\n',
  'status: success\n',
  'status: x\ntask_name: y\nerror: z\n',
  '}\n',
  '"a" "b" ',
  'a\n: b\n',
  '!x ',
  '\t',
  '\0',
  ' ',
  '\r',
  'evidence: |\n',
  '  \n',
  ':\n',
  '{\n',
  'words and words\n',
  'task_name: a: b\n',
])('much of %j', (unit) => {
  expectLinear(SIZE, (size) => {
    const text = unit.repeat(size / unit.length);
    takeApart(text);
    takeApart(`${RESULT_EXAMPLE}x: ${text}`);
    takeApart(`evidence: |\n${text}`);
  });
});
