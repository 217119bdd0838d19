import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeValue } from '../../../../src/core/agent-report/judge.js';
import { exampleFor } from '../../../../src/core/agent-report/manual/briefing.js';
import { parseManual } from '../../../../src/core/agent-report/manual/parse.js';
import { fromStrict, strictSchema, toStrict } from '../../../../src/core/agent-report/strict/report.js';
import {
  type AgentReport,
  type Manual,
  VERBOSITIES,
  type Verbosity,
} from '../../../../src/core/agent-report/types.js';
import type { JsonObject, JsonValue } from '../../../../src/core/json/values.js';
import { strictValues } from './schemas.js';
import { findStrictFaults } from './strict-rules.js';

const RUNS = process.env.TEDDY_SOAK ? 1_000 : 40;

function readBuiltIn(name: string): Manual {
  const text = readFileSync(new URL(`../../../../src/agents/built-in/${name}.md`, import.meta.url), 'utf8');
  const { manual, issues } = parseManual(name, text);
  if (!manual) throw new Error(JSON.stringify(issues));
  return manual;
}

const MANUALS = ['investigator', 'implementer', 'reviewer'].map(readBuiltIn);
const LEVELS = [...VERBOSITIES, undefined];

function schemaOf(manual: Manual | null, level?: Verbosity): JsonObject {
  const made = strictSchema(manual, level);
  if (made.status === 'refused') throw new Error(made.reason);
  return made.schema;
}

function manualWith(findings: JsonObject): Manual {
  return { ...MANUALS[0]!, name: 'own', findings, example: null };
}

function reportWith(
  findings: JsonObject,
  level: Verbosity = 'detailed',
  more: Partial<AgentReport> = {},
): AgentReport {
  return {
    report_metadata: {
      agent_name: 'own',
      task_id: 't',
      status: 'completed',
      verbosity_level: level,
      confidence_level: 1,
    },
    findings,
    ...more,
  };
}

function mapped(result: ReturnType<typeof toStrict>): JsonObject {
  if (result.status === 'refused') throw new Error(JSON.stringify(result.issues));
  return result.value;
}

describe.each(MANUALS.map((manual) => ({ name: manual.name, manual })))('the manual $name', ({ manual }) => {
  test.each(LEVELS)('has a strict schema at the level %s', (level) => {
    expect(findStrictFaults(schemaOf(manual, level))).toEqual([]);
  });

  test('its example is carried there and back without loss', () => {
    const asked = { taskId: 'task-1', goal: '', scope: [], fields: {}, context: null };
    const examples = VERBOSITIES.map((verbosity) => exampleFor(manual, { ...asked, verbosity })!);
    for (const report of examples) {
      for (const level of [report.report_metadata.verbosity_level, undefined]) {
        const strict = mapped(toStrict(report, manual, level));
        expect(new Ajv2020({ strict: true }).compile(schemaOf(manual, level))(strict)).toBe(true);
        expect(mapped(fromStrict(strict, manual, level))).toEqual(report);
      }
    }
  });

  test.each(LEVELS)('whatever keeps the strict schema at the level %s comes back to the same', (level) => {
    const schema = schemaOf(manual, level);
    const isStrict = new Ajv2020({ strict: true }).compile(schema);
    fc.assert(
      fc.property(strictValues(schema), (strict) => {
        expect(isStrict(strict)).toBe(true);
        const plain = mapped(fromStrict(strict, manual, level));
        // Blank addresses are none, and addresses in the place of texts change places with them.
        const map = plain.findings as { context_map?: [string, string | null][] };
        if (map.context_map?.some(([text, uri]) => uri?.trim() === '' || text.includes('repo:'))) return;
        expect(mapped(toStrict(plain as unknown as AgentReport, manual, level))).toEqual(strict);
      }),
      { numRuns: RUNS },
    );
  });

  test('a strict answer of any level is judged as the plain one', () => {
    const strict = mapped(toStrict(manual.example!, manual));
    const plain = mapped(fromStrict(strict, manual));
    const options = {
      manualOf: () => manual,
      asked: { agent: null, taskId: null, verbosity: null },
      lenient: false,
    };
    expect(judgeValue(plain, options)).toMatchObject({ compliant: true, issues: [] });
  });
});

