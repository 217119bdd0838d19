import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { homeOf, makeFolder } from '../../folder.js';
import { type ModelStep, startModelServer } from '../../model-server.mjs';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY, teddy } from '../teddy.js';

const KEY = 'sk-setup-0123456789abcdef';

async function startServer(...steps: ModelStep[]) {
  const server = await startModelServer(steps);
  onTestFinished(() => server.close());
  return server;
}

function openSetup(words: string[] = [], env: Record<string, string> = {}) {
  const cwd = makeFolder();
  const terminal = new TestTerminal([process.execPath, TEDDY, 'setup', ...words], { cwd, env, columns: 100 });
  const file = join(homeOf(cwd), '.config/teddy/config.yaml');
  return { terminal, file, read: () => readFileSync(file, 'utf8') };
}

describe.skipIf(noPython)(`teddy setup at a terminal${noPython}`, () => {
  test('asks, lists the models, tries the one that is chosen, and saves it', async () => {
    const { url, requests } = await startServer({ answer: 'ready' });
    const { terminal, read } = openSetup([], { MY_KEY: KEY });
    await terminal.shows(/7 {2}OpenAI-compatible server.*q leave/s);
    terminal.send('7');
    await terminal.shows('Address of the API');
    terminal.send('localhost\r');
    await terminal.shows('"localhost" is not an address; it must start with http:// or https://.');
    terminal.send('\u0015');
    await terminal.showsNoMore('│ localhost');
    terminal.send(`${url}\r`);
    await terminal.shows(/^> OpenAI-compatible server$.*^> http:.*Variable that holds the key/ms);
    terminal.send('MY_KEY\r');
    await terminal.shows(/May teddy contact the model now\?.*with the key in MY_KEY\..*n no, only save it/s);
    expect(requests).toEqual([]);
    terminal.send('y');
    await terminal.shows(/1 {2}another-model\n {2}2 {2}test-model.*Name or number of the model/s);
    terminal.send('2\r');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(terminal.history()).toContain('It works.');
    expect(terminal.history()).toContain('Next: teddy chat -m "what you want"');
    expect(read()).toBe(
      `model:\n  provider: openai-compatible\n  name: test-model\n  baseURL: "${url}"\n  keyEnv: MY_KEY\n`,
    );
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/models',
      'POST /v1/chat/completions',
    ]);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
    expect(terminal.raw).not.toContain(KEY);
  });

  test('a missing key is named, and the model can be saved without it', async () => {
    const { terminal, read } = openSetup();
    await terminal.shows(/1 {2}Anthropic +ANTHROPIC_API_KEY is not set.*q leave/s);
    terminal.send('1');
    await terminal.shows(
      /ANTHROPIC_API_KEY is not set\.\n.*export ANTHROPIC_API_KEY=….*c continue without it/s,
    );
    terminal.send('c');
    await terminal.shows('Name of the model');
    terminal.send('claude-sonnet-4-5\r');
    expect(await terminal.ended).toMatchObject({ exit: 0 });
    expect(terminal.history()).toContain('Not tried yet.');
    expect(read()).toBe('model:\n  provider: anthropic\n  name: claude-sonnet-4-5\n');
  });

  test('a model that does not answer is saved only if you say so; leaving changes nothing', async () => {
    const { url } = await startServer({ status: 401, body: { error: { message: 'wrong key' } } });
    const words = ['--provider', 'openai-compatible', '--base-url', url, '--key-env', 'MY_KEY'];
    const { terminal, file } = openSetup(words, { MY_KEY: KEY });
    await terminal.shows('n no, only save it');
    terminal.send('y');
    await terminal.shows('Name or number of the model');
    terminal.send('mine\r');
    await terminal.shows(
      /The model cannot be used\..*wrong key\. Check the key in MY_KEY\..*s save it anyway/s,
    );
    terminal.send('q');
    expect(await terminal.ended).toMatchObject({ exit: 130 });
    expect(terminal.history()).toContain('Nothing was changed.');
    expect(existsSync(file)).toBe(false);
  });
});

describe('teddy setup with options', () => {
  const HERE = ['setup', '--provider', 'openai-compatible', '--model', 'm', '--base-url'];

  test('--yes tries the model; one that does not answer is not saved', async () => {
    // The server must not be in the process that waits for the program.
    const cwd = makeFolder();
    const failed = teddy([...HERE, 'http://127.0.0.1:9/v1', '--yes'], { cwd });
    expect(failed).toMatchObject({ exit: 2, stdout: '' });
    expect(failed.stderr).toBe(
      'teddy: The model at http://127.0.0.1:9/v1 refuses connections: no server is running there. Start the server, or choose another model with teddy setup. Nothing was saved.\n',
    );
    expect(existsSync(join(homeOf(cwd), '.config'))).toBe(false);
  });

  test('the rest of the file stays, but for what belongs to another model', () => {
    const cwd = makeFolder();
    mkdirSync(join(homeOf(cwd), '.config/teddy'), { recursive: true, mode: 0o700 });
    const file = join(homeOf(cwd), '.config/teddy/config.yaml');
    writeFileSync(
      file,
      '# mine\nmodel:\n  provider: anthropic\n  name: a # old\n  inputPrice: 3\n  outputPrice: 15\n  timeout: 5m # long\nruns: {keep: 9}\n',
    );
    expect(teddy(['setup', '--provider', 'ollama', '--model', 'qwen3:8b'], { cwd }).exit).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(
      '# mine\nmodel:\n  provider: ollama\n  name: "qwen3:8b" # old\n  timeout: 5m # long\nruns: {keep: 9}\n',
    );
  });
});
