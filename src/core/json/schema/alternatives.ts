import type { JsonValue } from '../types.js';
import { isJsonObject } from '../values.js';
import { kindOf } from './kinds.js';
import type { Node } from './model.js';
import { addAll, type Found, isOver, listApart, placeUnder, type Run, refuse, type Says } from './run.js';

/** More alternatives than this are not looked at one by one to find which was meant. */
const MOST_EXPLAINED = 50;

/**
 * No alternative fits: notes the faults of the one that was probably meant, or one fault for all where none stands out.
 * Always false.
 */
export function explainAlternatives(value: JsonValue, nodes: readonly Node[], says: Says, run: Run): false {
  if (isOver(run)) return false;
  const kind = 1 << kindOf(value);
  const sameKind = nodes.filter((node) => node.admits & kind);
  const tag = findTag(value, sameKind, run);
  if (tag !== null && tag.fitting.length === 0) return refuseTag(tag, says, run);
  const candidates = tag === null ? sameKind : tag.fitting;
  if (candidates.length > MOST_EXPLAINED) return refuse(run, says, value);
  const meant = chooseMeant(candidates.map((node) => listApart(run, () => node.check(value, run))));
  if (meant === undefined) return refuse(run, says, value);
  addAll(run, meant);
  return false;
}

/** A word by which all alternatives can be told apart: the value itself, or what stands at one of its keys. */
interface Tag {
  key: string | null;
  value: JsonValue;
  /** What it may be, in any of the alternatives. */
  values: JsonValue[];
  /** The alternatives whose word it is. */
  fitting: Node[];
}

function findTag(value: JsonValue, nodes: readonly Node[], run: Run): Tag | null {
  const [first] = nodes;
  if (first === undefined || nodes.length === 1) return null;
  const own = readTag(null, value, nodes, (node) => node);
  if (own !== null || !isJsonObject(value)) return own;
  for (const { key, node } of first.quick.properties) {
    if (node.quick.values === null || !Object.hasOwn(value, key)) continue;
    run.left -= nodes.length * first.quick.properties.length;
    const placeOf = ({ quick }: Node) => quick.properties.find((property) => property.key === key)?.node;
    const tag = readTag(key, value[key]!, nodes, placeOf);
    if (tag !== null) return tag;
  }
  return null;
}

function readTag(
  key: string | null,
  value: JsonValue,
  nodes: readonly Node[],
  placeOf: (node: Node) => Node | undefined,
): Tag | null {
  if (typeof value === 'object' && value !== null) return null;
  const valuesOf = (node: Node) => placeOf(node)?.quick.values ?? null;
  if (nodes.some((node) => valuesOf(node) === null)) return null;
  const values = nodes.flatMap((node) => valuesOf(node) ?? []);
  const fitting = nodes.filter((node) => valuesOf(node)?.includes(value));
  return { key, value, values, fitting };
}

function refuseTag({ key, value, values }: Tag, { schema }: Says, run: Run): false {
  const before = run.found.length;
  refuse(run, { keyword: 'enum', expected: values, schema }, value);
  return key === null ? false : placeUnder(run, before, key);
}

/** The fewer and the deeper its faults, the closer it is. */
function chooseMeant(all: readonly Found[][]): Found[] | undefined {
  const [best, second] = all.filter((faults) => faults.length > 0).sort(compareFaults);
  if (best === undefined || second === undefined) return best;
  return compareFaults(best, second) < 0 ? best : undefined;
}

function compareFaults(a: readonly Found[], b: readonly Found[]): number {
  return a.length - b.length || shallowest(b) - shallowest(a);
}

function shallowest(faults: readonly Found[]): number {
  return faults.reduce((least, { path }) => Math.min(least, path.length), Number.POSITIVE_INFINITY);
}