describe('context maps', () => {
  const manual = readBuiltIn('investigator');
  const withMap = (context_map: JsonValue) => reportWith({ context_map });
  const pairs = [
    { text: 'All of it.', uri: null },
    { text: 'A place.', uri: 'repo://src/a.ts:3-4' },
  ];

  test.each<[string, JsonValue]>([
    [
      'pairs',
      [
        ['All of it.', null],
        ['A place.', 'repo://src/a.ts:3-4'],
      ],
    ],
    ['short pairs', [['All of it.'], ['A place.', 'repo://src/a.ts:3-4']]],
    ['objects', ['All of it.', { text: 'A place.', uri: 'repo://src/a.ts', lines: [3, 4] }]],
  ])('%s are carried as text and uri', (_, map) => {
    const strict = mapped(toStrict(withMap(map), manual, 'detailed'));
    expect((strict.findings as JsonObject).context_map).toEqual(pairs);
    const back = mapped(fromStrict(strict, manual, 'detailed'));
    expect((back.findings as JsonObject).context_map).toEqual([
      ['All of it.', null],
      ['A place.', 'repo://src/a.ts:3-4'],
    ]);
  });

  test("the manual's own words and limits stay", () => {
    const { manual: own } = parseManual(
      'own',
      `---\nkind: subagent\n---\n\n\`\`\`json\n${JSON.stringify({
        type: 'object',
        properties: { context_map: { description: 'Three places.', maxItems: 3 } },
        required: ['context_map'],
      })}\n\`\`\`\n`,
    );
    const { properties } = (schemaOf(own, 'detailed').properties as JsonObject).findings as {
      properties: JsonObject;
    };
    expect(properties.context_map).toMatchObject({
      description: 'Three places. Required if the status is "completed". null leaves it out.',
      anyOf: [{ type: 'array', maxItems: 3 }, { type: 'null' }],
    });
  });
});

describe('levels', () => {
  const manual = manualWith({
    type: 'object',
    properties: {
      verdict: { type: 'string' },
      log: { type: 'string', 'x-verbosity': 'comprehensive', description: 'All of it.' },
    },
    required: ['verdict', 'log'],
  });
  const keysOf = (level?: Verbosity) => {
    const { findings } = schemaOf(manual, level).properties as { findings: { properties: JsonObject } };
    return findings.properties;
  };

  test('a level has its own fields, and all levels have all of them', () => {
    expect(Object.keys(keysOf('summary'))).toEqual(['verdict']);
    expect(keysOf('comprehensive').log).toEqual({
      description: 'All of it. Required if the status is "completed". null leaves it out.',
      anyOf: [{ type: 'string' }, { type: 'null' }],
    });
    expect(keysOf().log).toEqual({
      description: 'All of it. Only in reports of level "comprehensive". null leaves it out.',
      anyOf: [{ type: 'string' }, { type: 'null' }],
    });
  });

  test('an answer is read in whichever of these forms it came', () => {
    const plain = reportWith({ verdict: 'v' }, 'summary');
    for (const form of ['summary', undefined] as const) {
      const strict = mapped(toStrict(plain, manual, form));
      for (const asked of LEVELS)
        expect(mapped(fromStrict(strict, manual, asked)).findings).toEqual(plain.findings);
    }
  });

  test('what belongs to a higher level has no place', () => {
    expect(toStrict(reportWith({ verdict: 'v', log: 'x' }, 'summary'), manual, 'summary')).toMatchObject({
      status: 'refused',
      issues: [{ code: 'strict-invalid', severity: 'error', path: '$.findings.log' }],
    });
  });
});

