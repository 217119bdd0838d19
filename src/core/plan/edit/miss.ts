import { shorten } from '../../text.js';
import { isElision } from './elision.js';
import { type CutWord, findOccurrences, looseContent } from './lines.js';

/** Why FIND is not in the file, for the user and for the model that writes the next plan. */
export interface EditMiss {
  reason: 'empty' | 'inside-word' | 'not-found';
  /** REPLACE is in the file, once, and FIND is not. */
  alreadyApplied: boolean;
  /** Where REPLACE is, if it is already applied. */
  closest?: ClosestRegion;
  /** With 'not-found' only. */
  cause?: MissCause;
  /** So many FINDs missed in a large file that similar lines were not looked for. */
  unsearched?: true;
  /** With 'inside-word' only. */
  word?: CutWord;
}

/** The part of the file that FIND most likely means. It is shown, and never edited. */
export interface ClosestRegion {
  /** 1-based, inclusive. */
  line: number;
  endLine: number;
  /** The file's lines, long ones and long regions clipped with a note. */
  text: string;
  /** The file's line where the first difference is, and both sides of it with white space made visible. */
  differsAtLine: number;
  expected: string;
  actual: string;
}

export const SHOWN_LINES = 12;

/** A few lines of plain text that continue "FIND is not in the file.", without a newline at the end. */
export function describeMiss(miss: EditMiss): string {
  const lines = [...describeReason(miss), ...describeApplied(miss), ...describeClosest(miss)];
  const hint = describeHint(miss);
  if (lines.length === 0) return `${hint.charAt(0).toUpperCase()}${hint.slice(1)}`;
  return [...lines, `Hint: ${hint}`].join('\n');
}

function describeReason({ reason, word }: EditMiss): string[] {
  if (reason === 'empty') return ['FIND is empty.'];
  if (reason === 'not-found' || !word) return [];
  return [
    `FIND is in the file once, but it starts or ends inside the word "${word.word}" on line ${word.line}:`,
    numberLine(word.line, word.text, String(word.line).length),
  ];
}

function describeApplied({ alreadyApplied, closest }: EditMiss): string[] {
  if (!alreadyApplied) return [];
  const where = closest ? `, at line ${closest.line}` : '';
  return [`Already applied: the file contains REPLACE instead${where}.`];
}

function describeClosest({ alreadyApplied, closest }: EditMiss): string[] {
  if (!closest || alreadyApplied) return [];
  const { line, endLine, differsAtLine, expected, actual } = closest;
  const width = String(endLine).length;
  const shown = Math.min(SHOWN_LINES, endLine - line + 1);
  const lines = closest.text.split('\n');
  return [
    line === endLine ? `Closest is line ${line}:` : `Closest are lines ${line}-${endLine}:`,
    ...lines.slice(0, shown).map((text, index) => numberLine(line + index, text, width)),
    ...lines.slice(shown),
    `The first difference is on line ${differsAtLine} (· is a space, → a tab, ␍ a carriage return):`,
    `  FIND: ${expected}`,
    `  file: ${actual}`,
  ];
}

const CAUSES: Record<MissCause, string> = {
  'line-numbers': 'leave the line numbers out; they are not in the file.',
  'html-entities': 'write the characters that the file has instead of HTML entities.',
  'escaped-quotes': 'leave the backslashes before quotes out; they are not in the file.',
  elision: 'copy every line, or use one pair for each part that changes.',
  'earlier-edit': 'write FIND as that edit leaves the text, or make one edit of both.',
};

function describeHint({ reason, alreadyApplied, closest, cause, unsearched }: EditMiss): string {
  if (alreadyApplied) return 'if that is the change you meant, leave this edit out.';
  if (cause) return CAUSES[cause];
  if (reason === 'empty') return 'copy the lines to replace into FIND.';
  if (reason === 'inside-word') return 'start and end FIND at whole words, or use whole lines.';
  if (closest) return 'copy FIND from the file as it is now, including white space.';
  if (unsearched)
    return 'too many FINDs are missing to search for similar lines; read the file again, or check the path.';
  return 'nothing in the file is similar; read the file again, or check the path.';
}

function numberLine(number: number, text: string, width: number): string {
  return `  ${String(number).padStart(width)} | ${text}`;
}

/** How FIND was altered on its way, if that explains the miss. */
export type MissCause = 'line-numbers' | 'html-entities' | 'escaped-quotes' | 'elision' | 'earlier-edit';

const MOST_LINES = 50;
const NUMBER = /^\s*\d{1,6}(?:\s*[|:│→]\s?|\t|\s{2,})/;
const ENTITIES: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&#x27;': "'",
  '&nbsp;': ' ',
};
const ENTITY = new RegExp(Object.keys(ENTITIES).join('|'), 'g');
const UNDO: ReadonlyArray<readonly [MissCause, (line: string) => string]> = [
  ['line-numbers', (line) => line.replace(NUMBER, '')],
  ['html-entities', (line) => line.replace(ENTITY, (entity) => ENTITIES[entity]!)],
  ['escaped-quotes', (line) => line.replace(/\\(["'`])/g, '$1')],
];

/** A cause is named only where the file has a line without it, and not the line as FIND has it. */
export function findCause(text: string, core: readonly string[]): MissCause | undefined {
  const lines = core.slice(0, MOST_LINES);
  const has = (line: string): boolean => findOccurrences(text, line).count > 0;
  for (const [cause, undo] of UNDO) {
    const isCause = lines.some((line) => {
      const [written, undone] = [line.trim(), undo(line).trim()];
      return undone !== written && undone !== '' && has(undone) && !has(written);
    });
    if (isCause) return cause;
  }
  const elisions = core.filter(isElision);
  if (elisions.length === 0) return undefined;
  const own = new Set(text.split('\n').map(looseContent));
  return elisions.some((line) => !own.has(looseContent(line))) ? 'elision' : undefined;
}

/** FIND's own fault, as the end of a sentence; empty if only the file shows it. */
export function explainMiss({ reason, cause, alreadyApplied }: EditMiss, find: string): string {
  if (reason !== 'not-found' || cause === undefined || alreadyApplied) return '';
  if (cause === 'earlier-edit') return ': an earlier edit of this plan changes that text';
  if (cause !== 'elision') return `: it has ${FAULTS[cause]}`;
  const line = find.split('\n').find(isElision) ?? '';
  return `: it leaves lines out with "${shorten(line.trim(), 80)}"`;
}

const FAULTS: Record<Exclude<MissCause, 'elision' | 'earlier-edit'>, string> = {
  'line-numbers': 'line numbers',
  'html-entities': 'HTML entities such as &lt;',
  'escaped-quotes': 'backslashes before quotes',
};
