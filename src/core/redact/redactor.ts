import { assignmentMatchers } from './assignments.js';
import { credentialMatchers } from './credentials.js';
import { type Matcher, Scanner, Triggers } from './scanner.js';
import { cutBeforeSentinel, sentinelAtStart, writeSentinel } from './sentinel.js';
import { tokenMatchers } from './tokens.js';
import { classifyName, isSecretValue } from './values.js';

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
  /** Every string of a plain value, as a new value; keys stay, and say of their strings whether they are secret. */
  maskAll<T>(value: T): T;
  /** The same, with more values to mask wherever they stand. */
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
export const shapeMatchers: readonly Matcher[] = [
  ...tokenMatchers,
  ...credentialMatchers,
  ...assignmentMatchers,
];

/**
 * `hash` gives at least 8 hexadecimal digits for a text; keyed, or short secrets could be guessed from them. `secrets`
 * are masked wherever they stand, when they have 6 characters or more.
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

/** A copy of arrays and plain objects; anything else is taken over as it is. However deep, and whatever its keys. */
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
export const SHORTEST_LITERAL = 6;
const SHORTEST_LINE = 16;
/** A longer value is looked for in parts, so that no stream has to hold back all of it. */
const LONGEST_LITERAL = 3072;

/** Known values, wherever they stand: as they are, and as JSON, addresses and base64 write them. */
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
