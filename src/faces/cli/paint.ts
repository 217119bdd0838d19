import { environment, isTerminal } from '../../node/terminal/terminal.js';
import { visibleLine } from './visible.js';

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

type Style = keyof typeof STYLES;

export type Paint = (style: Style, text: string) => string;

/** Colours only for a terminal, and only where neither `--no-color` nor NO_COLOR asks for none. */
export function paintFor(stream: 'stdout' | 'stderr', options: { color: boolean }): Paint {
  const wanted = options.color && !environment('NO_COLOR') && environment('TERM') !== 'dumb';
  if (!wanted || !isTerminal(stream)) return (_, text) => text;
  return (style, text) => `\u001b[${STYLES[style]}m${text}\u001b[0m`;
}

/** Where all of it is done: exact and in full, since a reader compares it with the folder they mean. */
export function rootLine(root: string, paint: Paint): string {
  return paint('dim', `Root: ${visibleLine(root)}`);
}
