import { firstInk, type Lines, lineText } from '../markdown/lines.js';
import { ACTIONS, type ActionName, knownLabel, readActionName, readMetadataLabel } from './grammar.js';
import type { ActionType } from './types.js';

/**
 * The action that a `###` heading begins. `### Read` is a heading that any document may have: without
 * the format's backticks and capitals it counts only where an action's metadata follows.
 */
export function readActionHeading(lines: Lines, line: number, heading: string): ActionName | undefined {
  const name = readActionName(heading);
  if (!name || name.strict || name.type === 'CHAT_WITH_USER') return name;
  const next = nextInk(lines, line);
  return next !== undefined && isMetadataOf(lineText(lines, next), name.type) ? name : undefined;
}

/** The action that a heading of any level names in the format's own form. */
export function readStrictAction(heading: string): ActionName | undefined {
  const name = readActionName(heading);
  return name?.strict ? name : undefined;
}

function isMetadataOf(line: string, type: ActionType): boolean {
  const text = line.trim();
  if (!/^[-*+]\s/.test(text)) return false;
  const label = readMetadataLabel(text.slice(2).trim())?.label;
  return label !== undefined && knownLabel(label, ACTIONS[type].labels) !== undefined;
}

/** The next line that is not blank. */
export function nextInk(lines: Lines, line: number): number | undefined {
  for (let i = line + 1; i < lines.count; i++) if (firstInk(lines, i) < lines.ends[i]!) return i;
  return undefined;
}
