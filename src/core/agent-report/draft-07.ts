import { decodeReference, mapSubschemas } from '../json/schema/subschemas.js';
import type { JsonObject, JsonValue } from '../json/types.js';
import { isJsonObject } from '../json/values.js';

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
    const $ref = convertPointer(schema.$ref, root);
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

/** `#/$defs/a/prefixItems/0` leads to `#/definitions/a/items/0`; a property that is called `$defs` keeps its name. */
function convertPointer(reference: string, root: JsonObject): string {
  const steps = reference.split('/');
  let at: JsonValue | undefined = root;
  const converted = steps.map((step, index) => {
    if (index === 0) return step;
    const isKeyword = isJsonObject(at) && isSchemaStep(steps, index);
    const name = isKeyword ? nameHere(step, at as JsonObject) : step;
    at = stepInto(at, step);
    return name;
  });
  return converted.join('/');
}

/** Under `properties`, `$defs` and the like stand names, under `allOf` and the like numbers: then a keyword follows. */
function isSchemaStep(steps: readonly string[], index: number): boolean {
  let isKeyword = true;
  for (const step of steps.slice(1, index)) isKeyword = isKeyword ? !HOLD_MORE.has(step) : true;
  return isKeyword;
}

const HOLD_MORE = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs'],
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems'],
]);

function stepInto(value: JsonValue | undefined, step: string): JsonValue | undefined {
  const name = decodeReference(step).replaceAll('~1', '/').replaceAll('~0', '~');
  if (Array.isArray(value)) return value[Number(name)];
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
