import { allowsNothing, decodeReference, mapSubschemas, walkSchemas } from '../json/schema/keywords.js';
import type { JsonObject, JsonValue } from '../json/values.js';
import { type Field, KINDS, METADATA_FIELDS, REPORT_FIELDS } from './fields.js';
import { describeLevels, findingsAt, hasLevelMarks, readLevelMark, withoutRequired } from './levels.js';
import { type Manual, VERBOSITIES, type Verbosity } from './types.js';

const INK: JsonObject = { ...KINDS.ink.schema };

/**
 * The whole report as JSON Schema 2020-12: of an agent, or of any (null); of every level that the manual offers, or of
 * one. It refuses what the judgement refuses, and nothing else, three things aside, which no schema can say: the rules
 * of a summary's size and contents, and what was asked.
 */
export function reportSchema(manual: Manual | null, level?: Verbosity): JsonObject {
  const levels = level === undefined ? offeredLevels(manual) : [level];
  const byLevel = manual !== null && levels.length > 1 && hasLevelMarks(manual);
  const { findings, rules, $defs } = byLevel ? findingsOfEach(manual, levels) : findingsOfOne(manual, levels);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: manual ? `Report of the subagent ${manual.name}` : 'Report of a subagent',
    description: 'One JSON object, with nothing before or after it. Its strings are Markdown.',
    type: 'object',
    required: requiredOf(REPORT_FIELDS),
    properties: {
      ...propertiesOf(REPORT_FIELDS),
      report_metadata: {
        description: aboutOf(REPORT_FIELDS, 'report_metadata'),
        type: 'object',
        required: requiredOf(METADATA_FIELDS),
        properties: {
          ...propertiesOf(METADATA_FIELDS),
          ...(manual && { agent_name: { ...agentName(manual) } }),
          verbosity_level: verbosityLevel(manual, levels),
        },
      },
      findings: { description: aboutOf(REPORT_FIELDS, 'findings'), type: 'object', ...findings },
    },
    allOf: [...STATUS_RULES, ...rules],
    ...($defs && { $defs }),
  };
}

export function offeredLevels(manual: Manual | null): Verbosity[] {
  return manual ? manual.levels.map(({ level }) => level) : [...VERBOSITIES];
}

const aboutOf = (fields: readonly Field[], key: string): string =>
  fields.find((field) => field.key === key)?.about ?? '';

const requiredOf = (fields: readonly Field[]): string[] =>
  fields.filter(({ required }) => required).map(({ key }) => key);

const propertiesOf = (fields: readonly Field[]): JsonObject =>
  Object.fromEntries(
    fields.map(({ key, kind, about }) => [key, { description: about, ...KINDS[kind].schema }]),
  );

function agentName(manual: Manual): JsonObject {
  return { description: `Your agent name: ${manual.name}.`, ...INK, examples: [manual.name] };
}

function verbosityLevel(manual: Manual | null, levels: readonly Verbosity[]): JsonObject {
  const holds = (manual?.levels ?? [])
    .filter(({ level, holds }) => levels.includes(level) && holds !== '')
    .map(({ level, holds }) => `${level}: ${holds}`);
  const budget =
    manual && levels.includes('summary')
      ? [`A summary has at most ${manual.summaryBudget} characters in total, and no fenced blocks.`]
      : [];
  const description = [aboutOf(METADATA_FIELDS, 'verbosity_level'), ...holds, ...budget].join('\n');
  const only = levels.length === 1 ? { const: levels[0]! } : { enum: [...levels] };
  return { description, type: 'string', ...only };
}

/** A report whose metadata has these values under these keys. */
function whenMetadata(values: Readonly<Record<string, string>>): JsonObject {
  const properties = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, { const: value }]),
  );
  return {
    type: 'object',
    required: ['report_metadata'],
    properties: { report_metadata: { type: 'object', required: Object.keys(values), properties } },
  };
}

function makeRule(when: JsonObject, consequence: JsonObject): JsonObject {
  // biome-ignore lint/suspicious/noThenProperty: the name of a keyword
  return { if: when, then: { type: 'object', ...consequence } };
}

const STATUS_RULES: readonly JsonObject[] = [
  makeRule(whenMetadata({ status: 'failed' }), {
    properties: {
      report_metadata: {
        type: 'object',
        required: ['error_message'],
        properties: { error_message: { description: 'A failed report gives the reason.', ...INK } },
      },
    },
  }),
  makeRule(whenMetadata({ status: 'blocked' }), {
    required: ['blockers'],
    properties: {
      blockers: { description: 'A blocked report lists its blockers.', type: 'array', contains: { ...INK } },
    },
  }),
];

/** What the schema says of the findings: beside their description, under rules, and in definitions. */
interface FindingsPart {
  findings: JsonObject;
  rules: JsonObject[];
  $defs: JsonObject | null;
}

