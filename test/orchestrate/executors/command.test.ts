import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { containsResult } from '../../../src/core/agent-report/clients/client.js';
import { isAlive } from '../../../src/node/process/process-table.js';
import { createCommandExecutor } from '../../../src/orchestrate/executors/command.js';
import { saysLimited } from '../../../src/orchestrate/executors/program.js';
import { assignmentIn, KEY, openTestSite, RESULT } from './site.js';

async function run(command: string, more: Parameters<typeof assignmentIn>[1] = {}, environment = {}) {
  const { folder, site, seen, stop } = openTestSite({}, environment);
  const end = await createCommandExecutor('mine', command).run(assignmentIn(folder, more), site);
  return { folder, seen, stop, end };
}

describe('what a command gets', () => {
  test('the prompt, word for word, and the task in its environment', async () => {
    const { folder, end } = await run(
      'cat > prompt; pwd > where; env | grep -E "^(TEDDY_|PWD=)" | sort > variables; echo status: success',
      { prompt: `Grüße\n${'x'.repeat(300_000)}\n`, attempt: 3 },
      { PWD: '/elsewhere' },
    );
    expect(end).toMatchObject({ status: 'returned', exitCode: 0, text: 'status: success\n' });
    expect(readFileSync(join(folder, 'prompt'), 'utf8')).toBe(`Grüße\n${'x'.repeat(300_000)}\n`);
    expect(readFileSync(join(folder, 'where'), 'utf8').trim()).toBe(realpathSync(folder));
    expect(readFileSync(join(folder, 'variables'), 'utf8').split('\n')).toEqual([
      `PWD=${folder}`,
      'TEDDY_ATTEMPT=3',
      expect.stringMatching(/^TEDDY_MARK=[0-9a-z]{26}$/),
      'TEDDY_PLAN=/project/03-01-PLAN.md',
      'TEDDY_TASK_ID=03-01:2',
      'TEDDY_TASK_INDEX=2',
      'TEDDY_TASK_NAME=Task 2: Check the port',
      '',
    ]);
  });

  test('nothing of the environment of this process', async () => {
    process.env.TEDDY_TEST_INHERITED = 'yes';
    const { end } = await run('echo "found=$TEDDY_TEST_INHERITED"');
    delete process.env.TEDDY_TEST_INHERITED;
    expect(end).toMatchObject({ text: 'found=\n' });
  });

  test('it need not read the prompt', async () => {
    const { end } = await run('exec <&-; echo "status: blocked"', { prompt: 'x'.repeat(2_000_000) });
    expect(end).toMatchObject({ status: 'returned', text: 'status: blocked\n' });
  });
});

