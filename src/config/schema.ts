import type { Taken } from '../core/taken.js';
import {
  argumentList,
  diskSize,
  duration,
  flag,
  fraction,
  type Kind,
  oneOf,
  path,
  pathGlobs,
  placeList,
  size,
  usd,
  variableName,
  webAddress,
  wholeNumber,
  words,
} from './document.js';
import { PROVIDER_NAMES } from './providers.js';
import { EXECUTOR_PRESETS } from './types.js';

/** One setting: how it is read, what `teddy init` writes for it, and a line for the person who looks at it. */
export interface Setting<T> {
  kind(value: unknown): Taken<NonNullable<T>>;
  /** As in the file: the default, or an example where there is none. */
  written: string | number | boolean | readonly string[];
  /** What it is where no file sets it. */
  fallback: T;
  about: string;
  /** For a setting that a project may only tighten: the stricter of the user's value and the project's. */
  stricter?(user: T, project: NonNullable<T>): T;
  /**
   * Settings of the same group that belong to this one. Where the project changes this one, the user's values of
   * those do not count: a key goes only to the address that it was meant for.
   */
  owns?: readonly string[];
}

export interface Schema {
  readonly [key: string]: Setting<unknown> | Schema;
}

/** What a schema gives: a setting that no file has is its default, or undefined. */
export type Values<S> = {
  -readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : Values<S[K]>;
};

/** What one file sets of a schema, and nothing else. */
export type Written<S> = {
  -readonly [K in keyof S]?: S[K] extends Setting<infer T> ? NonNullable<T> : Written<S[K]>;
};

export function isSetting(entry: Setting<unknown> | Schema): entry is Setting<unknown> {
  return typeof entry.kind === 'function';
}

function setting<T>(
  kind: Kind<T>,
  written: Setting<T>['written'],
  about: string,
  limits: Pick<Setting<T>, 'stricter' | 'owns'> = {},
): Setting<T> {
  const read = kind(written);
  if (read.status === 'refused') throw new Error(`the default of a setting ${read.reason}`);
  return { kind: kind as Setting<T>['kind'], written, fallback: read.value, about, ...limits };
}

/** One without a default. */
function optional<T>(
  kind: Kind<T>,
  written: Setting<T>['written'],
  about: string,
  limits: Pick<Setting<T | undefined>, 'stricter' | 'owns'> = {},
): Setting<T | undefined> {
  return { kind: kind as Setting<T | undefined>['kind'], written, fallback: undefined, about, ...limits };
}

const MILLION = 1_000_000;

/** What one entry under `executors` may say. */
export const EXECUTOR = {
  command: optional(words, 'my-agent --print', 'a shell command that reads the prompt from standard input'),
  preset: optional(oneOf(EXECUTOR_PRESETS), 'claude', `instead of command: ${EXECUTOR_PRESETS.join(', ')}`),
  acp: optional(
    words,
    'my-agent --acp',
    'instead of command: a shell command that starts an agent which speaks the Agent Client Protocol',
  ),
  args: optional(argumentList, ['--model', 'NAME'], 'more arguments for the preset'),
} as const satisfies Schema;

