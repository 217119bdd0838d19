import { isMapping, parseYaml } from '../../core/yaml.js';
import {
  type AttemptOutcome,
  type Caller,
  type PlanAttempt,
  readTurnRef,
  sumUp,
  type Tokens,
  type TurnMeta,
  turnId,
} from './turn.js';

export type MetaRead =
  | { status: 'meta'; meta: TurnMeta }
  /** `reason` completes the sentence "<path> …". */
  | { status: 'refused'; reason: string };

/** Limits both bytes and characters. */
export const LARGEST_META = 8 * 1024 * 1024;
const MOST_TOKENS = 100_000;

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;
const ANSWER = /^answer(?:-[1-9]\d{0,8})?\.md$/;
const RUN = /^\d{8}-\d{6}-[a-z0-9]{4}$/;
const OUTCOMES = [
  'passed',
  'refused',
  'message',
  'cut-off',
  'broken-off',
  'interrupted',
  'replaced',
] as const satisfies readonly AttemptOutcome[];
const OVERALLS = ['Completed', 'Partial', 'Failed', 'Skipped'] as const;

/** Parses `meta.yaml`. Strict about the keys that teddy writes, ignores all others. Never throws. */
export function parseMeta(text: string): MetaRead {
  const yaml = parseYaml(text, { mostTokens: MOST_TOKENS });
  if (yaml.status === 'refused') return yaml;
  try {
    return { status: 'meta', meta: readMeta(new Mapping(yaml.value, '', { left: LARGEST_META })) };
  } catch (error) {
    if (error instanceof Misfit)
      return { status: 'refused', reason: `is not the record of a turn: ${error.message}` };
    throw error;
  }
}

function readMeta(at: Mapping): TurnMeta {
  const { session, turn } = at.turnId('id');
  const overBudget = at.group('overBudget', (reached) => ({
    at: reached.time('at'),
    spentUsd: reached.amount('spentUsd'),
    nextUsd: reached.amount('nextUsd'),
    budgetUsd: reached.amount('budgetUsd'),
  }));
  return {
    session,
    turn,
    parent: at.orNull('parent', () => {
      const parent = at.turnId('parent');
      if (parent.session !== session) throw new Misfit('parent is a turn of another session');
      if (parent.turn >= turn) throw new Misfit('parent is not an earlier turn');
      return parent.turn;
    }),
    agent: at.word('agent'),
    callers: at.list('callers', (caller) => readCaller(caller, turn)),
    handoff: at.group('handoff', (handoff) => ({
      from: handoff.word('from'),
      message: handoff.text('message'),
    })),
    madeAt: at.time('madeAt'),
    message: at.orNull('message', () => at.text('message')),
    model: at.group('model', (model) => ({ provider: model.word('provider'), name: model.word('name') })),
    attempts: at.list('attempts', readAttempt),
    plannedAt: at.orNull('plannedAt', () => at.time('plannedAt')),
    run: at.group('run', (run) => ({
      id: run.matching('id', RUN, 'the id of a run'),
      overall: run.oneOf('overall', OVERALLS),
      endedAt: run.time('endedAt'),
    })),
    concluded: at.flag('concluded'),
    ...(overBudget && { overBudget }),
  };
}

function readCaller(at: Mapping, called: number): Caller {
  const turn = at.count('turn', 1);
  if (turn >= called) throw new Misfit('callers names a turn that is not earlier');
  return { turn, agent: at.word('agent'), task: at.text('task'), context: at.text('context') };
}

function readAttempt(at: Mapping): PlanAttempt {
  return {
    answer: at.orNull('answer', () => at.matching('answer', ANSWER, 'the name of an answer')),
    outcome: at.oneOf('outcome', OUTCOMES),
    reason: at.orNull('reason', () => at.text('reason')),
    at: at.time('at'),
    tokens: at.group('tokens', readTokens),
    costUsd: at.orNull('costUsd', () => at.amount('costUsd')),
  };
}

function readTokens(at: Mapping): Tokens {
  return { input: at.count('input', 0), output: at.count('output', 0), estimated: at.flag('estimated') };
}

/** A value that does not match the schema. */
class Misfit extends Error {}

/** A mapping of the document; the getters validate. */
class Mapping {
  private readonly values: Record<string, unknown>;

  constructor(
    value: unknown,
    private readonly path: string,
    /** The characters still allowed in total: aliases can repeat a text of any length. */
    private readonly room: { left: number },
  ) {
    if (!isMapping(value)) throw new Misfit(`${path === '' ? 'it' : path} is not a mapping`);
    this.values = value;
  }

  text(key: string): string {
    const value = this.values[key];
    if (typeof value !== 'string') throw this.misfit(key, 'text');
    this.room.left -= value.length;
    if (this.room.left < 0) throw new Misfit('its aliases expand to too much text');
    return value;
  }

  /** Text that is not blank. */
  word(key: string): string {
    return this.matching(key, /\S/, 'text of at least one character');
  }

  time(key: string): string {
    return this.matching(key, TIME, 'a time like "2026-01-26T10:30:45Z"');
  }

  matching(key: string, pattern: RegExp, kind: string): string {
    const text = this.text(key);
    if (!pattern.test(text)) throw this.misfit(key, kind);
    return text;
  }

  turnId(key: string): { session: string; turn: number } {
    const { session = null, turn = 0 } = readTurnRef(this.text(key)) ?? {};
    if (session === null) throw this.misfit(key, 'a turn like auth/03');
    return { session, turn };
  }

