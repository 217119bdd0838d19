import { describe, expect, test } from 'vitest';
import { type StrictTransport, strictTransport } from '../../../../src/core/agent-report/strict/transport.js';
import type { JsonObject, JsonValue } from '../../../../src/core/json/types.js';
import { findStrictFaults } from './strict-rules.js';

function make(schema: JsonObject): StrictTransport {
  const read = strictTransport(schema);
  if (read.status === 'refused') throw new Error(JSON.stringify(read.problems));
  expect(findStrictFaults(read.transport.schema)).toEqual([]);
  return read.transport;
}

function problemsOf(schema: JsonObject): { path: string; message: string }[] {
  const read = strictTransport(schema);
  if (read.status === 'made') throw new Error(JSON.stringify(read.transport.schema));
  return read.problems.map(({ path, message }) => ({ path: path.join('/'), message }));
}

/** There, as it should be; and back. */
function expectCarried(schema: JsonObject, plain: JsonValue, strict: JsonValue): void {
  const transport = make(schema);
  expect(transport.encode(plain)).toEqual({ status: 'mapped', value: strict });
  expect(transport.decode(strict)).toEqual({ status: 'mapped', value: plain });
}

function expectRefused(mapped: ReturnType<StrictTransport['encode']>, path: string, words: RegExp): void {
  if (mapped.status === 'mapped') throw new Error(JSON.stringify(mapped.value));
  const [first] = mapped.problems;
  expect(first!.path.join('/')).toBe(path);
  expect(first!.message).toMatch(words);
  expect(first!.message).toMatch(/\.$/);
}

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...more,
});

describe('keys', () => {
  const schema = object(
    { must: { type: 'string' }, may: { type: 'string' }, both: { type: ['integer', 'null'] } },
    { required: ['must'] },
  );

  test('a key that may be missing is null, or absent where null is a value', () => {
    expectCarried(schema, { must: 'a' }, { must: 'a', may: null, both: { absent: true } });
    expectCarried(schema, { must: 'a', may: 'b', both: null }, { must: 'a', may: 'b', both: null });
    expectCarried(schema, { must: 'a', both: 3 }, { must: 'a', may: null, both: 3 });
  });

  test('the strict schema says so', () => {
    expect(make(schema).schema).toEqual({
      type: 'object',
      properties: {
        must: { type: 'string' },
        may: { description: 'null leaves it out.', anyOf: [{ type: 'string' }, { type: 'null' }] },
        both: {
          description: '{"absent": true} leaves it out.',
          anyOf: [
            { type: 'integer' },
            { type: 'null' },
            {
              type: 'object',
              properties: { absent: { type: 'boolean', enum: [true] } },
              required: ['absent'],
              additionalProperties: false,
            },
          ],
        },
      },
      required: ['must', 'may', 'both'],
      additionalProperties: false,
    });
  });

  test('a value that begins with `absent` itself is told from one that is absent', () => {
    const value = {
      anyOf: [object({ absent: { type: 'boolean' } }, { required: ['absent'] }), { type: 'null' }],
    };
    expectCarried(object({ value }), { value: { absent: true } }, { value: { absent: true } });
    expectCarried(object({ value }), {}, { value: { absent_: true } });
  });

  test('keys that the schema does not name have no place, and are named', () => {
    const open = make({
      type: 'object',
      properties: { a: { type: 'object', properties: { b: { type: 'string' } } } },
    });
    expectRefused(open.encode({ a: { b: 'x', other: 1 } }), 'a/other', /no place for the key `other` in `a`/);
    expectRefused(
      open.decode({ a: { b: 'x', other: 1 } }),
      'a',
      /has `other`, which the strict schema does not know/,
    );
  });

  test('a strict object lacks no key', () => {
    expectRefused(make(schema).decode({ must: 'a', may: null }), '', /The report lacks `both`/);
    expectRefused(make(schema).encode({ may: 'x' }), '', /lacks the key `must`/);
  });

  test('keys of Object.prototype are keys like others', () => {
    const odd = object({ constructor: { type: 'string' }, toString: { type: 'string' } });
    expectCarried(odd, {}, { constructor: null, toString: null } as unknown as JsonObject);
  });

  test('what is required and not described is any JSON', () => {
    expectCarried({ type: 'object', required: ['a'] }, { a: [1, null] }, { a: '[1,null]' });
  });

  test('a key that is forbidden is left out', () => {
    const transport = make(object({ a: { type: 'string' }, b: { not: {} }, c: false }));
    expect(Object.keys(transport.schema.properties as JsonObject)).toEqual(['a']);
  });
});

