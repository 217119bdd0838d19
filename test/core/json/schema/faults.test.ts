import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../../src/core/json/values.js';
import { check, listFaults } from './check.js';

/** What a schema says of values: each with its faults, none for those that keep it. */
const CASES: Record<string, [schema: JsonValue, ...values: [value: JsonValue, ...faults: string[]][]]> = {
  'a reference to what is only there for tools, which refers on': [
    {
      contentSchema: { $ref: '#/$defs/text' },
      properties: { a: { $ref: '#/contentSchema' } },
      $defs: { text: { type: 'string' } },
    },
    [{ a: 'x' }],
    [{ a: 1 }, 'type $.a'],
  ],
  'patterns as JavaScript reads them': [
    {
      items: {
        anyOf: [{ pattern: '^\\S$' }, { pattern: '^.[\\s]$' }, { pattern: '^\\p{Script=Greek}{2}$' }],
      },
    },
    [['x', 'x\u00a0', 'αβ']],
    [['\u00a0'], 'anyOf $[0]'],
    [['\r '], 'anyOf $[0]'],
  ],
  type: [{ type: 'string' }, ['a'], [3, 'type $'], [null, 'type $'], [[], 'type $'], [{}, 'type $']],
  'a list of types': [{ type: ['array', 'null'] }, [null], [[]], [{}, 'type $'], [false, 'type $']],
  'type integer': [{ type: 'integer' }, [1], [1.0], [-0], [1e300], [1.5, 'type $'], ['1', 'type $']],
  'type number': [{ type: 'number' }, [1], [1.5], ['1', 'type $']],
  'other keywords of a value of the wrong type': [
    { enum: ['a'], minLength: 3, type: 'string' },
    [1, 'type $'],
    ['b', 'enum $', 'minLength $'],
  ],
  enum: [
    { enum: ['a', 1, null, { x: [1, 2] }, 0] },
    ['a'],
    [1],
    [null],
    [{ x: [1, 2] }],
    [-0],
    ['1', 'enum $'],
    [{ x: [2, 1] }, 'enum $'],
    [{ x: [1, 2], y: 1 }, 'enum $'],
    [false, 'enum $'],
  ],
  const: [{ const: { a: 1, b: 2 } }, [{ b: 2, a: 1 }], [{ a: 1 }, 'const $'], ['a', 'const $']],
  'const 0 and false': [{ const: 0 }, [0], [-0], [false, 'const $'], [null, 'const $']],
  multipleOf: [{ multipleOf: 3 }, [0], [9], [-9], ['x'], [10, 'multipleOf $'], [1.5, 'multipleOf $']],
  minimum: [{ minimum: 1 }, [1], [2], ['0'], [0.99, 'minimum $']],
  maximum: [{ maximum: 1 }, [1], [0], [1.01, 'maximum $']],
  exclusiveMinimum: [{ exclusiveMinimum: 1 }, [1.01], [1, 'exclusiveMinimum $']],
  exclusiveMaximum: [{ exclusiveMaximum: 1 }, [0.99], [1, 'exclusiveMaximum $']],
  minLength: [{ minLength: 2 }, ['ab'], ['😀😀'], [1], ['😀', 'minLength $'], ['', 'minLength $']],
  maxLength: [{ maxLength: 2 }, ['ab'], ['😀😀'], ['abc', 'maxLength $'], ['😀😀😀', 'maxLength $']],
  'maxLength 0': [{ maxLength: 0 }, [''], ['a', 'maxLength $']],
  pattern: [{ pattern: '^a+$' }, ['aa'], [1], ['ab', 'pattern $'], ['', 'pattern $']],
  minItems: [{ minItems: 1 }, [[0]], ['x'], [[], 'minItems $']],
  maxItems: [{ maxItems: 1 }, [[0]], [[0, 0], 'maxItems $']],
  uniqueItems: [
    { uniqueItems: true },
    [[1, '1', [1], ['1'], { a: 1 }, { a: '1' }, true, null, 'null', 'true']],
    [
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
      'uniqueItems $',
    ],
    [[0, 1, -0], 'uniqueItems $'],
    [[[-0], [0]], 'uniqueItems $'],
    [['a', 'b', 'a'], 'uniqueItems $'],
  ],
  'uniqueItems: false': [{ uniqueItems: false }, [[1, 1]]],
  'properties, at their places': [
    { properties: { a: { type: 'string' }, b: { properties: { c: { type: 'null' } } } } },
    [{}],
    [{ a: 'x', b: { c: null }, d: 1 }],
    [{ b: { c: 1 }, a: 1 }, 'type $.a', 'type $.b.c'],
  ],
  'properties with the names of what objects inherit': [
    { properties: { constructor: { type: 'string' }, toString: false }, required: ['valueOf'] },
    [{ valueOf: 1 }],
    [{ constructor: 'x', valueOf: null }],
    [{ constructor: 1, toString: 2 }, 'required $: valueOf', 'type $.constructor', 'false $.toString'],
  ],
  'required, each key that is missing': [
    { required: ['b', 'a', '__proto__'] },
    [[]],
    [{ a: null }, 'required $: b', 'required $: __proto__'],
  ],
  dependentRequired: [
    { dependentRequired: { a: ['b', 'c'], d: ['e'] } },
    [{ b: 1 }],
    [{ a: 1, b: 1, d: 1 }, 'dependentRequired $: c', 'dependentRequired $: e'],
  ],
  dependentSchemas: [
    { dependentSchemas: { a: { required: ['b'], properties: { c: false } } } },
    [{ c: 1 }],
    [{ a: 1, c: 1 }, 'required $: b', 'false $.c'],
  ],
  'additionalProperties: false, each key that is too much': [
    { properties: { a: true }, patternProperties: { '^x-': true }, additionalProperties: false },
    [{ a: 1, 'x-y': 2 }],
    [{ a: 1, b: 1, c: 1 }, 'additionalProperties $: b', 'additionalProperties $: c'],
  ],
  'a closed object': [
    {
      type: 'object',
      required: ['a', 'z'],
      properties: { a: { type: 'string' }, b: {} },
      additionalProperties: false,
    },
    [{ b: 1, a: 'x', z: 1 }, 'additionalProperties $: z'],
    [{ a: 1, c: 2 }, 'required $: z', 'type $.a', 'additionalProperties $: c'],
    [{ toString: 1, a: 'x' }, 'required $: z', 'additionalProperties $: toString'],
  ],
  'additionalProperties as a schema': [
    { properties: { a: true }, additionalProperties: { type: 'number' } },
    [{ a: 'x', b: 1 }],
    [{ b: 'x', c: 'y' }, 'type $.b', 'type $.c'],
  ],
  patternProperties: [
    { patternProperties: { a: { type: 'string' }, b$: { minLength: 2 } } },
    [{ c: 1, ab: 'xx' }],
    [{ ab: 1 }, 'type $.ab'],
    [{ ab: 'x', cb: 'y' }, 'minLength $.ab', 'minLength $.cb'],
  ],
  propertyNames: [
    { propertyNames: { maxLength: 1 } },
    [{ a: 1 }],
    [{ a: 1, bc: 1, de: 1 }, 'propertyNames $: bc', 'propertyNames $: de'],
  ],
  minProperties: [{ minProperties: 1 }, [{ a: 1 }], [[]], [{}, 'minProperties $']],
  maxProperties: [{ maxProperties: 1 }, [{ a: 1 }], [{ a: 1, b: 1 }, 'maxProperties $']],
  'prefixItems and items': [
    { prefixItems: [{ type: 'string' }, { type: 'number' }], items: { type: 'null' } },
    [[]],
    [['a', 1, null]],
    [[1, 'a', 2, null, 3], 'type $[0]', 'type $[1]', 'type $[2]', 'type $[4]'],
  ],
  'items: false, one fault for all that is too much': [
    { prefixItems: [true, true], items: false },
    [[1, 2]],
    [[1, 2, 3, 4], 'items $'],
  ],
  contains: [{ contains: { type: 'string' } }, [[1, 'a']], [{}], [[1], 'contains $'], [[], 'contains $']],
  'minContains and maxContains': [
    { contains: { type: 'string' }, minContains: 2, maxContains: 3 },
    [['a', 1, 'b']],
    [['a'], 'minContains $'],
    [['a', 'b', 'c', 'd'], 'maxContains $'],
  ],
  'minContains 0': [{ contains: { type: 'string' }, minContains: 0 }, [[]], [[1]]],
  allOf: [
    { allOf: [{ type: 'object' }, { required: ['a'] }, { required: ['b'] }] },
    [{ a: 1, b: 1 }],
    [{}, 'required $: a', 'required $: b'],
  ],
  not: [{ not: { type: 'string' } }, [1], ['a', 'not $']],
  'a property that is not to be there': [{ properties: { a: { not: {} } } }, [{}], [{ a: 1 }, 'not $.a']],
  'if, then, else': [
    JSON.parse('{"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}'),
    [{ a: 1, b: 1 }],
    [{ c: 1 }],
    [{ a: 1 }, 'required $: b'],
    [{}, 'required $: c'],
  ],
  'true and false': [{ properties: { a: true, b: false } }, [{ a: 1 }], [{ b: 1 }, 'false $.b']],
  'a reference to itself': [
    { properties: { next: { $ref: '#' }, n: { type: 'number' } } },
    [{ next: { next: { n: 1 } } }],
    [{ n: 'x', next: { next: { n: 'y' } } }, 'type $.next.next.n', 'type $.n'],
  ],
  'references by place, by name and with signs': [
    {
      properties: { a: { $ref: '#/$defs/a~1b%25' }, b: { $ref: '#name' }, c: { $ref: '#/properties/a' } },
      $defs: { 'a/b%': { type: 'string' }, x: { $anchor: 'name', type: 'number' } },
    },
    [{ a: 'x', b: 1, c: 'y' }],
    [{ a: 1, b: 'x', c: 1 }, 'type $.a', 'type $.b', 'type $.c'],
  ],
  'keywords beside a reference': [
    { $ref: '#/$defs/text', minLength: 2, $defs: { text: { type: 'string' } } },
    ['ab'],
    [1, 'type $'],
    ['a', 'minLength $'],
  ],
  'words about a schema': [
    {
      title: 't',
      description: 'd',
      default: 1,
      examples: [1],
      format: 'date',
      deprecated: true,
      'x-y': {},
      $comment: '',
    },
    ['no date'],
  ],
};

