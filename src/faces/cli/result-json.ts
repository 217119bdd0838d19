import { visibleJson } from './visible.js';

/** A result for standard output: an object names the root it is about, and so does each object of a list. */
export function resultJson(root: string, value: unknown): string {
  const named = Array.isArray(value) ? value.map((item) => nameRoot(root, item)) : nameRoot(root, value);
  return `${visibleJson(named)}\n`;
}

function nameRoot(root: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { root, ...value } : value;
}