describe('maps', () => {
  const map = { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 1 };

  test('a map is a list of keys and values', () => {
    const strict = [
      { key: 'a', value: 1 },
      { key: 'b c', value: 2 },
    ];
    expectCarried(object({ map }, { required: ['map'] }), { map: { a: 1, 'b c': 2 } }, { map: strict });
  });

  test('a key twice, or `__proto__`, is refused', () => {
    const { decode } = make(object({ map }, { required: ['map'] }));
    const twice = [
      { key: 'a', value: 1 },
      { key: 'a', value: 1 },
    ];
    expectRefused(decode({ map: twice }), 'map/1/key', /`a` stands there already/);
    expectRefused(decode({ map: [{ key: '__proto__', value: 1 }] }), 'map/0/key', /`__proto__`/);
    expect(decode({ map: [{ key: 'constructor', value: 1 }] })).toEqual({
      status: 'mapped',
      value: { map: { constructor: 1 } },
    });
  });

  test('its limits are those of the list, and its keys keep their pattern', () => {
    const pattern = { type: 'object', patternProperties: { '^x-': { type: 'string' } }, maxProperties: 2 };
    const { schema, encode } = make(object({ pattern }, { required: ['pattern'] }));
    const written = (schema.properties as JsonObject).pattern as JsonObject;
    expect(written.maxItems).toBe(2);
    expect((written.items as { properties: JsonObject }).properties.key).toEqual({
      type: 'string',
      pattern: '^x-',
    });
    expectRefused(encode({ pattern: { a: 'b' } }), 'pattern/a', /\^x-/);
  });

  test('named keys and others stand side by side', () => {
    const mixed = {
      type: 'object',
      properties: { name: { type: 'string' } },
      additionalProperties: { type: 'integer' },
    };
    expectCarried(mixed, { name: 'n', one: 1 }, { name: 'n', other_keys: [{ key: 'one', value: 1 }] });
    expectRefused(
      make(mixed).decode({ name: 'n', other_keys: [{ key: 'name', value: 1 }] }),
      'other_keys/0/key',
      /`name` stands there already/,
    );
  });

  test('patterns with unlike values cannot be carried', () => {
    const unlike = {
      type: 'object',
      patternProperties: { '^a': { type: 'string' }, '^b': { type: 'integer' } },
    };
    expect(problemsOf(object({ unlike }))).toEqual([
      { path: 'properties/unlike', message: expect.stringContaining('several patterns') },
    ]);
  });
});

describe('tuples', () => {
  const place = (title: string, type: string): JsonObject => ({ title, type });

  test('places have the names of their titles, where these can be names', () => {
    const pair = {
      type: 'array',
      prefixItems: [place('text', 'string'), place('line', 'integer')],
      minItems: 2,
    };
    expectCarried(
      object({ pair }, { required: ['pair'] }),
      { pair: ['a', 1] },
      { pair: { text: 'a', line: 1 } },
    );
    const odd = {
      type: 'array',
      prefixItems: [place('a b', 'string'), place('line', 'integer')],
      minItems: 2,
    };
    expectCarried(
      object({ odd }, { required: ['odd'] }),
      { odd: ['a', 1] },
      { odd: { item_1: 'a', item_2: 1 } },
    );
    const same = { type: 'array', prefixItems: [place('a', 'string'), place('a', 'string')], minItems: 2 };
    expectCarried(
      object({ same }, { required: ['same'] }),
      { same: ['a', 'b'] },
      { same: { item_1: 'a', item_2: 'b' } },
    );
  });

  test('what is missing is missing at the end', () => {
    const tuple = {
      type: 'array',
      prefixItems: [{ type: 'string' }, { type: ['string', 'null'] }],
      minItems: 1,
    };
    const schema = object({ tuple }, { required: ['tuple'] });
    expectCarried(schema, { tuple: ['a'] }, { tuple: { item_1: 'a', item_2: { absent: true } } });
    expectCarried(schema, { tuple: ['a', null] }, { tuple: { item_1: 'a', item_2: null } });
    expectRefused(
      make(schema).encode({ tuple: [] }),
      'tuple',
      /has 0 entries; allowed are 1 at least and 2 at most/,
    );
    expectRefused(make(schema).encode({ tuple: ['a', null, 'b'] }), 'tuple', /3 entries/);
    const open = { type: 'array', prefixItems: [{ type: 'string' }, { type: 'string' }] };
    expectRefused(
      make(object({ open }, { required: ['open'] })).decode({ open: { item_1: null, item_2: 'b' } }),
      'open',
      /follows after what is not there/,
    );
  });

  test('what may follow is a list of its own', () => {
    const tuple = {
      type: 'array',
      prefixItems: [{ type: 'string' }],
      items: { type: 'integer' },
      minItems: 2,
      maxItems: 3,
    };
    const schema = object({ tuple }, { required: ['tuple'] });
    expectCarried(schema, { tuple: ['a', 1, 2] }, { tuple: { item_1: 'a', more_items: [1, 2] } });
    expectRefused(
      make(schema).encode({ tuple: ['a'] }),
      'tuple',
      /0 further entries; allowed are 1 at least and 2 at most/,
    );
  });
});

