import { isWellFormed } from '../scan.js';
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

const PLAIN = /[^'\\\r\n]*/y;
const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([abfnrtv\\'"0]))|\\/g;
const ESCAPED: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '0': '\0',
};

/** A text in single quotes, as Python writes it; undefined where none ends on its line, or an escape is not Python's. */
export function readPythonText(text: string, from: number): { value: string; to: number } | undefined {
  let end = from + 1;
  for (; ; end += 2) {
    PLAIN.lastIndex = end;
    PLAIN.test(text);
    end = PLAIN.lastIndex;
    if (text[end] !== '\\') break;
  }
  if (text[end] !== "'") return undefined;
  let isKnown = true;
  const value = text.slice(from + 1, end).replace(ESCAPE, (_, x, u, U, letter?: string) => {
    if (letter !== undefined) return ESCAPED[letter] ?? letter;
    const code = Number.parseInt(x ?? u ?? U, 16);
    if (code <= 0x10ffff) return String.fromCodePoint(code);
    isKnown = false;
    return '';
  });
  return isKnown && isWellFormed(value) ? { value, to: end + 1 } : undefined;
}
