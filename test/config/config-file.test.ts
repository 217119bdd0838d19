import { describe, expect, test } from 'vitest';
import { DEFAULTS, parseConfig } from '../../src/config/config-file.js';
import type { RunSettings } from '../../src/runs/run-context.js';

async function configOf(text: string) {
  const read = await parseConfig(text);
  if (read.status === 'refused') throw new Error(JSON.stringify(read.problems, null, 2));
  return read.config;
}

test.each([
  '',
  '\n',
  '# only a comment\n',
  '\uFEFF# with a mark',
  'execute:\n',
  'report:\n  tip:\n',
  '{}',
  'null',
])('%j is all defaults', async (text) => {
  expect(await configOf(text)).toEqual(DEFAULTS);
});

test('a run takes it as it is', () => {
  const settings: RunSettings = DEFAULTS;
  expect(settings.execute.timeoutMs).toBe(600_000);
});

test('every key', async () => {
  expect(
    await configOf(`\
research: {provider: brave, keyEnv: MY_KEY}
model: {provider: openai-compatible, baseURL: "http://localhost:1234/v1", name: m, keyEnv: K, maxOutputTokens: 99, timeout: 3m, idle: 20s, inputPrice: 0.25, outputPrice: 2, budget: 1.5}
execute: {timeout: 5m, sandbox: true, network: false, outputLines: 10}
confine: {on: false, network: false, write: [~/.tool], hide: secrets, bring: [.env]}
verify: {prepare: npm ci}
landing: auto
read: {allowPrivate: true, maxBytes: 2MB}
report: {format: contract, tip: {lines: 0, characters: 1}}
replan: {limit: 0}
review: {confidence: 1}
context: {budget: 0}
capture: {dir: logs, state: docs/STATE.md}
plans: {glob: plans/*.md}
executors: {one: {command: "agent -p"}, two: {preset: opencode, args: [--model, m]}}
orchestrate: {executor: two, jobs: 64, maxAttempts: 20, taskTime: 5m, time: 2h, taskBudget: 0.5, budget: 12.5, setup: npm ci}
runs: {keep: 7}
undo: {maxFile: 1MB, maxTotal: 2GB}
web: {port: 4711}
`),
  ).toEqual({
    research: { provider: 'brave', keyEnv: 'MY_KEY' },
    model: {
      provider: 'openai-compatible',
      api: 'openai-compatible',
      baseURL: 'http://localhost:1234/v1',
      name: 'm',
      keyEnv: 'K',
      maxOutputTokens: 99,
      timeoutMs: 180_000,
      idleMs: 20_000,
      prices: { input: 0.25, output: 2 },
      budgetUsd: 1.5,
    },
    execute: { timeoutMs: 300_000, sandbox: true, network: false, outputLines: 10 },
    confine: { on: false, network: false, write: ['~/.tool'], hide: ['secrets'], bring: ['.env'] },
    verify: { prepare: 'npm ci' },
    landing: 'auto',
    read: { allowPrivate: true, maxBytes: 2 * 1024 * 1024 },
    report: { format: 'contract', tip: { lines: 0, characters: 1 } },
    replan: { limit: 0 },
    review: { confidence: 1, reads: 'ask' },
    context: { budget: 0 },
    capture: { dir: 'logs', state: 'docs/STATE.md' },
    plans: { glob: ['plans/*.md'] },
    executors: { one: { command: 'agent -p' }, two: { preset: 'opencode', args: ['--model', 'm'] } },
    orchestrate: {
      executor: 'two',
      jobs: 64,
      maxAttempts: 20,
      taskTimeMs: 300_000,
      timeMs: 7_200_000,
      taskBudgetUsd: 0.5,
      budgetUsd: 12.5,
      setup: 'npm ci',
    },
    runs: { keep: 7 },
    undo: { maxFile: 1024 ** 2, maxTotal: 2 * 1024 ** 3 },
    web: { port: 4711 },
  });
});

