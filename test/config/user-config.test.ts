import { chmodSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { loadProject } from '../../src/config/project.js';
import { setUserSetting, setUserSettings } from '../../src/config/user-config.js';
import { decideByPolicy, describeRule } from '../../src/review/policy.js';
import { makeFolder } from '../folder.js';

let home: string;
beforeEach(() => {
  home = makeFolder();
  vi.stubEnv('XDG_CONFIG_HOME', home);
  return () => vi.unstubAllEnvs();
});

/** Loads a project next to a user's own files. */
async function load(user: Record<string, string>, project: Record<string, string>) {
  mkdirSync(join(home, 'teddy'), { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(user)) writeFileSync(join(home, 'teddy', name), text);
  const files = Object.entries(project).map(([name, text]) => [`.teddy/${name}`, text]);
  return loadProject(makeFolder(Object.fromEntries(files)));
}

async function configOf(user: string, project: string) {
  const loaded = await load({ 'config.yaml': user }, { 'config.yaml': project });
  if (loaded.status === 'refused') throw new Error(loaded.problems.map(({ message }) => message).join('\n'));
  return loaded.config;
}

describe("the user's config", () => {
  test('needs no trust, and the project overrides it key by key', async () => {
    const loaded = await load(
      { 'config.yaml': 'execute: {timeout: 1m, sandbox: true}\nreport: {tip: {lines: 7}}\n' },
      { 'config.yaml': 'execute: {timeout: 2m}\nreport: {tip: {characters: 9}}\n' },
    );
    expect(loaded).toMatchObject({
      files: [{ path: '.teddy/config.yaml' }],
      config: {
        execute: { timeoutMs: 120_000, sandbox: true, network: true },
        report: { tip: { lines: 7, characters: 9 } },
      },
    });
  });

  test.each([
    ['allow', 'ask', 'ask'],
    ['ask', 'allow', 'ask'],
    ['allow', 'allow', 'allow'],
  ])('reads: %s, with %s in the project, is %s', async (user, project, result) => {
    const { review } = await configOf(`review: {reads: ${user}}`, `review: {reads: ${project}}`);
    expect(review.reads).toBe(result);
  });

  test('a project alone cannot allow reads or lower the confidence', async () => {
    const { review } = await configOf('', 'review: {reads: allow, confidence: 0.2}');
    expect(review).toEqual({ reads: 'ask', confidence: 0.7 });
    const own = await configOf('review: {confidence: 0.2}', 'review: {confidence: 0.3}');
    expect(own.review.confidence).toBe(0.3);
  });

  test('a project can only make confinement stricter', async () => {
    const loose = 'confine: {on: false, network: true, write: [/], hide: [a], bring: [.env]}';
    const { confine } = await configOf('confine: {on: true, network: false, hide: [b]}', loose);
    expect(confine).toEqual({ on: true, network: false, write: [], hide: ['b', 'a'], bring: [] });
    const strict = await configOf(loose, 'confine: {on: true, network: false}');
    expect(strict.confine).toEqual({ on: true, network: false, write: ['/'], hide: ['a'], bring: ['.env'] });
    expect((await configOf('', loose)).confine).toMatchObject({ on: true, write: [], bring: [] });
  });

  test('a project can ask for reviews, and not do without them', async () => {
    const landingOf = async (user: string, project: string) => (await configOf(user, project)).landing;
    expect(await landingOf('', 'landing: auto')).toBeNull();
    expect(await landingOf('landing: review', 'landing: auto')).toBe('review');
    expect(await landingOf('landing: auto', 'landing: review')).toBe('review');
    expect(await landingOf('landing: auto', '')).toBe('auto');
  });

  test("a project's address never gets the user's key", async () => {
    const user = 'model: {provider: openai-compatible, baseURL: "http://mine/v1", name: m, keyEnv: MY_KEY}';
    const { model } = await configOf(user, 'model: {baseURL: "http://theirs/v1"}');
    expect(model).toMatchObject({ baseURL: 'http://theirs/v1', name: 'm', keyEnv: null });
    const same = await configOf(user, 'model: {baseURL: "http://mine/v1", name: n}');
    expect(same.model).toMatchObject({ name: 'n', keyEnv: 'MY_KEY' });
    const search = await configOf(
      'research: {provider: brave, keyEnv: MY_KEY}',
      'research: {provider: brave, url: "http://theirs", keyEnv: THEIR_KEY}',
    );
    expect(search.research).toMatchObject({ keyEnv: 'THEIR_KEY' });
  });

  test('nor the key that its provider usually has', async () => {
    const user = 'model: {provider: anthropic, name: m}';
    for (const project of ['', 'provider: anthropic, ']) {
      const { model } = await configOf(user, `model: {${project}baseURL: "http://theirs/v1"}`);
      expect(model).toMatchObject({ baseURL: 'http://theirs/v1', keyEnv: null });
    }
    const named = await configOf(user, 'model: {baseURL: "http://theirs/v1", keyEnv: THEIR_KEY}');
    expect(named.model).toMatchObject({ baseURL: 'http://theirs/v1', keyEnv: 'THEIR_KEY' });
    const own = await configOf('model: {provider: anthropic, name: m, baseURL: "http://mine/v1"}', '');
    expect(own.model).toMatchObject({ baseURL: 'http://mine/v1', keyEnv: 'ANTHROPIC_API_KEY' });
    const loaded = await load({}, { 'config.yaml': 'research: {provider: brave, url: "http://theirs"}' });
    expect(loaded).toMatchObject({ problems: [{ message: expect.stringContaining('never gets your key') }] });
  });

  test('prices belong to the model that they were written for', async () => {
    const user = 'model: {provider: anthropic, name: a, inputPrice: 3, outputPrice: 15, maxOutputTokens: 9}';
    const { model } = await configOf(user, 'model: {name: b}');
    expect(model).toMatchObject({ name: 'b', prices: null, maxOutputTokens: 16_000 });
  });

  test('problems name the file that has them', async () => {
    const loaded = await load(
      { 'config.yaml': 'execute:\n  timeout: x\n', 'policy.yaml': 'rules: 3' },
      { 'config.yaml': 'model: {name: m}' },
    );
    expect(loaded).toMatchObject({
      status: 'refused',
      problems: [
        { file: join(home, 'teddy/config.yaml'), line: 2, key: 'execute.timeout' },
        { file: '.teddy/config.yaml', key: 'model' },
        { file: join(home, 'teddy/policy.yaml'), key: 'rules' },
      ],
    });
  });

  test('is not used where others can write it', async () => {
    const config = join(home, 'teddy', 'config.yaml');
    await configOf('runs: {keep: 3}', '');
    chmodSync(config, 0o666);
    await expect(loadProject(makeFolder())).rejects.toThrow(`${config} is not used because other users can`);
    chmodSync(config, 0o600);
    chmodSync(join(home, 'teddy'), 0o777);
    await expect(loadProject(makeFolder())).rejects.toThrow('teddy is not used because other users can');
  });

  test.each([
    ['is not UTF-8 text', Buffer.from([0xff, 0x41, 0xfe])],
    ['is larger than 1 MB', Buffer.alloc(1024 * 1024 + 1, '#')],
  ])('%s', async (reason, bytes) => {
    mkdirSync(join(home, 'teddy'), { mode: 0o700 });
    writeFileSync(join(home, 'teddy/config.yaml'), bytes);
    await expect(loadProject(makeFolder())).rejects.toThrow(`${join(home, 'teddy/config.yaml')} ${reason}`);
  });
});

describe('TEDDY_MODEL', () => {
  const files = 'model: {provider: anthropic, name: a, keyEnv: MY_KEY, timeout: 5m}';

  test('names provider and model, over what the files say', async () => {
    vi.stubEnv('TEDDY_MODEL', 'ollama/qwen3:8b');
    const { model } = await configOf(files, 'model: {name: b}');
    expect(model).toMatchObject({
      provider: 'ollama',
      name: 'qwen3:8b',
      baseURL: 'http://localhost:11434/v1',
      keyEnv: null,
      timeoutMs: 300_000,
    });
    vi.stubEnv('TEDDY_MODEL', 'openrouter/qwen/qwen3-coder');
    expect((await configOf('', '')).model).toMatchObject({
      provider: 'openrouter',
      name: 'qwen/qwen3-coder',
      keyEnv: 'OPENROUTER_API_KEY',
    });
    vi.stubEnv('TEDDY_MODEL', 'anthropic/c');
    expect((await configOf(files, '')).model).toMatchObject({ name: 'c', keyEnv: 'MY_KEY' });
    vi.stubEnv('TEDDY_MODEL', ' ');
    expect((await configOf(files, '')).model).toMatchObject({ name: 'a' });
  });

  test.each([
    ['qwen3', 'TEDDY_MODEL is "qwen3"; write PROVIDER/NAME, such as ollama/qwen3'],
    ['ollama/', 'TEDDY_MODEL is "ollama/"; write PROVIDER/NAME'],
    ['olama/qwen3', 'TEDDY_MODEL is "olama/qwen3"; write PROVIDER/NAME'],
    ['openai-compatible/m', 'model has no baseURL; openai-compatible needs the address of an API.'],
  ])('%s', async (value, message) => {
    vi.stubEnv('TEDDY_MODEL', value);
    await expect(configOf('', '')).rejects.toThrow(message);
  });
});

describe('the policies', () => {
  const command = (text: string) =>
    ({ type: 'EXECUTE', command: text, env: {}, cwd: null }) as unknown as Parameters<
      typeof decideByPolicy
    >[1];

  test("both count: a deny of either wins, then the user's rules come first", async () => {
    const loaded = await load(
      { 'policy.yaml': 'rules: [{ask: EXECUTE, command: "npm *"}, {deny: EXECUTE, command: "rm *"}]' },
      {
        'policy.yaml':
          'rules: [{allow: EXECUTE, command: "npm test"}, {allow: EXECUTE, command: "ls"}, {allow: EXECUTE, command: "rm x"}]',
      },
    );
    if (loaded.status === 'refused') throw new Error('refused');
    const decide = (text: string) => decideByPolicy(loaded.policy, command(text));
    expect(decide('npm test').verdict).toBe('ask');
    expect(decide('ls').verdict).toBe('allow');
    expect(decide('rm x').verdict).toBe('deny');
    expect(describeRule(decide('rm x').rule!)).toBe('rule 2 of the user\'s policy (deny EXECUTE "rm *")');
    expect(describeRule(decide('ls').rule!)).toBe('rule 2 (allow EXECUTE "ls")');
  });
});

describe('setUserSetting', () => {
  const file = () => join(home, 'teddy', 'config.yaml');
  const write = (text: string) => {
    mkdirSync(join(home, 'teddy'), { recursive: true, mode: 0o700 });
    writeFileSync(file(), text);
  };

  test('makes the file, for this user alone', async () => {
    expect(await setUserSetting('review.reads', 'allow')).toBe(file());
    expect(readFileSync(file(), 'utf8')).toBe('review:\n  reads: allow\n');
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'teddy')).mode & 0o777).toBe(0o700);
  });

  test.each([
    ['a value', 'review:\n  reads:   ask   # mine\n', 'review:\n  reads:   allow   # mine\n'],
    ['quotes', "review: {reads: 'ask',confidence: 0.9 }", 'review: {reads: allow,confidence: 0.9 }'],
    ['a group', '# top\nruns: {keep: 3}\n', '# top\nruns: {keep: 3}\n\nreview:\n  reads: allow\n'],
    ['no line break at the end', 'runs: {keep: 3}', 'runs: {keep: 3}\n\nreview:\n  reads: allow\n'],
    [
      'a key in a block',
      'review:\n    confidence: 0.9 # high\n\nruns:\n  keep: 3\n',
      'review:\n    confidence: 0.9 # high\n    reads: allow\n\nruns:\n  keep: 3\n',
    ],
    ['a key in braces', 'review: {confidence: 0.9}\n', 'review: {confidence: 0.9, reads: allow}\n'],
    ['empty braces', 'review: {}\n', 'review: {reads: allow}\n'],
    [
      'a group of comments',
      'review: # all off\n  # reads: ask\nruns: {keep: 3}\n',
      'review: # all off\n  reads: allow\n  # reads: ask\nruns: {keep: 3}\n',
    ],
    ['an empty value', 'review:\n  reads:\n', 'review:\n  reads: allow\n'],
    ['comments only', '# nothing\n', '# nothing\n\nreview:\n  reads: allow\n'],
    ['CRLF', 'review:\r\n  confidence: 1\r\n', 'review:\r\n  confidence: 1\r\n  reads: allow\r\n'],
  ])('keeps all else: %s', async (_, before, after) => {
    write(before);
    await setUserSetting('review.reads', 'allow');
    expect(readFileSync(file(), 'utf8')).toBe(after);
    const loaded = await loadProject(makeFolder());
    expect(loaded).toMatchObject({ config: { review: { reads: 'allow' } } });
  });

  test('removes, too', async () => {
    write('model:\n  provider: anthropic # p\n  baseURL: "http://x" # b\n  name: a\nruns: {keep: 3}\n');
    await setUserSettings({ 'model.baseURL': undefined, 'model.name': 'b: c', 'runs.keep': 4 });
    expect(readFileSync(file(), 'utf8')).toBe(
      'model:\n  provider: anthropic # p\n  name: "b: c"\nruns: {keep: 4}\n',
    );
    write('model: {provider: anthropic, baseURL: "http://x", name: a}\n');
    await setUserSettings({ 'model.baseURL': undefined });
    expect(readFileSync(file(), 'utf8')).toBe('model: {provider: anthropic, name: a}\n');
  });

  test.each([
    ['a list', '- a\n', 'cannot be changed automatically. Set review.reads to allow there yourself.'],
    ['an alias', 'a: &a {x: 1}\nreview: *a\n', 'cannot be changed automatically'],
    ['no YAML', 'review: {\n', 'cannot be changed automatically'],
    ['a wrong setting', 'runs: {keep: no}\n', 'runs.keep'],
  ])('leaves %s alone and says so', async (_, text, reason) => {
    write(text);
    await expect(setUserSetting('review.reads', 'allow')).rejects.toThrow(reason);
    expect(readFileSync(file(), 'utf8')).toBe(text);
  });

  test('follows a link to where the settings really are', async () => {
    const elsewhere = makeFolder({ 'mine.yaml': 'runs: {keep: 3}\n' });
    mkdirSync(join(home, 'teddy'), { mode: 0o700 });
    symlinkSync(join(elsewhere, 'mine.yaml'), file());
    await setUserSetting('runs.keep', 5);
    expect(readFileSync(join(elsewhere, 'mine.yaml'), 'utf8')).toBe('runs: {keep: 5}\n');
    expect(lstatSync(file()).isSymbolicLink()).toBe(true);
  });
});
