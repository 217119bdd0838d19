import { readRootPath } from '../core/path.js';
import type { Taken } from '../core/taken.js';
import { shorten } from '../core/text.js';
import { holdsSecret, type KeyPath, type Problems, readMapping } from './document.js';
import { EXECUTOR_PRESETS } from './types.js';

/** One kind of value: what it is called, and how it is read. Never throws, and never repeats what may be a secret. */
type Kind<T> = (value: unknown) => Taken<T>;

const flag: Kind<boolean> = (value) =>
  typeof value === 'boolean' ? ok(value) : refuse(`is ${show(value)}; write true or false`);

function wholeNumber(least: number, most: number): Kind<number> {
  return (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
      ? ok(value)
      : refuse(`is ${show(value)}; write a whole number from ${least} to ${most}`);
}

/** From 0 to 1. */
const fraction: Kind<number> = (value) =>
  typeof value === 'number' && value >= 0 && value <= 1
    ? ok(value)
    : refuse(`is ${show(value)}; write a number from 0 to 1`);

const MOST_USD = 1_000_000;

/** US dollars. */
const usd: Kind<number> = (value) =>
  typeof value === 'number' && value >= 0 && value <= MOST_USD
    ? ok(value)
    : refuse(`is ${show(value)}; write US dollars as a number, such as 3 or 0.25`);

const SECONDS = { s: 1, m: 60, h: 3600 };
const LONGEST_MS = 7 * 24 * 3600 * 1000;

/** Milliseconds, of `90`, `90s`, `5m` or `1h`. */
const duration: Kind<number> = (value) => {
  const [, digits, unit = 's'] = /^(\d{1,9})\s?([smh])?$/.exec(textOf(value)) ?? [];
  const ms = Number(digits) * SECONDS[unit as keyof typeof SECONDS] * 1000;
  if (digits === undefined) return refuse(`is ${show(value)}; write a time such as 90, 90s, 5m or 1h`);
  return ms > 0 && ms <= LONGEST_MS ? ok(ms) : refuse(`is ${show(value)}; write a time from 1s to 168h`);
};

const BYTES: Record<string, number> = { '': 1, B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };
const LARGEST = 1024 ** 3;

/** Bytes, of `500000`, `500KB` or `2MB`. */
const size: Kind<number> = (value) => {
  const [, digits, unit = ''] = /^(\d{1,12})\s?([KMG]?B)?$/i.exec(textOf(value)) ?? [];
  const bytes = Number(digits) * BYTES[unit.toUpperCase()]!;
  if (digits === undefined) return refuse(`is ${show(value)}; write a size such as 500KB or 2MB`);
  return bytes > 0 && bytes <= LARGEST ? ok(bytes) : refuse(`is ${show(value)}; write a size from 1B to 1GB`);
};

const words: Kind<string> = (value) => {
  if (typeof value !== 'string' || value.trim() === '') return refuse(`is ${show(value)}; write a text`);
  return /[\u0000-\u0008\u000b-\u001f\u007f]/.test(value)
    ? refuse('holds a control character')
    : ok(value.trim());
};

function oneOf<const T extends string>(choices: readonly T[]): Kind<T> {
  return (value) =>
    choices.includes(value as T) ? ok(value as T) : refuse(`is ${show(value)}; write ${listOf(choices)}`);
}

/** http or https, without a name and password. */
const webAddress: Kind<string> = (value) => {
  if (typeof value !== 'string' || !/^https?:\/\/[^\s]{1,2000}$/.test(value) || !URL.canParse(value)) {
    return refuse(`is ${show(value)}; write an address that begins with http:// or https://`);
  }
  const { username, password } = new URL(value);
  return username === '' && password === ''
    ? ok(value)
    : refuse('holds a name or password; keys come from the environment, never from this file');
};

const variableName: Kind<string> = (value) =>
  typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(value)
    ? ok(value)
    : refuse('is not the name of an environment variable; write a name such as SEARCH_API_KEY, not the key');

/** Inside the root. */
const path: Kind<string> = (value) => {
  if (typeof value !== 'string') return refuse(`is ${show(value)}; write a path`);
  const read = readRootPath(value);
  return read.status === 'ok' ? ok(read.path) : refuse(`${read.reason}; write a path inside the project`);
};

/** A text or a list of texts. */
const pathGlobs: Kind<string[]> = (value) => {
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

/** One setting: how it is read, what `teddy init` writes for it, and a line for the person who looks at it. */
export interface Setting<T> {
  kind(value: unknown): Taken<NonNullable<T>>;
  /** As in the file: the default, or an example where there is none. */
  written: string | number | boolean | readonly string[];
  /** What it is where the file does not say it. */
  fallback: T;
  about: string;
}

export interface Schema {
  readonly [key: string]: Setting<unknown> | Schema;
}

/** What a schema gives: a setting that is not in the file has its default, or is undefined. */
export type Values<S> = {
  -readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : Values<S[K]>;
};

export function isSetting(entry: Setting<unknown> | Schema): entry is Setting<unknown> {
  return typeof entry.kind === 'function';
}

function setting<T>(kind: Kind<T>, written: Setting<T>['written'], about: string): Setting<T> {
  const read = kind(written);
  if (read.status === 'refused') throw new Error(`the default of a setting ${read.reason}`);
  return { kind: kind as Setting<T>['kind'], written, fallback: read.value, about };
}

/** One without a default. */
function optional<T>(kind: Kind<T>, written: Setting<T>['written'], about: string): Setting<T | undefined> {
  return { kind: kind as Setting<T | undefined>['kind'], written, fallback: undefined, about };
}

const MILLION = 1_000_000;

/** What one entry under `executors` may say. */
export const EXECUTOR = {
  command: optional(words, 'my-agent --print', 'a shell command: the prompt comes on its standard input'),
  preset: optional(oneOf(EXECUTOR_PRESETS), 'claude', `instead of command: ${EXECUTOR_PRESETS.join(', ')}`),
} as const satisfies Schema;

/** Every key of config.yaml but `executors`, whose keys are names. */
export const SETTINGS = {
  execute: {
    timeout: setting(duration, '10m', 'how long a command may run: 90, 90s, 5m or 1h'),
    sandbox: setting(flag, false, 'run commands in bubblewrap: they write only inside the project'),
    network: setting(flag, true, 'whether commands in the sandbox reach the network'),
    outputLines: setting(wholeNumber(1, MILLION), 400, 'lines of each output that the report shows'),
  },
  read: {
    allowPrivate: setting(flag, false, 'whether READ may open private and local addresses'),
    maxBytes: setting(size, '5MB', 'the most that READ takes from a URL'),
  },
  report: {
    format: setting(
      oneOf(['mirrored', 'contract', 'json']),
      'mirrored',
      'mirrored, contract or json; --format wins',
    ),
    tip: {
      lines: setting(wholeNumber(0, MILLION), 80, 'a longer report ends with a tip; 0 turns this off'),
      characters: setting(wholeNumber(0, MILLION), 4000, 'the same, by characters'),
    },
  },
  runs: {
    keep: setting(wholeNumber(1, MILLION), 200, 'how many runs keep their report and what undo needs'),
  },
  research: {
    provider: optional(oneOf(['searxng', 'brave', 'tavily']), 'searxng', 'searxng, brave or tavily'),
    url: optional(webAddress, 'http://localhost:8080', 'the address of the SearXNG server'),
    keyEnv: optional(variableName, 'SEARCH_API_KEY', 'for brave and tavily: the variable that holds the key'),
  },
  model: {
    provider: optional(
      oneOf(['openai-compatible', 'anthropic']),
      'openai-compatible',
      'openai-compatible or anthropic',
    ),
    baseURL: optional(webAddress, 'http://localhost:11434/v1', 'the address of the API'),
    name: optional(words, 'my-model', 'the name of the model'),
    keyEnv: optional(variableName, 'MODEL_API_KEY', 'the variable that holds the key'),
    maxOutputTokens: setting(wholeNumber(1, MILLION), 16000, 'the longest answer to ask for'),
    timeout: setting(duration, '10m', 'how long an answer may take, waits and further tries included'),
    idle: setting(duration, '2m', 'how long nothing may come of an answer'),
    inputPrice: optional(usd, 3, 'US dollars for a million tokens that the model reads'),
    outputPrice: optional(usd, 15, 'the same for tokens that it writes'),
    budget: optional(usd, 5, 'US dollars that one session may cost; needs both prices'),
  },
  context: {
    budget: setting(
      wholeNumber(0, 100 * MILLION),
      100_000,
      'the most tokens of context, at four characters each; 0 is no limit',
    ),
  },
  replan: {
    limit: setting(wholeNumber(0, 20), 3, 'how often a refused plan goes back to the model'),
  },
  review: {
    confidence: setting(fraction, 0.7, "below this confidence an agent's report goes to a person"),
  },
  plans: {
    glob: setting(
      pathGlobs,
      ['.planning/**/*-PLAN.md', '.ultraplan/plans/**/*-PLAN.md', '*-PLAN.md'],
      'where task plans are found',
    ),
  },
  capture: {
    dir: setting(path, '.ultraplan/logs', 'where results are logged'),
    state: optional(path, 'STATE.md', 'else it is looked for in the root, .planning and .ultraplan'),
  },
  orchestrate: {
    executor: optional(
      words,
      'claude',
      'who works on tasks: a name under executors, a preset, teddy or human',
    ),
    jobs: setting(wholeNumber(1, 64), 1, 'how many tasks are worked on at once'),
    maxAttempts: setting(wholeNumber(1, 20), 3, 'how often a task is tried before a person is asked'),
    taskTime: setting(duration, '30m', 'how long one attempt may take'),
    time: optional(duration, '4h', 'how long it all may take; else there is no limit'),
    taskBudget: optional(usd, 2, 'US dollars that one task may cost; else there is no limit'),
    budget: optional(usd, 20, 'US dollars that it all may cost; else there is no limit'),
    setup: optional(words, 'npm ci', 'a shell command that is run in every new worktree'),
  },
} as const satisfies Schema;

/** `execute.timeout`, `report.tip.lines` …, in the schema's order. */
export function listKeys(schema: Schema = SETTINGS, above = ''): string[] {
  return Object.entries(schema).flatMap(([key, entry]) =>
    isSetting(entry) ? `${above}${key}` : listKeys(entry, `${above}${key}.`),
  );
}

export function readBySchema<S extends Schema>(
  schema: S,
  value: unknown,
  path: KeyPath,
  problems: Problems,
  /** Keys that are known here, and read by somebody else. */
  alsoKnown: readonly string[] = [],
): Values<S> {
  const mapping = readMapping(value, path, problems);
  const known = [...Object.keys(schema), ...alsoKnown];
  const values: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(schema)) {
    const here = [...path, key];
    const written = mapping[key];
    if (!isSetting(entry)) {
      values[key] = readBySchema(entry, written, here, problems);
      continue;
    }
    values[key] = entry.fallback;
    if (written === undefined || written === null) continue;
    const taken = entry.kind(written);
    if (taken.status === 'ok') values[key] = taken.value;
    else problems.add(here, taken.reason);
  }
  for (const key of Object.keys(mapping)) {
    if (problems.full) break;
    if (!known.includes(key)) problems.addUnknown([...path, key], known, listKeys(schema));
  }
  return values as Values<S>;
}
