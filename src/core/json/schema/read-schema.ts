import { RE2JS } from 're2js';
import { findCycles } from '../../graph.js';
import { quoteJson } from '../path.js';
import type { JsonObject, JsonPath, JsonValue } from '../values.js';
import { isJsonObject } from '../values.js';
import { findKeywordProblem, KEYWORDS, makeResolver } from './keywords.js';
import type { SchemaProblem } from './types.js';

// A schema may be hostile. These limits are far above any schema written by hand.

/** Levels of a schema. */
const DEEPEST = 200;
/** JSON values of all kinds in a schema, those of `enum` and `const` included. */
const MOST_VALUES = 50_000;
const MOST_CHARACTERS = 2_000_000;
const MOST_PATTERNS = 500;
/** Problems that are reported. */
const MOST_PROBLEMS = 50;

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Keywords whose schemas judge the same value as the schema that they are in. */
const SAME_VALUE = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']);

/** Everything that is wrong with a schema itself, and its patterns by their source. */
export interface SchemaReading {
  problems: SchemaProblem[];
  patterns: ReadonlyMap<string, Pattern>;
}

export function readSchema(root: JsonValue): SchemaReading {
  const patterns = new Map<string, Pattern>();
  const excess = measureSchema(root);
  if (excess !== null) return { problems: [{ message: excess, path: [] }], patterns };
  const problems: SchemaProblem[] = [];
  const report = (message: string, path: JsonPath): void => {
    if (problems.length < MOST_PROBLEMS) problems.push({ message, path });
  };
  const schemas = new Map<JsonObject, JsonPath>();
  const anchors = new Set<string>();

  const readPattern = (source: string, path: JsonPath): void => {
    if (patterns.has(source)) return;
    const read = compilePattern(source);
    if (patterns.size >= MOST_PATTERNS) report(`There are more than ${MOST_PATTERNS} patterns.`, path);
    else if (read.status === 'refused') report(read.message, path);
    else patterns.set(source, read.pattern);
  };

  const read = (schema: JsonValue, path: JsonPath): void => {
    if (typeof schema === 'boolean') return;
    if (!isJsonObject(schema)) {
      report('A schema must be an object, or true or false.', path);
      return;
    }
    schemas.set(schema, path);
    for (const [keyword, value] of Object.entries(schema)) {
      const at = [...path, keyword];
      const problem = findKeywordProblem(keyword, value) ?? findNameProblem(keyword, value, path, anchors);
      if (problem !== null) {
        report(problem, at);
        continue;
      }
      if (keyword === 'pattern') readPattern(value as string, at);
      if (keyword === 'patternProperties')
        for (const source of Object.keys(value as JsonObject)) readPattern(source, [...at, source]);
      const kind = KEYWORDS.get(keyword);
      if (kind === 'schema') read(value, at);
      if (kind === 'schemas' || kind === 'named schemas')
        for (const [key, inner] of Object.entries(value as JsonObject))
          read(inner, [...at, kind === 'schemas' ? Number(key) : key]);
    }
  };
  read(root, []);
  if (isJsonObject(root)) checkReferences(root, schemas, report);
  return { problems, patterns };
}

function measureSchema(schema: JsonValue): string | null {
  let [values, characters] = [0, 0];
  // Level by level, so that no depth can exhaust the stack.
  let level: JsonValue[] = [schema];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return `The schema is more than ${DEEPEST} levels deep: make it smaller.`;
    values += level.length;
    const next: JsonValue[] = [];
    for (const value of level) {
      if (typeof value === 'string') characters += value.length;
      if (typeof value !== 'object' || value === null) continue;
      for (const [key, inner] of Object.entries(value)) {
        if (!Array.isArray(value)) characters += key.length;
        next.push(inner);
      }
    }
    if (values > MOST_VALUES) return `The schema has more than ${MOST_VALUES} values: make it smaller.`;
    if (characters > MOST_CHARACTERS)
      return `The schema has more than ${MOST_CHARACTERS} characters: make it smaller.`;
    level = next;
  }
  return null;
}

