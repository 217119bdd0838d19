import { plural } from '../../issue-lines.js';

/** A command of several lines as its first, and how many follow. */
export function oneLine(command: string): string {
  const [first = '', ...more] = command.trim().split('\n');
  return more.length === 0 ? first : `${first} (and ${plural(more.length, 'more line')})`;
}