describe('alternatives', () => {
  const required = (schema: JsonObject) => object({ value: schema }, { required: ['value'] });

  test('other types stay as they are', () => {
    const schema = required({
      anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'array', items: { type: 'string' } }],
    });
    expect((make(schema).schema.properties as JsonObject).value).toEqual({
      anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'array', items: { type: 'string' } }],
    });
    expectCarried(schema, { value: ['a'] }, { value: ['a'] });
  });

  test('objects with other keys stay as they are', () => {
    const one = object({ a: { type: 'string' } }, { required: ['a'] });
    const two = object({ b: { type: 'string' }, a: { type: 'string' } }, { required: ['b'] });
    expectCarried(required({ anyOf: [one, two] }), { value: { b: 'x' } }, { value: { b: 'x', a: null } });
  });

  test('what could be confused is wrapped, each in a key of its own', () => {
    const kind = (name: string, more: JsonObject) =>
      object({ kind: { const: name }, ...more }, { required: ['kind'] });
    const schema = required({
      oneOf: [
        kind('file', { path: { type: 'string' } }),
        kind('note', { text: { type: 'string' } }),
        { type: 'null' },
      ],
    });
    expectCarried(
      schema,
      { value: { kind: 'note', text: 'x' } },
      { value: { choice_2: { kind: 'note', text: 'x' } } },
    );
    expectCarried(schema, { value: { kind: 'file' } }, { value: { choice_1: { kind: 'file', path: null } } });
    expectCarried(schema, { value: null }, { value: null });
    expectRefused(
      make(schema).decode({ value: { kind: 'note', text: 'x' } }),
      'value',
      /the one key `choice_1` or `choice_2`/,
    );
    expectRefused(make(schema).encode({ value: { kind: 'other' } }), 'value', /fits none of the 3 shapes/);
  });

  test('the first alternative that holds is taken, constraints that can be said included', () => {
    const schema = required({
      anyOf: [
        { type: 'string', pattern: '^a' },
        { type: 'string', pattern: '^b' },
      ],
    });
    expectCarried(schema, { value: 'bc' }, { value: { choice_2: 'bc' } });
  });

  test('alternatives that only constrain are left to the judge', () => {
    const schema = {
      ...object({ a: { type: 'string' }, b: { type: 'string' } }),
      anyOf: [{ required: ['a'] }, { required: ['b'], properties: { b: { minLength: 1 } } }],
    };
    expectCarried(schema, { b: 'x' }, { a: null, b: 'x' });
    expectCarried(schema, {}, { a: null, b: null });
  });

  test('alternatives of one object have what all of it has', () => {
    const schema = required({
      type: 'object',
      properties: { id: { type: 'integer' } },
      required: ['id'],
      anyOf: [
        { properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { b: { type: 'string' } }, required: ['b'] },
      ],
    });
    expectCarried(schema, { value: { id: 1, b: 'x' } }, { value: { choice_2: { id: 1, b: 'x' } } });
  });

  test('two lists of alternatives at once are refused', () => {
    const schema = {
      anyOf: [{ type: 'string' }, { type: 'null' }],
      oneOf: [{ type: 'string' }, { type: 'integer' }],
    };
    expect(problemsOf(object({ schema }))).toEqual([
      {
        path: 'properties/schema',
        message: 'Two lists of alternatives hold at once here; write them as one list.',
      },
    ]);
  });

  test('values that are listed one by one, with words for each, are one list', () => {
    const schema = required({
      type: 'string',
      oneOf: [
        { const: 'ok', description: 'All is well.' },
        { const: 'bad', description: 'It is not.' },
      ],
    });
    expect((make(schema).schema.properties as JsonObject).value).toEqual({
      description: '"ok": All is well. "bad": It is not.',
      type: 'string',
      enum: ['ok', 'bad'],
    });
  });

  test('values of many types are listed by type', () => {
    const schema = required({ enum: ['a', 1, null, 'b'] });
    expect((make(schema).schema.properties as JsonObject).value).toEqual({
      anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'integer', enum: [1] }, { type: 'null' }],
    });
    expectCarried(schema, { value: null }, { value: null });
    expectCarried(required({ const: { a: [1] } }), { value: { a: [1] } }, { value: '{"a":[1]}' });
  });
});

