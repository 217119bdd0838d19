import type { ReportIssueCode } from '../../../src/core/agent-report/issue-codes.js';
import type { Asked } from '../../../src/core/agent-report/types.js';
import type { JsonObject, JsonPath, JsonValue } from '../../../src/core/json/values.js';
import { CONTRACT_EXAMPLE, CONTRACT_TEXT } from './fixtures/contract-example.js';
import { change } from './subject.js';

/** One fault in the contract's own example, and the one issue that it must give. */
export interface Mutation {
  fault: string;
  text: string;
  code: ReportIssueCode;
  path: string;
  /** What the message and the hint together must say. */
  says?: RegExp;
  asked?: Partial<Asked>;
  lenient?: boolean;
}

type More = Pick<Mutation, 'says' | 'asked' | 'lenient'>;

const written = (report: JsonValue) => JSON.stringify(report, null, 2);

function text(fault: string, text: string, code: ReportIssueCode, path = '$', more: More = {}): Mutation {
  return { fault, text, code, path, ...more };
}

/** Another value at the place, and an issue at the same place. */
function set(
  at: JsonPath,
  value: JsonValue,
  code: ReportIssueCode,
  says?: RegExp,
  path = dotted(at),
): Mutation {
  const fault = `${dotted(at)} is ${JSON.stringify(value)}`;
  return {
    ...text(fault, written(change(CONTRACT_EXAMPLE, at, value)), code, path),
    ...(says && { says }),
  };
}

function drop(at: JsonPath, code: ReportIssueCode, says?: RegExp): Mutation {
  const mutated = written(change(CONTRACT_EXAMPLE, at));
  return { ...text(`without ${dotted(at)}`, mutated, code, dotted(at)), ...(says && { says }) };
}

/** The same value under another key, or in another object. */
function move(from: JsonPath, to: JsonPath, code: ReportIssueCode, path: string, says?: RegExp): Mutation {
  const value = from.reduce<JsonValue>(
    (holder, step) => (holder as Record<string | number, JsonValue>)[step]!,
    CONTRACT_EXAMPLE,
  );
  const moved = change(change(CONTRACT_EXAMPLE, from), to, value);
  return { ...text(`${dotted(from)} as ${dotted(to)}`, written(moved), code, path), ...(says && { says }) };
}

/** More than one value set, to arrive at one fault. */
function both(
  fault: string,
  sets: [JsonPath, JsonValue][],
  code: ReportIssueCode,
  path: string,
  more: More = {},
): Mutation {
  const report = sets.reduce<JsonObject>((at, [place, value]) => change(at, place, value), CONTRACT_EXAMPLE);
  return text(fault, written(report), code, path, more);
}

const dotted = (path: JsonPath) =>
  `$${path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')}`;

const meta = (key: string): JsonPath => ['report_metadata', key];
const AGENT = meta('agent_name');
const TASK = meta('task_id');
const STATUS = meta('status');
const LEVEL = meta('verbosity_level');
const CONFIDENCE = meta('confidence_level');
const TOKENS = meta('token_usage');
const SECONDS = meta('execution_time_seconds');
const ERROR = meta('error_message');
const MAP: JsonPath = ['findings', 'context_map'];

const cutAt = (words: string) => CONTRACT_TEXT.slice(0, CONTRACT_TEXT.indexOf(words) + words.length);
const other = written(change(CONTRACT_EXAMPLE, TASK, 'another-task'));
const claude = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: CONTRACT_TEXT,
  session_id: 'a',
};

