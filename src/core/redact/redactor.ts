import { assignmentMatchers, credentialMatchers } from './credentials.js';
import { type Matcher, Scanner, Triggers } from './scanner.js';
import { tokenMatchers } from './tokens.js';
import {
  classifyName,
  cutBeforeSentinel,
  isSecretValue,
  isWordy,
  sentinelAtStart,
  splitName,
  writeSentinel,
} from './values.js';

/**
 * Replaces each secret by a sentinel, `[masked:0a1b2c3d]`, the same for the same secret. Masking twice changes nothing.
 * Never throws.
 */
export interface Redactor {
  mask(text: string): string;
  /**
   * The same for text in pieces, wherever they are cut. Text from where a secret may start is held back to the end of
   * its line or key, up to 16 KB; `end` returns the rest.
   */
  stream(): { push(text: string): string; end(): string };
  /** Every string of a plain value, as a new value; keys stay, and their names show which strings are secret. */
  maskAll<T>(value: T): T;
  /** The same, with more values to mask wherever they occur. */
  knowing(secrets: readonly string[]): Redactor;
}

/** A sentinel stays as it is. */
const sentinelMatcher: Matcher = {
  prefix: '[masked:',
  find(window) {
    const end = sentinelAtStart(window);
    return end === 0 ? undefined : { start: 0, end, isSentinel: true };
  },
};

/** Secrets that are recognised in any text. */
const shapeMatchers: readonly Matcher[] = [...tokenMatchers, ...credentialMatchers, ...assignmentMatchers];

/**
 * `hash` gives at least 8 hexadecimal digits for a text; keyed, or short secrets could be guessed from them. `secrets`
 * are masked wherever they occur, when they have 6 characters or more.
 */
export function createRedactor(options: {
  hash(text: string): string;
  secrets?: readonly string[];
}): Redactor {
  const literals = makeLiteralMatchers(options.secrets ?? []);
  const triggers = new Triggers([sentinelMatcher, ...literals, ...shapeMatchers]);
  const replace = (secret: string): string => writeSentinel(options.hash(secret));
  const mask = (text: string): string => {
    const scanner = new Scanner(triggers, replace);
    return scanner.push(text) + scanner.end();
  };
  const maskNamed = (text: string, key: string): string => {
    const masked = mask(text);
    const kind = masked === text ? classifyName(key) : undefined;
    return kind && isSecretValue(text, { kind, form: 'quoted' }) ? replace(text) : masked;
  };
  return {
    mask,
    stream: () => new Scanner(triggers, replace),
    maskAll: (value) => mapStrings(value, maskNamed),
    knowing: (secrets) => createRedactor({ ...options, secrets: [...(options.secrets ?? []), ...secrets] }),
  };
}

