import type { JsonObject, JsonPath, JsonValue } from '../json/values.js';
import { isJsonObject } from '../json/values.js';
import { quoteExcerpt } from '../text.js';
import { describeValue, type IssueLog, namePlace } from './issue.js';
import type { ReportIssueCode } from './issue-codes.js';
import { STATUSES, VERBOSITIES } from './types.js';

/** The values a field may have. `schema` is for other programs; `judgeKind` applies the same rules. */
export const KINDS = {
  ink: { says: 'a string', schema: { type: 'string', pattern: '\\S' } },
  status: {
    says: `one of ${STATUSES.map((status) => `"${status}"`).join(', ')}`,
    schema: { type: 'string', enum: [...STATUSES] },
  },
  level: {
    says: `one of ${VERBOSITIES.map((level) => `"${level}"`).join(', ')}`,
    schema: { type: 'string', enum: [...VERBOSITIES] },
  },
  confidence: { says: 'a number from 0 to 1', schema: { type: 'number', minimum: 0, maximum: 1 } },
  count: { says: 'a whole number from 0 up, or null', schema: { type: ['integer', 'null'], minimum: 0 } },
  text: { says: 'a string or null', schema: { type: ['string', 'null'] } },
  object: { says: 'an object', schema: { type: 'object' } },
  texts: { says: 'a list of strings', schema: { type: 'array', items: { type: 'string' } } },
} as const satisfies Record<string, { says: string; schema: JsonObject }>;

type Kind = keyof typeof KINDS;

/** Whether a text has any character except white space. */
export function hasInk(text: string): boolean {
  const first = text.charCodeAt(0);
  return (first > 0x20 && first < 0x7f) || /\S/.test(text);
}

export interface Field {
  key: string;
  kind: Kind;
  required: boolean;
  /** How to fill it, for the model that writes it. */
  about: string;
  /** What to write, without suggesting a value: completes `Write "status": …`. */
  fill: string;
  /** Other names under which models are known, or likely, to write it. */
  alias: readonly string[];
}

/** `report_metadata`, in the contract's order. */
export const METADATA_FIELDS: readonly Field[] = [
  {
    key: 'agent_name',
    kind: 'ink',
    required: true,
    about: 'Your name, as in the briefing.',
    fill: 'your agent name, in quotes',
    alias: ['agent', 'name', 'agent_id', 'agent_type'],
  },
  {
    key: 'task_id',
    kind: 'ink',
    required: true,
    about: 'The id of the task, copied exactly from the briefing.',
    fill: 'the id from the briefing, in quotes',
    alias: ['task', 'id', 'task_name', 'task_identifier'],
  },
  {
    key: 'status',
    kind: 'status',
    required: true,
    about:
      '"completed" if the task is done, "blocked" if it needs something else first, such as a decision (then fill blockers), "failed" if an error ended it (then fill error_message).',
    fill: '"completed", "blocked" or "failed"',
    alias: ['state', 'outcome', 'task_status', 'result_status'],
  },
  {
    key: 'verbosity_level',
    kind: 'level',
    required: true,
    about: 'The level of this report, as the briefing asks for it.',
    fill: 'the level of this report: "summary", "detailed" or "comprehensive"',
    alias: ['verbosity', 'level', 'detail_level', 'report_level'],
  },
  {
    key: 'confidence_level',
    kind: 'confidence',
    required: true,
    about:
      'How sure you are that the work is correct and complete, from 0 (not at all) to 1 (certain). Be honest.',
    fill: 'your own estimate as a number from 0 to 1, without quotes',
    alias: ['confidence', 'confidence_score', 'certainty'],
  },
  {
    key: 'token_usage',
    kind: 'count',
    required: false,
    about: 'How many tokens the task took; null if you do not know.',
    fill: 'a whole number without quotes or unit, or null',
    alias: ['tokens', 'tokens_used', 'total_tokens', 'token_count', 'usage'],
  },
  {
    key: 'execution_time_seconds',
    kind: 'count',
    required: false,
    about: 'How many seconds the task took; null if you do not know.',
    fill: 'a whole number without quotes or unit, or null',
    alias: ['execution_time', 'duration', 'duration_seconds', 'seconds', 'elapsed_seconds', 'time_seconds'],
  },
  {
    key: 'error_message',
    kind: 'text',
    required: false,
    about: 'What went wrong, short and technical, if status is "failed"; otherwise null.',
    fill: 'a string in quotes, or null',
    alias: ['error', 'errors', 'message', 'failure_reason', 'reason'],
  },
];

