import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeResult } from '../../../src/core/task-result/judge.js';
import { readResult } from '../../../src/core/task-result/read.js';
import type { TaskResult } from '../../../src/core/task-result/types.js';
import { RESULT_EXAMPLE, writeResult } from '../../../src/core/task-result/write.js';
import { BLOCKED, FAILED } from './mutations.js';
import { change, SUBJECT } from './subject.js';

const RUNS = process.env.TEDDY_SOAK ? 20_000 : 400;

const line = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ maxLength: 30 }),
  fc.constantFrom(
    '',
    ' ',
    '  x',
    '- a',
    '# a',
    'a: b',
    'a #b',
    '---',
    '...',
    '```',
    '"',
    "it's",
    '\t',
    '\r',
    '\u0085',
    '\uFEFF',
    '\u202e',
    '\uD800',
    '*a',
    '&a',
    '!x',
    'null',
    'yes',
    '0',
    '~',
    '|',
    '{',
    '%',
  ),
);
const text = fc.oneof(
  line,
  fc.array(line, { minLength: 2, maxLength: 6 }).map((lines) => lines.join('\n')),
  fc
    .array(fc.constantFrom('a', ' b ', '', 'status: success'), { maxLength: 5 })
    .map((lines) => `${lines.join('\n')}\n`),
);
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const whole = fc.integer().map((value) => value + 0);

const result: fc.Arbitrary<TaskResult> = fc.record({
  status: fc.constantFrom('success', 'failure', 'blocked'),
  taskName: text,
  filesModified: fc.array(text, { maxLength: 4 }),
  verification: fc.record({ command: orNull(text), exitCode: orNull(whole), outputSummary: orNull(text) }),
  doneCriteriaMet: fc.boolean(),
  evidence: text,
  error: orNull(text),
  metadata: fc.record({
    durationMs: orNull(fc.nat({ max: 366 * 24 * 3600 * 1000 })),
    attempt: orNull(fc.integer({ min: 1, max: 1000 })),
    executorId: orNull(text.filter((id) => id !== '')),
  }),
});

test('what is written is read again, and nothing else', () => {
  fc.assert(
    fc.property(result, (written) => {
      const yaml = writeResult(written);
      const read = readResult(yaml);
      expect(read.result).toEqual(written);
      expect(read.wrapped).toBe(false);
      expect(read.yaml).toBe(yaml);
      expect(writeResult(read.result!)).toBe(yaml);
    }),
    { numRuns: RUNS },
  );
});

test('what is written between words is found there', () => {
  fc.assert(
    fc.property(result, fc.constantFrom('```', '~~~~', '````yaml'), (written, fence) => {
      const [close] = /^[`~]+/.exec(fence)!;
      const read = readResult(`Done.\n\n${fence}\n${writeResult(written)}${close}\n\nGood bye.\n`);
      expect(read.result).toEqual(written);
      expect(read.wrapped).toBe(true);
    }),
    { numRuns: RUNS / 4 },
  );
});

test('results of people stay what they are', () => {
  for (const written of [RESULT_EXAMPLE, change(FAILED), change(BLOCKED)]) {
    const { result: before } = readResult(written);
    const { result: after } = readResult(writeResult(before!));
    expect(after).toEqual(before);
  }
  const text = writeResult(readResult(RESULT_EXAMPLE).result!);
  expect(text).toContain('evidence: |\n  readPort refuses');
  expect(judgeResult(readResult(text), SUBJECT).verdict).toBe('VALID');
});

test('what hides is written so that it shows', () => {
  const { result: plain } = readResult(RESULT_EXAMPLE);
  const yaml = writeResult({ ...plain!, evidence: 'a\u202eb\nc\u200bd\u001b[31m', error: '\uFEFF' });
  expect(yaml).toMatch(/^[\n\x20-\x7e]+$/);
  expect(yaml).toContain('"a\\u202eb\\nc\\u200bd\\u001b[31m"');
});
