import { compileSchema } from '../../json/schema/compile.js';
import type { JsonObject, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';
import { mapSubschemas } from '../subschemas.js';

/** Keywords whose schemas hold for some values and not for others. */
const ALTERNATIVE = new Set(['anyOf', 'oneOf', 'if']);

/** Where the whole schema stands within the one that is asked. */
const WHOLE = '#/$defs/whole';

export interface Alternatives {
  /** Whether a value keeps a schema that stands under `anyOf`, `oneOf` or `if`. */
  holds(schema: JsonValue, value: JsonValue): boolean;
  /** Whether the answers are worth nothing, since the schema cannot be asked so. */
  failed(): boolean;
}

/** All alternatives of a schema as one that can be asked about each of them. Every look at a value counts as work. */
export function openAlternatives(root: JsonObject, work: { left: number }): Alternatives {
  let asked: { names: ReadonlyMap<JsonObject, string>; check: (value: JsonObject) => boolean } | null = null;
  let failed = false;

  const compile = () => {
    const { $id: _, $schema: __, ...whole } = root;
    const places = findAlternatives(root);
    const names = new Map([...places.keys()].map((schema, index) => [schema, String(index)]));
    const properties = [...places].map(([schema, place]) => [names.get(schema)!, { $ref: WHOLE + place }]);
    const read = compileSchema({
      properties: Object.fromEntries(properties),
      additionalProperties: false,
      $defs: { whole: moveReferences(whole) },
    });
    failed = read.status === 'refused';
    const check = (value: JsonObject) => {
      const faults = read.status === 'compiled' ? read.schema.check(value, { most: 1 }) : [];
      // It was given up, and an answer that takes so long is not waited for twice.
      failed ||= faults.some(({ keyword }) => keyword === 'limit');
      return faults.length === 0;
    };
    return { names, check };
  };

  return {
    holds(schema, value) {
      if (!isJsonObject(schema)) return schema === true;
      asked ??= compile();
      work.left -= asked.names.size + countValues(value);
      const name = asked.names.get(schema);
      return work.left >= 0 && !failed && name !== undefined && asked.check({ [name]: value });
    },
    failed: () => failed,
  };
}

function findAlternatives(root: JsonObject): Map<JsonObject, string> {
  const places = new Map<JsonObject, string>();
  const look = (schema: JsonObject, at: string): JsonObject =>
    mapSubschemas(schema, (inner, keyword, place) => {
      if (ALTERNATIVE.has(keyword)) places.set(inner, at + place);
      return look(inner, at + place);
    });
  look(root, '');
  return places;
}

/** Anchors keep their names; pointers begin where the schema begins now. */
function moveReferences(schema: JsonObject): JsonObject {
  const moved = mapSubschemas(schema, moveReferences);
  const { $ref } = moved;
  if (typeof $ref === 'string' && ($ref === '#' || $ref.startsWith('#/'))) moved.$ref = WHOLE + $ref.slice(1);
  return moved;
}

function countValues(value: JsonValue): number {
  if (value === null || typeof value !== 'object') return 1;
  let count = 1;
  for (const inner of Object.values(value)) count += countValues(inner);
  return count;
}
