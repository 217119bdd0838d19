import type { JsonObject, JsonValue } from '../json/types.js';
import { isJsonObject } from '../json/values.js';

/** How the keywords of JSON Schema 2020-12 hold other schemas: one, a list of them, or some by name. */
const HOLDERS: Readonly<Record<string, 'one' | 'list' | 'named'>> = {
  items: 'one',
  contains: 'one',
  additionalProperties: 'one',
  propertyNames: 'one',
  not: 'one',
  if: 'one',
  // biome-ignore lint/suspicious/noThenProperty: the name of a keyword
  then: 'one',
  else: 'one',
  allOf: 'list',
  anyOf: 'list',
  oneOf: 'list',
  prefixItems: 'list',
  properties: 'named',
  patternProperties: 'named',
  dependentSchemas: 'named',
  $defs: 'named',
};

/**
 * The same schema with each schema directly in it changed; `true` and `false` stay, and so does what is no schema.
 * `place` is where the inner one stands, as the end of a reference: `/properties/name`.
 */
export function mapSubschemas(
  schema: JsonObject,
  change: (inner: JsonObject, keyword: string, place: string) => JsonValue,
): JsonObject {
  const changed: JsonObject = { ...schema };
  for (const [keyword, value] of Object.entries(schema)) {
    const take = (inner: JsonValue, ...steps: (string | number)[]) =>
      isJsonObject(inner) ? change(inner, keyword, writeSteps([keyword, ...steps])) : inner;
    const holds = Object.hasOwn(HOLDERS, keyword) ? HOLDERS[keyword] : undefined;
    if (holds === 'one') changed[keyword] = take(value);
    else if (holds === 'list' && Array.isArray(value))
      changed[keyword] = value.map((inner, at) => take(inner, at));
    else if (holds === 'named' && isJsonObject(value))
      changed[keyword] = Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, take(inner, key)]),
      );
  }
  return changed;
}

function writeSteps(steps: readonly (string | number)[]): string {
  return steps
    .map((step) => `/${encodeStep(String(step).replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('');
}

function encodeStep(step: string): string {
  return /^[\w$.~-]*$/.test(step) ? step : encodeURIComponent(step.replace(/\p{Cs}/gu, ''));
}

/** What references lead to within a schema, `#/$defs/entry` and `#name`; undefined where they lead to no object. */
export function makeResolver(root: JsonObject): (reference: string) => JsonObject | undefined {
  const anchors = new Map<string, JsonObject>();
  const collect = (schema: JsonObject): JsonObject => {
    if (typeof schema.$anchor === 'string') anchors.set(`#${schema.$anchor}`, schema);
    return mapSubschemas(schema, collect);
  };
  collect(root);
  return (reference) => followPointer(root, reference) ?? anchors.get(reference);
}

/** The same for `#` and `#/$defs/entry` alone. */
function followPointer(root: JsonObject, reference: string): JsonObject | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let at: JsonValue = root;
  for (const step of decode(reference).split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = at[/^\d+$/.test(key) ? Number(key) : -1] ?? null;
    else if (isJsonObject(at) && Object.hasOwn(at, key)) at = at[key]!;
    else return undefined;
  }
  return isJsonObject(at) ? at : undefined;
}

function decode(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}
