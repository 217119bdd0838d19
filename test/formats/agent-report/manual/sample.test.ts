import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeValue } from '../../../../src/core/agent-report/judge.js';
import { sampleReport } from '../../../../src/core/agent-report/manual/sample.js';
import { compileSchema } from '../../../../src/core/json/schema/compile.js';
import type { JsonObject, JsonValue } from '../../../../src/core/json/types.js';
import { makeManual } from '../subject.js';

const sampleOf = (properties: JsonObject, more: JsonObject = {}) =>
  sampleReport(makeManual({ type: 'object', properties, ...more }), 'detailed')?.findings;

test('a sample is a whole report of the level', () => {
  const sample = sampleReport(makeManual({ type: 'object' }), 'summary');
  expect(sample).toMatchObject({
    report_metadata: { agent_name: 'surveyor', status: 'completed', verbosity_level: 'summary' },
    findings: {},
    blockers: [],
  });
});

test('there is none of a level that the manual does not offer', () => {
  const manual = makeManual({ type: 'object' }, { levels: [{ level: 'detailed', holds: '' }] });
  expect(sampleReport(manual, 'summary')).toBeNull();
  expect(sampleReport(manual, 'detailed')).not.toBeNull();
});

describe('what a value is made from', () => {
  test.each<[JsonObject, JsonValue]>([
    [{ const: 7 }, 7],
    [{ enum: ['b', 'a'] }, 'b'],
    [{ type: 'integer', default: 3 }, 3],
    [{ type: 'string', examples: ['like this'] }, 'like this'],
    [{ type: 'string', description: 'What  is\nso.' }, 'What is so.'],
    [{ type: 'string' }, 'The a value'],
    [{ type: 'string', maxLength: 3 }, 'The'],
    [{ type: 'string', minLength: 13 }, 'The a value..'],
    [{ type: 'string', format: 'date' }, '2025-01-31'],
    [{ type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' }, '1.0.0'],
    [{ type: ['null', 'boolean'] }, true],
    [{ type: 'null' }, null],
    [{ type: 'integer' }, 1],
    [{ type: 'integer', minimum: 4.5 }, 5],
    [{ type: 'integer', exclusiveMinimum: 4, multipleOf: 5 }, 5],
    [{ type: 'number', maximum: -2 }, -2],
    [{ type: 'number', minimum: 0, maximum: 1 }, 0.5],
    [{ type: 'array', items: { const: 1 }, minItems: 3 }, [1, 1, 1]],
    [{ type: 'array', items: { const: 1 }, maxItems: 0 }, []],
    [{ prefixItems: [{ const: 1 }, { const: 2 }], items: false }, [1, 2]],
    [{ anyOf: [{ not: {} }, { const: 2 }] }, 2],
    [{ oneOf: [{ type: 'integer', minimum: 9 }, { type: 'string' }] }, 9],
    [
      { allOf: [{ properties: { b: { const: 1 } } }, { required: ['c'], properties: { c: { const: 2 } } }] },
      { b: 1, c: 2 },
    ],
    [{ $ref: '#/$defs/two' }, 2],
    [{ type: 'object', required: ['b'], additionalProperties: { const: 4 } }, { b: 4 }],
  ])('%j gives %j', (schema, value) => {
    expect(sampleOf({ a_value: schema }, { $defs: { two: { const: 2 } } })).toEqual({ a_value: value });
  });

  test('what belongs to a higher level is left out', () => {
    expect(sampleOf({ a: { const: 1 }, b: { const: 2, 'x-verbosity': 'comprehensive' } })).toEqual({ a: 1 });
  });

  test('a description with a fence makes no sample that a summary may not hold', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', description: '```\ncode\n```' } } };
    expect(sampleReport(makeManual(schema), 'summary')?.findings).toEqual({ a: 'code' });
  });

  test('what is optional and cannot be guessed is left out', () => {
    const odd = { type: 'string', pattern: '^zebra-[0-9]{7}$' };
    expect(sampleOf({ a: { const: 1 }, b: odd })).toEqual({ a: 1 });
    // Here the whole is not what it must be, and only what is required is left.
    expect(sampleOf({ a: { const: 1 }, b: { const: 2 } }, { maxProperties: 1, required: ['a'] })).toEqual({
      a: 1,
    });
  });
});

describe('what has no sample', () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      'a pattern that nobody guesses',
      { a: { type: 'string', pattern: '^zebra-[0-9]{7}$' } },
      { required: ['a'] },
    ],
    ['nothing that is allowed', { a: false as unknown as JsonObject }, { required: ['a'] }],
    ['more items than a sample has', { a: { type: 'array', minItems: 1e9 } }, { required: ['a'] }],
    ['a text longer than a sample has', { a: { type: 'string', minLength: 1e9 } }, { required: ['a'] }],
    ['itself, without end', { a: { $ref: '#' } }, { required: ['a'] }],
    [
      'references in a circle',
      { a: { $ref: '#/properties/b' }, b: { $ref: '#/properties/a' } },
      { required: ['a'] },
    ],
    ['contradictions', { a: { type: 'integer', minimum: 5, maximum: 4 } }, { required: ['a'] }],
  ])('%s', (_, properties, more) => {
    expect(sampleOf(properties, more) ?? null).toBeNull();
  });
});