describe('what is refused', () => {
  test('unknown keys, each with its place', () => {
    const report = reportWith({ context_map: [] }, 'detailed', { gaps: [] } as unknown as AgentReport);
    (report.report_metadata as unknown as JsonObject).model = 'm';
    const refused = toStrict(report, MANUALS[0]!);
    expect(refused.status === 'refused' && refused.issues.map(({ path }) => path)).toEqual([
      '$.gaps',
      '$.report_metadata.model',
    ]);
  });

  test('an answer that is not in the strict form', () => {
    const manual = manualWith({ type: 'object', properties: { a: { type: 'string' } } });
    const report = reportWith({ a: 'x' }, 'detailed', {
      recommendations: [],
      identified_gaps: [],
      blockers: [],
    });
    const refused = fromStrict(report as unknown as JsonObject, manual);
    expect(refused.status === 'refused' && refused.issues).toEqual([
      {
        code: 'strict-invalid',
        severity: 'error',
        path: '$.report_metadata',
        message:
          '`report_metadata` lacks `token_usage`, `execution_time_seconds` and `error_message`; a strict object needs all its keys.',
      },
    ]);
    for (const value of [null, [], 'x', 5, {}]) expect(fromStrict(value, MANUALS[0]!).status).toBe('refused');
  });

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
  ])('a manual with %s says so, and where', (_, odd, why) => {
    const manual = manualWith({ type: 'object', properties: { odd } });
    const strict = strictSchema(manual);
    const start = `The findings schema of the manual \`own\` has no strict form. ${why} (at $.properties.odd`;
    expect(strict.status === 'refused' && strict.reason.startsWith(start)).toBe(true);
    const issue = {
      code: 'strict-invalid',
      path: '$',
      message: strict.status === 'refused' && strict.reason,
    };
    expect(toStrict(reportWith({}), manual)).toMatchObject({ issues: [issue] });
    expect(fromStrict({}, manual)).toMatchObject({ issues: [issue] });
  });

  test('what adds keys to those that it refers to, which the strict form would lose', () => {
    const $defs = { base: { type: 'object', properties: { a: { type: 'string' } } } };
    const odd = { $ref: '#/$defs/base', description: 'More.', properties: { b: { type: 'string' } } };
    const made = strictSchema(manualWith({ type: 'object', properties: { odd }, $defs }));
    expect(made).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('It has `properties` twice'),
    });
    const { properties: _, ...described } = odd;
    const whole = manualWith({ type: 'object', properties: { odd: described }, $defs });
    expect(strictSchema(whole).status).toBe('ok');
  });

  test('no more than a hundred unknown keys one by one', () => {
    const odd = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, at]));
    const refused = toStrict({ ...reportWith({ context_map: [] }), ...odd } as AgentReport, MANUALS[0]!);
    expect(refused.status === 'refused' && refused.issues).toHaveLength(100);
  });

  test('references that would be endless when written out, and too many levels', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 9 }, (_, at): [string, JsonObject] => {
        const next: JsonObject = at === 8 ? { type: 'null' } : { $ref: `#/$defs/d${at + 1}` };
        return [`d${at}`, { type: 'object', properties: { a: next, b: next, c: next } }];
      }),
    );
    const manual = manualWith({ type: 'object', properties: { odd: { $ref: '#/$defs/d0' } }, $defs });
    expect(strictSchema(manual)).toMatchObject({ status: 'refused' });
  });

  test('any agent, whose findings have no schema', () => {
    expect(strictSchema(null)).toMatchObject({ status: 'refused' });
    expect(toStrict(reportWith({}), null)).toMatchObject({ status: 'refused' });
  });
});

describe('what is carried', () => {
  const manual = manualWith({
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
    },
    $defs: { note: { type: 'string', description: 'A note.' } },
  });

  test.each<[JsonObject, JsonObject]>([
    [{}, { text: null, nullable: null, word: null, steps: null, either: null }],
    [
      { nullable: null, word: 'a', steps: [{ name: 'x' }, { name: 'y', note: 'z' }], either: { a: true } },
      {
        text: null,
        nullable: null,
        word: 'a',
        steps: [
          { name: 'x', note: null },
          { name: 'y', note: 'z' },
        ],
        either: { a: true },
      },
    ],
    [{ either: 3 }, { text: null, nullable: null, word: null, steps: null, either: 3 }],
  ])('%j', (findings, strict) => {
    const made = mapped(toStrict(reportWith(findings), manual, 'detailed'));
    expect(made.findings).toEqual(strict);
    expect(new Ajv2020({ strict: true }).compile(schemaOf(manual, 'detailed'))(made)).toBe(true);
    expect(findStrictFaults(schemaOf(manual, 'detailed'))).toEqual([]);
    // What may be null itself comes back as null.
    const nulls = { nullable: null, word: null };
    expect(mapped(fromStrict(made, manual, 'detailed')).findings).toEqual({ ...nulls, ...findings });
  });

  test('wrong values are left to the judge', () => {
    const made = mapped(toStrict(reportWith({ text: 3, steps: 'x' }), manual, 'detailed'));
    expect(mapped(fromStrict(made, manual, 'detailed')).findings).toMatchObject({ text: 3, steps: 'x' });
  });
});
