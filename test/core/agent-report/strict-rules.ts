import type { JsonObject, JsonValue } from '../../../src/core/json/values.js';

/** Keywords beside `description`, by what a schema is: a reference, alternatives, or of one type. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  $ref: ['$ref'],
  anyOf: ['anyOf'],
  object: ['type', 'properties', 'required', 'additionalProperties'],
  array: ['type', 'items', 'minItems', 'maxItems'],
  string: ['type', 'enum', 'pattern'],
  number: ['type', 'enum', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  integer: ['type', 'enum', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  boolean: ['type', 'enum'],
  null: ['type'],
};

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Every way in which a schema is not one that OpenAI's structured outputs take with `strict: true`. Where its
 * documentation is silent, the narrowest reading: each step into `properties`, `items` or `anyOf` is a level, a type is one
 * name, `$ref` has nothing beside it, objects have at least one key, and those of one `anyOf` begin with different ones.
 */
export function findStrictFaults(root: JsonObject): string[] {
  const faults: string[] = [];
  const count = { properties: 0, enumValues: 0, characters: 0 };
  const { $defs: definitions = {}, ...top } = root;
  if (!isObject(definitions)) return ['$defs is no object'];

  const walk = (schema: JsonValue | undefined, at: string, level: number): void => {
    if (!isObject(schema)) return void faults.push(`${at} is no schema`);
    if (level > 10) faults.push(`${at} is ${level} levels deep`);
    const kind = '$ref' in schema ? '$ref' : 'anyOf' in schema ? 'anyOf' : String(schema.type);
    const allowed = Object.hasOwn(ALLOWED, kind) ? ALLOWED[kind]! : [];
    if (allowed.length === 0) faults.push(`${at} has the type ${JSON.stringify(schema.type)}`);
    for (const keyword of Object.keys(schema)) {
      const isAbout = keyword === 'description' && kind !== '$ref' && typeof schema[keyword] === 'string';
      if (!isAbout && !allowed.includes(keyword)) faults.push(`${at} has ${keyword}`);
    }
    if (kind === '$ref') checkReference(schema, at);
    if (kind === 'anyOf') checkAlternatives(schema, at, level);
    if (kind === 'object') checkObject(schema, at, level);
    if (kind === 'array') walk(schema.items, `${at}.items`, level + 1);
    if (Array.isArray(schema.enum)) checkEnum(schema.enum, kind, at);
    if (typeof schema.pattern === 'string' && /\(\?(?:[=!]|<[=!])/.test(schema.pattern))
      faults.push(`${at} looks around in its pattern`);
  };

  const checkReference = ({ $ref }: JsonObject, at: string): void => {
    const name = /^#\/\$defs\/([A-Za-z0-9_-]+)$/.exec(String($ref))?.[1];
    if (name === undefined || !Object.hasOwn(definitions, name)) faults.push(`${at} refers to ${$ref}`);
  };

  const checkAlternatives = ({ anyOf }: JsonObject, at: string, level: number): void => {
    if (!Array.isArray(anyOf) || anyOf.length === 0) return void faults.push(`${at} has no alternatives`);
    for (const [index, inner] of anyOf.entries()) walk(inner, `${at}.anyOf[${index}]`, level + 1);
    const first = anyOf.flatMap(firstKeys);
    if (new Set(first).size < first.length) faults.push(`${at} has alternatives that begin alike: ${first}`);
  };

  /** With which keys the objects that it allows begin, through references. */
  const firstKeys = (schema: JsonValue): string[] => {
    if (!isObject(schema)) return [];
    if (Array.isArray(schema.anyOf)) return schema.anyOf.flatMap(firstKeys);
    if (typeof schema.$ref === 'string') {
      const target = definitions[schema.$ref.slice('#/$defs/'.length)];
      return target === undefined ? [] : firstKeys(target);
    }
    return isObject(schema.properties) ? Object.keys(schema.properties).slice(0, 1) : [];
  };

  const checkObject = (schema: JsonObject, at: string, level: number): void => {
    if (schema.additionalProperties !== false) faults.push(`${at} is not closed`);
    if (!isObject(schema.properties)) return void faults.push(`${at} has no properties`);
    const names = Object.keys(schema.properties);
    if (names.length === 0) faults.push(`${at} has no keys`);
    if (JSON.stringify(schema.required) !== JSON.stringify(names))
      faults.push(`${at} does not require all keys`);
    count.properties += names.length;
    count.characters += names.join('').length;
    for (const name of names) walk(schema.properties[name], `${at}.${name}`, level + 1);
  };

  const checkEnum = (values: JsonValue[], kind: string, at: string): void => {
    if (values.length === 0) faults.push(`${at} lists no value`);
    const type = kind === 'integer' ? 'number' : kind;
    if (values.some((value) => typeof value !== type)) faults.push(`${at} lists values of another type`);
    const { length } = values.map(String).join('');
    if (values.length > 250 && length > 15_000) faults.push(`${at} lists too many characters`);
    count.enumValues += values.length;
    count.characters += length;
  };

  if (top.type !== 'object') faults.push('the root is no object');
  walk(top, '$', 0);
  for (const [name, schema] of Object.entries(definitions)) {
    count.characters += name.length;
    walk(schema, `#${name}`, 1);
  }
  if (count.properties > 5_000) faults.push(`${count.properties} properties`);
  if (count.enumValues > 1_000) faults.push(`${count.enumValues} values of enums`);
  if (count.characters > 120_000) faults.push(`${count.characters} characters in names and values`);
  return faults;
}