/** Every key of config.yaml but `executors`, whose keys are names. */
export const SETTINGS = {
  execute: {
    timeout: setting(duration, '10m', 'time limit of a command: 90, 90s, 5m or 1h'),
    sandbox: setting(flag, false, 'run commands in bubblewrap, where they can write only inside the project'),
    network: setting(flag, true, 'whether sandboxed commands can use the network'),
    outputLines: setting(wholeNumber(1, MILLION), 400, 'how many lines of each output the report shows'),
  },
  confine: {
    on: setting(flag, true, 'confine agents and verify commands; false in your own config switches it off', {
      stricter: (user, project) => user || project,
    }),
    network: setting(flag, true, 'whether confined programs can use the network', {
      stricter: (user, project) => user && project,
    }),
    write: setting(
      placeList,
      [],
      'files and folders that a confined agent can also write; only in your own config',
      {
        stricter: (user) => user,
      },
    ),
    hide: setting(placeList, [], 'files and folders that a confined program must not see', {
      stricter: (user, project) => [...new Set([...user, ...project])],
    }),
    bring: setting(
      placeList,
      [],
      'ignored files with secrets that the agent may see; only in your own config',
      {
        stricter: (user) => user,
      },
    ),
  },
  verify: {
    prepare: optional(
      words,
      'npm ci',
      'a command that runs before --verify in the fresh copy of what would land',
    ),
  },
  landing: optional(
    oneOf(['review', 'auto']),
    'review',
    'review: you decide on the changes of agents; auto: what is verified lands unseen',
    { stricter: (user, project) => (project === 'review' ? project : user) },
  ),
  read: {
    allowPrivate: setting(flag, false, 'whether READ may fetch private and local addresses'),
    maxBytes: setting(size, '5MB', 'the most that READ fetches from a URL'),
  },
  report: {
    format: setting(
      oneOf(['mirrored', 'contract', 'json']),
      'mirrored',
      'mirrored, contract or json; --format overrides it',
    ),
    tip: {
      lines: setting(wholeNumber(0, MILLION), 80, 'longer reports end with a tip; 0: never'),
      characters: setting(wholeNumber(0, MILLION), 4000, 'the same, by characters'),
    },
  },
  runs: {
    keep: setting(wholeNumber(1, MILLION), 200, 'how many runs to keep for teddy report and teddy undo'),
  },
  undo: {
    maxFile: setting(size, '50MB', 'larger files are not restored if a command changes them'),
    maxTotal: setting(diskSize, '1GB', 'how much teddy keeps of files that commands may change'),
  },
  web: {
    port: setting(wholeNumber(0, 65_535), 0, 'the port of teddy web; 0: any free one'),
  },
  research: {
    provider: optional(oneOf(['searxng', 'brave', 'tavily']), 'searxng', 'searxng, brave or tavily', {
      owns: ['url', 'keyEnv'],
    }),
    url: optional(webAddress, 'http://localhost:8080', 'the address of the SearXNG server', {
      owns: ['keyEnv'],
    }),
    keyEnv: optional(variableName, 'SEARCH_API_KEY', 'for brave and tavily: the variable that holds the key'),
  },
  model: {
    provider: optional(oneOf(PROVIDER_NAMES), 'anthropic', `one of ${PROVIDER_NAMES.join(', ')}`, {
      owns: ['baseURL', 'name', 'keyEnv', 'maxOutputTokens', 'inputPrice', 'outputPrice'],
    }),
    name: optional(words, 'claude-sonnet-4-5', 'the name of the model', {
      owns: ['maxOutputTokens', 'inputPrice', 'outputPrice'],
    }),
    baseURL: optional(
      webAddress,
      'http://localhost:8000/v1',
      "the address of the API; default: the provider's",
      {
        owns: ['keyEnv', 'inputPrice', 'outputPrice'],
      },
    ),
    keyEnv: optional(
      variableName,
      'MODEL_API_KEY',
      "the variable that holds the key; default: the provider's",
    ),
    maxOutputTokens: setting(wholeNumber(1, MILLION), 16000, 'the most tokens of an answer'),
    timeout: setting(duration, '10m', 'how long an answer may take, retries included'),
    idle: setting(duration, '2m', 'how long to wait for the next piece of an answer'),
    inputPrice: optional(usd, 3, 'US dollars per million tokens read; default: the list price, if known'),
    outputPrice: optional(usd, 15, 'US dollars per million tokens written'),
    budget: optional(usd, 5, 'US dollars that one session may cost; needs prices'),
  },
  context: {
    budget: setting(
      wholeNumber(0, 100 * MILLION),
      100_000,
      'the most tokens of context, counted as four characters each; 0: no limit',
    ),
  },
  replan: {
    limit: setting(wholeNumber(0, 20), 3, 'how often an invalid plan goes back to the model'),
  },
  review: {
    confidence: setting(fraction, 0.7, 'agent reports with a lower confidence need your review', {
      stricter: Math.max,
    }),
    reads: setting(oneOf(['ask', 'allow']), 'ask', 'allow: approve READs of project files without asking', {
      stricter: (user, project) => (user === 'ask' ? user : project),
    }),
  },
  plans: {
    glob: setting(
      pathGlobs,
      ['.planning/**/*-PLAN.md', '.ultraplan/plans/**/*-PLAN.md', '*-PLAN.md'],
      'where task files are',
    ),
  },
  capture: {
    dir: setting(path, '.ultraplan/logs', 'where results are logged'),
    state: optional(path, 'STATE.md', 'default: STATE.md in the root, .planning or .ultraplan'),
  },
  orchestrate: {
    executor: optional(
      words,
      'claude',
      'who works on tasks: a name under executors, a preset, teddy or human',
    ),
    jobs: setting(wholeNumber(1, 64), 1, 'how many tasks run at once'),
    maxAttempts: setting(wholeNumber(1, 20), 3, 'how often to try a task before asking you'),
    taskTime: setting(duration, '30m', 'time limit of one attempt'),
    time: optional(duration, '4h', 'time limit of the whole run; default: none'),
    taskBudget: optional(usd, 2, 'US dollars that one task may cost; default: no limit'),
    budget: optional(usd, 20, 'US dollars that the whole run may cost; default: no limit'),
    setup: optional(words, 'npm ci', 'a shell command to run in every new worktree'),
  },
} as const satisfies Schema;

/** `execute.timeout`, `report.tip.lines` …, in the schema's order. */
export function listKeys(schema: Schema = SETTINGS, above = ''): string[] {
  return Object.entries(schema).flatMap(([key, entry]) =>
    isSetting(entry) ? `${above}${key}` : listKeys(entry, `${above}${key}.`),
  );
}
