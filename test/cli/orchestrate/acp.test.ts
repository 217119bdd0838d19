import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkConfinement } from '../../../src/confine/check.js';
import { commitAll, makeRepository, reportOf, write } from '../agents/project.js';
import { execTeddy } from '../execute/program.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { endOf } from '../sessions/site.js';
import { TEDDY } from '../teddy.js';
import { planText, readEvents, Site } from './site.js';

const AGENT = join(import.meta.dirname, '../../orchestrate/executors/acp/agent.mjs');
const checked = await checkConfinement({ root: process.cwd(), environment: process.env });

/** A project whose executor `editor` speaks the Agent Client Protocol. */
function openSite(policy: string, confined = false): Site {
  const site = new Site(
    { '01-01': planText('01-01', 1) },
    {
      confined,
      config: `  editor: {acp: "${process.execPath} agent.mjs 'works on its task'"}\norchestrate: {maxAttempts: 1}\n`,
    },
  );
  copyFileSync(AGENT, join(site.root, 'agent.mjs'));
  if (policy !== '') site.write('.teddy/policy.yaml', `rules:\n${policy}`);
  return site;
}

const WORDS = ['orchestrate', '--json', '--yes', '--executor', 'editor'];

async function nextRequest(site: Site): Promise<string> {
  let id = '';
  const look = async () => {
    const { stdout } = await site.run(['inbox', '--json']);
    id = JSON.parse(stdout)[0]?.id ?? '';
  };
  for (let tries = 0; id === '' && tries < 100; tries++) await look();
  return id;
}

test.each(checked.available ? [false, true] : [false])(
  'a task is done and verified, with tokens and cost; confined: %s',
  async (confined) => {
    const site = openSite('  - {allow: EXECUTE, command: "touch *"}\n', confined);
    const { exit, summary, of } = await site.conduct('--executor', 'editor');
    expect({ exit, done: summary.done }).toEqual({ exit: 0, done: 1 });
    expect(summary.usage).toMatchObject({ inputTokens: 100, outputTokens: 20, costUsd: 0.25 });
    expect(of('finished')[0]).toMatchObject({
      executor: 'editor',
      outcome: 'done',
      verified: 'test -s made-01-01-1.txt',
    });
    expect(site.read('made-01-01-1.txt')).toBe('made\n');
  },
);

test('what the policy leaves open waits in the inbox, and a refusal reaches the agent', async () => {
  const site = openSite('');
  const ended = endOf(site.start(WORDS));
  const id = await nextRequest(site);
  const refused = await site.run(['inbox', id, '--refuse', 'Do not touch it.']);
  expect(refused.exit).toBe(0);
  const again = await nextRequest(site);
  expect((await site.run(['inbox', again, '--refuse', 'No means no.'])).exit).toBe(0);
  for (let tries = 0; tries < 10; tries++) {
    const { stdout } = await site.run(['inbox', '--json']);
    const open = JSON.parse(stdout).find(({ kind }: { kind: string }) => kind === 'question');
    if (open !== undefined) await site.run(['inbox', open.id, '--refuse']);
  }
  const { stdout } = await ended;
  const { of } = readEvents(stdout);
  expect(of('note').map(({ message }) => message)).toContain(
    '01-01:1 waits for you (teddy inbox): May it run a command: touch made-01-01-1.txt',
  );
  expect(of('finished')[0]).toMatchObject({ outcome: 'failed' });
  expect(site.read('notes')).toContain('Run touch made-01-01-1.txt: Do not touch it.');
  expect(site.has('made-01-01-1.txt')).toBe(false);
});

test.skipIf(noPython)(`it is allowed at a terminal${noPython}`, async () => {
  const site = openSite('');
  const ended = endOf(site.start(WORDS));
  const id = await nextRequest(site);
  const words = [process.execPath, TEDDY, 'inbox', id];
  const terminal = new TestTerminal(words, { cwd: site.root, columns: 100, rows: 50, env: site.env });
  await terminal.shows(/editor asks:[\s\S]*touch made-01-01-1\.txt[\s\S]*1\. Allow: Yes[\s\S]*Your reply/);
  terminal.send('1\r');
  expect(await terminal.ended).toMatchObject({ exit: 0 });
  const { exit, stdout } = await ended;
  expect({ exit, done: readEvents(stdout).summary.done }).toEqual({ exit: 0, done: 1 });
});

test('the question of an agent that was ended is withdrawn', async () => {
  const site = openSite('');
  const child = site.start(WORDS);
  const ended = endOf(child);
  expect(await nextRequest(site)).not.toBe('');
  child.kill('SIGTERM');
  expect((await ended).exit).toBe(130);
  expect(JSON.parse((await site.run(['inbox', '--json'])).stdout)).toEqual([]);
});

test('agent run: a report that breaks the contract once, and what both answers used', async () => {
  const cwd = makeRepository({
    '.gitignore': '.teddy\nstarted\nnotes\n',
    'a.ts': 'a\n',
    'good.json': reportOf(),
    'broken.json': reportOf({ status: 'done' }),
  });
  write(
    cwd,
    '.teddy/config.yaml',
    `executors:\n  mine: {acp: "${process.execPath} agent.mjs 'answers with a file'"}\n`,
  );
  copyFileSync(AGENT, join(cwd, 'agent.mjs'));
  commitAll(cwd);
  const goal = ['--task-id', 'auth-1', '--goal', 'Find it.', '--field', 'questions=Where?'];
  const words = [
    'agent',
    'run',
    'investigator',
    '--with',
    'mine',
    '--trust',
    '--json',
    '--unconfined',
    ...goal,
  ];
  const { exit, stdout } = await execTeddy(words, { cwd });
  const said = JSON.parse(stdout);
  expect(exit).toBe(0);
  expect(said.attempts).toMatchObject([
    { compliant: false, measured: { inputTokens: 100, outputTokens: 20 } },
    { compliant: true, measured: { inputTokens: 100, outputTokens: 20 } },
  ]);
  const stats = await execTeddy(['agent', 'stats', '--json'], { cwd });
  const used = { answers: 2, inputTokens: 200, outputTokens: 40, costUsd: 0.5 };
  expect(JSON.parse(stats.stdout).agents).toMatchObject([{ agent: 'investigator', used }]);
});
