import type { JsonValue } from '../../types.js';
import { isJsonObject } from '../../values.js';
import { findNear, quote } from '../words.js';

/** What is known elsewhere, by another name or in another version, with what to write here. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['definitions', 'write $defs'],
  ['additionalItems', 'write items, which judges the items behind those of prefixItems'],
  ['dependencies', 'write dependentRequired or dependentSchemas'],
  ['id', 'write $id, or describe a key "id" under properties'],
  ['nullable', 'write the type as a list with "null" in it, such as ["string", "null"]'],
  ['discriminator', 'leave it out, and give each alternative a property with a const'],
  ['divisibleBy', 'write multipleOf'],
  ['extends', 'write allOf'],
  ['disallow', 'write not'],
  ['optional', 'leave it out, and list under required only the keys that are'],
  ['values', 'write enum for a list of values, or additionalProperties for what an object holds'],
  ['example', 'write examples, a list'],
  ['regex', 'write pattern'],
  ['unevaluatedProperties', 'write additionalProperties instead'],
  ['unevaluatedItems', 'write items instead'],
  ['$dynamicRef', 'write $ref instead'],
  ['$dynamicAnchor', 'write $anchor instead'],
  ['$recursiveRef', 'write $ref instead'],
  ['$recursiveAnchor', 'write $anchor instead'],
  ['$vocabulary', 'leave it out'],
]);

/** Why a key of a schema is none of ours, and what was probably meant. */
export function explainUnknown(key: string, value: JsonValue, known: readonly string[]): string {
  const said = `${quote(key)} is no keyword that is read here`;
  const elsewhere = ELSEWHERE.get(key);
  if (elsewhere !== undefined) return `${said}: ${elsewhere}.`;
  const near = findNear(key, known);
  if (near !== undefined) return `${said}: write ${near}.`;
  if (isJsonObject(value) && Object.keys(value).some((inner) => known.includes(inner)))
    return `${said}: if it is a key of the value, it stands under properties.`;
  return `${said}: correct it, leave it out, or begin it with "x-" if it is a note of your own.`;
}
