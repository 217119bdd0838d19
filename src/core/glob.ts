import { readRootPath } from './path.js';
import type { Taken } from './taken.js';

/** The literal pieces around each `*`: `a*b` is ['a', 'b'], and `a` is ['a']. */
export type Pieces = readonly string[];

/** Whole components of a path; `**` matches any number of them, including none. */
export type Components = readonly (Pieces | '**')[];

/** Only `*` and `**` are special. `text` is the glob as written. */
export interface PathGlob {
  text: string;
  components: Components;
}

export interface UrlGlob {
  text: string;
  scheme: 'http' | 'https' | '*';
  /** Labels from left to right; `**` matches any number of them. */
  host: Components;
  /** Empty: the scheme's own. */
  port: string;
  /** Path and query. */
  rest: Components;
}

const LONGEST = 1000;

export function readPathGlob(value: unknown): Taken<PathGlob> {
  if (typeof value !== 'string' || value === '')
    return refuse('is not a string; write a pattern such as docs/**');
  if (value.length > LONGEST) return refuse(`is longer than ${LONGEST} characters`);
  if (value.endsWith('/'))
    return refuse(`ends with a slash; write ${JSON.stringify(`${value}**`)} for everything in it`);
  const odd = /(?<!\\)[?[\]{}]|^!/.exec(value);
  if (odd) {
    return refuse(
      `contains ${JSON.stringify(odd[0])}; only * and ** are special, and "\\${odd[0]}" is the character`,
    );
  }
  const plain = readRootPath(value.replace(/\\(?=[?[\]{}!*])/g, ''));
  if (plain.status !== 'ok') return refuse(plain.reason);
  const parts = value.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) return refuse('contains ".."; write the path itself');
  const components = readComponents(parts);
  return components ? ok({ text: value, components }) : mixedStars();
}

const ALL_URLS: UrlGlob = { text: '**', scheme: '*', host: ['**'], port: '*', rest: ['**'] };

export function readUrlGlob(value: unknown): Taken<UrlGlob> {
  if (value === '**') return ok(ALL_URLS);
  const [, scheme, host, port = '', rest] =
    (typeof value === 'string' && value.length <= LONGEST
      ? /^(https?|\*):\/\/([\w.*-]{1,253})(?::(\d{1,5}|\*))?\/([^\s#\\]{0,900})$/i.exec(value)
      : null) ?? [];
  if (scheme === undefined || host === undefined || rest === undefined) {
    return refuse(
      'is not a URL pattern; write scheme, host and path, such as https://example.com/**, or ** for every URL',
    );
  }
  const labels = readComponents(host.toLowerCase().split('.'));
  const components = readComponents(rest.split('/'));
  if (!labels || !components) return mixedStars();
  const known = scheme.toLowerCase() as UrlGlob['scheme'];
  return ok({
    text: String(value),
    scheme: known,
    host: labels,
    port: plainPort(known, port),
    rest: components,
  });
}

/** As `URL` has it: the scheme's own port is not written. */
function plainPort(scheme: UrlGlob['scheme'], port: string): string {
  return (scheme === 'http' && port === '80') || (scheme === 'https' && port === '443') ? '' : port;
}

function readComponents(parts: readonly string[]): Components | undefined {
  const components = parts.map((part) => (part === '**' ? part : readPieces(part)));
  return components.some((each) => each === undefined) ? undefined : (components as Components);
}

/** Undefined if `**` is glued to something. */
function readPieces(part: string): Pieces | undefined {
  const pieces = [''];
  for (let at = 0; at < part.length; at++) {
    const char = part[at]!;
    if (char === '*' && part[at + 1] === '*') return undefined;
    if (char === '*') pieces.push('');
    else pieces[pieces.length - 1] += char === '\\' && at + 1 < part.length ? part[++at]! : char;
  }
  return pieces;
}

/** Whether a text is the pieces with anything between them. Linear but for repeated text. */
export function matchPieces(pieces: Pieces, text: string): boolean {
  const [first = '', ...others] = pieces;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (text.length < first.length + last.length) return false;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const piece of others) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

export function matchComponents(components: Components, names: readonly string[]): boolean {
  return matchNames(components, names, matchPieces);
}

/**
 * Whether names are what a pattern says, `**` matching any number of them. Goes back to the last `**` alone, so that
 * the time is at most the product of both lengths.
 */
export function matchNames<Part>(
  pattern: readonly (Part | '**')[],
  names: readonly string[],
  matchName: (part: Part, name: string) => boolean,
): boolean {
  let at = 0;
  let name = 0;
  let star = -1;
  let retry = 0;
  while (name < names.length) {
    const part = pattern[at];
    if (part === '**') {
      star = at++;
      retry = name;
    } else if (part !== undefined && matchName(part, names[name]!)) {
      at++;
      name++;
    } else if (star !== -1) {
      at = star + 1;
      name = ++retry;
    } else {
      return false;
    }
  }
  while (pattern[at] === '**') at++;
  return at === pattern.length;
}

function mixedStars<T>(): Taken<T> {
  return refuse('contains ** next to other characters; write it alone between slashes, as in docs/**/*.md');
}

function ok<T>(value: T): Taken<T> {
  return { status: 'ok', value };
}

function refuse<T>(reason: string): Taken<T> {
  return { status: 'refused', reason };
}
