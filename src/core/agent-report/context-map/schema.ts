import type { JsonObject, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';

// The names under which an entry that is written as an object holds its parts. In each list the first that is filled
// stands. The schema and the reader are both made of these.

export const TEXT_FIELDS = [
  'text',
  'description',
  'summary',
  'note',
  'content',
  'explanation',
  'finding',
  'comment',
  'purpose',
  'title',
  'name',
] as const;

export const ADDRESS_FIELDS = [
  'uri',
  'reference',
  'ref',
  'location',
  'path',
  'file',
  'file_path',
  'filePath',
  'source',
  'url',
  'link',
  'address',
] as const;

/** `45`, `"45-120"`, `[45, 120]`, `{"start": 45, "end": 120}` */
export const LINES_FIELDS = ['lines', 'line', 'line_range', 'lineRange'] as const;

/** The first and the last line, each on its own. */
export const EDGE_FIELDS = [
  ['start_line', 'end_line'],
  ['line_start', 'line_end'],
  ['startLine', 'endLine'],
  ['lineStart', 'lineEnd'],
] as const;

/** The same inside of a field of lines. */
export const LINES_EDGES = [
  ['start', 'end'],
  ['from', 'to'],
] as const;

export const ENTRY_FIELDS: readonly string[] = [
  ...TEXT_FIELDS,
  ...ADDRESS_FIELDS,
  ...LINES_FIELDS,
  ...EDGE_FIELDS.flat(),
];

const ABOUT =
  'A list of pairs: what there is to know, and where it stands: "repo://path", "repo://path:n" or "repo://path:n-m" with lines from 1, or null.';

const TEXT: JsonObject = { type: 'string', description: 'What there is to know.' };
const ADDRESS: JsonObject = {
  type: ['string', 'null'],
  description: '"repo://path", "repo://path:n", "repo://path:n-m", or null.',
};

/** The one form that teddy writes and asks for: `[[text, address or null], …]`. */
export const CANONICAL_CONTEXT_MAP_SCHEMA: JsonObject = {
  type: 'array',
  description: ABOUT,
  items: {
    type: 'array',
    description: 'A pair: [text, address or null].',
    prefixItems: [TEXT, ADDRESS],
    minItems: 2,
    maxItems: 2,
  },
};

/** The same with names for its two places. */
export const NAMED_CONTEXT_MAP_SCHEMA: JsonObject = {
  type: 'array',
  description: ABOUT,
  items: { type: 'object', properties: { text: TEXT, uri: ADDRESS }, required: ['text', 'uri'] },
};

/** A schema of findings with another one for its context map, made of the one that it has; without a map, it is the same. */
export function replaceContextMap(findings: JsonObject, replace: (map: JsonValue) => JsonValue): JsonObject {
  const { properties } = findings;
  if (!isJsonObject(properties) || !Object.hasOwn(properties, 'context_map')) return findings;
  return { ...findings, properties: { ...properties, context_map: replace(properties.context_map!) } };
}

/** What a manual says of its context map beside the form, which is the same for all. */
export function keepOwnWords(map: JsonValue, keys: readonly string[]): JsonObject {
  const own = isJsonObject(map) ? Object.entries(map) : [];
  return Object.fromEntries(own.filter(([key]) => keys.includes(key)));
}

/** Every form that `readContextMap` reads, and no other. */
export const CONTEXT_MAP_SCHEMA: JsonObject = {
  description: ABOUT,
  anyOf: [
    {
      type: 'array',
      description: ABOUT,
      items: { anyOf: [pairForm(), { type: 'string' }, objectForm()] },
    },
    mapForm(),
  ],
};

// Cases stand under `if` and not under `anyOf`, so that a fault is told of the case at hand.

/** `[text, address]`, `[text, null]`, `[text]` */
function pairForm(): JsonObject {
  return {
    type: 'array',
    description: 'A pair: [text, address or null].',
    if: { minItems: 2 },
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own word.
    then: { prefixItems: [TEXT, ADDRESS], minItems: 2, maxItems: 2 },
    else: { prefixItems: [TEXT], minItems: 1, maxItems: 1 },
  };
}

/** `{"text": …, "uri": …}` */
function objectForm(): JsonObject {
  const lines: JsonObject = { anyOf: linesForms() };
  const edge: JsonObject = { anyOf: [{ type: 'integer' }, { type: ['string', 'null'] }] };
  return {
    type: 'object',
    description: 'An entry with a "text" and a "uri".',
    properties: Object.fromEntries([
      ...TEXT_FIELDS.map((name) => [name, { type: ['string', 'null'] }]),
      ...ADDRESS_FIELDS.map((name) => [name, ADDRESS]),
      ...LINES_FIELDS.map((name) => [name, lines]),
      ...EDGE_FIELDS.flat().map((name) => [name, edge]),
    ]),
    if: { not: { anyOf: TEXT_FIELDS.map(requireText) } },
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own word.
    then: requireText('text'),
  };
}

function requireText(name: string): JsonObject {
  return { required: [name], properties: { [name]: TEXT } };
}

function linesForms(): JsonObject[] {
  return [
    { type: 'integer' },
    { type: ['string', 'null'] },
    { type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'string' }] } },
    ...LINES_EDGES.map(
      ([from, to]): JsonObject => ({
        type: 'object',
        properties: { [from]: { type: 'integer' }, [to]: { type: ['integer', 'null'] } },
        required: [from],
      }),
    ),
  ];
}

/** `{address: text}`, `{text: address}`, `{text: null}` */
function mapForm(): JsonObject {
  return {
    type: 'object',
    description: ABOUT,
    // One entry in the place of the list would read as a map whose keys are `text` and `uri`.
    propertyNames: {
      description: 'An entry stands in a list: [[text, address or null], …].',
      not: { enum: [...ENTRY_FIELDS] },
    },
    additionalProperties: { type: ['string', 'null'] },
  };
}
