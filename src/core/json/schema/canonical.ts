import type { JsonValue } from '../types.js';
import type { Budget } from './budget.js';
import { DEEPEST_CHECK } from './limits.js';
import { listKeys } from './measures.js';

interface Writing {
  budget: Budget;
  /** Characters that may still be written. */
  room: number;
}

/**
 * The same text for equal values, and another for others; -0 is 0. Null: it would be longer than `longest`, or it is too
 * deep, and then the budget is spent.
 */
export function canonize(value: JsonValue, budget: Budget, longest: number): string | null {
  const text = write(value, 0, { budget, room: longest });
  budget.left -= 1 + ((text?.length ?? 0) >> 1);
  return text;
}

function write(value: JsonValue, depth: number, writing: Writing): string | null {
  if (typeof value !== 'object' || value === null) return take(JSON.stringify(value), writing);
  if (depth > DEEPEST_CHECK) writing.budget.left = -1;
  if (writing.budget.left < 0) return null;
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) {
      const text = write(item, depth + 1, writing);
      if (text === null) return null;
      parts.push(text);
    }
    return `[${parts.join()}]`;
  }
  const keys = listKeys(value, writing.budget);
  if (keys.length > writing.room) return null;
  for (const key of keys.sort()) {
    const name = take(JSON.stringify(key), writing);
    const text = name === null ? null : write(value[key]!, depth + 1, writing);
    if (text === null) return null;
    parts.push(`${name}:${text}`);
  }
  return `{${parts.join()}}`;
}

function take(text: string, writing: Writing): string | null {
  writing.room -= text.length;
  return writing.room < 0 ? null : text;
}
