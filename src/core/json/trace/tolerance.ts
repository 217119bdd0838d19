import { skipWhite } from './fault.js';

// What is not JSON and means one thing only.

export const PYTHON_WORDS: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
]);

const COMMENT = /(?:\/\/|#)[^\n]*|\/\*[^*]*\*+(?:[^*/][^*]*\*+)*\//y;

/** Behind the comment that begins here; undefined where none does, or where it never ends. */
export function endOfComment(text: string, at: number): number | undefined {
  COMMENT.lastIndex = at;
  return COMMENT.test(text) ? COMMENT.lastIndex : undefined;
}

/** Whether only white space follows, up to the end of the text or of its fence. */
export function endsHere(text: string, at: number): boolean {
  const end = skipWhite(text, at);
  if (end === text.length) return true;
  const isFence = text.startsWith('```', end) || text.startsWith('~~~', end);
  return isFence && text.slice(at, end).includes('\n');
}
