import { looseContent } from './lines.js';
import { findOccurrences } from './search.js';

/** What was done to FIND on its way, where that is why the file does not have it. */
export type MissCause = 'line-numbers' | 'html-entities' | 'escaped-quotes' | 'elision';

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
/** A line that is nothing but dots, in a comment or not, perhaps with words between them. */
const ELISION =
  /^(?:\/\/|#|\/\*|<!--|\{\/\*|--|;|%|\*)?\s*(?:\.{3}|…)(?:.{0,80}(?:\.{3}|…))?\s*(?:\*\/\}?|-->)?$/;

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
  const dots = lines.map(looseContent).filter((line) => ELISION.test(line));
  return dots.some((line) => !has(line)) ? 'elision' : undefined;
}