const UNREADABLE: Mutation[] = [
  text('nothing', '', 'report-empty'),
  text('white space', ' \n\t\r\n', 'report-empty'),
  text('a byte order mark alone', '\uFEFF', 'report-empty'),
  text('too much', `"${'x'.repeat(20 * 1024 * 1024)}"`, 'report-too-large', '$', { says: /20971520/ }),
  text('cut off before the end', CONTRACT_TEXT.slice(0, -1), 'json-cut-off'),
  text('cut off in a text', cutAt('Proceed with'), 'json-cut-off', '$.recommendations[0]'),
  text('cut off behind a key', cutAt('"status":'), 'json-cut-off', '$.report_metadata.status'),
  text('in a fence', `\`\`\`json\n${CONTRACT_TEXT}\n\`\`\`\n`, 'json-around', '$', {
    says: /fence.*--lenient/s,
  }),
  text('in a fence of tildes', `~~~\n${CONTRACT_TEXT}\n~~~`, 'json-around', '$', { says: /fence/ }),
  text('words before', `Here is my report:\n\n${CONTRACT_TEXT}`, 'json-around', '$', { says: /--lenient/ }),
  text('words behind', `${CONTRACT_TEXT}\n\nLet me know!`, 'json-around', '$', { says: /--lenient/ }),
  text('twice', CONTRACT_TEXT + CONTRACT_TEXT, 'json-around'),
  text(
    'a comma too many',
    CONTRACT_TEXT.replace('"error_message": null', '"error_message": null,'),
    'json-invalid',
    '$.report_metadata',
  ),
  text(
    'no comma',
    CONTRACT_TEXT.replace('"token_usage": 4250,', '"token_usage": 4250'),
    'json-invalid',
    '$.report_metadata.token_usage',
  ),
  text(
    'single quotes',
    CONTRACT_TEXT.replace('"completed"', "'completed'"),
    'json-invalid',
    '$.report_metadata.status',
  ),
  text('NaN', CONTRACT_TEXT.replace('0.98', 'NaN'), 'json-invalid', '$.report_metadata.confidence_level'),
  text(
    'a number without its zero',
    CONTRACT_TEXT.replace('0.98', '.98'),
    'json-invalid',
    '$.report_metadata.confidence_level',
  ),
  text(
    'None',
    CONTRACT_TEXT.replace('"error_message": null', '"error_message": None'),
    'json-invalid',
    '$.report_metadata.error_message',
  ),
  text(
    'a line break in a text',
    CONTRACT_TEXT.replace('Proceed with', 'Proceed\nwith'),
    'json-invalid',
    '$.recommendations[0]',
  ),
  text('a comment', CONTRACT_TEXT.replace('"findings"', '// found\n  "findings"'), 'json-invalid', '$'),
  text(
    'a key twice',
    CONTRACT_TEXT.replace('"task_id"', '"status": "completed",\n    "task_id"'),
    'json-key-repeated',
    '$.report_metadata.status',
  ),
  text(
    '__proto__',
    CONTRACT_TEXT.replace('"findings": {', '"findings": {\n    "__proto__": {},'),
    'json-key-forbidden',
    '$.findings.__proto__',
  ),
  text(
    'half a character',
    CONTRACT_TEXT.replace('Proceed', '\\ud83d Proceed'),
    'json-half-character',
    '$.recommendations[0]',
  ),
  text(
    '100,000 levels',
    CONTRACT_TEXT.replace('"blockers": []', `"blockers": ${'['.repeat(1e5)}${']'.repeat(1e5)}`),
    'json-too-deep',
    '$.blockers[0][0]',
  ),
  text('in a list', `[${CONTRACT_TEXT}]`, 'report-not-object', '$', { says: /brackets/ }),
  text('as a text', JSON.stringify(CONTRACT_TEXT), 'report-not-object', '$', { says: /as a string/ }),
  text('another text', '"done"', 'report-not-object', '$', { says: /"done"/ }),
  text('null', 'null', 'report-not-object'),
  text('a number', '42', 'report-not-object', '$', { says: /42/ }),
  text('within a key', written({ report: CONTRACT_EXAMPLE }), 'field-missing', '$.report_metadata', {
    says: /`report`/,
  }),
  text('what claude prints', written(claude), 'client-output', '$', { says: /--from claude/ }),
  text(
    'a stream of claude',
    `${JSON.stringify({ type: 'system', subtype: 'init', session_id: 'a' })}\n${JSON.stringify(claude)}\n`,
    'client-output',
    '$',
    { says: /--from claude/ },
  ),
];

