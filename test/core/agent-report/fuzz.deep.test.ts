import fc from 'fast-check';
import { expect, test } from 'vitest';
import { REPORT_ISSUES } from '../../../src/core/agent-report/issue-codes.js';
import { judgeReport, judgeValue } from '../../../src/core/agent-report/judge.js';
import type { Judgement, JudgeOptions } from '../../../src/core/agent-report/types.js';
import type { JsonValue } from '../../../src/core/json/values.js';
import { CONTRACT_EXAMPLE, CONTRACT_TEXT } from './fixtures/contract-example.js';
import { mutationsOf } from './from-schema.js';
import { MUTATIONS } from './mutations.js';
import { OPTIONS } from './subject.js';

const numRuns = process.env.TEDDY_SOAK ? 30_000 : 400;

/** What every judgement promises, whatever came in. */
function holdToPromises(judgement: Judgement): void {
  const { issues, compliant, report, value } = judgement;
  for (const { code, severity, path, message, hint } of issues) {
    expect(severity).toBe(REPORT_ISSUES[code].severity);
    expect(path).toMatch(/^\$/);
    expect(message).toMatch(/^\S.*\.$/s);
    expect(message.length).toBeLessThan(2000);
    expect((hint ?? '').length).toBeLessThan(2000);
  }
  expect(issues.length).toBeLessThan(600);
  expect(compliant).toBe(issues.every(({ severity }) => severity !== 'error'));
  expect(report).toBe(compliant ? value : null);
}

const asked = fc.record({
  agent: fc.option(fc.constantFrom('investigator', 'Reviewer', 'nobody')),
  taskId: fc.option(fc.constantFrom('a', CONTRACT_EXAMPLE.report_metadata.task_id)),
  verbosity: fc.option(fc.constantFrom('summary' as const, 'detailed' as const)),
});
const options: fc.Arbitrary<JudgeOptions> = fc
  .tuple(asked, fc.boolean())
  .map(([asked, lenient]) => ({ ...OPTIONS, asked, lenient }));

test('whatever the value, a judgement comes out', () => {
  const mutated = mutationsOf(CONTRACT_EXAMPLE).chain(mutationsOf).chain(mutationsOf);
  const values = fc.oneof(fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>, mutated);
  fc.assert(
    fc.property(values, options, (value, options) => holdToPromises(judgeValue(value, options))),
    { numRuns },
  );
});

const seeds = [CONTRACT_TEXT, ...MUTATIONS.map(({ text }) => text).filter((text) => text.length < 10_000)];
const piece = fc.oneof(
  fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    ',',
    ':',
    '\\',
    '```',
    '\n',
    'null',
    '"report_metadata"',
    '\uD800',
    '\0',
    '~~~',
  ),
  fc.string({ maxLength: 5, unit: 'binary' }),
);

test('whatever the text, a judgement comes out', () => {
  const cut = fc
    .tuple(fc.constantFrom(...seeds), fc.array(fc.tuple(fc.nat(), fc.nat(30), piece), { maxLength: 4 }))
    .map(([seed, edits]) =>
      edits.reduce((text, [at, length, put]) => {
        const from = at % (text.length + 1);
        return text.slice(0, from) + put + text.slice(from + length);
      }, seed),
    );
  fc.assert(
    fc.property(fc.oneof(cut, fc.string({ unit: 'binary' })), options, (text, options) => {
      const judgement = judgeReport(text, options);
      holdToPromises(judgement);
      if (judgement.compliant && !options.lenient)
        expect(JSON.parse(text.replace(/^\uFEFF/, ''))).toEqual(judgement.report);
    }),
    { numRuns },
  );
});

test('keys without number, and keys that every object has, are told within bounds', () => {
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i]));
  const inherited = { constructor: 1, toString: 2, hasOwnProperty: 3, valueOf: null };
  for (const value of [
    many,
    { ...CONTRACT_EXAMPLE, ...many },
    { report_metadata: { ...many, ...inherited }, findings: { ...many, ...inherited } },
    { report_metadata: inherited, findings: inherited, ...inherited },
  ] as JsonValue[])
    holdToPromises(judgeValue(value, OPTIONS));
});
