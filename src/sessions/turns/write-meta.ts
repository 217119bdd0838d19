import { turnId } from './names.js';
import { sumUp } from './spent.js';
import type { Caller, PlanAttempt, Tokens, TurnMeta } from './types.js';

/**
 * The text of `meta.yaml`, always the same for the same turn. Whatever can be worked out of the rest, so that a person
 * need not, is written too, and not read back: `caller`, and the sums over all attempts.
 */
export function writeMeta(meta: TurnMeta): string {
  const { session, turn, parent, callers, attempts, model, run, handoff } = meta;
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
  ]
    .flat()
    .map((line) => `${line}\n`)
    .join('');
}

type Lines = string[];

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

/** Words that no YAML reader, old ones included, takes for anything but text. */
function isPlain(text: string): boolean {
  return /^[A-Za-z][\w./-]*$/.test(text) && !/^(?:y|n|yes|no|on|off|true|false|null|e\d+)$/i.test(text);
}

/** Lines that stand for themselves: printable, none of them of white space alone, one newline at most at the end. */
function isBlock(text: string): boolean {
  return (
    text.includes('\n') &&
    /^[^\s]/.test(text) &&
    !/[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]|[\u2028\u2029]/u.test(text) &&
    !/\n[ \t]+(?:\n|$)|\n\n$/.test(text)
  );
}

/** JSON's form is YAML's, too, once what YAML does not print is escaped. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
