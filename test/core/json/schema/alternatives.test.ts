import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../src/core/json/values.js';
import { check, listFaults } from './check.js';

const CREATED = {
  type: 'object',
  required: ['kind', 'path'],
  properties: { kind: { const: 'created' }, path: { type: 'string' } },
};
const MOVED = {
  type: 'object',
  required: ['kind', 'from', 'to'],
  properties: { kind: { enum: ['moved', 'copied'] }, from: { type: 'string' }, to: { type: 'string' } },
};

const EITHER: JsonObject = { anyOf: [CREATED, MOVED, { type: 'string' }] };

test('Of alternatives, the one of the same type is meant', () => {
  const schema = { anyOf: [{ type: 'null' }, { type: 'object', properties: { a: { type: 'number' } } }] };
  expect(listFaults(schema, { a: 'x' })).toEqual(['type $.a']);
  expect(listFaults({ oneOf: schema.anyOf }, { a: 'x' })).toEqual(['type $.a']);
});

test('The type may stand behind references and within other alternatives', () => {
  const schema = {
    anyOf: [{ $ref: '#/$defs/simple' }, { allOf: [{ $ref: '#/$defs/object' }] }],
    $defs: {
      simple: { anyOf: [{ type: 'string' }, { enum: [null, 1] }] },
      object: { type: 'object', required: ['a'] },
    },
  };
  expect(listFaults(schema, {})).toEqual(['required $: a']);
});

test('Where no alternative has the type, it is one fault', () => {
  expect(listFaults(EITHER, 3)).toEqual(['anyOf $']);
  expect(check(EITHER, 3)[0]?.expected).toEqual(EITHER.anyOf);
});

test('The alternative whose word the value has is meant, however much else is wrong', () => {
  expect(listFaults(EITHER, { kind: 'moved', path: 'x' })).toEqual(['required $: from', 'required $: to']);
  expect(listFaults(EITHER, { kind: 'created', from: 'x', to: 'y' })).toEqual(['required $: path']);
});

test('A word that no alternative has makes it one fault', () => {
  expect(listFaults({ properties: { a: EITHER } }, { a: { kind: 'gone' } })).toEqual(['anyOf $.a']);
});

test('Without such a word, the one with the fewest faults is meant', () => {
  const schema = { anyOf: [{ required: ['a', 'b', 'c'] }, { required: ['a', 'd'] }] };
  expect(listFaults(schema, { d: 1 })).toEqual(['required $: a']);
});

test('Where none stands out, it is one fault', () => {
  const schema = { properties: { x: { anyOf: [{ required: ['a'] }, { required: ['b'] }] } } };
  expect(listFaults(schema, { x: {} })).toEqual(['anyOf $.x']);
});

test('What fits two alternatives of oneOf is one fault', () => {
  const schema = { oneOf: [{ type: 'string' }, { minimum: 1 }, { type: 'integer' }] };
  expect(listFaults(schema, 'a')).toEqual(['oneOf $']);
  expect(check(schema, 2)).toMatchObject([{ keyword: 'oneOf', path: [], expected: schema.oneOf, value: 2 }]);
  expect(listFaults(schema, 0)).toEqual([]);
});

test('Alternatives in alternatives are told at their own place', () => {
  const tree = { anyOf: [{ type: 'number' }, { type: 'array', items: { $ref: '#' } }] };
  expect(listFaults(tree, [1, [2, [3, 'x']], []])).toEqual(['anyOf $[1][1][1]']);
  expect(listFaults(tree, [1, [2]])).toEqual([]);
});

test('The faults of an alternative count among those that are told', () => {
  const schema: JsonValue = { items: { anyOf: [{ type: 'null' }, { required: ['a', 'b', 'c'] }] } };
  const faults = listFaults(schema, [{}, {}], 4);
  expect(faults).toEqual(['required $[0]: a', 'required $[0]: b', 'required $[0]: c', 'required $[1]: a']);
});
