import { expect, test } from 'vitest';
import { compileSchema } from '../../../../src/core/json/schema/compile.js';
import { describeFault } from '../../../../src/core/json/schema/describe.js';
import type { JsonObject, JsonValue } from '../../../../src/core/json/types.js';
import { check, listFaults, listProblems } from './check.js';

const TREE: JsonValue = { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#' } }] };

/** A value at the bottom of so many lists. */
function nest(levels: number, value: JsonValue): JsonValue {
  let nested = value;
  for (let level = 0; level < levels; level++) nested = [nested];
  return nested;
}

test('As deep as JSON is read, values are checked and faults are found', () => {
  expect(listFaults(TREE, nest(200, 'x'))).toEqual([]);
  const [fault] = check(TREE, nest(200, 1));
  expect([fault?.keyword, fault?.path.length]).toEqual(['anyOf', 200]);
});

test('A value that is too deep is given up, not followed until the stack is full', () => {
  for (const levels of [1_000, 100_000]) expect(listFaults(TREE, nest(levels, 'x'))).toEqual(['limit $']);
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
  const [fault, ...others] = check(doubling, nest(150, 'x'));
  expect(others).toEqual([]);
  expect(fault).toMatchObject({ keyword: 'limit', path: [], schema: doubling });
  expect(fault && describeFault(fault)).toEqual({
    message: 'takes more work to check than is allowed (20000000 steps)',
    hint: 'Make the value smaller, or its schema simpler.',
  });
});

test('What would turn a verdict round is no verdict when it is given up', () => {
  const doubling = {
    anyOf: [{ items: { $ref: '#/$defs/d' } }, { items: { $ref: '#/$defs/d' }, maxItems: 9 }],
    not: { const: 'x' },
  };
  const schema: JsonObject = { $defs: { d: doubling }, not: { $ref: '#/$defs/d' } };
  expect(listFaults(schema, nest(150, 'x'))).toEqual(['limit $']);
});

test('The faults found until then are told, and the limit behind them', () => {
  const doubling = {
    anyOf: [{ items: { $ref: '#/$defs/d' } }, { items: { $ref: '#/$defs/d' }, maxItems: 9 }],
    not: { const: 'x' },
  };
  const schema: JsonObject = {
    prefixItems: [{ type: 'string' }, { $ref: '#/$defs/d' }],
    $defs: { d: doubling },
  };
  expect(listFaults(schema, [1, nest(150, 'x')])).toEqual(['type $[0]', 'limit $']);
});

test('A long list of values against a long list of items takes their sum, not their product', () => {
  const values = Array.from({ length: 10_000 }, (_, index) => [index]);
  const items = Array.from({ length: 100_000 }, () => [9_999]);
  expect(listFaults({ items: { enum: values } }, items)).toEqual([]);
  const texts = Array.from({ length: 50_000 }, (_, index) => `w${index}`);
  expect(listFaults({ items: { enum: texts } }, texts)).toEqual([]);
});

test('Many plain schemas for many plain values are given up', () => {
  const numbers = [...Array.from({ length: 100_000 }, () => 1), 0];
  const many = (make: (index: number) => JsonObject) =>
    Array.from({ length: 300 }, (_, index) => make(index));
  const low = many((index) => ({ maximum: index + 1 }));
  expect(listFaults({ items: { allOf: low } }, numbers)).toEqual(['limit $']);
  const high = [...many((index) => ({ minimum: index + 2 })), {}];
  expect(listFaults({ items: { anyOf: high } }, numbers)).toEqual(['limit $']);
  const object = Object.fromEntries(numbers.map((number, index) => [`k${index}`, number]));
  expect(listFaults({ allOf: many(() => ({ propertyNames: {} })) }, object)).toEqual(['limit $']);
  const closed = many((index) => ({ properties: { k0: { const: index + 9 } }, additionalProperties: false }));
  expect(listFaults({ anyOf: [...closed, {}] }, object)).toEqual(['limit $']);
  expect(listFaults({ anyOf: [...many(() => ({ enum: [{ a: {} }] })), {}] }, { a: object })).toEqual([
    'limit $',
  ]);
});

test('Unique items of a long list', () => {
  const items: JsonValue[] = Array.from({ length: 50_000 }, (_, index) => ({
    id: index,
    tags: [`t${index}`],
  }));
  expect(listFaults({ uniqueItems: true }, items)).toEqual([]);
  expect(listFaults({ uniqueItems: true }, [...items, { tags: ['t7'], id: 7 }])).toEqual(['uniqueItems $']);
});

test('A pattern on a text that shows all its situations is given up', () => {
  let random = 7;
  const text = Array.from({ length: 200_000 }, () => {
    random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
    return random % 65_536 < 32_768 ? 'a' : 'b';
  }).join('');
  expect(listFaults({ pattern: '^[ab]*a[ab]{1500}c$' }, text)).toEqual(['limit $']);
});

test('Schemas have a depth, a size and a number of parts', () => {
  let deep: JsonObject = {};
  for (let level = 0; level < 201; level++) deep = { not: deep };
  expect(listProblems(deep)).toEqual(['$: The schema is more than 200 levels deep: make it smaller.']);
  for (let level = 0; level < 100_000; level++) deep = { not: deep };
  expect(listProblems(deep)).toEqual(['$: The schema is more than 200 levels deep: make it smaller.']);
  expect(
    listProblems(deep.not === undefined ? {} : { allOf: Array.from({ length: 20_000 }, () => true) }),
  ).toEqual(['$: The schema holds more than 20000 schemas: make it smaller.']);
  expect(listProblems({ enum: Array.from({ length: 200_000 }, (_, index) => index) })).toEqual([
    '$: The schema is of more than 200000 values: make it smaller.',
  ]);
  expect(listProblems({ description: 'x'.repeat(2_000_001) })).toEqual([
    '$: The schema is of more than 2000000 characters: make it smaller.',
  ]);
});

test('All patterns together have a size', () => {
  const anyOf = Array.from({ length: 60 }, (_, index) => ({ pattern: `a{1900}${index}` }));
  const problems = listProblems({ anyOf });
  expect(problems[0]).toBe('$.anyOf[52].pattern: The patterns of the schema are too large together.');
  expect(listProblems({ anyOf: Array.from({ length: 60 }, () => ({ pattern: 'a{1900}' })) })).toEqual([]);
});

test('Problems are told up to a number', () => {
  expect(listProblems({ allOf: Array.from({ length: 500 }, () => ({ oops: 1, $ref: 'x' })) })).toHaveLength(
    50,
  );
});

test('A chain of references is followed, however long, as far as a check may go', () => {
  const chain = (length: number, link: (target: string) => JsonObject): JsonObject => {
    const names = Array.from({ length }, (_, index) => `d${index}`);
    const defs = names.map((name, index) => [
      name,
      index === length - 1 ? { type: 'string' } : link(`#/$defs/d${index + 1}`),
    ]);
    return { $ref: '#/$defs/d0', $defs: Object.fromEntries(defs) };
  };
  const plain = chain(5_000, (target) => ({ $ref: target }));
  expect([listFaults(plain, 'x'), listFaults(plain, 1)]).toEqual([[], ['type $']]);
  const nested = chain(2_000, (target) => ({ allOf: [{ $ref: target }] }));
  expect(compileSchema(nested).status).toBe('compiled');
  expect(listFaults(nested, 'x')).toEqual(['limit $']);
});