test.each(['claude', 'codex', 'gemini', 'opencode', 'teddy', 'human'])(
  '%s works without a word under executors',
  async (executor) => {
    const { orchestrate } = await configOf(`orchestrate: {executor: ${executor}}`);
    expect(orchestrate).toEqual({ ...DEFAULTS.orchestrate, executor });
  },
);

test('what a provider needs no word for', async () => {
  const { research, model } = await configOf(
    'research: {provider: tavily}\nmodel: {provider: anthropic, name: m}',
  );
  expect(research).toEqual({ provider: 'tavily', keyEnv: 'TAVILY_API_KEY' });
  expect(model).toEqual({
    provider: 'anthropic',
    api: 'anthropic',
    baseURL: 'https://api.anthropic.com/v1',
    name: 'm',
    keyEnv: 'ANTHROPIC_API_KEY',
    maxOutputTokens: 16_000,
    timeoutMs: 600_000,
    idleMs: 120_000,
    prices: null,
    budgetUsd: null,
  });
  expect((await configOf('research: {provider: searxng, url: "https://s.example/"}')).research).toEqual({
    provider: 'searxng',
    url: 'https://s.example/',
  });
});

test.each([
  ['90', 90_000],
  ['90s', 90_000],
  ['"90"', 90_000],
  ['5m', 300_000],
  ['5 m', 300_000],
  ['1h', 3_600_000],
])('the time %s', async (written, ms) => {
  expect((await configOf(`execute: {timeout: ${written}}`)).execute.timeoutMs).toBe(ms);
});

test.each([
  ['1000', 1000],
  ['1KB', 1024],
  ['2MB', 2_097_152],
  ['2 mb', 2_097_152],
  ['1GB', 1_073_741_824],
])('the size %s', async (written, bytes) => {
  expect((await configOf(`read: {maxBytes: ${written}}`)).read.maxBytes).toBe(bytes);
});

