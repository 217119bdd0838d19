import {
  beginsWord,
  CharClass,
  Cursor,
  type Finding,
  LONGEST,
  type MaskPiece,
  type Matcher,
} from './piece.js';
import { isPlaceholder, isWordy } from './values.js';

/** What may stand before the host: no white space, quote, slash, or anything that ends an address. */
const USER_INFO = new CharClass('^\\s\\/?#"\'`<>\\\\\\u0000-\\u001f');
const CREDENTIAL = new CharClass('A-Za-z0-9._~+\\/=\\-');
const LONGEST_USER_INFO = 1024;

/** Passwords of examples and of development everywhere; words as short as `b` and `xyz` are no more than that. */
const KNOWN = /^(?:.{1,3}|[a-z]{1,5}|password|passwd|secret|username|postgres|example)$/i;

/** Whether a password is no more than what examples have. */
function isGuessable(password: string): boolean {
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

/** How far the options of a command are looked at. */
const FURTHEST = 1000;
const UNQUOTED = /[^\s"'`;|&<>()\\]{1,300}/y;
const QUOTED = /(["'])((?:(?!\1)[^\n\\]){0,300})\1/y;

interface Option {
  program: string;
  /** Up to the value, which may be quoted. */
  option: RegExp;
  /** The part of the value that is secret, as an offset; undefined where none of it is. */
  secretIn(value: string): number | undefined;
}

const whole = (value: string): number | undefined => (isChosen(value) ? 0 : undefined);
const behindColon = (value: string): number | undefined => {
  const colon = value.indexOf(':');
  return colon > 0 && isChosen(value.slice(colon + 1)) ? colon + 1 : undefined;
};

const OPTIONS: readonly Option[] = [
  { program: 'curl', option: /\s(?:-u\s*|-U\s*|--(?:proxy-)?user(?:\s+|=))/g, secretIn: behindColon },
  {
    program: 'curl',
    option: /\s(?:-b\s*|--cookie(?:\s+|=))/g,
    secretIn: (value) => (holdsCookie(value) ? 0 : undefined),
  },
  { program: 'sshpass', option: /\s-p\s*/g, secretIn: whole },
  ...['mysql', 'mariadb'].map((program) => ({ program, option: /\s-p(?=\S)/g, secretIn: whole })),
];

/** A password on the line of a command: `curl -u me:…`, `mysql -p…`, `sshpass -p …`. */
export const commandMatchers: readonly Matcher[] = [...new Set(OPTIONS.map(({ program }) => program))].map(
  (prefix) => ({
    prefix,
    find: (piece, at) => findOption(prefix, piece, at),
  }),
);

function findOption(program: string, piece: MaskPiece, at: number): Finding | undefined {
  if (!beginsWord(piece, at)) return undefined;
  const start = at + program.length;
  const line = lineFrom(piece.text, start, program);
  const open = start + line.length === piece.text.length && line.length < FURTHEST && !piece.final;
  let best: Extract<Finding, { status: 'secret' }> | undefined;
  let waiting = Number.POSITIVE_INFINITY;
  for (const { option, secretIn } of OPTIONS.filter((each) => each.program === program)) {
    for (const found of line.matchAll(option)) {
      const { value, from, closed } = readWord(line, found.index + found[0].length);
      if (open && !closed) {
        waiting = Math.min(waiting, start + found.index);
        break;
      }
      const secret = secretIn(value);
      if (secret === undefined) continue;
      const finding = { start: start + from + secret, end: start + from + value.length };
      if (best === undefined || finding.start < best.start) best = { status: 'secret', ...finding };
      break;
    }
  }
  if (waiting < (best?.start ?? Number.POSITIVE_INFINITY)) return { status: 'undecided', from: waiting };
  if (best !== undefined) return best;
  return open ? { status: 'undecided', from: start + lastWord(line) } : undefined;
}

/** The rest of the command, over lines that it goes on in, up to where the same program is named again. */
function lineFrom(text: string, start: number, program: string): string {
  const window = text.slice(start, start + FURTHEST);
  const again = window.indexOf(program);
  const end = /(?<![\\])\n/.exec(again < 0 ? window : window.slice(0, again));
  return window.slice(0, end?.index ?? (again < 0 ? undefined : again));
}

/** `closed`: more text cannot make it another one. */
function readWord(line: string, at: number): { value: string; from: number; closed: boolean } {
  QUOTED.lastIndex = at;
  const quoted = QUOTED.exec(line);
  if (quoted) return { value: quoted[2]!, from: at + 1, closed: true };
  UNQUOTED.lastIndex = at;
  const value = UNQUOTED.exec(line)?.[0] ?? '';
  const opensQuote = value === '' && /["']/.test(line[at] ?? '');
  return { value, from: at, closed: !opensQuote && at + value.length < line.length };
}

/** Where an option may still be in the making. */
function lastWord(line: string): number {
  const at = line.search(/\s[^\s]{0,100}\s*$/);
  return at >= 0 && /^\s+(?:-|$)/.test(line.slice(at)) ? at : line.length;
}

function isChosen(password: string): boolean {
  return !/^\d{0,5}$/.test(password) && !isGuessable(password) && !isPlaceholder(password);
}

/** Whether one of `name=value; name=value` looks like more than a setting. */
function holdsCookie(text: string): boolean {
  return text.split(';').some((pair) => {
    const value = /^\s*[\w.$-]{1,100}=(.+)$/.exec(pair)?.[1]?.trim() ?? '';
    return value.length >= 8 && !isPlaceholder(value) && !isWordy(value);
  });
}

const SPACE = new CharClass(' \\t');
const GAP = new CharClass(' \\t\\r\\n');
const WORD = new CharClass('^\\s');
const HEADER = new CharClass('^\\r\\n"\'`\\\\');
const FIRST_PAIR = new CharClass('^\\r\\n"\'`\\\\;');
const LONGEST_HEADER = 4096;

/** `machine host login me password …`, on one line or several. */
export const netrcMatcher: Matcher = {
  prefix: 'password',
  find(piece, at): Finding | undefined {
    const before = piece.text.slice(Math.max(piece.floor, at - 48), at);
    if (!/(?:^|\s)(?:login|account|machine)\s{1,9}\S{1,40}\s{1,9}$/.test(before)) return undefined;
    const cursor = new Cursor(piece, at + this.prefix.length);
    const gap = cursor.take(GAP, 10);
    const start = cursor.at;
    const length = cursor.take(WORD, 200);
    const end = cursor.at;
    // Behind it comes another entry or the end of the line; in a sentence come more words.
    cursor.take(SPACE, 20);
    const next = cursor.peek();
    if (cursor.starved) return { status: 'undecided', from: start };
    const isEntry = /machine\s{1,9}\S{1,40}\s{1,9}login\s{1,9}\S{1,40}\s{1,9}$/.test(before);
    if (gap === 0 || length < 4 || !(isEntry || /^[\r\n]?$|^#$/.test(next))) return undefined;
    const value = piece.text.slice(start, end);
    if (isPlaceholder(value) || (/^[A-Za-z]+[.,!?]?$/.test(value) && length < 12)) return undefined;
    return { status: 'secret', start, end };
  },
};

/** Of a header: all cookies that a client sends, the first pair of those that a server sets. */
export const cookieMatcher: Matcher = {
  prefix: 'cookie: ',
  anyCase: true,
  find(piece, at): Finding | undefined {
    const before = piece.text.slice(Math.max(piece.floor, at - 16), at);
    if (!/(?:^|[\n"'`<>])\s*(?:set-)?$/i.test(before)) return undefined;
    const isSet = /set-$/i.test(before);
    const cursor = new Cursor(piece, at + this.prefix.length);
    const start = cursor.at;
    cursor.take(isSet ? FIRST_PAIR : HEADER, LONGEST_HEADER);
    cursor.peek();
    if (cursor.starved) return { status: 'undecided', from: start };
    const value = piece.text.slice(start, cursor.at);
    if (!holdsCookie(value)) return undefined;
    return { status: 'secret', start: isSet ? start + value.indexOf('=') + 1 : start, end: cursor.at };
  },
};
