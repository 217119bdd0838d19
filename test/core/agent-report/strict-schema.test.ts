import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeValue } from '../../../src/core/agent-report/judge.js';
import { exampleFor } from '../../../src/core/agent-report/manual/briefing.js';
import { strictSchema } from '../../../src/core/agent-report/strict-schema.js';
import { type Manual, VERBOSITIES, type Verbosity } from '../../../src/core/agent-report/types.js';
import type { JsonObject, JsonValue } from '../../../src/core/json/values.js';
import { inStrictForm } from './strict-form.js';
import { findStrictFaults } from './strict-rules.js';
import { strictValues } from './strict-values.js';
import { MANUALS, makeManual } from './subject.js';

const RUNS = process.env.TEDDY_SOAK ? 1_000 : 40;
const LEVELS = [...VERBOSITIES, undefined];

function schemaOf(manual: Manual, level?: Verbosity): JsonObject {
  const made = strictSchema(manual, level);
  if (made.status === 'refused') throw new Error(made.reason);
  return made.schema;
}

function judge(report: JsonValue, manual: Manual) {
  const asked = { agent: null, taskId: null, verbosity: null };
  return judgeValue(report, { manualOf: () => manual, asked, lenient: false });
}

describe.each(MANUALS.map((manual) => ({ name: manual.name, manual })))('the manual $name', ({ manual }) => {
  test.each(LEVELS)('has a strict schema at the level %s', (level) => {
    expect(findStrictFaults(schemaOf(manual, level))).toEqual([]);
  });

  test.each(VERBOSITIES)(
    'its example in the strict form is compliant, without a warning: %s',
    (verbosity) => {
      const assignment = { taskId: 'task-1', goal: '', scope: [], fields: {}, context: null, verbosity };
      const schema = schemaOf(manual, verbosity);
      const strict = inStrictForm(exampleFor(manual, assignment) as unknown as JsonObject, schema);
      expect(new Ajv2020({ strict: true }).compile(schema)(strict)).toBe(true);
      expect(judge(strict, manual)).toMatchObject({ compliant: true, issues: [] });
    },
  );

  test.each(VERBOSITIES)('whatever has the strict form has the form of a report: %s', (verbosity) => {
    fc.assert(
      fc.property(strictValues(schemaOf(manual, verbosity)), (value) => {
        const strict = value as JsonObject & { report_metadata: JsonObject };
        // Nothing is required at the top of the findings then.
        Object.assign(strict.report_metadata, { status: 'failed', error_message: 'It failed.' });
        const codes = judge(strict, manual).issues.map(({ code }) => code);
        const form =
          /^(?:field-type|field-missing|key-unknown|findings-(?:missing|type|unknown|shape|level))$/;
        expect(codes.filter((code) => form.test(code))).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});

const OWN = makeManual({
  type: 'object',
  properties: {
    text: { type: 'string' },
    nullable: { type: ['string', 'null'] },
    word: { enum: ['a', 'b', null] },
    steps: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string', minLength: 1 }, note: { $ref: '#/$defs/note' } },
        required: ['name'],
      },
    },
    either: { anyOf: [{ type: 'integer' }, { type: 'object', properties: { a: { type: 'boolean' } } }] },
    log: { type: 'string', 'x-verbosity': 'comprehensive', description: 'All of it.' },
  },
  required: ['text', 'log'],
  $defs: { note: { type: 'string', description: 'A note.' } },
});

test('a level has its own fields; without one it is detailed', () => {
  const keysOf = (level?: Verbosity) => {
    const { findings } = schemaOf(OWN, level).properties as { findings: { properties: JsonObject } };
    return findings.properties;
  };
  expect(Object.keys(keysOf('summary'))).toEqual(['text', 'nullable', 'word', 'steps', 'either']);
  expect(keysOf('comprehensive').log).toEqual({
    description: 'All of it. null leaves it out.',
    anyOf: [{ type: 'string' }, { type: 'null' }],
  });
  expect(keysOf()).toEqual(keysOf('detailed'));
});

test.each<[JsonObject, string[]]>([
  [{ text: 'x', nullable: null, word: null, steps: null, either: null }, []],
  [{ text: 'x', steps: [{ name: 'y', note: null }], either: { a: null } }, []],
  [{ text: null }, ['findings-type $.findings.text']],
  [{ text: 'x', steps: [{ name: null, note: null }] }, ['findings-type $.findings.steps[0].name']],
  [{ text: 'x', steps: [null] }, ['findings-type $.findings.steps[0]']],
  [{ text: 'x', log: null }, ['findings-level $.findings.log']],
])('null leaves out a key that is optional, and no other: %j', (findings, issues) => {
  const metadata = { agent_name: OWN.name, task_id: 't', status: 'completed', confidence_level: 1 };
  const report = { report_metadata: { ...metadata, verbosity_level: 'detailed' }, findings };
  expect(judge(report, OWN).issues.map(({ code, path }) => `${code} ${path}`)).toEqual(issues);
});

describe('a manual without a strict form', () => {
  test.each<[string, JsonValue, string]>([
    ['a map', { type: 'object', additionalProperties: { type: 'string' } }, 'Its keys have no names'],
    ['an object without keys', { type: 'object' }, 'It is an object without named keys'],
    ['anything', {}, 'It has no type'],
    ['true', true, 'It has no type'],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }] }, 'It has `prefixItems`'],
    ['allOf', { allOf: [{ type: 'string' }] }, 'It has `allOf`'],
    [
      'two kinds of objects',
      {
        anyOf: [
          { type: 'object', properties: { a: { type: 'null' } } },
          { type: 'object', properties: { b: { type: 'null' } } },
        ],
      },
      'It allows several kinds of objects',
    ],
    [
      'a choice that adds to the keys beside it',
      {
        type: 'object',
        properties: { a: { type: 'null' } },
        anyOf: [{ properties: { b: { type: 'null' } } }],
      },
      'It has `properties` twice',
    ],
    ['itself', { type: 'object', properties: { odd: { $ref: '#/properties/odd' } } }, 'It refers to itself'],
  ])('%s: it says so, and where', (_, odd, why) => {
    const strict = strictSchema(makeManual({ type: 'object', properties: { odd } }));
    const start = `The findings schema of the manual \`surveyor\` has no strict form. ${why} (at $.properties.odd`;
    expect(strict.status === 'refused' && strict.reason).toContain(start);
  });

  test('keys added to those of a reference, which the strict form would lose', () => {
    const $defs = { base: { type: 'object', properties: { a: { type: 'string' } } } };
    const odd = { $ref: '#/$defs/base', description: 'More.', properties: { b: { type: 'string' } } };
    const made = strictSchema(makeManual({ type: 'object', properties: { odd }, $defs }));
    expect(made).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('It has `properties` twice'),
    });
    const { properties: _, ...described } = odd;
    const whole = makeManual({ type: 'object', properties: { odd: described }, $defs });
    expect(strictSchema(whole).status).toBe('ok');
  });

  test('references that become too large when they are expanded', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 9 }, (_, at): [string, JsonObject] => {
        const next: JsonObject = at === 8 ? { type: 'null' } : { $ref: `#/$defs/d${at + 1}` };
        return [`d${at}`, { type: 'object', properties: { a: next, b: next, c: next } }];
      }),
    );
    const manual = makeManual({ type: 'object', properties: { odd: { $ref: '#/$defs/d0' } }, $defs });
    expect(strictSchema(manual)).toMatchObject({ status: 'refused' });
  });
});