/** A copy of arrays and plain objects, however deep and with any keys; anything else stays as it is. */
function mapStrings<T>(value: T, change: (text: string, key: string) => string): T {
  const copies = new Map<object, object>();
  const work: Array<[from: object, to: object]> = [];
  const copy = (item: unknown, key: string): unknown => {
    if (typeof item === 'string') return change(item, key);
    if (typeof item !== 'object' || item === null) return item;
    const prototype: unknown = Object.getPrototypeOf(item);
    if (!Array.isArray(item) && prototype !== Object.prototype && prototype !== null) return item;
    const known = copies.get(item);
    if (known) return known;
    const made: object = Array.isArray(item) ? [] : {};
    copies.set(item, made);
    work.push([item, made]);
    return made;
  };
  const result = copy(value, '') as T;
  for (let next = work.pop(); next; next = work.pop()) {
    const [from, to] = next;
    for (const [key, item] of Object.entries(from)) {
      // `__proto__` is a key like any other.
      Object.defineProperty(to, key, {
        value: copy(item, Array.isArray(from) ? '' : key),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
  }
  return result;
}

/** Shorter ones would be found in plain text. */
const SHORTEST_LITERAL = 6;
const SHORTEST_LINE = 16;
/** A longer value is searched for in parts, so that no stream has to hold back all of it. */
const LONGEST_LITERAL = 3072;

/** Known values, wherever they occur: as they are, and as JSON, addresses and base64 write them. */
function makeLiteralMatchers(secrets: Iterable<string>): Matcher[] {
  const labels = new Map<string, string>();
  for (const secret of secrets) {
    for (const literal of splitLiteral(secret)) {
      for (const form of spell(literal)) {
        const written = cutBeforeSentinel(form);
        const isFindable = written.length >= SHORTEST_LITERAL && /^[^\r\n]{3}/.test(written);
        if (isFindable && !labels.has(written)) labels.set(written, literal);
      }
    }
  }
  // The longest first: one value may begin like another.
  return [...labels]
    .sort(([a], [b]) => b.length - a.length)
    .map(([written, label]) => literalMatcher(written, label));
}

function literalMatcher(written: string, label: string): Matcher {
  const [prefix = ''] = written.split(/[\r\n]/, 1);
  return {
    prefix,
    find(window, _, isOpen) {
      if (window.startsWith(written)) return { start: 0, end: written.length, label };
      return isOpen && written.startsWith(window) ? 'more' : undefined;
    },
  };
}

/** A value, and the lines of one that has several: commands print them one by one. */
function splitLiteral(secret: string): string[] {
  const whole = secret.trim();
  const lines = whole.split(/\r\n|\n|\r/).map((line) => line.trim());
  const long = lines.filter((line) => line.length >= SHORTEST_LINE && !line.startsWith('-----'));
  return [whole, ...(lines.length > 1 ? long : [])].flatMap(cutLong);
}

function cutLong(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += LONGEST_LITERAL) parts.push(text.slice(at, at + LONGEST_LITERAL));
  return parts.filter(({ length }) => length >= SHORTEST_LITERAL);
}

function spell(literal: string): string[] {
  const json = JSON.stringify(literal).slice(1, -1);
  const ascii = json.replace(
    /[^\u0000-\u007e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const bytes = new TextEncoder().encode(literal);
  const forms = [literal, json, ascii, json.replaceAll('/', '\\/'), JSON.stringify(json).slice(1, -1)];
  for (const unescaped of ["-_.!~*'()", '-_.~', "-_.!~*'();/?:@&=+$,#"]) {
    const address = percentEncode(bytes, unescaped);
    forms.push(address, address.replaceAll('%20', '+'));
    forms.push(address.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()));
  }
  for (const shift of [0, 1, 2]) {
    const base64 = encodeShifted(bytes, shift);
    forms.push(base64, base64.replaceAll('+', '-').replaceAll('/', '_'));
  }
  const base64 = encodeBase64(bytes);
  for (const form of [base64, base64.replaceAll('=', '')]) {
    forms.push(form, form.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return forms;
}

function percentEncode(bytes: Uint8Array, unescaped: string): string {
  let out = '';
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    const plain = /[A-Za-z0-9]/.test(character) || unescaped.includes(character);
    out += plain ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
}

/** The digits that are the same whatever goes before and after, when `shift` bytes of a group of three go before. */
function encodeShifted(bytes: Uint8Array, shift: number): string {
  const padded = new Uint8Array(shift + bytes.length);
  padded.set(bytes, shift);
  const first = Math.ceil((shift * 8) / 6);
  return encodeBase64(padded).slice(first, Math.floor((padded.length * 8) / 6));
}

function encodeBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

const SECRET =
  /^(?:.*(?:token|secret|password|passwd|passphrase|passcode|apikey|credential)s?|pass|pwd|pat|auth|authorization|creds?|cookie|salt|dsn)$/;
/** Last words of names whose values are not secrets, whatever the words before. */
const HARMLESS = new Set(
  (
    'file files path paths sock socket dir home id ids name names user username host port type ttl expiry expires ' +
    'timeout method enabled disabled algorithm issuer audience scope scopes count limit length size region version mode ' +
    'provider endpoint env helper store backend prompt command askpass program'
  ).split(' '),
);
/** The user's name and folders: every program prints them, and they are not secrets, however random they look. */
const PLACES = new Set(['PWD', 'OLDPWD', 'HOME', 'TMPDIR', 'PATH', 'SHELL', 'LOGNAME', 'USER']);
const ADDRESS = new Set(['url', 'uri', 'dsn', 'string', 'connection', 'conn', 'jdbc']);
const SETTINGS = new Set(
  (
    'true false yes no on off none null undefined enabled disabled required optional always never default auto basic ' +
    'bearer digest password token secret changeme postgres mysql redis admin administrator root guest example test testing ' +
    'development production staging local localhost username anonymous keychain keyring plaintext kubernetes'
  ).split(' '),
);

let shapes: Triggers | undefined;

/** The values of an environment that are secret by their name or shape, the password alone where one is part of it. */
export function secretValues(environment: Readonly<Record<string, string | undefined>>): string[] {
  const found = new Set<string>();
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || PLACES.has(name)) continue;
    for (const secret of [...findByShape(value), ...findByName(name, value)]) {
      if (isLiteral(secret)) found.add(secret.trim());
    }
  }
  return [...found];
}

function findByShape(text: string): string[] {
  const found: string[] = [];
  shapes ??= new Triggers(shapeMatchers);
  const scanner = new Scanner(shapes, (secret) => {
    found.push(secret);
    return '';
  });
  scanner.push(text);
  scanner.end();
  return found;
}

function findByName(name: string, value: string): string[] {
  const words = splitName(name);
  const last = words.at(-1) ?? '';
  if (HARMLESS.has(last) || isFilePath(value)) return [];
  const password = findPassword(value);
  if (password !== undefined) {
    const isNamed = ADDRESS.has(last) || words.some((word) => SECRET.test(word));
    return isNamed ? [password, ...decoded(password)] : [];
  }
  if (value.includes('://')) return [];
  if (words.some((word) => SECRET.test(word)) || classifyName(name) === 'token') return findParts(value);
  return classifyName(name) === 'key' && value.length >= 16 && !isWordy(value) ? [value] : [];
}

/** `scheme://user:password@host`, `user:password@tcp(host)`, `Server=…;Password=…;` */
function findPassword(value: string): string | undefined {
  return (
    /^(?:[A-Za-z][\w+.:-]{0,40}:\/\/)?[^\s/:@]{0,200}:([^\s/]{1,400})@[\w.[(-]/.exec(value)?.[1] ??
    /(?:^|;)\s{0,4}(?:password|pwd)\s{0,4}=\s{0,4}([^;]{1,400})/i.exec(value)?.[1]
  );
}

function decoded(password: string): string[] {
  try {
    return [decodeURIComponent(password)];
  } catch {
    return [];
  }
}

/** Of credentials in JSON the strings that are named as secrets; its other lines are plain text. */
function findParts(value: string): string[] {
  if (!value.trimStart().startsWith('{')) return [value];
  try {
    return findNamed(JSON.parse(value), 0);
  } catch {
    return [value];
  }
}

function findNamed(value: unknown, depth: number): string[] {
  if (typeof value !== 'object' || value === null || depth > 8) return [];
  return Object.entries(value).flatMap(([key, item]: [string, unknown]) =>
    typeof item === 'string' ? (classifyName(key) ? [item] : []) : findNamed(item, depth + 1),
  );
}

function isFilePath(value: string): boolean {
  return /^(?:\.{0,2}|~)\/[^\n]*$|^[A-Za-z]:\\/.test(value) && isWordy(value.slice(1));
}

/** Whether a value can be looked for in any text without finding plain words. */
function isLiteral(value: string): boolean {
  const text = value.trim();
  if (text.length < SHORTEST_LITERAL || SETTINGS.has(text.toLowerCase())) return false;
  if (/^[+-]?[\d.]{1,8}$/.test(text)) return text.replace(/\D/g, '').length >= 8;
  if (/^\$\{?\w+\}?$/.test(text) || /^(.)\1*$/s.test(text)) return false;
  return !/^[A-Za-z]{1,7}$/.test(text);
}