const LENIENT: Mutation[] = [
  text('a fence, leniently', `\`\`\`json\n${CONTRACT_TEXT}\n\`\`\`\n`, 'report-wrapped', '$', {
    lenient: true,
    says: /line 2/,
  }),
  text('words around, leniently', `Done. {x}\n\n${CONTRACT_TEXT}\n\nBye.`, 'report-wrapped', '$', {
    lenient: true,
    says: /line 3/,
  }),
  text(
    'the same twice, leniently',
    `${CONTRACT_TEXT}\n${JSON.stringify(CONTRACT_EXAMPLE)}`,
    'report-wrapped',
    '$',
    { lenient: true },
  ),
  text('two reports, leniently', `${CONTRACT_TEXT}\n${other}`, 'report-ambiguous', '$', {
    lenient: true,
    says: /2 different reports/,
  }),
  text(
    'a whole and half a report, leniently',
    `${CONTRACT_TEXT}\n\n${cutAt('Proceed with')}`,
    'report-ambiguous',
    '$',
    { lenient: true },
  ),
  text('no report, leniently', 'I could not do it.', 'json-invalid', '$', { lenient: true }),
  text('another object, leniently', 'See {"a": 1} for more.', 'json-around', '$', {
    lenient: true,
    says: /no report in the text/,
  }),
  text('nothing, leniently', '\n', 'report-empty', '$', { lenient: true }),
  text(
    'a broken report in a fence',
    `\`\`\`json\n${CONTRACT_TEXT.replace('0.98', 'NaN')}\n\`\`\``,
    'json-invalid',
    '$.report_metadata.confidence_level',
    { lenient: true },
  ),
];

const MISSING: Mutation[] = [
  drop(['report_metadata'], 'field-missing', /an object/),
  drop(['findings'], 'field-missing', /an object/),
  drop(AGENT, 'field-missing'),
  drop(TASK, 'field-missing'),
  drop(STATUS, 'field-missing', /"completed", "blocked", "failed"/),
  drop(LEVEL, 'field-missing', /"summary", "detailed", "comprehensive"/),
  drop(CONFIDENCE, 'field-missing', /a number from 0 to 1/),
  move(
    CONFIDENCE,
    meta('confidence'),
    'field-missing',
    '$.report_metadata.confidence_level',
    /no key `confidence`.*Write it as `confidence_level`/s,
  ),
  move(
    CONFIDENCE,
    meta('confidenceLevel'),
    'field-missing',
    '$.report_metadata.confidence_level',
    /confidenceLevel/,
  ),
  move(
    LEVEL,
    meta('verbosity'),
    'field-missing',
    '$.report_metadata.verbosity_level',
    /no key `verbosity`.*`verbosity_level` is meant/s,
  ),
  move(
    AGENT,
    meta('agent'),
    'field-missing',
    '$.report_metadata.agent_name',
    /no key `agent`.*`agent_name` is meant/s,
  ),
  move(
    TASK,
    meta('taskId'),
    'field-missing',
    '$.report_metadata.task_id',
    /no key `taskId`.*`task_id` is meant/s,
  ),
  move(
    STATUS,
    meta('state'),
    'field-missing',
    '$.report_metadata.status',
    /no key `state`.*`status` is meant/s,
  ),
  move(
    STATUS,
    ['status'],
    'field-missing',
    '$.report_metadata.status',
    /no key `status`.*`status` in `report_metadata` is meant/s,
  ),
  move(
    CONFIDENCE,
    ['confidence'],
    'field-missing',
    '$.report_metadata.confidence_level',
    /`confidence_level` in `report_metadata` is meant/,
  ),
  move(['findings'], ['results'], 'field-missing', '$.findings', /no key `results`.*`findings` is meant/s),
  move(
    ['findings'],
    ['report_metadata', 'findings'],
    'field-missing',
    '$.findings',
    /`findings` at the top of the report is meant/,
  ),
  move(
    ['report_metadata'],
    ['metadata'],
    'field-missing',
    '$.report_metadata',
    /no key `metadata`.*`report_metadata` is meant/s,
  ),
  text(
    'the findings at the top',
    written({ ...change(CONTRACT_EXAMPLE, ['findings']), ...CONTRACT_EXAMPLE.findings }),
    'field-missing',
    '$.findings',
    { says: /no key `context_map`.*put it into "findings"/s },
  ),
  text(
    'the metadata at the top',
    written({ ...CONTRACT_EXAMPLE.report_metadata, ...change(CONTRACT_EXAMPLE, ['report_metadata']) }),
    'field-missing',
    '$.report_metadata',
    { says: /Probably `agent_name` in `report_metadata` is meant/ },
  ),
];

