import { expect, test } from 'vitest';
import { describeFault } from '../../../../src/core/json/schema/describe.js';
import type { JsonValue } from '../../../../src/core/json/values.js';
import { check } from './check.js';

/** The words for the first fault: the message, and behind a bar the hint. */
function describe(schema: JsonValue, value: JsonValue): string {
  const [fault] = check(schema, value);
  if (fault === undefined) throw new Error('There is no fault.');
  const { message, hint } = describeFault(fault);
  return hint === undefined ? message : `${message} | ${hint}`;
}

const WORDS: [schema: JsonValue, value: JsonValue, words: string][] = [
  [{ type: 'string' }, 3, 'must be a string; here it is a number (3) | Put it in quotes: "3"'],
  [{ type: 'string' }, null, 'must be a string; here it is null'],
  [
    { type: 'string' },
    ['a'],
    'must be a string; here it is a list of 1 item | Write one string instead of the list.',
  ],
  [{ type: ['string', 'null'] }, {}, 'must be a string or null; here it is an empty object'],
  [
    { type: ['integer', 'string', 'null'] },
    [],
    'must be a whole number, a string or null; here it is an empty list | Write one string instead of the list.',
  ],
  [{ type: 'integer' }, 1.5, 'must be a whole number; here it is a number (1.5)'],
  [
    { type: 'number' },
    '1.5',
    'must be a number; here it is a string ("1.5") | Write the number without quotes: 1.5',
  ],
  [{ type: 'number' }, 'many', 'must be a number; here it is a string ("many")'],
  [
    { type: 'boolean' },
    'True',
    'must be true or false; here it is a string ("True") | Write it without quotes: true',
  ],
  [{ type: 'null' }, 'null', 'must be null; here it is a string ("null") | Write it without quotes: null'],
  [{ type: 'array' }, 'a', 'must be a list; here it is a string ("a") | Put it in a list: ["a"]'],
  [{ type: 'array' }, { a: 1 }, 'must be a list; here it is an object with 1 key | Put it in a list: [{…}]'],
  [{ type: 'object' }, '', 'must be an object; here it is an empty string'],
  [
    { enum: ['created', 'modified', 'deleted'] },
    'added',
    'must be one of: created, modified, deleted; here it is "added"',
  ],
  [
    { enum: ['created', 'modified'] },
    'Created',
    'must be one of: created, modified; here it is "Created" | Write "created".',
  ],
  [
    { enum: ['created', 'modified'] },
    'modifed',
    'must be one of: created, modified; here it is "modifed" | Write "modified".',
  ],
  [
    { enum: ['a b', 1, null, [1, 2], {}] },
    true,
    'must be one of: "a b", 1, null, [1,2], {}; here it is true',
  ],
  [{ enum: ['+', '-'] }, '*', 'must be one of: "+", "-"; here it is "*"'],
  [{ const: 'a' }, 'b', 'must be "a"; here it is "b"'],
  [{ minimum: 0 }, -1, 'must be at least 0; here it is -1'],
  [{ maximum: 1 }, 95, 'must be at most 1; here it is 95'],
  [{ exclusiveMinimum: 0 }, 0, 'must be greater than 0; here it is 0'],
  [{ exclusiveMaximum: 1 }, 1, 'must be less than 1; here it is 1'],
  [{ multipleOf: 0.5 }, 0.3, 'must be a multiple of 0.5; here it is 0.3'],
  [{ minLength: 1 }, '', 'must have at least 1 character; here it has none'],
  [{ maxLength: 3 }, '😀😀😀😀', 'must have at most 3 characters; here it has 4 characters'],
  [{ pattern: '^a\\d$' }, 'b', 'must match the pattern ^a\\d$; here it is "b"'],
  [
    { pattern: '^\\w+$', description: 'A name\nwithout spaces.' },
    'a b',
    'must match the pattern ^\\w+$; here it is "a b" | Its description: A name without spaces.',
  ],
  [{ minItems: 2 }, [1], 'must have at least 2 items; here it has 1 item'],
  [{ maxItems: 1 }, [1, 2], 'must have at most 1 item; here it has 2 items'],
  [{ uniqueItems: true }, ['a', { b: 1 }, 'c', { b: 1 }], 'must not have the same item twice'],
  [{ prefixItems: [{}, {}], items: false }, [1, 2, 3], 'must have at most 2 items; here it has 3 items'],
  [{ items: false }, [1], 'must be an empty list; here it has 1 item'],
  [{ contains: { type: 'string' } }, [1], 'must satisfy "contains" of its schema'],
  [{ contains: { const: 'x' }, minContains: 2 }, ['x'], 'must satisfy "minContains" of its schema'],
  [{ contains: { type: 'null' }, maxContains: 0 }, [null], 'must satisfy "maxContains" of its schema'],
  [{ required: ['path'] }, {}, 'must have the key "path"'],
  [
    { required: ['path'], properties: { path: { type: 'string' } } },
    { other: 1 },
    'must have the key "path" | Add "path": a string.',
  ],
  [
    { required: ['error_message'] },
    { errorMessage: 1 },
    'must have the key "error_message" | It has the key "errorMessage": write "error_message" instead.',
  ],
  [{ dependentRequired: { a: ['b'] } }, { a: 1 }, 'must have the key "b", because of another key'],
  [
    { properties: { path: {}, lines: {} }, additionalProperties: false },
    { x: 1 },
    'must not have the key "x"; allowed keys: path, lines | Leave it out.',
  ],
  [
    { properties: { path: {}, lines: {} }, additionalProperties: false },
    { Path: 1 },
    'must not have the key "Path"; allowed keys: path, lines | Write "path" instead.',
  ],
  [
    { additionalProperties: false },
    { a: 1 },
    'must not have the key "a"; allowed keys: none | Leave it out.',
  ],
  [
    { properties: { 'a b': {} }, patternProperties: { '^x-': {} }, additionalProperties: false },
    { y: 1 },
    'must not have the key "y"; allowed keys: "a b"; keys that match ^x- | Leave it out.',
  ],
  [{ propertyNames: { pattern: '^[a-z]+$', maxLength: 9 } }, { A: 1 }, 'must not have the key "A"'],
  [{ propertyNames: { enum: ['a', 'b'] } }, { c: 1 }, 'must not have the key "c"'],
  [{ propertyNames: false }, { c: 1 }, 'must not have the key "c"'],
  [
    { propertyNames: { not: { const: 'c' }, description: 'Other than c.' } },
    { c: 1 },
    'must not have the key "c" | Its description: Other than c.',
  ],
  [{ minProperties: 1 }, {}, 'must have at least 1 key; here it has none'],
  [{ maxProperties: 1 }, { a: 1, b: 2 }, 'must have at most 1 key; here it has 2 keys'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 3, 'must be a string or null; here it is a number (3)'],
  [{ anyOf: [{ const: 'a' }, { const: 'b' }] }, 'c', 'must be "a" or "b"; here it is a string ("c")'],
  [
    { anyOf: [{ required: ['a'] }, { required: ['b', 'c'] }] },
    { b: 1, d: 1 },
    'must fit one of the 2 allowed forms; here it is an object with 2 keys',
  ],
  [
    { oneOf: [{ minimum: 5 }, { maximum: 1 }], description: 'Low or high.' },
    3,
    'must fit one of the 2 allowed forms, and only one of them; here it is a number (3) | Its description: Low or high.',
  ],
  [
    { oneOf: [{ minimum: 1 }, true, { maximum: 0 }] },
    3,
    'must fit one of the 3 allowed forms, and only one of them; here it is a number (3)',
  ],
  [{ not: {} }, 3, 'must not be present | Leave it out.'],
  [{ not: { const: 'x' } }, 'x', 'must not be "x"; here it is "x"'],
  [{ not: { type: 'string' } }, 'x', 'must not be a string; here it is "x"'],
  [{ not: { minimum: 2 } }, 3, 'is a value that the schema excludes; here it is 3'],
  [false, 3, 'must not be present | Leave it out.'],
];