describe('any JSON', () => {
  test('is carried as a text', () => {
    const schema = object({ any: true, some: { type: 'object' }, none: object({}) });
    expectCarried(
      schema,
      { any: null, some: { a: [1] }, none: {} },
      { any: 'null', some: '{"a":[1]}', none: '{}' },
    );
    expectCarried(schema, { any: 'x' }, { any: '"x"', some: null, none: null });
  });

  test('a text that holds none is refused', () => {
    const { decode } = make(object({ any: true, some: { type: 'object' } }));
    expectRefused(decode({ any: '{"a":', some: null }), 'any', /`any` is to hold JSON as a text/);
    expectRefused(decode({ any: '{"__proto__": 1}', some: null }), 'any', /__proto__/);
    expectRefused(decode({ any: 5, some: null }), 'any', /is 5, not a text that holds JSON/);
    expectRefused(decode({ any: null, some: '[]' }), 'some', /holds an empty list as JSON, not an object/);
  });
});

describe('schemas that hold together', () => {
  test('are made one', () => {
    const schema = {
      $defs: { base: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] } },
      allOf: [
        { $ref: '#/$defs/base' },
        { properties: { id: { type: 'integer' }, name: { type: 'string' } } },
      ],
    };
    expectCarried(schema, { id: 1, name: 'n' }, { id: 1, name: 'n' });
    expect((make(schema).schema.properties as JsonObject).id).toEqual({ type: 'integer' });
  });

  test('what the one does not allow, the other cannot add', () => {
    const closed = object({ a: { type: 'string' } });
    const transport = make({ allOf: [closed, { properties: { b: { type: 'string' } } }] });
    expect(Object.keys(transport.schema.properties as JsonObject)).toEqual(['a']);
  });

  test('conditions are left to the judge, unless only they know a key, however far in', () => {
    const conditional = (dependent: JsonObject) => ({
      $defs: { part: { type: 'object', properties: { name: { type: 'string' } } } },
      type: 'object',
      properties: { kind: { enum: ['a', 'b'] }, part: { $ref: '#/$defs/part' }, any: {}, closed: object({}) },
      allOf: [{ dependentSchemas: { kind: dependent } }],
    });
    const strict = { kind: 'a', part: null, any: null, closed: null };
    expectCarried(conditional({ required: ['part'] }), { kind: 'a' }, strict);
    const narrowing = { part: { properties: { name: { minLength: 1 } } }, any: { properties: { x: {} } } };
    expectCarried(conditional({ properties: narrowing }), { kind: 'a' }, strict);
    expectCarried(
      conditional({ properties: { closed: { properties: { x: true } } } }),
      { kind: 'a' },
      strict,
    );
    const message = 'Only a condition speaks of `extra`; declare it under `properties` as well.';
    for (const properties of [{ extra: { type: 'string' } }, { part: { properties: { extra: true } } }])
      expect(problemsOf(conditional({ properties }))).toEqual([{ path: '', message }]);
  });

  test('alternatives that know further keys far in are not taken for mere constraints', () => {
    const schema = {
      type: 'object',
      properties: { part: { type: 'object', properties: { a: { type: 'string' } } } },
      anyOf: [{ properties: { part: { properties: { b: { type: 'string' } } } } }, { required: ['part'] }],
    };
    const plain = { part: { b: 'x' } };
    const { encode, decode } = make(schema);
    const encoded = encode(plain);
    expect(encoded).toEqual({
      status: 'mapped',
      value: { value: { choice_1: { part: { a: null, b: 'x' } } } },
    });
    expect(decode(encoded.status === 'mapped' ? encoded.value : null)).toEqual({
      status: 'mapped',
      value: plain,
    });
  });

  test('what cannot be made one is refused, with its place', () => {
    const places = (type: string) => ({ type: 'array', prefixItems: [{ type }] });
    expect(problemsOf(object({ odd: { allOf: [places('string'), places('integer')] } }))).toEqual([
      { path: 'properties/odd', message: expect.stringContaining('`prefixItems`') },
    ]);
  });
});