/** The report itself, in the contract's order. */
export const REPORT_FIELDS: readonly Field[] = [
  {
    key: 'report_metadata',
    kind: 'object',
    required: true,
    about: 'The agent, the task and its outcome.',
    fill: '{ … }, with every key that the contract requires',
    alias: ['metadata', 'meta', 'report_meta', 'header'],
  },
  {
    key: 'findings',
    kind: 'object',
    required: true,
    about: 'The result of the task.',
    fill: "{ … }, as the agent's manual describes it",
    alias: ['finding', 'result', 'results', 'output', 'data', 'summary', 'report_findings'],
  },
  {
    key: 'recommendations',
    kind: 'texts',
    required: false,
    about: 'What to do next, one step per entry, in Markdown.',
    fill: 'a list of strings, such as ["…", "…"]',
    alias: ['recommendation', 'next_steps', 'suggestions', 'recommended_actions'],
  },
  {
    key: 'identified_gaps',
    kind: 'texts',
    required: false,
    about:
      'What is missing or wrong around the task but does not block it, one thing per entry, in Markdown.',
    fill: 'a list of strings, such as ["…", "…"]',
    alias: ['gaps', 'gap', 'known_gaps', 'limitations', 'open_questions'],
  },
  {
    key: 'blockers',
    kind: 'texts',
    required: false,
    about:
      'What prevents the task from being done, one thing per entry, in Markdown; only if status is "blocked".',
    fill: 'a list of strings, such as ["…", "…"]',
    alias: ['blocker', 'blocked_by', 'blocking_issues', 'impediments'],
  },
];

/** Whether a field may have this value; if not, an issue is added. */
export function judgeKind(field: Field, value: JsonValue, path: JsonPath, log: IssueLog): boolean {
  const { key, kind, fill } = field;
  const code = findFault(kind, value);
  if (code === null) return kind !== 'texts' || judgeEntries(value as JsonValue[], path, log);
  const is = code === 'field-empty' ? 'blank' : code === 'field-type' ? describeValue(value) : show(value);
  const message = `${namePlace(path)} is ${is}; it must be ${KINDS[kind].says}.`;
  log.add(code, path, message, `Write "${key}": ${fill}.`);
  return false;
}

function findFault(kind: Kind, value: JsonValue): ReportIssueCode | null {
  const isOneOf = (words: readonly JsonValue[]) => words.includes(value);
  switch (kind) {
    case 'ink':
      if (typeof value !== 'string') return 'field-type';
      return hasInk(value) ? null : 'field-empty';
    case 'status':
      if (typeof value !== 'string') return 'field-type';
      return isOneOf(STATUSES) ? null : 'status-unknown';
    case 'level':
      if (typeof value !== 'string') return 'field-type';
      return isOneOf(VERBOSITIES) ? null : 'verbosity-unknown';
    case 'confidence':
      if (typeof value !== 'number') return 'field-type';
      return value >= 0 && value <= 1 ? null : 'confidence-range';
    case 'count':
      if (typeof value !== 'number') return 'field-type';
      return Number.isInteger(value) && value >= 0 ? null : 'number-range';
    case 'text':
      return typeof value === 'string' ? null : 'field-type';
    case 'object':
      return isJsonObject(value) ? null : 'field-type';
    case 'texts':
      return Array.isArray(value) ? null : 'field-type';
  }
}

function show(value: JsonValue): string {
  return typeof value === 'string' ? quoteExcerpt(value) : String(value);
}

function judgeEntries(entries: readonly JsonValue[], path: JsonPath, log: IssueLog): boolean {
  let good = true;
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index]!;
    const isText = typeof entry === 'string';
    good &&= isText;
    if (isText && hasInk(entry)) continue;
    const code = isText ? 'entry-blank' : 'field-type';
    if (log.skips(code)) continue;
    const at = [...path, index];
    if (isText) log.add(code, at, `${namePlace(at)} is blank.`, 'Leave it out.');
    else {
      const message = `${namePlace(at)} is ${describeValue(entry)}; it must be a string.`;
      log.add(code, at, message, 'Write each entry as one string, in Markdown.');
    }
  }
  return good;
}

/** Letters and digits of any script, `.`, `_` and `-`: nothing that a path, a line or a command line takes for its own. */
const AGENT_NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,99}$/u;

export function isAgentName(name: string): boolean {
  return AGENT_NAME.test(name);
}

/** Agent names are case-insensitive. */
export function foldAgentName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