  oneOf<T extends string>(key: string, words: readonly T[]): T {
    const text = this.text(key);
    const word = words.find((each) => each === text);
    if (word === undefined) throw this.misfit(key, `one of ${words.join(', ')}`);
    return word;
  }

  count(key: string, least: number): number {
    const value = this.values[key];
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least)
      throw this.misfit(key, `a whole number of at least ${least}`);
    return value;
  }

  amount(key: string): number {
    const value = this.values[key];
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
      throw this.misfit(key, 'a number of at least 0');
    return value;
  }

  flag(key: string): boolean {
    const value = this.values[key];
    if (typeof value !== 'boolean') throw this.misfit(key, 'true or false');
    return value;
  }

  orNull<T>(key: string, read: () => T): T | null {
    return this.values[key] == null ? null : read();
  }

  group<T>(key: string, read: (group: Mapping) => T): T | null {
    return this.orNull(key, () => read(new Mapping(this.values[key], this.pathOf(key), this.room)));
  }

  list<T>(key: string, read: (item: Mapping) => T): T[] {
    const value = this.values[key];
    if (!Array.isArray(value)) throw this.misfit(key, 'a list');
    return value.map((item, i) => read(new Mapping(item, `${this.pathOf(key)}[${i}]`, this.room)));
  }

  private pathOf(key: string): string {
    return this.path === '' ? key : `${this.path}.${key}`;
  }

  private misfit(key: string, kind: string): Misfit {
    const what = this.values[key] === undefined ? 'is missing; it must be' : 'is not';
    return new Misfit(`${this.pathOf(key)} ${what} ${kind}`);
  }
}

/**
 * The text of `meta.yaml`; equal turns give equal text. `caller` and the totals are derived for readers and
 * not parsed back.
 */
export function writeMeta(meta: TurnMeta): string {
  const { session, turn, parent, agent, callers, handoff, madeAt, message, model, attempts } = meta;
  const { plannedAt, run, concluded, overBudget } = meta;
  const idOf = (number: number | undefined | null) => (number == null ? null : turnId(session, number));
  const lines = writeGroup({
    id: turnId(session, turn),
    parent: idOf(parent),
    agent,
    caller: idOf(callers.at(-1)?.turn),
    callers: callers.map((each) => inOrder(each, ['turn', 'agent', 'task', 'context'])),
    handoff: handoff && inOrder(handoff, ['from', 'message']),
    madeAt,
    message,
    model: model && inOrder(model, ['provider', 'name']),
    attempts: attempts.map((each) =>
      inOrder(each, ['answer', 'outcome', 'reason', 'at', 'tokens', 'costUsd']),
    ),
    ...inOrder(sumUp(attempts), ['tokens', 'costUsd']),
    plannedAt,
    run: run && inOrder(run, ['id', 'overall', 'endedAt']),
    concluded,
    ...(overBudget && { overBudget: inOrder(overBudget, ['at', 'spentUsd', 'nextUsd', 'budgetUsd']) }),
  });
  return lines.map((line) => `${line}\n`).join('');
}

function inOrder<T extends object, Key extends keyof T>(fields: T, keys: readonly Key[]): Pick<T, Key> {
  return Object.fromEntries(keys.map((key) => [key, fields[key]])) as Pick<T, Key>;
}

function writeGroup(fields: object): string[] {
  return Object.entries(fields).flatMap(([key, value]) => writeField(key, value));
}

function writeField(key: string, value: unknown): string[] {
  if (Array.isArray(value))
    return value.length === 0 ? [`${key}: []`] : [`${key}:`, ...value.flatMap(writeItem)];
  if (typeof value === 'string') return writeText(key, value);
  if (typeof value !== 'object' || value === null) return [`${key}: ${JSON.stringify(value)}`];
  if (key === 'tokens') return [`${key}: ${writeTokens(value as Tokens)}`];
  return [`${key}:`, ...writeGroup(value).map(indent)];
}

function writeItem(fields: object): string[] {
  const [first, ...rest] = writeGroup(fields);
  return [`  - ${first}`, ...rest.map((line) => indent(indent(line)))];
}

function writeTokens({ input, output, estimated }: Tokens): string {
  return `{input: ${input}, output: ${output}, estimated: ${estimated}}`;
}

function writeText(key: string, text: string): string[] {
  if (!isBlock(text)) return [`${key}: ${isPlain(text) ? text : quote(text)}`];
  const ends = text.endsWith('\n');
  const lines = (ends ? text.slice(0, -1) : text).split('\n');
  return [`${key}: |${ends ? '' : '-'}`, ...lines.map(indent)];
}

function indent(line: string): string {
  return line === '' ? '' : `  ${line}`;
}

/** Words that every YAML parser, even a YAML 1.1 one, reads as text. */
function isPlain(text: string): boolean {
  return /^[A-Za-z][\w./-]*$/.test(text) && !/^(?:y|n|yes|no|on|off|true|false|null|e\d+)$/i.test(text);
}

/**
 * Whether a block scalar can hold the text: printable, no whitespace-only lines, at most one final newline.
 */
function isBlock(text: string): boolean {
  return (
    text.includes('\n') &&
    /^[^\s]/.test(text) &&
    !/[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]|[\u2028\u2029]/u.test(text) &&
    !/\n[ \t]+(?:\n|$)|\n\n$/.test(text)
  );
}

/** JSON strings are valid YAML once the characters that YAML does not print are escaped. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
