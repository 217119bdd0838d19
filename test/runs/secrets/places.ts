import type { Action, ExecuteAction } from '../../../src/core/plan/types.js';
import { type Fixture, make, NAMED, TOKENS } from '../../core/redact/fixtures.js';
import { type Around, chat, create, edit, execute, prune, read } from '../boundary/plan.js';

/** Tokens that stand on one line, and those that take several. */
export const SINGLE = TOKENS.filter(({ text }) => !text.includes('\n'));
export const SEVERAL = TOKENS.filter(({ text }) => text.includes('\n'));
export const ALL: readonly Fixture[] = [...TOKENS, ...NAMED];

const ALNUM = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789';

/** Secrets without a shape: only the names of their variables tell. */
export const ENVIRONMENT = {
  MY_SERVICE_TOKEN: make(22, ALNUM),
  DB_PASSWORD: make(13, ALNUM),
  APP_SECRET: make(31, ALNUM),
};

/** A file with all of them, each in a paragraph with plain lines around it. */
export const FILE = ALL.map(({ text }, i) => `line before ${i}\n${text}\nline after ${i}\n\n`).join('');

/** What must not be seen anywhere: the secrets, and every line of those that have several. */
export const FORBIDDEN: readonly string[] = [
  ...ALL.flatMap(({ secret }) => secret.split(/\n|\\n/)),
  ...Object.values(ENVIRONMENT),
].filter((text) => text.length >= 6 && !/^-----|^Proc-Type|^DEK-Info: \S+$/.test(text));

/** Where a secret may stand, and what is done with it. */
export interface Place {
  name: string;
  files?: Record<string, string>;
  actions: Action[];
  around?: Around;
  refused?: boolean;
  /** For actions by their number. */
  skips?: Record<number, string>;
  replies?: Record<number, string>;
}

const named = (action: ExecuteAction, metadata: Record<string, string>): Action => ({ ...action, metadata });
const print = (times: number, to: string) =>
  `n=0; while [ $n -lt ${times} ]; do cat secrets.txt ${to}; n=$((n+1)); done`;
const oneLine = (texts: readonly Fixture[]) => texts.map(({ text }) => text);
/** In a command, an argument that the shell takes as it is. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const skipAll = (count: number, reason: (at: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [at + 1, reason(at)]));

/** A line of the file that is nearly the FIND, with a secret beside it or in it. */
const misses = ALL.map(({ text }, i) => {
  const around = `line before ${i}\n${text}`;
  return edit('secrets.txt', [`${around}\nline aftr ${i}`, 'gone']);
});
const nearMisses = SEVERAL.map(({ text }) => {
  const lines = text.split('\n');
  return edit('secrets.txt', [`${lines.slice(3, 6).join('\n').slice(0, -1)}!`, 'gone']);
});

/** The lines of FILE on which each secret of several lines stands, its first and last aside. */
const insides = SEVERAL.map(({ text }) => {
  const from = FILE.slice(0, FILE.indexOf(text)).split('\n').length;
  return read('secrets.txt', from + 1, from + 2);
});

const files = { 'secrets.txt': FILE };

export const PLACES: readonly Place[] = [
  { name: 'a file that is read', files, actions: [read('secrets.txt')] },
  { name: 'lines of a file that is read', files, actions: insides },
  { name: 'standard output', files, actions: [execute(print(1, ''))] },
  { name: 'standard error', files, actions: [execute(print(1, '>&2'))] },
  { name: 'a failing command', files, actions: [execute(`${print(1, '')}; ${print(1, '>&2')}; exit 3`)] },
  { name: 'a long output', files, actions: [execute(`${print(12, '')}; ${print(12, '>&2')}`)] },
  { name: 'an output of megabytes', files, actions: [execute(print(120, ''))] },
  {
    name: 'an output that comes in small pieces',
    files,
    actions: [execute('dd if=secrets.txt bs=7 status=none')],
  },
  { name: 'variables of the process', actions: [execute('printenv; printenv >&2')] },
  {
    name: 'variables of the plan',
    actions: [
      ...oneLine(SINGLE).map((text) => execute('echo "$GIVEN"', { env: { GIVEN: text } })),
      ...Object.values(ENVIRONMENT).map((text) => execute('echo "$A_TOKEN"', { env: { A_TOKEN: text } })),
    ],
  },
  {
    name: 'the command itself',
    actions: ALL.filter(({ text }) => !text.includes("'")).map(({ text }) =>
      execute(`printf '%s\\n' ${quoted(text)} ${quoted(`again ${text}`)}`),
    ),
  },
  { name: 'a command that is not there', actions: oneLine(SINGLE).map((text) => execute(quoted(text))) },
  {
    name: 'a folder that is not there',
    refused: true,
    actions: oneLine(SINGLE).map((text) => execute('true', { cwd: text })),
  },
  {
    name: 'descriptions',
    actions: oneLine([...SINGLE, ...NAMED]).map((text) =>
      execute('true', { description: `With ${text} in it.` }),
    ),
  },
  {
    name: 'the expected outcome',
    actions: oneLine(SINGLE).map((text) => execute('echo', { expectedOutcome: `It says \`${text}\`.` })),
  },
  {
    name: 'metadata of its own',
    actions: oneLine(SINGLE).map((text) => named(execute('true'), { Note: text })),
  },
  {
    name: 'the title',
    actions: [execute('true')],
    around: { title: `About ${oneLine(SINGLE).join(' and ')}.` },
  },
  { name: 'a FIND that misses', files, actions: misses },
  { name: 'a FIND that misses within', files, actions: nearMisses },
  {
    name: 'content that is written',
    files: { 'a.txt': 'one\ntwo\n' },
    actions: [
      create('b.txt', FILE),
      edit('a.txt', ['one', FILE.trim()]),
      edit('a.txt', ['none', FILE.trim()]),
    ],
  },
  {
    name: 'paths',
    actions: SINGLE.flatMap(({ text, name }) =>
      text.includes('://') || name.includes('string')
        ? []
        : [create(`dir/${text}`, 'x\n'), read(`dir/${text}`), read(`none/${text}`), prune(`dir/${text}`)],
    ),
  },
  {
    name: 'questions and answers',
    actions: ALL.map(({ text }) => chat(`Is it this?\n\n    ${text.split('\n')[0]}`)),
    replies: skipAll(ALL.length, (at) => `It is\n${ALL[at]!.text}\nas you see.`),
  },
  {
    name: 'reasons and what was skipped',
    actions: ALL.map(({ text }) =>
      execute(`echo ${quoted(text)}`, {
        env: { GIVEN: text.split('\n')[0]! },
        description: text.split('\n')[0]!,
      }),
    ),
    skips: skipAll(ALL.length, (at) => `Not with\n${ALL[at]!.text}\nin it.`),
  },
  {
    name: 'what comes after a failure',
    actions: [
      execute('exit 1'),
      ...oneLine(SINGLE).map((text) => execute('true', { description: text, env: { GIVEN: text } })),
    ],
  },
  {
    name: 'memos and context',
    actions: [execute('true')],
    around: { memos: oneLine(SINGLE).map((text) => `+ ${text}`), context: ['+ a.txt'] },
  },
  {
    name: 'memos and context that are skipped',
    actions: [execute('true')],
    around: { memos: oneLine(SINGLE).map((text) => `- ${text}`) },
  },
];