const TYPES: Mutation[] = [
  set(['report_metadata'], null, 'field-type'),
  set(['report_metadata'], [], 'field-type', /an empty list/),
  set(['report_metadata'], 'completed', 'field-type'),
  set(['findings'], null, 'field-type', /is null; it must be an object/),
  set(['findings'], [], 'field-type'),
  set(['findings'], 'all is well', 'field-type', /"all is well"/),
  set(['findings'], true, 'field-type'),
  set(AGENT, null, 'field-type'),
  set(AGENT, 7, 'field-type', /in quotes/),
  set(AGENT, ['investigator'], 'field-type'),
  set(AGENT, '', 'field-empty'),
  set(TASK, 3, 'field-type', /in quotes/),
  set(TASK, {}, 'field-type'),
  set(TASK, ' \n', 'field-empty'),
  set(STATUS, null, 'field-type'),
  set(STATUS, true, 'field-type'),
  set(STATUS, 'done', 'status-unknown', /"done".*"status": "completed"/),
  set(STATUS, 'COMPLETED', 'status-unknown', /"status": "completed"/),
  set(STATUS, 'error', 'status-unknown', /"error".*"failed"/),
  set(STATUS, '', 'status-unknown'),
  set(STATUS, 'completed | blocked | failed', 'status-unknown'),
  set(STATUS, 'constructor', 'status-unknown'),
  set(LEVEL, 2, 'field-type'),
  set(LEVEL, null, 'field-type'),
  set(LEVEL, 'full', 'verbosity-unknown', /"full".*"comprehensive"/),
  set(LEVEL, 'Detailed', 'verbosity-unknown', /"Detailed".*"detailed"/),
  set(LEVEL, 'debug', 'verbosity-unknown'),
  set(CONFIDENCE, null, 'field-type'),
  set(CONFIDENCE, '0.98', 'field-type', /without quotes/),
  set(CONFIDENCE, 'high', 'field-type'),
  set(CONFIDENCE, true, 'field-type'),
  set(CONFIDENCE, 98, 'confidence-range', /98.*from 0 to 1/),
  set(CONFIDENCE, 1.01, 'confidence-range'),
  set(CONFIDENCE, -0.1, 'confidence-range'),
  set(TOKENS, '4250', 'field-type', /4250/),
  set(TOKENS, '4,250 tokens', 'field-type'),
  set(TOKENS, { total: 4250 }, 'field-type'),
  set(TOKENS, -1, 'number-range'),
  set(TOKENS, 4250.5, 'number-range', /4250.5.*whole number/),
  set(SECONDS, '45s', 'field-type'),
  set(SECONDS, false, 'field-type'),
  set(SECONDS, 45.2, 'number-range', /45.2.*whole number/),
  set(SECONDS, -45, 'number-range'),
  set(ERROR, 5, 'field-type'),
  set(ERROR, [], 'field-type'),
  set(ERROR, false, 'field-type'),
  set(['recommendations'], 'Proceed.', 'field-type', /a list of strings/),
  set(['recommendations'], {}, 'field-type'),
  set(['recommendations', 1], 5, 'field-type'),
  set(['recommendations', 0], { step: 'Proceed.' }, 'field-type'),
  set(['identified_gaps'], 'None.', 'field-type'),
  set(['identified_gaps', 0], null, 'field-type'),
  set(['identified_gaps', 1], ['a', 'b'], 'field-type'),
  set(['blockers'], '', 'field-type'),
  set(['blockers', 0], false, 'field-type'),
];

