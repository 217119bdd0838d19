import type { JsonObject, JsonValue } from '../types.js';
import { ANY, ARRAY, KINDS, kindOf, OBJECT, STRING } from './kinds.js';
import { countKeys, hasLength, payForKeys } from './measures.js';
import type { Check, Facts, Keys, NamedKey, Quick, Rule } from './model.js';
import { descend, type Run } from './run.js';

/** More keys of an object than this are looked up. */
const MOST_IN_ORDER = 100;

const NOTHING_SAID: Facts = {
  types: ANY,
  minimum: Number.NEGATIVE_INFINITY,
  maximum: Number.POSITIVE_INFINITY,
  minLength: 0,
  maxLength: Number.POSITIVE_INFINITY,
  minItems: 0,
  maxItems: Number.POSITIVE_INFINITY,
  prefixItems: [],
  items: null,
  properties: [],
  required: [],
  isClosed: false,
};

export function takeFacts(rules: readonly Rule[]): Quick {
  const facts: Facts = Object.assign({ ...NOTHING_SAID }, ...rules.map((rule) => rule.facts));
  // Written out, so that all are built alike: that is what makes them quick to read.
  return {
    types: facts.types,
    minimum: facts.minimum,
    maximum: facts.maximum,
    minLength: facts.minLength,
    maxLength: facts.maxLength,
    minItems: facts.minItems,
    maxItems: facts.maxItems,
    prefixItems: facts.prefixItems,
    items: facts.items,
    properties: facts.properties,
    required: facts.required,
    isClosed: facts.isClosed,
    keys: nameKeys(facts),
    values: rules.find((rule) => rule.values)?.values ?? null,
    others: sortByKind(rules.filter((rule) => rule.facts === undefined)),
  };
}

function nameKeys({ properties, required, isClosed }: Facts): Keys | null {
  if (properties.length === 0 && required.length === 0 && !isClosed) return null;
  const byName = new Map<string, NamedKey>(
    required.map((key) => [key, { key, node: null, isRequired: true }]),
  );
  for (const { key, node } of properties) byName.set(key, { key, node, isRequired: byName.has(key) });
  return { byName, inOrder: [] };
}

/** The checks that have a say in each kind. */
export function sortByKind(rules: readonly Rule[]): Check[][] {
  return KINDS.map((_, kind) => rules.filter(({ kinds }) => kinds & (1 << kind)).map(({ check }) => check));
}

/** Whether a value keeps a schema; the run is quiet. Says the same as its rules, which tell the faults. */
export function holds(quick: Quick, value: JsonValue, run: Run): boolean {
  const kind = kindOf(value);
  const set = 1 << kind;
  if ((quick.types & set) === 0) return false;
  if (typeof value === 'number') {
    if (value < quick.minimum || value > quick.maximum) return false;
  } else if (set === STRING) {
    if (!hasLength(value as string, quick.minLength, quick.maxLength, run)) return false;
  }
  const others = quick.others[kind]!;
  if (set < ARRAY && others.length === 0) return true;
  const good =
    descend(run) &&
    (set !== ARRAY || holdItems(quick, value as JsonValue[], run)) &&
    (set !== OBJECT || holdKeys(quick, value as JsonObject, run)) &&
    holdOthers(others, value, run);
  run.depth--;
  return good;
}

function holdOthers(others: readonly Check[], value: JsonValue, run: Run): boolean {
  for (let index = 0; index < others.length; index++) if (!others[index]!(value, run)) return false;
  return true;
}

function holdItems(quick: Quick, list: readonly JsonValue[], run: Run): boolean {
  const { prefixItems, items } = quick;
  if (list.length < quick.minItems || list.length > quick.maxItems) return false;
  run.left -= list.length;
  const prefixed = Math.min(prefixItems.length, list.length);
  for (let index = 0; index < prefixed; index++)
    if (!holds(prefixItems[index]!.quick, list[index]!, run)) return false;
  if (items === null) return true;
  for (let index = prefixed; index < list.length; index++)
    if (!holds(items.quick, list[index]!, run)) return false;
  return true;
}

function holdKeys(quick: Quick, object: JsonObject, run: Run): boolean {
  if (quick.keys === null || holdEachKey(quick, quick.keys, object, run)) return true;
  // However early it ended, it began with a list of all keys.
  countKeys(object, run);
  return false;
}

/** Each key of the object is looked at once. */
function holdEachKey(quick: Quick, { byName, inOrder }: Keys, object: JsonObject, run: Run): boolean {
  let missing = quick.required.length;
  let position = 0;
  for (const key in object) {
    let named = inOrder[position];
    if (named === undefined || named.key !== key) {
      named = byName.get(key);
      if (position < MOST_IN_ORDER) inOrder[position] = named;
    }
    position++;
    if (named?.isRequired) missing--;
    if (named === undefined || named.node === null) {
      if (quick.isClosed) return false;
    } else if (!holds(named.node.quick, object[key]!, run)) return false;
  }
  payForKeys(position, run);
  return missing === 0;
}
