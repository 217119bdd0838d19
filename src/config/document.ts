import { readRootPath } from '../core/path.js';
import { createRedactor, type Redactor } from '../core/redact/redactor.js';
import type { Taken } from '../core/taken.js';
import { nearestWord, shorten } from '../core/text.js';
import type { ConfigProblem } from './types.js';

/** In characters. */
const LIMIT = 1024 * 1024;

export type OpenedDocument =
  | { status: 'open'; value: unknown; problems: Problems; lineOf: (path: KeyPath) => number }
  | { status: 'refused'; problems: ConfigProblem[] };

/** A YAML file that a user wrote for teddy, as a value, with a place for its problems. */
export async function openDocument(file: string, text: string): Promise<OpenedDocument> {
  if (text.length > LIMIT) {
    const problem = { file, line: null, key: null, message: 'The file is larger than 1 MB.' };
    return { status: 'refused', problems: [problem] };
  }
  // YAML is costly to load, and most projects have no such file.
  const { parseYaml } = await import('../core/yaml.js');
  const read = parseYaml(text);
  if (read.status === 'refused') {
    const problem = { file, line: read.line, key: null, message: `The file ${read.reason}.` };
    return { status: 'refused', problems: [problem] };
  }
  const problems = new Problems(file, read.lineOf);
  return { status: 'open', value: read.value, problems, lineOf: read.lineOf };
}

/** A mapping, or nothing at all; anything else is a problem, and counts as nothing. */
export function readMapping(value: unknown, path: KeyPath, problems: Problems): Record<string, unknown> {
  if (value === null || value === undefined) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  problems.add(path, 'is not a mapping; write "key: value" lines');
  return {};
}

export function readDocumentList(value: unknown, path: KeyPath, problems: Problems): unknown[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value;
  problems.add(path, 'is not a list; start each item with "- "');
  return [];
}

export type KeyPath = readonly (string | number)[];

/** Enough for the user; a hostile file could cause any number. */
const MOST = 50;

/** Collects what is wrong with one file, each with its line and key. */
export class Problems {
  readonly list: ConfigProblem[] = [];

  constructor(
    private readonly file: string,
    private readonly lineOf: (path: KeyPath) => number | null,
  ) {}

  get full(): boolean {
    return this.list.length >= MOST;
  }

  /** Whether something in a top-level group is wrong already. */
  hasIn(group: string): boolean {
    return this.list.some(({ key }) => key?.startsWith(`${group}.`));
  }

  /** `reason` completes the sentence "<key> …". */
  add(path: KeyPath, reason: string, end = '.'): void {
    if (this.full) return;
    const key = keyText(path);
    this.list.push({
      file: this.file,
      line: this.lineOf(path),
      key: key === '' ? null : key,
      message: `${key === '' ? 'The file' : key} ${reason}${end}`,
    });
  }

  /** An unknown key: what it may have been meant for. `elsewhere` holds whole paths. */
  addUnknown(path: KeyPath, known: readonly string[], elsewhere: readonly string[] = []): void {
    const name = String(path.at(-1));
    const near = nearestWord(name, known) ?? elsewhere.find((other) => other.split('.').at(-1) === name);
    if (namesSecret(name)) this.add(path, `is a secret, judging by its name; ${FROM_ENVIRONMENT}`);
    else if (near === undefined) this.add(path, `is unknown; known here: ${known.join(', ')}`);
    else this.add(path, `is unknown; did you mean ${near}`, '?');
  }

  /** Every text of the file, known key or not. */
  addSecrets(value: unknown, path: KeyPath = []): void {
    if (this.full) return;
    if (typeof value === 'string') {
      if (holdsSecret(value)) this.add(path, `looks like a key or a password; ${FROM_ENVIRONMENT}`);
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) this.addSecrets(item, [...path, index]);
    } else if (value !== null && typeof value === 'object') {
      for (const [key, item] of Object.entries(value)) this.addSecrets(item, [...path, key]);
    }
  }
}

/** `rules[2].path`, where positions count from 1. */
function keyText(path: KeyPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step + 1}]`;
    const name = holdsSecret(step)
      ? '…'
      : /^[\w*-]{1,60}$/.test(step)
        ? step
        : JSON.stringify(shorten(step, 60));
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

let redactor: Redactor | undefined;

/** Whether a text holds what looks like a key or a password: what a report would mask. */
function holdsSecret(text: string): boolean {
  redactor ??= createRedactor({ hash: () => '00000000' });
  return redactor.mask(text) !== text;
}

/** Whether a key's own name says that its value would be a secret. */
function namesSecret(key: string): boolean {
  const folded = key.toLowerCase().replace(/[-_ ]/g, '');
  return (
    /apikey|secret|password|passwd|passphrase|credential|bearer|privatekey|accesskey/.test(folded) ||
    /^(?:key|token|auth|authorization|pass|pwd)$|token$/.test(folded)
  );
}

const FROM_ENVIRONMENT =
  'keys come from the environment, never from this file: put the key in a variable and set keyEnv to its name';

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

/** Bytes, of `500000`, `500KB` or `2MB`. */
export const size = sizeUpTo('1GB');

/** The same for what disks hold. */
export const diskSize = sizeUpTo('1024GB');

function sizeUpTo(most: string): Kind<number> {
  const limit = Number.parseInt(most, 10) * BYTES.GB!;
  return (value) => {
    const [, digits, unit = ''] = /^(\d{1,12})\s?([KMG]?B)?$/i.exec(textOf(value)) ?? [];
    const bytes = Number(digits) * BYTES[unit.toUpperCase()]!;
    if (digits === undefined) return refuse(`is ${show(value)}; write a size such as 500KB or 2MB`);
    return bytes > 0 && bytes <= limit
      ? ok(bytes)
      : refuse(`is ${show(value)}; write a size from 1B to ${most}`);
  };
}

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

/** A list of paths, absolute, from `~/` or from the root; it may be empty. */
export const placeList: Kind<string[]> = (value) => {
  const places = Array.isArray(value) ? (value as unknown[]) : [value];
  const bad = places.find((place) => typeof place !== 'string' || !/^[^\0]+$/.test(place));
  return bad === undefined
    ? ok(places as string[])
    : refuse(`has ${show(bad)}; write paths, such as [~/.cache/tool]`);
};

/** Arguments of a program, each a word of its own. */
export const argumentList: Kind<string[]> = (value) => {
  const words = Array.isArray(value) ? (value as unknown[]) : [value];
  const bad = words.find((word) => typeof word !== 'string' || !/^[^\p{Cc}]+$/u.test(word));
  return bad === undefined
    ? ok(words as string[])
    : refuse(`has ${show(bad)}; write texts, such as [--model, NAME]`);
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
