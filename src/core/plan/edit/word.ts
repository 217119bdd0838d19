import { cutText } from '../../shorten.js';
import { lineEnd, lineNumberAt, lineStartAt, splitsPair } from './lines.js';

/** The word that an edge of FIND cuts in two. */
export interface CutWord {
  word: string;
  /** 1-based line of the word, and that line, clipped. */
  line: number;
  text: string;
}

/** Combining marks are part of the letter before them. */
const WORD_CHARACTER = /^[\p{L}\p{M}\p{N}_]$/u;
const WORD_REACH = 60;
const LINE_LIMIT = 200;

/** The word that the span's start or else its end cuts, if either does. */
export function findCutWord(text: string, start: number, length: number): CutWord | undefined {
  const edge = [start, start + length].find((offset) => isInsideWord(text, offset));
  if (edge === undefined) return undefined;
  const lineStart = lineStartAt(text, edge);
  const line = text.slice(Math.max(lineStart, edge - LINE_LIMIT / 2), lineEnd(text, lineStart));
  return { word: readWord(text, edge), line: lineNumberAt(text, edge), text: cutText(line, LINE_LIMIT) };
}

function isInsideWord(text: string, offset: number): boolean {
  if (splitsPair(text, offset)) return true;
  return isWordCharacter(characterBefore(text, offset)) && isWordCharacter(characterAt(text, offset));
}

function isWordCharacter(character: string): boolean {
  return WORD_CHARACTER.test(character);
}

function readWord(text: string, edge: number): string {
  let from = edge;
  while (edge - from < WORD_REACH && isWordCharacter(characterBefore(text, from))) {
    from -= characterBefore(text, from).length;
  }
  let to = edge;
  while (to - edge < WORD_REACH && isWordCharacter(characterAt(text, to))) {
    to += characterAt(text, to).length;
  }
  return text.slice(from, to);
}

function characterAt(text: string, offset: number): string {
  return splitsPair(text, offset + 1) ? text.slice(offset, offset + 2) : text.charAt(offset);
}

function characterBefore(text: string, offset: number): string {
  return splitsPair(text, offset - 1) ? text.slice(offset - 2, offset) : text.charAt(offset - 1);
}