describe('references', () => {
  const tree = {
    type: 'object',
    properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
    required: ['name'],
    additionalProperties: false,
  };

  test('a schema that refers to itself stays one', () => {
    const plain = { name: 'a', children: [{ name: 'b' }, { name: 'c', children: [] }] };
    const strict = {
      name: 'a',
      children: [
        { name: 'b', children: null },
        { name: 'c', children: [] },
      ],
    };
    expectCarried(tree, plain, strict);
  });

  test('what constrains beside a reference is left to the judge, what adds to it is taken in', () => {
    const schema = {
      $defs: { node: object({ name: { type: 'string' }, next: { $ref: '#/$defs/node', minProperties: 1 } }) },
      type: 'object',
      properties: { first: { $ref: '#/$defs/node', required: ['name'] } },
    };
    expectCarried(
      schema,
      { first: { name: 'a', next: { name: 'b' } } },
      { first: { name: 'a', next: { name: 'b', next: null } } },
    );
    expectRefused(make(schema).encode({ first: {} }), 'first', /lacks the key `name`/);
  });

  test('anchors lead somewhere, too', () => {
    const schema = { $defs: { x: { $anchor: 'text', type: 'string' } }, ...object({ a: { $ref: '#text' } }) };
    expectCarried(schema, { a: 'b' }, { a: 'b' });
  });

  test('references that lead nowhere, back to themselves or elsewhere are refused', () => {
    expect(problemsOf(object({ a: { $ref: '#/$defs/none' } }))[0]!.message).toContain(
      'leads to no schema here',
    );
    expect(problemsOf(object({ a: { $ref: 'https://example.com/x' } }))[0]!.path).toBe('properties/a');
    expect(
      problemsOf({
        $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
        ...object({ x: { $ref: '#/$defs/a' } }),
      }),
    ).toHaveLength(1);
    expect(
      problemsOf({
        $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'string' }] } },
        ...object({ x: { $ref: '#/$defs/a' } }),
      })[0]!.message,
    ).toContain('refers to itself');
    const growing = { type: 'object', properties: { next: { $ref: '#', required: ['extra'] } } };
    expect(problemsOf(growing)[0]!.message).toContain('leads back to itself');
    expect(problemsOf(object({ a: { $dynamicRef: '#x' } }))[0]!.message).toContain('$dynamicRef');
  });
});

describe('constraints', () => {
  test('those that a strict schema knows stay, the others are told in words', () => {
    const schema = object(
      {
        text: { type: 'string', description: 'A name.', minLength: 2, pattern: '^[a-z]+$', format: 'uri' },
        around: { type: 'string', pattern: '^(?=a)' },
        count: { type: 'integer', minimum: 1, maximum: 9, multipleOf: 2 },
        list: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3, uniqueItems: true },
      },
      { required: ['text', 'around', 'count', 'list'] },
    );
    expect(make(schema).schema.properties).toEqual({
      text: { description: 'A name. Keep to: minLength 2, format uri.', type: 'string', pattern: '^[a-z]+$' },
      around: { description: 'Keep to: pattern ^(?=a).', type: 'string' },
      count: { type: 'integer', minimum: 1, maximum: 9, multipleOf: 2 },
      list: {
        description: 'Keep to: uniqueItems true.',
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        maxItems: 3,
      },
    });
  });

  test('values that break them are not encoded, and are decoded for the judge', () => {
    const { encode, decode } = make(object({ n: { type: 'integer', minimum: 1 } }, { required: ['n'] }));
    expect(encode({ n: 0 }).status).toBe('refused');
    expect(decode({ n: 0 })).toEqual({ status: 'mapped', value: { n: 0 } });
    expectRefused(decode({ n: 'x' }), 'n', /is the text "x", not a whole number/);
  });
});