test('a tree that refers to itself ends', () => {
  const node = {
    type: 'object',
    properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } },
  };
  expect(sampleOf({ root: { $ref: '#/$defs/node' } }, { $defs: { node } })).toHaveProperty('root.children');
});

test('alternatives within alternatives end', () => {
  const $defs: JsonObject = { d0: { not: {} } };
  for (let depth = 1; depth <= 25; depth++) {
    const deeper = { $ref: `#/$defs/d${depth - 1}` };
    $defs[`d${depth}`] = { anyOf: [deeper, deeper, deeper] };
  }
  expect(sampleOf({ a: { $ref: '#/$defs/d25' } }, { required: ['a'], $defs }) ?? null).toBeNull();
});

/** Schemas as people write them, and some that make no sense. */
const { schema: anySchema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.record(
      {
        type: fc.constant('string'),
        minLength: fc.nat(200),
        maxLength: fc.nat(200),
        pattern: fc.constantFrom('^a', '\\d', 'x{3}'),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      {
        type: fc.constantFrom('integer', 'number'),
        minimum: fc.integer(),
        maximum: fc.integer(),
        multipleOf: fc.integer({ min: 1, max: 9 }),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record({ enum: fc.uniqueArray(fc.integer(), { minLength: 1, maxLength: 3 }) }),
    fc.record(
      {
        type: fc.constant('array'),
        items: tie('schema'),
        minItems: fc.nat(4),
        maxItems: fc.nat(4),
        uniqueItems: fc.boolean(),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      {
        properties: fc.dictionary(fc.constantFrom('a', 'b', 'toString'), tie('schema')),
        required: fc.subarray(['a', 'b', 'toString']),
        additionalProperties: fc.boolean(),
      },
      { requiredKeys: ['properties'] },
    ),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
  ) as fc.Arbitrary<JsonObject>,
}));

test('a sample keeps its schema, or there is none', () => {
  let made = 0;
  fc.assert(
    fc.property(anySchema, (schema) => {
      const findings: JsonObject = { type: 'object', properties: { a: schema }, required: ['a'] };
      const manual = makeManual(findings);
      const sample = sampleReport(manual, 'detailed');
      const compiled = compileSchema(findings);
      if (sample === null || compiled.status !== 'compiled') return;
      made++;
      expect(compiled.schema.check(sample.findings)).toEqual([]);
      const options = {
        manualOf: () => manual,
        asked: { agent: null, taskId: null, verbosity: null },
        lenient: false,
      };
      expect(judgeValue(sample as unknown as JsonValue, options).compliant).toBe(true);
    }),
    { numRuns: process.env.TEDDY_SOAK ? 20_000 : 300 },
  );
  expect(made).toBeGreaterThan(100);
});
