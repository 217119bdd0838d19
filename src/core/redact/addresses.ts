import { beginsWord, CharClass, Cursor, type Finding, LONGEST, type Matcher } from './piece.js';
import { isPlaceholder, isWordy } from './values.js';

/** What may stand before the host: no white space, quote, slash, or anything that ends an address. */
const USER_INFO = new CharClass('^\\s\\/?#"\'`<>\\\\\\u0000-\\u001f');
const CREDENTIAL = new CharClass('A-Za-z0-9._~+\\/=\\-');
const LONGEST_USER_INFO = 1024;

/** Passwords of examples and of development everywhere; words as short as `b` and `xyz` are no more than that. */
const KNOWN = /^(?:.{1,3}|[a-z]{1,5}|password|passwd|secret|username|postgres|example)$/i;

/** Whether a password is no more than what examples have. */
export function isGuessable(password: string): boolean {
  return KNOWN.test(password);
}

function makeUrlMatcher(prefix: string): Matcher {
  return {
    prefix,
    find(piece, at): Finding | undefined {
      const { text } = piece;
      const cursor = new Cursor(piece, at + prefix.length);
      const start = cursor.at;
      cursor.take(USER_INFO, LONGEST_USER_INFO);
      const info = text.slice(start, cursor.at);
      const colon = info.indexOf(':');
      if (cursor.starved) return { status: 'undecided', from: colon < 0 ? cursor.at : start + colon + 1 };
      const host = info.lastIndexOf('@');
      if (colon < 0 || host < colon + 2) return undefined;
      const password = info.slice(colon + 1, host);
      // Brackets and the like stand encoded in an address; bare, they make it a pattern or a template.
      if (/[[\](){}|^*]|^:/.test(password)) return undefined;
      if (isGuessable(password) || isPlaceholder(password)) return undefined;
      return { status: 'secret', start: start + colon + 1, end: start + host };
    },
  };
}

function makeSchemeMatcher(prefix: string, accepts: (credential: string) => boolean): Matcher {
  return {
    prefix,
    anyCase: true,
    find(piece, at): Finding | undefined {
      if (!beginsWord(piece, at)) return undefined;
      const cursor = new Cursor(piece, at + prefix.length);
      while (cursor.at < at + prefix.length + 4 && cursor.eat(' '));
      const start = cursor.at;
      cursor.take(CREDENTIAL, LONGEST);
      const stop = cursor.peek();
      if (cursor.starved) return { status: 'undecided', from: start };
      const credential = piece.text.slice(start, cursor.at);
      if (stop === '[' || !accepts(credential)) return undefined;
      return {
        status: 'secret',
        start,
        end: cursor.at,
        ...(credential.length === LONGEST && { rest: CREDENTIAL }),
      };
    },
  };
}

function isBearer(credential: string): boolean {
  return (
    credential.length >= 16 && /\d/.test(credential) && !isPlaceholder(credential) && !isWordy(credential)
  );
}

/** `user:password` in base64. */
function isBasic(credential: string): boolean {
  if (credential.length < 8 || !/^[A-Za-z0-9+/]+={0,2}$/.test(credential)) return false;
  if (credential.replaceAll('=', '').length % 4 === 1) return false;
  const plain = atob(credential.replaceAll('=', ''));
  return /^[\u0020-\u0039\u003b-\u007e]*:[^\u0000-\u001f\u007f]*$/.test(plain);
}

/** Passwords in addresses, also as JSON may write them, and the credentials of HTTP headers. */
export const addressMatchers: readonly Matcher[] = [
  makeUrlMatcher('://'),
  makeUrlMatcher(':\\/\\/'),
  makeSchemeMatcher('bearer ', isBearer),
  makeSchemeMatcher('basic ', isBasic),
];
