import { readRootPath } from '../core/path.js';
import type { Taken } from '../core/taken.js';
import { shorten } from '../core/text.js';
import { holdsSecret } from './document.js';

/** One kind of value: what it is called, and how it is read. Never throws, and never repeats what may be a secret. */
export type Kind<T> = (value: unknown) => Taken<T>;

export const flag: Kind<boolean> = (value) =>
  typeof value === 'boolean' ? ok(value) : refuse(`is ${show(value)}; write true or false`);

export function wholeNumber(least: number, most: number): Kind<number> {
  return (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
      ? ok(value)
      : refuse(`is ${show(value)}; write a whole number from ${least} to ${most}`);
}

/** From 0 to 1. */
export const fraction: Kind<number> = (value) =>
  typeof value === 'number' && value >= 0 && value <= 1
    ? ok(value)
    : refuse(`is ${show(value)}; write a number from 0 to 1`);

const MOST_USD = 1_000_000;

/** US dollars. */
export const usd: Kind<number> = (value) =>
  typeof value === 'number' && value >= 0 && value <= MOST_USD
    ? ok(value)
    : refuse(`is ${show(value)}; write US dollars as a number, such as 3 or 0.25`);

const SECONDS = { s: 1, m: 60, h: 3600 };
const LONGEST_MS = 7 * 24 * 3600 * 1000;

/** Milliseconds, of `90`, `90s`, `5m` or `1h`. */
export const duration: Kind<number> = (value) => {
  const [, digits, unit = 's'] = /^(\d{1,9})\s?([smh])?$/.exec(textOf(value)) ?? [];
  const ms = Number(digits) * SECONDS[unit as keyof typeof SECONDS] * 1000;
  if (digits === undefined) return refuse(`is ${show(value)}; write a time such as 90, 90s, 5m or 1h`);
  return ms > 0 && ms <= LONGEST_MS ? ok(ms) : refuse(`is ${show(value)}; write a time from 1s to 168h`);
};

const BYTES: Record<string, number> = { '': 1, B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };
const LARGEST = 1024 ** 3;

/** Bytes, of `500000`, `500KB` or `2MB`. */
export const size: Kind<number> = (value) => {
  const [, digits, unit = ''] = /^(\d{1,12})\s?([KMG]?B)?$/i.exec(textOf(value)) ?? [];
  const bytes = Number(digits) * BYTES[unit.toUpperCase()]!;
  if (digits === undefined) return refuse(`is ${show(value)}; write a size such as 500KB or 2MB`);
  return bytes > 0 && bytes <= LARGEST ? ok(bytes) : refuse(`is ${show(value)}; write a size from 1B to 1GB`);
};

export const words: Kind<string> = (value) => {
  if (typeof value !== 'string' || value.trim() === '') return refuse(`is ${show(value)}; write a text`);
  return /[\u0000-\u0008\u000b-\u001f\u007f]/.test(value)
    ? refuse('contains a control character')
    : ok(value.trim());
};

export function oneOf<const T extends string>(choices: readonly T[]): Kind<T> {
  return (value) =>
    choices.includes(value as T) ? ok(value as T) : refuse(`is ${show(value)}; write ${listOf(choices)}`);
}

/** http or https, without a name and password. */
export const webAddress: Kind<string> = (value) => {
  if (typeof value !== 'string' || !/^https?:\/\/[^\s]{1,2000}$/.test(value) || !URL.canParse(value)) {
    return refuse(`is ${show(value)}; write an address that starts with http:// or https://`);
  }
  const { username, password } = new URL(value);
  return username === '' && password === ''
    ? ok(value)
    : refuse('contains a name or password; keys come from the environment, never from this file');
};

export const variableName: Kind<string> = (value) =>
  typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(value)
    ? ok(value)
    : refuse('is not the name of an environment variable; write a name such as SEARCH_API_KEY, not the key');

/** Inside the root. */
export const path: Kind<string> = (value) => {
  if (typeof value !== 'string') return refuse(`is ${show(value)}; write a path`);
  const read = readRootPath(value);
  return read.status === 'ok' ? ok(read.path) : refuse(`${read.reason}; write a path inside the project`);
};

/** A text or a list of texts. */
export const pathGlobs: Kind<string[]> = (value) => {
  const globs = Array.isArray(value) ? value : [value];
  if (globs.length === 0) return refuse('is empty; write at least one pattern');
  const all = globs.map(path);
  const bad = all.find((each) => each.status === 'refused');
  return bad ?? ok(all.flatMap((each) => (each.status === 'ok' ? each.value : [])));
};

export function listOf(choices: readonly string[]): string {
  return choices.length < 2
    ? choices.join('')
    : `${choices.slice(0, -1).join(', ')} or ${choices[choices.length - 1]}`;
}

/** A value in a message: short, and not where it may be a secret. */
export function show(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (typeof value !== 'string') return String(value);
  if (holdsSecret(value)) return 'a secret';
  return JSON.stringify(shorten(value, 40));
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function ok<T>(value: T): Taken<T> {
  return { status: 'ok', value };
}

function refuse<T>(reason: string): Taken<T> {
  return { status: 'refused', reason };
}