function findNameProblem(
  keyword: string,
  value: JsonValue,
  path: JsonPath,
  anchors: Set<string>,
): string | null {
  if (keyword === '$schema' && String(value).replace(/#$/, '') !== DIALECT)
    return `$schema must be "${DIALECT}", the only supported version.`;
  if (keyword === '$id' && path.length > 0)
    return '$id may only be at the top; name this schema with $anchor.';
  if (keyword !== '$anchor') return null;
  const name = String(value);
  if (!/^[A-Za-z_][\w.-]*$/.test(name)) return '$anchor must be a name: letters, digits, "_", "." and "-".';
  if (anchors.has(name)) return '$anchor must be unique.';
  anchors.add(name);
  return null;
}

type Report = (message: string, path: JsonPath) => void;

/** Every reference must lead to a schema, and none may lead back to itself without going into the value. */
function checkReferences(root: JsonObject, schemas: ReadonlyMap<JsonObject, JsonPath>, report: Report): void {
  const resolve = makeResolver(root);
  const edges = new Map<JsonObject, JsonObject[]>();
  for (const [schema, path] of schemas) {
    const { $ref } = schema;
    const targets = Object.entries(schema).flatMap(([keyword, value]): JsonValue[] => {
      if (!SAME_VALUE.has(keyword) || typeof value !== 'object' || value === null) return [];
      return KEYWORDS.get(keyword) === 'schema' ? [value] : Object.values(value);
    });
    if (typeof $ref === 'string') {
      const target = resolve($ref);
      if (target === undefined || (isJsonObject(target) && !schemas.has(target)))
        report(
          `$ref must point to a schema in this one, as "#/$defs/name" does; ${quoteJson($ref)} does not.`,
          [...path, '$ref'],
        );
      else targets.push(target);
    }
    edges.set(
      schema,
      targets.filter(isJsonObject).filter((target) => schemas.has(target)),
    );
  }
  for (const cycle of findCycles(edges)) {
    const last = cycle.findLast(({ $ref }) => $ref !== undefined)!;
    report('$ref leads back to itself without descending into the value, so no value can satisfy it.', [
      ...schemas.get(last)!,
      '$ref',
    ]);
  }
}

/** A regular expression that takes linear time, whatever the text. */
export interface Pattern {
  test(text: string): boolean;
}

/** `message` is a full sentence. */
type PatternRead = { status: 'compiled'; pattern: Pattern } | { status: 'refused'; message: string };

const LONGEST_SOURCE = 10_000;

function compilePattern(source: string): PatternRead {
  if (source.length > LONGEST_SOURCE) return refuse(source, `it has more than ${LONGEST_SOURCE} characters`);
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(spellOut(source)));
    return { status: 'compiled', pattern };
  } catch (error) {
    const detail = (error as Error).message.replace(/^error parsing regexp: /, '');
    return refuse(source, `${detail} (lookaround and backreferences are not supported)`);
  }
}

const LINE_ENDS = String.raw`\n\r\u2028\u2029`;
const SPACES = String.raw`\t\v\f ${LINE_ENDS}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\ufeff`;
/** All others: a class cannot hold one that is negated. */
const INK = String.raw`\x00-\x08\x0e-\x1f!-\x9f\u00a1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-\u{10ffff}`;

/** What RE2 reads otherwise than JavaScript, whose expressions JSON Schema has: `.`, `\s`, `\S` and names of scripts. */
function spellOut(source: string): string {
  let inClass = false;
  return source.replace(/\\[pP]\{(?:Script|sc)=\w+\}|\\[\s\S]|[[\].]/g, (part) => {
    if (part === '[') inClass = true;
    else if (part === ']') inClass = false;
    else if (part === '.' && !inClass) return `[^${LINE_ENDS}]`;
    else if (part === '\\s') return inClass ? SPACES : `[${SPACES}]`;
    else if (part === '\\S') return inClass ? INK : `[${INK}]`;
    else if (part.length > 2) return part.replace(/(?:Script|sc)=/, '');
    return part;
  });
}

function refuse(source: string, reason: string): PatternRead {
  return { status: 'refused', message: `The pattern ${quoteJson(source)} cannot be used: ${reason}.` };
}
