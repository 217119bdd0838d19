import { parseYaml } from '../../core/yaml.js';
import {
  type AttemptOutcome,
  type Caller,
  type OverBudget,
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
  const overBudget = at.group('overBudget', readOverBudget);
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

function readOverBudget(at: Mapping): OverBudget {
  return {
    at: at.time('at'),
    spentUsd: at.amount('spentUsd'),
    nextUsd: at.amount('nextUsd'),
    budgetUsd: at.amount('budgetUsd'),
  };
}

function readCaller(at: Mapping, called: number): Caller {
  const turn = at.count('turn', 1);
  if (turn >= called) throw new Misfit('callers has a turn that is not before this one');
  return {
    turn,
    agent: at.word('agent'),
    task: at.text('task'),
    context: at.text('context'),
  };
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
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new Misfit(`${path === '' ? 'it' : path} is not a mapping`);
    this.values = value as Record<string, unknown>;
  }

  text(key: string): string {
    const value = this.values[key];
    if (typeof value !== 'string') throw this.misfit(key, 'text');
    this.room.left -= value.length;
    if (this.room.left < 0) throw new Misfit('its aliases expand into too much');
    return value;
  }

  /** Text that is not blank. */
  word(key: string): string {
    return this.matching(key, /\S/, 'text with something in it');
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
      throw this.misfit(key, `a whole number from ${least} on`);
    return value;
  }

  amount(key: string): number {
    const value = this.values[key];
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
      throw this.misfit(key, 'a number from 0 on');
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
  const { session, turn, parent, callers, attempts, model, run, handoff, overBudget } = meta;
  const spent = sumUp(attempts);
  const idOf = (number: number | undefined | null) => (number == null ? null : turnId(session, number));
  return [
    field('id', turnId(session, turn)),
    field('parent', idOf(parent)),
    field('agent', meta.agent),
    field('caller', idOf(callers.at(-1)?.turn)),
    list('callers', callers.map(callerLines)),
    group('handoff', handoff && [field('from', handoff.from), field('message', handoff.message)]),
    field('madeAt', meta.madeAt),
    field('message', meta.message),
    group('model', model && [field('provider', model.provider), field('name', model.name)]),
    list('attempts', attempts.map(attemptLines)),
    tokensField(spent.tokens),
    field('costUsd', spent.costUsd),
    field('plannedAt', meta.plannedAt),
    group('run', run && [field('id', run.id), field('overall', run.overall), field('endedAt', run.endedAt)]),
    field('concluded', meta.concluded),
    overBudget === undefined ? [] : group('overBudget', overBudgetFields(overBudget)),
  ]
    .flat()
    .map((line) => `${line}\n`)
    .join('');
}

type Lines = string[];

function overBudgetFields({ at, spentUsd, nextUsd, budgetUsd }: OverBudget): Lines[] {
  return [
    field('at', at),
    field('spentUsd', spentUsd),
    field('nextUsd', nextUsd),
    field('budgetUsd', budgetUsd),
  ];
}

function callerLines({ turn, agent, task, context }: Caller): Lines {
  return [field('turn', turn), field('agent', agent), field('task', task), field('context', context)].flat();
}

function attemptLines({ answer, outcome, reason, at, tokens, costUsd }: PlanAttempt): Lines {
  return [
    field('answer', answer),
    field('outcome', outcome),
    field('reason', reason),
    field('at', at),
    tokensField(tokens),
    field('costUsd', costUsd),
  ].flat();
}

function tokensField(tokens: Tokens | null): Lines {
  if (tokens === null) return field('tokens', null);
  const { input, output, estimated } = tokens;
  return [`tokens: {input: ${input}, output: ${output}, estimated: ${estimated}}`];
}

function field(key: string, value: string | number | boolean | null): Lines {
  if (typeof value !== 'string') return [`${key}: ${JSON.stringify(value)}`];
  if (isBlock(value)) {
    const ends = value.endsWith('\n');
    const lines = (ends ? value.slice(0, -1) : value).split('\n');
    return [`${key}: |${ends ? '' : '-'}`, ...lines.map(indent)];
  }
  return [`${key}: ${isPlain(value) ? value : quote(value)}`];
}

function group(key: string, fields: Lines[] | null): Lines {
  return fields === null ? field(key, null) : [`${key}:`, ...fields.flat().map(indent)];
}

function list(key: string, items: readonly Lines[]): Lines {
  if (items.length === 0) return [`${key}: []`];
  return [
    `${key}:`,
    ...items.flatMap(([first, ...rest]) => [`  - ${first}`, ...rest.map((line) => indent(indent(line)))]),
  ];
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
