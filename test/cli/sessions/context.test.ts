import { realpathSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Site } from './site.js';

const NOW = { TEDDY_NOW: '2026-01-02T03:04:05Z' };
const FIRST = '.teddy/sessions/login/01';

/** A project that is called `larder`, which an input says. */
async function begin(files: Record<string, string> = {}): Promise<Site> {
  const site = new Site({ 'login.txt': 'Log in here.\n', ...files });
  expect(await site.run(['new', 'login', '--agent', 'developer'], NOW)).toMatchObject({ exit: 0 });
  return site;
}

describe('teddy context', () => {
  test('prints all that a chat has to know, and keeps it with the turn', async () => {
    const site = await begin();
    site.write('.teddy/sessions/login/session.context', 'login.txt\n');
    const { exit, stdout, stderr } = await site.run(['context', '-m', 'Lock accounts.'], NOW);
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: 'Paste it into a chat, copy the whole answer, then run: teddy execute\n',
    });
    const input = site.read(`${FIRST}/input.md`);
    // A chat that begins has to know the agent's prompt, too.
    expect(stdout).toBe(`${site.read(`${FIRST}/system_prompt.md`).trimEnd()}\n\n---\n\n${input}`);
    expect(input).toContain('# Input: turn 01 of session login\n\n- **Agent:** developer\n');
    expect(input).toContain('- **Date:** 2026-01-02T03:04:05Z\n');
    expect(input).toContain('- **Project:** larder\n');
    expect(input).toContain('## Message\n\nFrom the user:\n\n````markdown\nLock accounts.\n````\n');
    expect(input).toContain(
      '### [login.txt](/login.txt)\n\n- **Tokens:** 4\n\n````text\nLog in here.\n````\n',
    );
    expect(site.read(`${FIRST}/meta.yaml`)).toContain('message: "Lock accounts."\n');
    const again = await site.run(['context', '--no-prompt'], NOW);
    expect(again.stdout).toBe(site.read(`${FIRST}/input.md`));
    expect(site.clipboard).toBe('');
  });

  test('gives an account as JSON', async () => {
    const site = await begin({ 'picture.bin': '\0\u0001\u0002' });
    site.write('.teddy/sessions/login/session.context', 'login.txt\npicture.bin\nlogout.txt\n');
    const { exit, stdout, stderr } = await site.run(['context', '--json', '--no-prompt'], NOW);
    const text = site.read(`${FIRST}/input.md`);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      root: realpathSync(site.root),
      session: 'login',
      turn: 1,
      agent: 'developer',
      path: `${FIRST}/input.md`,
      promptTokens: 0,
      tokens: Math.ceil(text.length / 4),
      budget: 100_000,
      tree: { files: 2, shown: 'all', tokens: expect.any(Number) },
      resources: [{ kind: 'file', target: 'login.txt', from: 'session.context', tokens: 4 }],
      leftOut: [
        { target: 'logout.txt', from: 'session.context', reason: 'does not exist', tokens: null },
        {
          target: 'picture.bin',
          from: 'session.context',
          reason: 'is binary, not text (it holds NUL bytes)',
          tokens: null,
        },
      ],
      text,
    });
  });

  test('without a session it is about the project, and keeps nothing', async () => {
    const site = new Site({ 'login.txt': 'Log in here.\n', '.teddy/turn.context': 'login.txt\n' });
    const { exit, stdout, stderr } = await site.run(['context', '-m', 'What is this?'], NOW);
    expect(exit).toBe(0);
    const prompt = (await site.run(['get-prompt'], NOW)).stdout;
    expect(
      stdout.startsWith(`${prompt.trimEnd()}\n\n---\n\n# Input\n\n- **Date:** 2026-01-02T03:04:05Z\n`),
    ).toBe(true);
    expect(stdout).toContain('Log in here.');
    expect(stderr).toContain('Paste it into a chat, copy the whole answer, then run: teddy execute');
    const bare = await site.run(['context', '--no-prompt', '-m', 'What is this?'], NOW);
    expect(bare.stdout).toBe(stdout.slice(stdout.indexOf('# Input\n\n- **Date:**')));
    expect(site.has('.teddy/sessions')).toBe(false);
    const json = JSON.parse((await site.run(['context', '--json'], NOW)).stdout);
    expect(json).toMatchObject({ session: null, turn: null, agent: null, path: null });
  });
});

test('get-prompt is what a turn of that agent begins with', async () => {
  const site = await begin();
  const prompt = site.read(`${FIRST}/system_prompt.md`);
  // Of the session last worked in, where none is named.
  expect(await site.run(['get-prompt'], NOW)).toMatchObject({ exit: 0, stdout: prompt, stderr: '' });
  const { stdout } = await site.run(['get-prompt', 'DEVELOPER', '--json'], NOW);
  expect(JSON.parse(stdout)).toEqual({
    root: realpathSync(site.root),
    agent: 'developer',
    path: null,
    prompt,
  });
});
