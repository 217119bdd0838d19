import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../src/core/json/values.js';

/** Values of a strict schema. */
export function strictValues(root: JsonObject): fc.Arbitrary<JsonValue> {
  const of = (schema: JsonObject, depth: number): fc.Arbitrary<JsonValue> => {
    if (Array.isArray(schema.anyOf)) {
      const alternatives = schema.anyOf as JsonObject[];
      const null_ = alternatives.find(({ type }) => type === 'null');
      if (depth > 6 && null_) return fc.constant(null);
      return fc
        .oneof(...alternatives.map((inner) => fc.constant(inner)))
        .chain((inner) => of(inner, depth + 1));
    }
    if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
    switch (schema.type) {
      case 'object': {
        const properties = Object.entries(schema.properties as Record<string, JsonObject>);
        const values = properties.map(([key, inner]) =>
          fc
            .constant(null)
            .chain(() => of(inner, depth + 1))
            .map((value) => [key, value] as const),
        );
        return fc.tuple(...values).map((entries) => Object.fromEntries(entries));
      }
      case 'array': {
        const least = Number(schema.minItems ?? 0);
        const most = Math.min(Number(schema.maxItems ?? 3), depth > 6 ? least : least + (depth > 3 ? 1 : 2));
        const items = fc.constant(null).chain(() => of(schema.items as JsonObject, depth + 1));
        return fc.array(items, { minLength: least, maxLength: most });
      }
      case 'string':
        return typeof schema.pattern === 'string'
          ? fc.stringMatching(new RegExp(schema.pattern))
          : fc.string({ maxLength: 5 });
      case 'number':
        return fc
          .double({ noNaN: true, min: Number(schema.minimum ?? -1e9), max: Number(schema.maximum ?? 1e9) })
          .map((value) => value + 0);
      case 'integer':
        return fc.integer({
          min: Number(schema.minimum ?? -5),
          max: Number(schema.exclusiveMaximum ?? schema.maximum ?? 6) - 1,
        });
      case 'boolean':
        return fc.boolean();
      default:
        return fc.constant(null);
    }
  };
  return of(root, 0);
}
