import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { compileSchema } from '../../../../src/core/json/schema/compile.js';
import type { JsonValue } from '../../../../src/core/json/values.js';
import { listProblems } from './check.js';

/** Each with the beginning of what is said, the place first. */
const WRONG: Record<string, [schema: JsonValue, ...problems: string[]]> = {
  'no schema': ['x', '$: A schema must be an object, or true or false.'],
  null: [null, '$: A schema must be an object'],
  'a property that is no schema': [
    { properties: { a: 'string' } },
    '$.properties.a: A schema must be an object',
  ],
  'an unknown keyword': [
    { frobnicate: 1 },
    '$.frobnicate: "frobnicate" is not a supported keyword: correct it, remove it, or',
  ],
  'another case': [{ maxlength: 1 }, '$.maxlength: "maxlength" is not a supported keyword: write maxLength.'],
  'other joints': [
    { 'min-items': 1 },
    '$[\'min-items\']: "min-items" is not a supported keyword: write minItems.',
  ],
  'a slip': [{ requierd: ['a'] }, '$.requierd: "requierd" is not a supported keyword: write required.'],
  'a missing sign': [{ ref: '#' }, '$.ref: "ref" is not a supported keyword: write $ref.'],
  'a keyword of another version': [
    { definitions: {}, additionalItems: false, dependencies: {}, id: 'x', divisibleBy: 2 },
    '$.definitions: "definitions" is not a supported keyword: write $defs.',
    '$.additionalItems: "additionalItems" is not a supported keyword: write items',
    '$.dependencies: "dependencies" is not a supported keyword: write dependentRequired or dependentSchemas.',
    '$.id: "id" is not a supported keyword: write $id.',
    '$.divisibleBy: "divisibleBy" is not a supported keyword',
  ],
  'a keyword of another tool': [
    { nullable: true },
    '$.nullable: "nullable" is not a supported keyword: write the type as a list',
  ],
  'what this version has and we have not': [
    {
      unevaluatedProperties: false,
      unevaluatedItems: false,
      $dynamicRef: '#a',
      $dynamicAnchor: 'a',
      $vocabulary: {},
    },
    '$.unevaluatedProperties: "unevaluatedProperties" is not a supported keyword: write additionalProperties.',
    '$.unevaluatedItems:',
    "$['$dynamicRef']:",
    "$['$dynamicAnchor']:",
    "$['$vocabulary']:",
  ],
  'a key of the value in the place of a keyword': [
    { type: 'object', name: { type: 'string' } },
    '$.name: "name" is not a supported keyword: if it is a key of the value, it belongs under properties.',
  ],
  'a key that objects inherit': [
    { constructor: 1 },
    '$.constructor: "constructor" is not a supported keyword',
  ],
  'an unknown type': [{ type: 'text' }, '$.type: type must be one of null, boolean,'],
  'an unknown type in a list': [{ type: ['string', 'colour'] }, '$.type: type must be one of null, boolean,'],
  'types of no type': [{ type: 3 }, '$.type: type must be one of null, boolean,'],
  'no types': [{ type: [] }, '$.type: type must be one of'],
  'a type twice': [{ type: ['null', 'null'] }, '$.type: type must be one of'],
  'required as a text': [
    { required: 'a' },
    '$.required: required must be a list of distinct keys, such as ["name"].',
  ],
  'required as a flag': [
    { properties: { a: { required: true } } },
    '$.properties.a.required: required must be a list of distinct keys',
  ],
  'required of numbers': [{ required: ['a', 1] }, '$.required: required must be a list of distinct keys'],
  'required twice': [{ required: ['a', 'a'] }, '$.required: required must be a list of distinct keys'],
  'dependentRequired of a text': [
    { dependentRequired: { a: 'b' } },
    '$.dependentRequired: dependentRequired must be an object with a list of keys',
  ],
  'lengths below 0, or no numbers, or with a fraction': [
    {
      minLength: -1,
      maxLength: '3',
      minItems: 1.5,
      maxItems: null,
      minProperties: [],
      maxProperties: 1e300,
      minContains: -2,
      maxContains: true,
    },
    '$.minLength: minLength must be a whole number from 0.',
    '$.maxLength:',
    '$.minItems:',
    '$.maxItems:',
    '$.minProperties:',
    '$.maxProperties:',
    '$.minContains:',
    '$.maxContains:',
  ],
  'bounds that are no numbers': [
    { minimum: '1', maximum: null, exclusiveMinimum: true, exclusiveMaximum: [], multipleOf: 'x' },
    '$.minimum: minimum must be a number.',
    '$.maximum:',
    '$.exclusiveMinimum:',
    '$.exclusiveMaximum:',
    '$.multipleOf: multipleOf must be a number greater than 0.',
  ],
  'multiples of nothing': [{ multipleOf: 0 }, '$.multipleOf: multipleOf must be a number greater than 0.'],
  'an empty enum': [{ enum: [] }, '$.enum: enum must be a list of at least one value.'],
  'enum as an object': [{ enum: {} }, '$.enum: enum must be a list of at least one value.'],
  'items as a list': [
    { items: [{}] },
    '$.items: items must be one schema; a list of schemas for items is prefixItems.',
  ],
  'empty lists of schemas': [
    { allOf: [], anyOf: {}, oneOf: 1, prefixItems: [] },
    '$.allOf: allOf must be a list of at least one schema.',
    '$.anyOf:',
    '$.oneOf:',
    '$.prefixItems:',
  ],
  'objects that are none': [
    { properties: [], patternProperties: 1, $defs: 'x', dependentSchemas: null, dependentRequired: [] },
    '$.properties: properties must be an object with one schema per key.',
    '$.patternProperties:',
    "$['$defs']:",
    '$.dependentSchemas:',
    '$.dependentRequired:',
  ],
  'words that are none': [
    {
      title: 1,
      description: null,
      $comment: {},
      format: [],
      examples: {},
      deprecated: 'x',
      readOnly: 1,
      writeOnly: null,
      uniqueItems: 'yes',
    },
    '$.title: title must be a string.',
    '$.description:',
    "$['$comment']:",
    '$.format:',
    '$.examples: examples must be a list of values.',
    '$.deprecated: deprecated must be true or false.',
    '$.readOnly:',
    '$.writeOnly:',
    '$.uniqueItems: uniqueItems must be true or false.',
  ],
  'another version': [
    { $schema: 'http://json-schema.org/draft-07/schema#' },
    '$[\'$schema\']: $schema must be "https://json-schema.org/draft/2020-12/schema", the only supported version.',
  ],
  'an $id further down': [
    { items: { $id: 'x' } },
    "$.items['$id']: $id may only be at the top; name this schema with $anchor.",
  ],
  'an anchor with spaces': [{ $anchor: 'a b' }, "$['$anchor']: $anchor must be a name"],
  'an anchor twice': [
    { $anchor: 'a', items: { $anchor: 'a' } },
    "$.items['$anchor']: $anchor must be unique.",
  ],
  'a schema elsewhere': [
    { $ref: 'https://a.example/schema.json' },
    "$['$ref']: $ref must point to a schema in this one",
  ],
  'a file beside it': [{ $ref: 'other.json#/a' }, "$['$ref']: $ref must point to a schema in this one"],
  'a reference to nothing': [{ $ref: '#/$defs/a' }, "$['$ref']: $ref must point to a schema in this one"],
  'a reference to what is no schema': [
    { const: { a: {} }, $ref: '#/const/a' },
    "$['$ref']: $ref must point to a schema in this one",
  ],
  'a reference to an old place': [
    { $ref: '#/definitions/a', $defs: { a: {} } },
    "$['$ref']: $ref must point to a schema in this one",
  ],
  'a name that is nowhere': [
    { $ref: '#a', $defs: { a: {} } },
    "$['$ref']: $ref must point to a schema in this one",
  ],
  'a reference that is no text': [{ $ref: {} }, "$['$ref']: $ref must be a string."],
  'a reference with a broken escape': [{ $ref: '#/%zz' }, "$['$ref']: $ref must point to a schema"],
  'a reference to itself': [{ $ref: '#' }, "$['$ref']: $ref leads back to itself"],
  'references in a circle': [
    {
      $ref: '#/$defs/a',
      $defs: {
        a: { allOf: [{ not: { $ref: '#/$defs/b' } }] },
        b: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/a' }] },
      },
    },
    "$['$defs'].b.anyOf[1]['$ref']: $ref leads back to itself",
  ],
  'a circle that is entered from the side': [
    { $ref: '#/$defs/a/allOf/0', $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } },
    "$['$defs'].a.allOf[0]['$ref']: $ref leads back to itself",
  ],
  'a circle of conditions': [
    { dependentSchemas: { a: { if: true, else: { $ref: '#' } } } },
    "$.dependentSchemas.a.else['$ref']: $ref leads back",
  ],
  'a pattern beyond ours': [
    {
      properties: { a: { pattern: '^(?!x)' } },
      patternProperties: { '(a)\\1': true },
      additionalProperties: false,
    },
    '$.properties.a.pattern: The pattern "^(?!x)" cannot be used: ',
    '$.patternProperties[\'(a)\\\\1\']: The pattern "(a)\\\\1" cannot be used: ',
  ],
  'a pattern that is no text': [{ pattern: 1 }, '$.pattern: pattern must be a string.'],
  'all that is wrong, at once': [
    { type: 'txt', properties: { a: { minimum: 'x' } }, items: { $ref: '#nowhere' } },
    '$.type:',
    '$.properties.a.minimum:',
    "$.items['$ref']:",
  ],
};