describe('limits', () => {
  const names = (count: number, prefix = 'k') =>
    Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  const keys = (count: number) => Object.fromEntries(names(count).map((name) => [name, { type: 'string' }]));

  test('what strict services do not take is refused, with the numbers', () => {
    make(object(keys(5_000)));
    expect(problemsOf(object(keys(5_001)))).toEqual([
      { path: '', message: 'The strict form has 5001 keys; strict services take 5000.' },
    ]);
    make(object({ a: { enum: names(1_000) } }));
    expect(problemsOf(object({ a: { enum: names(600) }, b: { enum: names(401) } }))[0]!.message).toBe(
      'The strict form has 1001 listed values; strict services take 1000.',
    );
    const long = (count: number) => object({ a: { enum: names(count, 'x'.repeat(60)) } });
    make(long(250));
    expect(problemsOf(long(251))[0]!.message).toContain('characters in one list of values');
    const wide = Object.fromEntries(names(100, 'x'.repeat(1_200)).map((name) => [name, { type: 'null' }]));
    expect(problemsOf(object(wide))[0]!.message).toContain('characters in names and listed values');
  });

  test('what is nested too deeply for them is taken apart', () => {
    let schema: JsonObject = { type: 'string' };
    let plain: JsonValue = 'x';
    for (let level = 0; level < 40; level++) {
      schema = level % 2 === 0 ? object({ a: schema }) : { type: 'array', items: schema };
      plain = level % 2 === 0 ? { a: plain } : [plain];
    }
    const transport = make(object({ top: schema }));
    const encoded = transport.encode({ top: plain });
    expect(encoded).toEqual({ status: 'mapped', value: { top: plain } });
  });
});

describe('hostile input', () => {
  const deep = (levels: number): JsonValue => {
    let value: JsonValue = [];
    for (let level = 0; level < levels; level++) value = level % 2 === 0 ? { a: value } : [value];
    return value;
  };

  test('100,000 levels are refused', () => {
    const { encode, decode } = make(object({ any: true }));
    expect(encode({ any: deep(100_000) }).status).toBe('refused');
    expect(decode({ any: deep(100_000) }).status).toBe('refused');
    expect(strictTransport({ properties: deep(100_000) as JsonObject }).status).toBe('refused');
  });

  test('as many levels as a report may have are carried', () => {
    const tree = {
      anyOf: [
        { type: 'object', additionalProperties: { $ref: '#' } },
        object({ leaf: { type: 'string' } }, { required: ['leaf'] }),
      ],
    };
    let plain: JsonValue = { leaf: 'x' };
    for (let level = 0; level < 198; level++) plain = { next: plain };
    const { encode, decode } = make(tree);
    const encoded = encode(plain);
    expect(encoded.status).toBe('mapped');
    expect(decode(encoded.status === 'mapped' ? encoded.value : null)).toEqual({
      status: 'mapped',
      value: plain,
    });
  });

  test('alternatives within alternatives are tried once each', () => {
    const node = (type: string) =>
      object({ next: { $ref: '#/$defs/node' }, last: { type } }, { required: ['last'] });
    const schema = { $defs: { node: { anyOf: [node('integer'), node('string')] } }, $ref: '#/$defs/node' };
    let plain: JsonValue = { last: 'x' };
    for (let level = 0; level < 150; level++) plain = { next: plain, last: 'x' };
    expect(make(schema).encode(plain).status).toBe('mapped');
  });

  test('schemas that grow without end when they are written out are refused', () => {
    const chain = (link: (next: JsonObject) => JsonObject): JsonObject =>
      Object.fromEntries(
        Array.from({ length: 31 }, (_, index) => {
          const next = { $ref: `#/$defs/d${index + 1}`, required: ['x'] };
          return [`d${index}`, index === 30 ? { type: 'object' } : link(next)];
        }),
      );
    const top = object({ top: { $ref: '#/$defs/d0', required: ['x'] } });
    const chains = [
      chain((next) => ({ type: 'object', properties: { a: next, b: next } })),
      chain((next) => ({ allOf: [next, next] })),
      chain((next) => ({ type: 'object', anyOf: [next, { ...next, properties: { y: true } }] })),
    ];
    for (const $defs of chains) expect(problemsOf({ $defs, ...top })[0]!.message).toContain('too large');
  });
});