describe('what is made of its end', () => {
  test('a result that was printed counts, whatever the exit code says', async () => {
    const { end } = await run(`cat <<'E'\n${RESULT}E\nexit 3`);
    expect(end).toMatchObject({ status: 'returned', exitCode: 3, text: RESULT });
    expect(end.usage).toEqual({ inputTokens: null, outputTokens: null, costUsd: null });
  });

  test('and one of a process that was killed has no exit code', async () => {
    const { end } = await run(`cat <<'E'\n${RESULT}E\nkill -9 $$`);
    expect(end).toMatchObject({ status: 'returned', exitCode: null });
  });

  test('words without a result are for the judge where it ended well', async () => {
    expect((await run('echo I am done.')).end).toMatchObject({ status: 'returned', text: 'I am done.\n' });
  });

  test('and a crash where it did not, with the end of what it said', async () => {
    const { end } = await run('echo Error: no luck; echo one >&2; echo two >&2; exit 4');
    expect(end).toMatchObject({
      status: 'crashed',
      limited: false,
      reason: 'It exited with 4 without a result. Its last error output:\none\ntwo',
    });
    const { end: quiet } = await run('echo Error: no luck; exit 4');
    expect(quiet).toMatchObject({
      reason: expect.stringContaining('Its last output:\nError: no luck'),
    });
  });

  test.each([
    ['exit 0', 'It exited with 0 without a result. It printed nothing.'],
    ['echo; exit 0', 'It exited with 0 without a result. It printed nothing.'],
    ['kill -9 $$', 'It was killed by SIGKILL without a result. It printed nothing.'],
  ])('%s is a crash', async (command, reason) => {
    expect((await run(command)).end).toMatchObject({ status: 'crashed', limited: false, reason });
  });

  test.each(['echo "429 Too Many Requests" >&2; exit 1', 'echo Overloaded; exit 1'])(
    '%s is a limit',
    async (command) => {
      expect((await run(command)).end).toMatchObject({ status: 'crashed', limited: true });
    },
  );

  test('nobody was limited who ended well', async () => {
    expect((await run('echo I wrote the rate limit.')).end).toMatchObject({ status: 'returned' });
  });

  test.each([
    ['no-such-program-here --print', 'The program was not found: '],
    ['./secret.sh', 'The program is not executable: '],
  ])('%s cannot be used', async (command, reason) => {
    const { folder, site } = openTestSite();
    const made = createCommandExecutor('made', 'echo > secret.sh');
    await made.run(assignmentIn(folder), site);
    const end = await createCommandExecutor('mine', command).run(assignmentIn(folder), site);
    expect(end).toMatchObject({ status: 'unusable', reason: expect.stringContaining(reason) });
  });

  test('a folder that is gone is a crash', async () => {
    const { folder, site } = openTestSite();
    const end = await createCommandExecutor('mine', 'true').run(assignmentIn(join(folder, 'gone')), site);
    expect(end).toMatchObject({ status: 'crashed', reason: expect.stringContaining('There is no folder') });
  });

  test('a result of more than 10 MB is a crash, and says so', async () => {
    const { end } = await run(`cat <<'E'\n${RESULT}E\nhead -c 11000000 /dev/zero | tr '\\0' '#'`);
    expect(end).toMatchObject({
      status: 'crashed',
      reason: expect.stringContaining('Its result is larger than 10 MB.'),
    });
  });

  test('one that hangs is ended with all that it started', async () => {
    const { end, seen } = await run('echo working; trap "" HUP; sleep 60 & sleep 60', { timeoutMs: 300 });
    expect(end).toMatchObject({
      status: 'timed-out',
      reason: 'It ran longer than 0.3s and was stopped. Its last output:\nworking',
    });
    expect(seen.marks.map(isAlive)).toEqual([false]);
  });

  test('one that is called off is cancelled', async () => {
    const { folder, site, stop, seen } = openTestSite();
    const running = createCommandExecutor('mine', 'echo begun; sleep 60').run(assignmentIn(folder), {
      ...site,
      onOutput: () => stop.abort(),
    });
    expect(await running).toMatchObject({ status: 'cancelled' });
    expect(seen.marks.map(isAlive)).toEqual([false]);
    expect(await createCommandExecutor('mine', 'touch ran').run(assignmentIn(folder), site)).toMatchObject({
      status: 'cancelled',
    });
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  test('where its start cannot be noted it does not begin', async () => {
    const { folder, site } = openTestSite();
    const end = await createCommandExecutor('mine', 'touch ran').run(assignmentIn(folder), {
      ...site,
      onStart: () => {
        throw new Error('disk full');
      },
    });
    expect(end).toMatchObject({ status: 'crashed', reason: expect.stringContaining('disk full') });
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  test('what it left in the background is ended', async () => {
    const { end, folder } = await run(
      '(sleep 60; touch late) > /dev/null 2>&1 & echo $! > pid; echo status: failure',
    );
    expect(end).toMatchObject({ status: 'returned' });
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    // Where nobody waits for orphans, one that has ended stays in the list of processes, marked as such.
    const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
    expect(stdout.trim()).toMatch(/^(?:Z.*)?$/);
  });
});

test('a key is masked in all that it prints', async () => {
  const { end, seen } = await run('echo "evidence: $MY_KEY"; echo "$MY_KEY" >&2', {}, { MY_KEY: KEY });
  expect(JSON.stringify([end, seen])).not.toContain('abcdefgh');
  expect(end).toMatchObject({ text: expect.stringMatching(/^evidence: \[masked:[0-9a-f]{8}\]\n$/) });
});

test.each([
  ['status: success', true],
  ['Done:\n\n```yaml\nstatus: "blocked"\n```', true],
  ['{"status": "failure"}', true],
  ['  task_name: x', true],
  ['Error: status: success', false],
  ['status: 429', false],
  ['Error: no', false],
  [' '.repeat(200_000), false],
  ['{ '.repeat(100_000), false],
])('whether a result may be in %#', (text, holds) => expect(containsResult(text)).toBe(holds));

test.each([
  ['rate_limit_error', true],
  ['You are being rate limited', true],
  ["You've hit your weekly limit", true],
  ['RESOURCE_EXHAUSTED', true],
  ['error 529', true],
  ['port 4290', false],
  [`${'429 '}${'x'.repeat(10_000)}`, false],
  [`hit your ${'x'.repeat(100_000)}`, false],
])('whether too much was asked in %#', (text, limited) => expect(saysLimited(text)).toBe(limited));
