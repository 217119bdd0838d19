import type { Paint } from './paint.js';
import { visibleLine } from './visible.js';

/** Where all of it is done: exact and in full, since a reader compares it with the folder they mean. */
export function rootLine(root: string, paint: Paint): string {
  return paint('dim', `Root: ${visibleLine(root)}`);
}
