import { expect, test } from 'vitest';
import { compileSchema } from '../../../../src/core/json/schema/compile.js';
import type { JsonObject, JsonValue } from '../../../../src/core/json/values.js';
import { check, listFaults, listProblems } from './check.js';

const TREE: JsonValue = { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#' } }] };

/** A value at the bottom of so many lists. */
function nest(levels: number, value: JsonValue): JsonValue {
  let nested = value;
  for (let level = 0; level < levels; level++) nested = [nested];
  return nested;
}

test('Deep values are checked and faults are found', () => {
  expect(listFaults(TREE, nest(100, 'x'))).toEqual([]);
  const [fault] = check(TREE, nest(100, 1));
  expect([fault?.keyword, fault?.path.length]).toEqual(['anyOf', 100]);
});

test('A value that is too deep is not followed until the stack is full', () => {
  expect(listFaults(TREE, nest(100_000, 'x'))).toEqual(['limit $']);
  expect(listFaults({ uniqueItems: true }, [nest(100_000, 1), nest(100_000, 1)])).toEqual(['limit $']);
});

test('Alternatives that double the work at every level are given up', () => {
  const doubling = {
    anyOf: [
      { items: { $ref: '#' }, minItems: 1 },
      { items: { $ref: '#' }, maxItems: 9 },
    ],
    not: { const: 'x' },
  };
  expect(listFaults(doubling, nest(12, 'y'))).toEqual([]);
  expect(check(doubling, nest(150, 'x'))).toMatchObject([{ keyword: 'limit', path: [], schema: doubling }]);
  expect(listFaults({ $defs: { d: doubling }, not: { $ref: '#/$defs/d' } }, nest(12, 'y'))).toEqual([
    'not $',
  ]);
});

test('What the library compares each with each has a length', () => {
  const items = Array.from({ length: 5_001 }, (_, index) => ({ id: index }));
  const twice = (count: number) => [...items.slice(0, count - 1), { id: 0 }];
  expect(listFaults({ uniqueItems: true }, items)).toEqual([]);
  expect(listFaults({ uniqueItems: true }, twice(5_000))).toEqual(['uniqueItems $']);
  expect(listFaults({ uniqueItems: true }, twice(5_001))).toEqual(['limit $']);
  // Many short lists are as much work as a long one.
  const lists = Array.from({ length: 2_000 }, () => twice(500));
  expect(listFaults({ items: { uniqueItems: true } }, lists)).toEqual(['limit $']);
  const elsewhere = { properties: { tags: { uniqueItems: true } } };
  expect(listFaults(elsewhere, { tags: ['a', 'b'], others: items })).toEqual([]);
  const keys = Object.fromEntries(items.slice(0, 2_001).map(({ id }) => [`k${id}`, id]));
  expect(listFaults({ patternProperties: { '^k': {} } }, keys)).toEqual(['limit $']);
  expect(listFaults({ items: {}, additionalProperties: { type: 'number' } }, keys)).toEqual([]);
});

test('More faults than the stack has room for are still faults', () => {
  const many = Array.from({ length: 300_000 }, () => 'x');
  expect(listFaults({ properties: { a: { items: { type: 'number' } } } }, { a: many }, 1)).toEqual([
    'type $.a[0]',
  ]);
});

test('Long lists of values and keys count for what they cost', () => {
  const many = Array.from({ length: 40_000 }, (_, index) => `k${index}`);
  const values = Array.from({ length: 100_000 }, () => 'x');
  expect(listFaults({ items: { enum: many } }, values)).toEqual(['enum $[0]']);
  expect(listFaults({ items: { not: { enum: many } } }, values)).toEqual(['limit $']);
  const objects = values.map(() => ({}));
  expect(listFaults({ items: { not: { required: many } } }, objects)).toEqual(['limit $']);
});

test('Patterns count by the characters that they read', () => {
  const text = 'a'.repeat(2_000_000);
  const patterns = Array.from({ length: 100 }, (_, index) => ({ pattern: `^a|b{${index}}` }));
  expect(listFaults({ allOf: patterns.slice(0, 10) }, text)).toEqual([]);
  expect(listFaults({ allOf: patterns }, text)).toEqual(['limit $']);
});

test('No pattern makes a check hang', () => {
  const text = `${'a'.repeat(200_000)}!`;
  expect(listFaults({ pattern: '^(a+)+$' }, text)).toEqual(['pattern $']);
  expect(listFaults({ patternProperties: { '^(a+)+$': false } }, { [text]: 1 })).toEqual([]);
  expect(listProblems({ pattern: '(?:a{1000}){1000}' })).toHaveLength(1);
});

test('Keys of a value are never read as patterns', () => {
  const schema = {
    patternProperties: { '^[.*(]': { type: 'number' } },
    additionalProperties: { type: 'string' },
  };
  expect(listFaults(schema, { '.*': 1, a: 'x', '(a+)+$': 2, '*/~%[': 3 })).toEqual([]);
  expect(listFaults(schema, { '.*': 'x', '*/~%[': 'y', a: 1 })).toEqual([
    "type $['.*']",
    "type $['*/~%[']",
    'type $.a',
  ]);
});

test('Schemas have a depth, a size and a number of patterns', () => {
  let deep: JsonObject = {};
  for (let level = 0; level < 201; level++) deep = { not: deep };
  expect(listProblems(deep)).toEqual(['$: The schema is more than 200 levels deep: make it smaller.']);
  for (let level = 0; level < 100_000; level++) deep = { not: deep };
  expect(listProblems(deep)).toEqual(['$: The schema is more than 200 levels deep: make it smaller.']);
  expect(listProblems({ enum: Array.from({ length: 50_000 }, (_, index) => index) })).toEqual([
    '$: The schema has more than 50000 values: make it smaller.',
  ]);
  expect(listProblems({ description: 'x'.repeat(2_000_001) })).toEqual([
    '$: The schema has more than 2000000 characters: make it smaller.',
  ]);
  const patterns = (count: number) => ({
    anyOf: Array.from({ length: count }, (_, index) => ({ pattern: `a${index}` })),
  });
  expect(listProblems(patterns(500))).toEqual([]);
  expect(listProblems(patterns(501))).toEqual(['$.anyOf[500].pattern: There are more than 500 patterns.']);
});

test('Problems are reported up to a number', () => {
  const schema = { allOf: Array.from({ length: 500 }, () => ({ oops: 1, $ref: 'x' })) };
  expect(listProblems(schema)).toHaveLength(50);
});

test('A chain of references is followed as far as a check may go', () => {
  const chain = (length: number): JsonObject => {
    const names = Array.from({ length }, (_, index) => `d${index}`);
    const defs = names.map((name, index) => [
      name,
      index === length - 1 ? { type: 'string' } : { allOf: [{ $ref: `#/$defs/d${index + 1}` }] },
    ]);
    return { $ref: '#/$defs/d0', $defs: Object.fromEntries(defs) };
  };
  expect([listFaults(chain(100), 'x'), listFaults(chain(100), 1)]).toEqual([[], ['type $']]);
  expect(compileSchema(chain(12_000)).status).toBe('compiled');
  expect(listFaults(chain(12_000), 'x')).toEqual(['limit $']);
});