test.each(Object.entries(WRONG))('%s', (_, [schema, ...problems]) => {
  const told = listProblems(schema);
  expect(told.map((problem, index) => problem.slice(0, problems[index]?.length))).toEqual(problems);
  for (const problem of told) expect(problem).toMatch(/: \S.*\.$/);
});

const CLOSED: JsonValue[] = [
  {},
  true,
  { $schema: 'https://json-schema.org/draft/2020-12/schema' },
  { $schema: 'https://json-schema.org/draft/2020-12/schema#' },
  { $id: 'https://a.example/b' },
  { $id: 'https://a.example/b#', $ref: '#/$defs/a', $defs: { a: {} } },
  { $id: 'b.json', $ref: '#a', $defs: { a: { $anchor: 'a' } } },
  { $id: '' },
  {
    $comment: 'x',
    default: { a: 1 },
    examples: [],
    'x-verbosity': 'detailed',
    'x-': null,
    contentSchema: { type: 'string' },
  },
  {
    contentEncoding: 'base64',
    contentMediaType: 'text/plain',
    readOnly: true,
    writeOnly: false,
    deprecated: false,
  },
  // biome-ignore lint/suspicious/noThenProperty: the name of a keyword
  { minContains: 1, then: false, else: false },
  { $defs: { 'a b': { $defs: { 'c/d~e': {} } } }, $ref: '#/$defs/a%20b/$defs/c~1d~0e' },
  { properties: { $ref: { type: 'string' }, 'x-y': {}, constructor: {}, items: {} } },
  { $defs: { a: { properties: { next: { $ref: '#/$defs/a' } } } }, items: { items: { $ref: '#' } } },
  { pattern: '(?<year>\\d{4})-(?<month>\\d\\d)' },
  { minimum: -0, maximum: 1e308, multipleOf: 1e-300 },
  { enum: [1, 1, null] },
];

test.each(CLOSED.map((schema) => [JSON.stringify(schema), schema] as const))(
  'In order, here and elsewhere: %s',
  (_, schema) => {
    expect(listProblems(schema)).toEqual([]);
    new Ajv2020({ strict: false, validateFormats: false }).compile(schema as object | boolean);
  },
);

test('A schema that is frozen is read, and none is changed', () => {
  const schema = {
    $defs: { a: { type: 'string' } },
    properties: { b: { $ref: '#/$defs/a' } },
    enum: [{ b: 'x' }],
  };
  const before = JSON.stringify(schema);
  const read = compileSchema(freeze(schema) as JsonValue);
  expect(read.status).toBe('compiled');
  if (read.status === 'compiled') expect(read.schema.check({ b: 'x' })).toEqual([]);
  expect(JSON.stringify(schema)).toBe(before);
});

function freeze(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}