const WRONG: [text: string, line: number | null, key: string | null, message: string][] = [
  ['execute:\n  timout: 5m', 2, 'execute.timout', 'execute.timout is unknown; did you mean timeout?'],
  [
    'execute:\n  output_lines: 5',
    2,
    'execute.output_lines',
    'execute.output_lines is unknown; did you mean outputLines?',
  ],
  ['Execute: {}', 1, 'Execute', 'Execute is unknown; did you mean execute?'],
  ['\n\ntimeout: 5m', 3, 'timeout', 'timeout is unknown; did you mean execute.timeout?'],
  ['replan: {zzz: 1}', 1, 'replan.zzz', 'replan.zzz is unknown; known here: limit.'],
  ['execute: {timeout: 0}', 1, 'execute.timeout', 'execute.timeout is 0; write a time from 1s to 168h.'],
  [
    'execute: {timeout: soon}',
    1,
    'execute.timeout',
    'execute.timeout is "soon"; write a time such as 90, 90s, 5m or 1h.',
  ],
  [
    'execute: {timeout: -5}',
    1,
    'execute.timeout',
    'execute.timeout is -5; write a time such as 90, 90s, 5m or 1h.',
  ],
  [
    'execute: {timeout: 1.5}',
    1,
    'execute.timeout',
    'execute.timeout is 1.5; write a time such as 90, 90s, 5m or 1h.',
  ],
  [
    'execute: {timeout: [5m]}',
    1,
    'execute.timeout',
    'execute.timeout is a list; write a time such as 90, 90s, 5m or 1h.',
  ],
  ['execute: {sandbox: yes}', 1, 'execute.sandbox', 'execute.sandbox is "yes"; write true or false.'],
  [
    'execute: {outputLines: 0}',
    1,
    'execute.outputLines',
    'execute.outputLines is 0; write a whole number from 1 to 1000000.',
  ],
  ['execute: 5m', 1, 'execute', 'execute is not a mapping; write "key: value" lines.'],
  ['- execute', 1, null, 'The file is not a mapping; write "key: value" lines.'],
  ['just words', 1, null, 'The file is not a mapping; write "key: value" lines.'],
  ['read: {maxBytes: 5XB}', 1, 'read.maxBytes', 'read.maxBytes is "5XB"; write a size such as 500KB or 2MB.'],
  ['read: {maxBytes: 2GB}', 1, 'read.maxBytes', 'read.maxBytes is "2GB"; write a size from 1B to 1GB.'],
  [
    'review: {confidence: 70}',
    1,
    'review.confidence',
    'review.confidence is 70; write a number from 0 to 1.',
  ],
  [
    'review: {confidence: .nan}',
    1,
    'review.confidence',
    'review.confidence is NaN; write a number from 0 to 1.',
  ],
  [
    'capture: {dir: ../out}',
    1,
    'capture.dir',
    'capture.dir leads out of the project root; write a path inside the project.',
  ],
  ['plans: {glob: []}', 1, 'plans.glob', 'plans.glob is empty; write at least one pattern.'],
  [
    'plans: {glob: [a, /../b]}',
    1,
    'plans.glob',
    'plans.glob leads out of the project root; write a path inside the project.',
  ],
  [
    'research: {provider: google}',
    1,
    'research.provider',
    'research.provider is "google"; write searxng, brave or tavily.',
  ],
  [
    'research: {url: "http://a.example"}',
    1,
    'research',
    'research has no provider; write searxng, brave or tavily.',
  ],
  [
    'research: {provider: searxng}',
    1,
    'research',
    'research has no url; searxng needs the address of a server.',
  ],
  [
    'research: {provider: searxng, url: "file:///etc/passwd"}',
    1,
    'research.url',
    'research.url is "file:///etc/passwd"; write an address that starts with http:// or https://.',
  ],
  ['model: {provider: anthropic}', 1, 'model', 'model has no name; write the name of a model.'],
  [
    'model: {provider: openai-compatible, name: m}',
    1,
    'model',
    'model has no baseURL; openai-compatible needs the address of an API.',
  ],
  [
    'model: {provider: anthropic, name: m, inputPrice: 3}',
    1,
    'model',
    'model has one price; write both inputPrice and outputPrice, or neither.',
  ],
  [
    'model: {provider: anthropic, name: m, budget: 3}',
    1,
    'model',
    'model has a budget, but the price of "m" is not known; write inputPrice and outputPrice.',
  ],
  [
    'model: {provider: anthropic, name: m, inputPrice: -1, outputPrice: 3}',
    1,
    'model.inputPrice',
    'model.inputPrice is -1; write US dollars as a number, such as 3 or 0.25.',
  ],
  [
    'model: {provider: anthropic, name: m, inputPrice: 1, outputPrice: .inf}',
    1,
    'model.outputPrice',
    'model.outputPrice is Infinity; write US dollars as a number, such as 3 or 0.25.',
  ],
  [
    'model: {provider: anthropic, name: m, budget: $5}',
    1,
    'model.budget',
    'model.budget is "$5"; write US dollars as a number, such as 3 or 0.25.',
  ],
  [
    'executors: {a: {command: x, args: [y]}}',
    1,
    'executors.a.args',
    'executors.a.args is for a preset; write the arguments into the command.',
  ],
  ['executors: {a: {}}', 1, 'executors.a', 'executors.a needs one of command, preset and acp.'],
  [
    'executors: {a: {command: x, preset: claude}}',
    1,
    'executors.a',
    'executors.a needs one of command, preset and acp.',
  ],
  [
    'executors: {a: {preset: cluade}}',
    1,
    'executors.a.preset',
    'executors.a.preset is "cluade"; write claude, codex, gemini or opencode.',
  ],
  [
    'executors: {__proto__: {command: x}}',
    1,
    'executors.__proto__',
    'executors.__proto__ is not a name for an executor; use letters, digits, ".", "_" and "-".',
  ],
  [
    'executors: {mine: {command: x}}\norchestrate: {executor: your}',
    2,
    'orchestrate.executor',
    'orchestrate.executor is "your", which is not an executor; write mine, claude, codex, gemini, opencode, claude-acp, codex-acp, gemini-acp, opencode-acp, teddy or human.',
  ],
  [
    'orchestrate: {jobs: 65}',
    1,
    'orchestrate.jobs',
    'orchestrate.jobs is 65; write a whole number from 1 to 64.',
  ],
  [
    'orchestrate: {maxAttempts: 0}',
    1,
    'orchestrate.maxAttempts',
    'orchestrate.maxAttempts is 0; write a whole number from 1 to 20.',
  ],
  [
    'orchestrate: {taskTime: none}',
    1,
    'orchestrate.taskTime',
    'orchestrate.taskTime is "none"; write a time such as 90, 90s, 5m or 1h.',
  ],
  ['__proto__: {a: 1}', 1, '__proto__', 'known here'],
  ['a: 1\na: 2', 2, null, 'The file is not valid YAML: the key "a" occurs twice.'],
  ['execute: !!js/function x', 1, null, 'The file is not valid YAML: Unresolved tag'],
  ['execute: {timeout: 5m', 1, null, 'The file is not valid YAML'],
  ['a: 1\n---\nb: 2', 2, null, 'The file is not valid YAML'],
  [`a: ${'x'.repeat(1024 * 1024)}`, null, null, 'The file is larger than 1 MB.'],
];

