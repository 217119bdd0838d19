import type { Heading } from '../markdown/blocks.js';
import { firstInk, type Lines, lineText } from '../markdown/lines.js';
import { nearestWord } from '../text.js';
import { ACTION_TYPES, ACTIONS } from './actions.js';
import { type FieldLabel, knownLabel, readMetadataLabel } from './metadata.js';
import { OTHER_WORDS } from './other-words.js';
import type { ActionType, Metadata } from './types.js';

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

/** What a heading's text says, when it names an action. */
export interface ActionName {
  type: ActionType;
  /** Written as the format has it: capitals between backticks. */
  strict: boolean;
  /** The format has no such action; `type` is the one that was most likely meant. */
  unknown?: true;
}

const NUMBERING = /^(?:(?:action|step)\s{1,4})?\d{1,6}\s{0,4}[.):–—-]\s{0,4}/i;
/** The action that each other name most likely means. */
const MEANT = new Map(
  ACTION_TYPES.flatMap((type) => (OTHER_WORDS[type]?.names.split(' ') ?? []).map((name) => [name, type])),
);

/** The words of a heading in the form of an action's name: `1. Ask user:` is `ASK_USER`. */
export function foldActionName(heading: string): string {
  const bare = withoutPicture(heading)
    .replace(NUMBERING, '')
    .replace(/\\?[`*:]/g, '')
    .trim();
  return bare.toUpperCase().replace(/[\s-]+/g, '_');
}

/** Without an emoji before the name. */
function withoutPicture(heading: string): string {
  if (/^[\0-\x7f]/.test(heading)) return heading;
  return heading.replace(/^(?:\p{Extended_Pictographic}\uFE0F?\u200D?)+\s*/u, '');
}

export function readActionName(heading: string): ActionName | undefined {
  if (heading.length > 80) return undefined;
  const name = foldActionName(heading);
  if (isActionType(name)) return { type: name, strict: heading === `\`${name}\`` };
  const meant = MEANT.get(name) ?? (/^`[A-Z_]+`$/.test(heading) ? findMistyped(name) : undefined);
  return meant && { type: meant, strict: false, unknown: true };
}

function findMistyped(name: string): ActionType | undefined {
  return ACTION_TYPES.find((type) => type === nearestWord(name, ACTION_TYPES));
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

/** The sides of a pair, and what models write instead, which is a label only with a colon. */
const SIDES = new Map<string, EditLabel['side']>([
  ...['FIND', 'SEARCH', 'OLD', 'ORIGINAL', 'BEFORE'].map((word) => [word, 'FIND'] as const),
  ...['REPLACE', 'REPLACE WITH', 'NEW', 'UPDATED', 'AFTER'].map((word) => [word, 'REPLACE'] as const),
]);
const LABEL = /^(?:#{1,6}\s{0,3}|[-*+]\s{1,3})?[`*_]{0,3}([A-Za-z]{3,8}(?: [A-Za-z]{4})?)([`*_:]{0,6})$/;

/** A line that labels a block of an EDIT: `` `FIND:` `` and what models write instead. */
export function readEditLabel(line: string): EditLabel | undefined {
  if (line.length > 40) return undefined;
  const text = line.trim().replaceAll('\\`', '`');
  if (line.trim() !== text) return withoutStrict(readEditLabel(text));
  if (text === '`FIND:`') return { side: 'FIND', strict: true };
  if (text === '`REPLACE:`') return { side: 'REPLACE', strict: true };
  const [, word = '', marks = ''] = LABEL.exec(text) ?? [];
  const side = SIDES.get(word.toUpperCase());
  if (side === undefined) return undefined;
  return isMarked(word, marks, side, text) ? { side, strict: false } : undefined;
}

/** `Find` alone is a word like any other; so is `Before::`. */
function isMarked(word: string, marks: string, side: EditLabel['side'], text: string): boolean {
  if (word === side) return text !== word;
  if (word.toUpperCase() === side) return marks.includes(':');
  return marks.split(':').length === 2;
}

function withoutStrict(label: EditLabel | undefined): EditLabel | undefined {
  return label && { ...label, strict: false };
}

/** The label of an action that the format has for what is written, or for what is written instead of it. */
export function labelOf(written: string, type: ActionType): string | undefined {
  const own = knownLabel(written, ACTIONS[type].labels);
  if (own !== undefined) return own;
  const others = Object.entries(OTHER_WORDS[type]?.labels ?? {});
  return others.find(([, labels]) => knownLabel(written, labels) !== undefined)?.[0];
}

/** A value of an action's metadata as written, whatever its label is called there. */
export function metadataValue(metadata: Metadata, type: ActionType, label: FieldLabel): string | undefined {
  if (Object.hasOwn(metadata, label)) return metadata[label];
  return Object.entries(metadata).find(([written]) => labelOf(written, type) === label)?.[1];
}

/** The levels at which a heading can start an action: the format's own, and one off. */
const LEVEL = 3;

/**
 * The action that a heading starts. `### Read` is a heading that any document may have: without the format's
 * level, backticks and capitals it counts only where an action's metadata follows, or in capitals if it has none.
 */
export function readActionHeading(
  lines: Lines,
  { at, level, text }: Pick<Heading, 'at' | 'level' | 'text'>,
): ActionName | undefined {
  if (Math.abs(level - LEVEL) > 1) return undefined;
  const name = readActionName(text);
  if (!name || (name.strict && level === LEVEL)) return name;
  if (ACTIONS[name.type].labels.length === 0) {
    const isPlain = level === LEVEL && !name.unknown;
    return isPlain || /^[`*:A-Z_]+$/.test(text) ? name : undefined;
  }
  return hasMetadata(lines, at, [name.type]) ? name : undefined;
}

/** `` ### `DEPLOY` `` with metadata under it: written like an action, whatever the format calls it. */
export function isLikeAction(lines: Lines, line: number, heading: string): boolean {
  return /^`[A-Z_]{2,40}`$/.test(heading) && hasMetadata(lines, line, ACTION_TYPES);
}

/** The action that a heading of any level names in the format's own form. */
export function readStrictAction(heading: string): ActionName | undefined {
  const name = readActionName(heading);
  return name?.strict ? name : undefined;
}

/** Whether metadata of one of some actions follows a line. */
export function hasMetadata(lines: Lines, line: number, types: readonly ActionType[]): boolean {
  const next = nextInk(lines, line);
  const text = next === undefined ? '' : lineText(lines, next).trim();
  const label = /^[-*+]\s/.test(text) ? readMetadataLabel(text.slice(2).trim())?.label : undefined;
  return label !== undefined && types.some((type) => labelOf(label, type) !== undefined);
}

/** The next line that is not blank. */
export function nextInk(lines: Lines, line: number): number | undefined {
  for (let i = line + 1; i < lines.count; i++) if (firstInk(lines, i) < lines.ends[i]!) return i;
  return undefined;
}