const STATUS_RULES: Mutation[] = [
  set(STATUS, 'failed', 'error-message-missing', /failed/, '$.report_metadata.error_message'),
  both(
    'failed with a blank message',
    [
      [STATUS, 'failed'],
      [ERROR, ' '],
    ],
    'error-message-missing',
    '$.report_metadata.error_message',
  ),
  {
    ...move(
      ERROR,
      meta('error'),
      'error-message-missing',
      '$.report_metadata.error_message',
      /no key `error`.*`error_message` is meant/s,
    ),
    fault: 'failed, with the message under another name',
    text: written(
      change(change(change(CONTRACT_EXAMPLE, ERROR), meta('error'), 'no disk'), STATUS, 'failed'),
    ),
  },
  set(STATUS, 'blocked', 'blockers-missing', /blocked/, '$.blockers'),
  both(
    'blocked by blank texts',
    [
      [STATUS, 'blocked'],
      [['blockers'], ['', ' ']],
    ],
    'blockers-missing',
    '$.blockers',
  ),
  text(
    'blocked without the list',
    written(change(change(CONTRACT_EXAMPLE, ['blockers']), STATUS, 'blocked')),
    'blockers-missing',
    '$.blockers',
  ),
  both(
    'blocked by null',
    [
      [STATUS, 'blocked'],
      [['blockers'], null],
    ],
    'blockers-missing',
    '$.blockers',
  ),
  both(
    'blocked by a number',
    [
      [STATUS, 'blocked'],
      [['blockers'], [1]],
    ],
    'field-type',
    '$.blockers[0]',
  ),
  both(
    'failed with a number as message',
    [
      [STATUS, 'failed'],
      [ERROR, 1],
    ],
    'field-type',
    '$.report_metadata.error_message',
  ),
];

const WARNINGS: Mutation[] = [
  set(ERROR, 'It went wrong.', 'error-message-unexpected'),
  set(['blockers'], ['A key is missing.'], 'blockers-unexpected', /identified_gaps/),
  set(['recommendations', 1], '', 'entry-blank'),
  set(['identified_gaps', 0], '  ', 'entry-blank'),
  set(['blockers', 0], '\n', 'entry-blank'),
  set(['notes'], 'more', 'key-unknown', /`notes`/),
  set(['constructor'], 1, 'key-unknown'),
  set(meta('model'), 'x', 'key-unknown', /`report_metadata` has no key `model`/),
  move(['identified_gaps'], ['gaps'], 'key-unknown', '$.gaps', /`identified_gaps`/),
  move(['recommendations'], ['next_steps'], 'key-unknown', '$.next_steps', /`recommendations`/),
  move(
    ['blockers'],
    meta('blockers'),
    'key-unknown',
    '$.report_metadata.blockers',
    /`blockers` at the top of the report is meant/,
  ),
  move(TOKENS, meta('tokens'), 'key-unknown', '$.report_metadata.tokens', /`token_usage`/),
  move(TOKENS, ['token_usage'], 'key-unknown', '$.token_usage', /`token_usage`/),
  set(['odd key'], 1, 'key-unknown', undefined, "$['odd key']"),
  set(AGENT, 'astrologer', 'agent-unknown', /"astrologer"/),
];