test.each(WORDS.map(([schema, value, words]) => [JSON.stringify(schema), schema, value, words] as const))(
  '%s',
  (_, schema, value, words) => {
    expect(describe(schema, value)).toBe(words);
  },
);

test('Long texts, lists and objects are shortened', () => {
  const long = 'x'.repeat(1_000_000);
  expect(describe({ type: 'number' }, long)).toBe(
    `must be a number; here it is a string ("${'x'.repeat(79)}…")`,
  );
  expect(describe({ const: long }, [1, 2, 3, 4, 5])).toBe(
    `must be "${'x'.repeat(79)}…"; here it is a list of 5 items`,
  );
  const words = Array.from({ length: 40 }, (_, index) => `w${index}`);
  expect(describe({ enum: words }, 1)).toBe(
    'must be one of: w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11 and 28 more; here it is 1',
  );
});

test('A text is not cut within a character, and what cannot be seen is written as an escape', () => {
  const text = `${'x'.repeat(79)}😀${'y'.repeat(20)}`;
  expect(describe({ type: 'null' }, text)).toBe(`must be null; here it is a string ("${'x'.repeat(79)}…")`);
  expect(describe({ const: 1 }, 'a\u202eb\n')).toBe('must be 1; here it is "a\\u202Eb\\n"');
  expect(describe({ pattern: '^\u200b$' }, 'a')).toBe('must match the pattern ^\\u200B$; here it is "a"');
});

test('A keyword that nobody knows has words too', () => {
  const fault = { keyword: 'other', path: [], expected: 1, schema: {}, value: 1 };
  expect(describeFault(fault)).toEqual({ message: 'must satisfy "other" of its schema' });
});
