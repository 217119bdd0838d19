import { firstInk, type Lines, lineText } from '../markdown/lines.js';
import { ACTIONS } from './actions.js';
import { knownLabel, readMetadataLabel } from './metadata.js';
import type { ActionType } from './types.js';

export const HEADER_LABELS = ['Status', 'Plan Type', 'Agent'] as const;

export const RATIONALE_SECTIONS = [
  'Synthesis',
  'Justification',
  'Expected Outcome',
  'State Dashboard',
] as const;

export type SectionName = 'Rationale' | 'Active Context' | 'Memos' | 'Action Plan';

/** In the order in which a plan has them. */
export const SECTIONS: readonly SectionName[] = ['Rationale', 'Active Context', 'Memos', 'Action Plan'];

function isActionType(name: string): name is ActionType {
  return Object.hasOwn(ACTIONS, name);
}

/** What a `###` heading's text says, when it names an action. */
export interface ActionName {
  type: ActionType;
  /** Written as the format has it: capitals between backticks. */
  strict: boolean;
}

const NUMBERING = /^(?:action\s{1,4})?\d{1,6}\s{0,4}[.):]\s{0,4}/i;

export function readActionName(heading: string): ActionName | undefined {
  if (heading.length > 80) return undefined;
  if (heading.startsWith('`') && heading.endsWith('`') && isActionType(heading.slice(1, -1))) {
    return { type: heading.slice(1, -1) as ActionType, strict: true };
  }
  const bare = heading.replace(NUMBERING, '').replace(/[`*:]/g, '').trim();
  const name = bare.toUpperCase().replaceAll(' ', '_');
  return isActionType(name) ? { type: name, strict: false } : undefined;
}

export function readSectionName(heading: string): SectionName | undefined {
  if (heading.length > 40) return undefined;
  const name = heading.replace(/[`*:]/g, '').trim().toLowerCase();
  return SECTIONS.find((section) => section.toLowerCase() === name);
}

export interface EditLabel {
  side: 'FIND' | 'REPLACE';
  strict: boolean;
}

const LABEL = /^(?:#{1,6}\s{0,3}|[-*+]\s{1,3})?[`*_]{0,3}(FIND|REPLACE)([`*_:]{0,6})$/i;

/** A line that labels a block of an EDIT: `` `FIND:` `` and what models write instead. */
export function readEditLabel(line: string): EditLabel | undefined {
  if (line.length > 40) return undefined;
  const text = line.trim();
  if (text === '`FIND:`') return { side: 'FIND', strict: true };
  if (text === '`REPLACE:`') return { side: 'REPLACE', strict: true };
  const match = LABEL.exec(text);
  if (!match) return undefined;
  // Lower case alone is a word like any other; the colon makes it a label.
  const side = match[1]!.toUpperCase() as EditLabel['side'];
  const marked = match[1] === side ? text.length > side.length : match[2]!.includes(':');
  return marked ? { side, strict: false } : undefined;
}

/** The label that the format has for what is written, or for what is written instead of it. */
export function labelOf(written: string, known: readonly string[], type?: ActionType): string | undefined {
  const instead = (type && ACTIONS[type].instead) ?? {};
  return knownLabel(written, known) ?? instead[knownLabel(written, Object.keys(instead)) ?? ''];
}

/**
 * The action that a `###` heading begins. `### Read` is a heading that any document may have: without
 * the format's backticks and capitals it counts only where an action's metadata follows.
 */
export function readActionHeading(lines: Lines, line: number, heading: string): ActionName | undefined {
  const name = readActionName(heading);
  if (!name || name.strict || ACTIONS[name.type].labels.length === 0) return name;
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