const ASKED: Mutation[] = [
  text('of another task', CONTRACT_TEXT, 'task-id-differs', '$.report_metadata.task_id', {
    asked: { taskId: 'sprint-001-task-004' },
    says: /task-003.*task-004/s,
  }),
  text('of the task in other letters', CONTRACT_TEXT, 'task-id-differs', '$.report_metadata.task_id', {
    asked: { taskId: 'Sprint-001-task-003-auth-module' },
  }),
  text('of another level', CONTRACT_TEXT, 'verbosity-differs', '$.report_metadata.verbosity_level', {
    asked: { verbosity: 'summary' },
    says: /"detailed".*"summary"/s,
  }),
  both('by another agent', [[AGENT, 'reviewer']], 'agent-differs', '$.report_metadata.agent_name', {
    asked: { agent: 'investigator' },
    says: /"reviewer".*"investigator"/s,
  }),
  text(
    'by an agent that nobody knows',
    CONTRACT_TEXT.replace('investigator', 'astrologer'),
    'agent-unknown',
    '$.report_metadata.agent_name',
    { asked: { agent: 'astrologer' } },
  ),
];

const ANSWER = { question: 'Where?', answer: 'There.' };
const FINDINGS: Mutation[] = [
  drop(MAP, 'findings-missing', /context_map/),
  both('plain texts as a context map', [[MAP, ['One.', 'Two.']]], 'context-map-form', dotted(MAP), {
    says: /2 of 2/,
  }),
  set(MAP, null, 'findings-type'),
  set(MAP, 'src/auth', 'findings-type'),
  set([...MAP, 1], ['JWT', 'repo://src/auth/jwt.ts', 45], 'findings-range'),
  set([...MAP, 1], [], 'findings-range'),
  set([...MAP, 1, 0], 5, 'findings-type'),
  set([...MAP, 1, 0], null, 'findings-type'),
  set([...MAP, 2, 1], 10, 'findings-type'),
  set([...MAP, 3], 5, 'findings-type'),
  set(['findings', 'files'], [], 'findings-unknown', /files/),
  set(['findings', 'toString'], [], 'findings-unknown'),
  set(['findings', 'answers'], {}, 'findings-type'),
  set(
    ['findings', 'answers'],
    [{ answer: 'There.' }],
    'findings-missing',
    /question/,
    '$.findings.answers[0].question',
  ),
  set(
    ['findings', 'answers'],
    [ANSWER, { ...ANSWER, sure: true }],
    'findings-unknown',
    /sure/,
    '$.findings.answers[1].sure',
  ),
  set(
    ['findings', 'answers'],
    [{ ...ANSWER, answer: null }],
    'findings-type',
    undefined,
    '$.findings.answers[0].answer',
  ),
  set(
    ['findings', 'answers'],
    [{ ...ANSWER, evidence: ['a', 1] }],
    'findings-type',
    undefined,
    '$.findings.answers[0].evidence[1]',
  ),
  set(['findings', 'excerpts'], [], 'findings-level', /"comprehensive".*"detailed"/s),
  set(['findings', 'searches'], 'none', 'findings-level'),
  both(
    'evidence in a summary',
    [
      [LEVEL, 'summary'],
      [['findings', 'answers'], [{ ...ANSWER, evidence: [] }]],
    ],
    'findings-level',
    '$.findings.answers[0].evidence',
    { says: /"detailed".*"summary"/s },
  ),
  both(
    'a long summary',
    [
      [LEVEL, 'summary'],
      [['recommendations', 0], 'x'.repeat(4000)],
    ],
    'summary-too-long',
    '$',
    { says: /limit is 4000/ },
  ),
  both(
    'a fenced block in a summary',
    [
      [LEVEL, 'summary'],
      [['recommendations', 1], 'Write:\n   ```ts\nrun();\n```'],
    ],
    'summary-holds-contents',
    '$.recommendations[1]',
  ),
];

export const MUTATIONS: readonly Mutation[] = [
  ...UNREADABLE,
  ...LENIENT,
  ...MISSING,
  ...TYPES,
  ...STATUS_RULES,
  ...WARNINGS,
  ...ASKED,
  ...FINDINGS,
];