describe('Every keyword', () => {
  test.each(Object.entries(CASES))('%s', (_, [schema, ...values]) => {
    for (const [value, ...faults] of values)
      expect([value, listFaults(schema, value)]).toEqual([value, faults]);
  });
});

test('A schema is true or false itself', () => {
  expect(listFaults(true, { a: 1 })).toEqual([]);
  expect(listFaults(false, { a: 1 })).toEqual(['false $']);
});

test('A fault has what was expected, the schema that says so, and the value', () => {
  const item = {
    type: 'object',
    required: ['id'],
    properties: { id: { minimum: 1 } },
    description: 'A thing',
  };
  const faults = check({ items: item }, [{ id: 0 }, {}]);
  expect(faults).toEqual([
    { keyword: 'minimum', path: [0, 'id'], expected: 1, schema: { minimum: 1 }, value: 0 },
    { keyword: 'required', path: [1], key: 'id', expected: ['id'], schema: item, value: {} },
  ]);
  expect(faults[1]?.schema).toBe(item);
});

test('Decimals are multiples as they are written, where division would say otherwise', () => {
  for (const [value, unit] of [
    [0.3, 0.1],
    [1.1, 0.01],
    [19.99, 0.01],
    [1e21, 1],
    [1e308, 0.5],
    [5e-324, 5e-324],
    [0, 0.1],
  ] as const)
    expect([value, listFaults({ multipleOf: unit }, value)]).toEqual([value, []]);
  for (const [value, unit] of [
    [0.35, 0.1],
    [1.005, 0.01],
    [1e21, 7],
    [1e-7, 1],
    [1, 1e300],
  ] as const)
    expect([value, listFaults({ multipleOf: unit }, value)]).toEqual([value, ['multipleOf $']]);
});