describe('errors name file, line and key', () => {
  test.each(WRONG)('%j', async (text, line, key, message) => {
    const read = await parseConfig(text);
    if (read.status !== 'refused') throw new Error('It was taken.');
    expect(read.problems).toHaveLength(1);
    const [problem] = read.problems;
    expect(problem).toMatchObject({ file: '.teddy/config.yaml', key });
    expect(problem!.message).toContain(message);
    expect(problem!.line).toBe(line);
  });

  test('all of them at once, and no more than anyone reads', async () => {
    const three = await parseConfig('execute:\n  timeout: x\n  sandbox: x\nfoo: 1\n');
    expect(three.status === 'refused' && three.problems.map(({ line }) => line)).toEqual([2, 3, 4]);
    const many = await parseConfig(Array.from({ length: 10_000 }, (_, at) => `k${at}: 1`).join('\n'));
    expect(many.status === 'refused' && many.problems.length).toBe(50);
  });
});

describe('keys have no place in it', () => {
  const KEY = 'sk-abcdefghijklmnopqrstuvwxyz0123456789';

  test.each([
    'apiKey: x',
    'model: {provider: anthropic, name: m, apiKey: x}',
    'model: {provider: anthropic, name: m, api_key: x}',
    'research: {provider: brave, token: x}',
    'password: x',
    'secret: x',
    `model: {provider: anthropic, name: m, keyEnv: ${KEY}}`,
    `model: {provider: anthropic, name: ${KEY}}`,
    `executors: {a: {command: "agent --key ${KEY}"}}`,
    `executors: {a: {command: "TOKEN=ghp_${'a'.repeat(36)} agent"}}`,
    `${KEY}: 1`,
    `foo: [1, {bar: ${KEY}}]`,
    'research: {provider: searxng, url: "https://me:hunter22@s.example/"}',
    'execute: {timeout: AKIAABCDEFGHIJKLMNOP}',
  ])('%s', async (text) => {
    const read = await parseConfig(text);
    if (read.status !== 'refused') throw new Error('It was taken.');
    const said = JSON.stringify(read.problems);
    if (!text.startsWith(KEY)) expect(said).toContain('keys come from the environment');
    expect(said).not.toMatch(/abcdefghij|hunter22|aaaaaaaa|AKIAAB/);
  });

  test('a variable that is not one is not repeated either', async () => {
    const read = await parseConfig('model: {provider: anthropic, name: m, keyEnv: 0123-my-key}');
    expect(JSON.stringify(read)).not.toContain('0123');
    expect(read).toMatchObject({ problems: [{ key: 'model.keyEnv' }] });
  });
});
