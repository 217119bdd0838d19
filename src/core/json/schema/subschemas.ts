import type { JsonObject, JsonValue } from '../types.js';
import { isJsonObject } from '../values.js';
import { KEYWORDS } from './keywords.js';

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
    const holds = keyword === 'contentSchema' ? undefined : KEYWORDS.get(keyword);
    if (holds === 'schema') changed[keyword] = take(value);
    else if (holds === 'schemas' && Array.isArray(value))
      changed[keyword] = value.map((inner, at) => take(inner, at));
    else if (holds === 'named schemas' && isJsonObject(value))
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

/** What references lead to within a schema, `#/$defs/entry` and `#name`; undefined where they lead to no schema. */
export function makeResolver(root: JsonObject): (reference: string) => JsonObject | boolean | undefined {
  const anchors = new Map<string, JsonObject>();
  const collect = (schema: JsonObject): JsonObject => {
    if (typeof schema.$anchor === 'string') anchors.set(`#${schema.$anchor}`, schema);
    return mapSubschemas(schema, collect);
  };
  collect(root);
  return (reference) => followPointer(root, reference) ?? anchors.get(reference);
}

/** The same for `#` and `#/$defs/entry` alone. */
function followPointer(root: JsonObject, reference: string): JsonObject | boolean | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let at: JsonValue = root;
  for (const step of decodeReference(reference).split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = at[/^\d+$/.test(key) ? Number(key) : -1] ?? null;
    else if (isJsonObject(at) && Object.hasOwn(at, key)) at = at[key]!;
    else return undefined;
  }
  return isJsonObject(at) || typeof at === 'boolean' ? at : undefined;
}

/** As it is written where it is not encoded as it should be. */
export function decodeReference(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}

/** `false`, or what is not anything. */
export function allowsNothing(schema: JsonValue): boolean {
  if (!isJsonObject(schema)) return schema === false;
  return isJsonObject(schema.not) && Object.keys(schema.not).length === 0;
}
