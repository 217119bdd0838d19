import type { JsonValue } from '../types.js';
import type { Budget } from './budget.js';
import { canonize } from './canonical.js';

/** The first item that is equal to one before it, with that one. In time that grows with the list, not with its square. */
export function findRepeat(
  list: readonly JsonValue[],
  budget: Budget,
): [first: number, second: number] | null {
  // A map finds texts and numbers as they are, and takes -0 for 0.
  const simple = new Map<JsonValue, number>();
  const compound = new Map<string, number>();
  budget.left -= list.length;
  for (const [index, item] of list.entries()) {
    const isSimple = typeof item !== 'object' || item === null;
    const text = isSimple ? '' : canonize(item, budget, Number.POSITIVE_INFINITY);
    if (text === null || budget.left < 0) return null;
    const first = isSimple ? simple.get(item) : compound.get(text);
    if (first !== undefined) return [first, index];
    if (isSimple) simple.set(item, index);
    else compound.set(text, index);
  }
  return null;
}