function findingsOfOne(manual: Manual | null, levels: readonly Verbosity[]): FindingsPart {
  if (manual === null) return { findings: {}, rules: [], $defs: null };
  const schema = findingsAt(manual, levels[0] ?? 'comprehensive');
  return {
    findings: { $ref: '#/$defs/findings' },
    rules: requireWhenCompleted(schema, {}),
    $defs: { findings: embed(withoutRequired(schema), 'findings') },
  };
}

function findingsOfEach(manual: Manual, levels: readonly Verbosity[]): FindingsPart {
  const named = levels.map((level) => ({
    level,
    name: `findings_${level}`,
    schema: findingsAt(manual, level),
  }));
  return {
    findings: {},
    rules: named.flatMap(({ level, name, schema }) => [
      makeRule(whenMetadata({ verbosity_level: level }), {
        properties: { findings: { $ref: `#/$defs/${name}` } },
      }),
      ...requireWhenCompleted(schema, { verbosity_level: level }),
    ]),
    $defs: Object.fromEntries(named.map(({ name, schema }) => [name, embed(withoutRequired(schema), name)])),
  };
}

/** Of a task that was not completed, the findings may be some or none. */
function requireWhenCompleted(schema: JsonObject, when: Readonly<Record<string, string>>): JsonObject[] {
  const { required } = schema;
  if (!Array.isArray(required) || required.length === 0 || withoutRequired(schema) === schema) return [];
  // Strict validators want what is required to be a property in the same place.
  const properties = Object.fromEntries(required.map((key) => [String(key), true]));
  const findings = { type: 'object', required, properties };
  return [makeRule(whenMetadata({ ...when, status: 'completed' }), { properties: { findings } })];
}

/**
 * A schema as a part of another one: its references lead to its new place. Our own marks become words; other notes
 * (`x-…`) and anchors are left out, since strict validators refuse what they do not know.
 */
function embed(schema: JsonObject, name: string): JsonObject {
  const { $schema: _, $id: __, ...root } = schema;
  /** The places that references to anchors lead to. */
  const anchors = new Map<string, string>();
  for (const { schema: inner, at } of walkSchemas(root))
    if (typeof inner.$anchor === 'string') anchors.set(`#${inner.$anchor}`, at);
  const move = (part: JsonObject): JsonObject => {
    const moved = Object.fromEntries(
      Object.entries(mapSubschemas(part, move)).filter(([key]) => key !== '$anchor' && !key.startsWith('x-')),
    );
    if (typeof moved.$ref === 'string') {
      const pointer = anchors.get(moved.$ref) ?? moved.$ref.slice(1);
      moved.$ref = `#/$defs/${name}${pointer}`;
    }
    const mark = readLevelMark(part);
    if (mark !== null && allowsNothing(part)) moved.description = `Only in ${describeLevels(mark)}.`;
    return moved;
  };
  return move(root);
}

/** What only later drafts know, and what is the same here under another name. */
const RENAMED: Readonly<Record<string, string>> = {
  $defs: 'definitions',
  prefixItems: 'items',
  dependentSchemas: 'dependencies',
};

/**
 * A schema of 2020-12 as one of draft-07, without `$schema`: clients that compile schemas refuse what their draft does not
 * know. It accepts and refuses the same, but for `minContains` and `maxContains`, which that draft has no words for.
 */
export function toDraft07(root: JsonObject): JsonObject {
  const places = renamePlaces(root);
  const convert = (schema: JsonObject): JsonObject => {
    const converted: JsonObject = {};
    for (const [key, value] of Object.entries(mapSubschemas(schema, convert))) {
      if (key === '$schema' || key === '$ref' || key === 'minContains' || key === 'maxContains') continue;
      if (key === 'contains' && schema.minContains === 0) continue;
      if (key === 'dependentRequired' || key === 'dependentSchemas')
        converted.dependencies = { ...(converted.dependencies as JsonObject), ...(value as JsonObject) };
      else converted[nameHere(key, schema)] = value;
    }
    if (typeof schema.$ref !== 'string') return converted;
    const $ref = places.get(decodeReference(schema.$ref)) ?? schema.$ref;
    // In that draft nothing else counts beside a reference.
    if (Object.keys(converted).length === 0) return { $ref };
    return { ...converted, allOf: [...listOf(converted.allOf), { $ref }] };
  };
  return convert(root);
}

function nameHere(key: string, schema: JsonObject): string {
  if (key === 'items' && Object.hasOwn(schema, 'prefixItems')) return 'additionalItems';
  return RENAMED[key] ?? key;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** Where each schema will stand: `#/$defs/a/prefixItems/0` becomes `#/definitions/a/items/0`. */
function renamePlaces(root: JsonObject): ReadonlyMap<string, string> {
  const places = new Map([['#', '#']]);
  const look = (schema: JsonObject, from: string, to: string): JsonObject =>
    mapSubschemas(schema, (inner, keyword, place) => {
      const renamed = `/${nameHere(keyword, schema)}${place.slice(keyword.length + 1)}`;
      places.set(decodeReference(from + place), to + renamed);
      return look(inner, from + place, to + renamed);
    });
  look(root, '#', '#');
  return places;
}