test('Faults are told up to a number, and at least one', () => {
  const list = Array.from({ length: 1000 }, () => 'x');
  expect(listFaults({ items: { type: 'number' } }, list)).toHaveLength(100);
  expect(listFaults({ items: { type: 'number' } }, list, 3)).toEqual(['type $[0]', 'type $[1]', 'type $[2]']);
  expect(listFaults({ items: { type: 'number' } }, list, 0)).toEqual(['type $[0]']);
  expect(listFaults({ items: { type: 'number' } }, list, 5000)).toHaveLength(1000);
});

test('What is wrong in two ways of saying it is told once', () => {
  expect(listFaults({ allOf: [{ required: ['a'] }, { required: ['b', 'a'] }] }, {})).toEqual([
    'required $: a',
    'required $: b',
  ]);
  const twice = { allOf: [{ $ref: '#/$defs/t' }, { $ref: '#/$defs/t' }], $defs: { t: { minLength: 2 } } };
  expect(listFaults(twice, 'a')).toEqual(['minLength $']);
  expect(listFaults({ allOf: [{ minLength: 2 }, { minLength: 3 }] }, 'a')).toEqual([
    'minLength $',
    'minLength $',
  ]);
});

test('A compiled schema keeps nothing from one value to the next', () => {
  const closed = { properties: { a: {}, b: {}, c: {} }, required: ['c'], additionalProperties: false };
  const values: JsonValue[] = [
    { a: 1, b: 1, c: 1 },
    { c: 1, b: 1, a: 1 },
    { b: 1 },
    { c: 1, d: 1 },
    { a: 1, c: 1 },
  ];
  const alone = values.map((value) => listFaults(closed, value));
  expect(alone).toEqual([[], [], ['required $: c'], ['additionalProperties $: d'], []]);
  const list = [...values, ...values.toReversed()];
  const wanted = list.flatMap((value, index) =>
    listFaults(closed, value).map((fault) => fault.replace('$', `$[${index}]`)),
  );
  expect(listFaults({ items: closed }, list)).toEqual(wanted);
});
