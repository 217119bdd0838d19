import type { JsonObject, JsonValue } from '../../../src/core/json/values.js';
import { isJsonObject } from '../../../src/core/json/values.js';

/** A value as a model writes it under a strict schema: every key, with null for those left out. */
export function inStrictForm(value: JsonValue, schema: JsonObject): JsonValue {
  const alternatives = (schema.anyOf as JsonObject[] | undefined) ?? [schema];
  if (Array.isArray(value)) {
    const list = alternatives.find(({ type }) => type === 'array');
    if (list) return value.map((item) => inStrictForm(item, list.items as JsonObject));
    // A pair of a context map.
    const [text, uri] = value;
    return { text: text!, uri: uri! };
  }
  const object = alternatives.find(({ type }) => type === 'object');
  if (!isJsonObject(value) || !object) return value;
  return Object.fromEntries(
    Object.entries(object.properties as Record<string, JsonObject>).map(([key, inner]) => [
      key,
      inStrictForm(value[key] ?? null, inner),
    ]),
  );
}
