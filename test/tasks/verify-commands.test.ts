import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRedactor } from '../../src/core/redact/redactor.js';
import type { Verify } from '../../src/core/task-plan/types.js';
import { sha256 } from '../../src/node/ids.js';
import { isAlive, type ProcessMark } from '../../src/node/process/process-table.js';
import { type VerifyOptions, verifyCommands } from '../../src/tasks/verify-commands.js';
import { makeRunContext } from '../runs/run-context.js';

const verifyOf = (...commands: string[]): Verify => ({
  text: commands.join('\n'),
  command: commands.join('\n'),
  commands,
  hint: null,
});

function run(
  commands: string[],
  options: Partial<VerifyOptions> = {},
  context: Parameters<typeof verifyCommands>[1] = makeRunContext(),
) {
  return verifyCommands(verifyOf(...commands), context, { repeat: false, ...options });
}

test('runs each command in a shell of its own, up to the first that fails', async () => {
  const context = makeRunContext();
  const end = await run(['X=1; cd /', 'echo "X=$X $PWD"; exit 3', 'touch never'], {}, context);
  expect(end).toMatchObject({ status: 'run', run: { exitCode: 3, outputSummary: `X= ${context.root}` } });
  expect(existsSync(join(context.root, 'never'))).toBe(false);
});

test('a pass without a test is vacuous, and the summary has the line that says so', async () => {
  const end = await run(['echo "No tests found, exiting with code 0"; seq 1 100']);
  expect(end).toMatchObject({ run: { exitCode: 0, vacuous: true } });
  const { outputSummary } = (end as { run: { outputSummary: string } }).run;
  expect(outputSummary.split('\n')).toEqual(
    expect.arrayContaining(['No tests found, exiting with code 0', '100']),
  );
});

test.each([
  [['echo "no tests to run"', 'echo "3 passed"'], undefined],
  [['echo "3 passed" >&2', 'echo "no tests to run"'], undefined],
  [['tr a b < /dev/null', 'echo "running 0 tests"'], true],
  [['echo "no tests to run"; exit 1'], undefined],
  [['true'], undefined],
])('%j', async (commands, vacuous) => {
  const end = await run(commands);
  expect((end as { run: { vacuous?: true } }).run.vacuous).toBe(vacuous);
});

const ONCE = 'test -f second || { touch second; echo "first time"; exit 1; }';

test('what fails and then passes is flaky, and passed', async () => {
  const end = await run(['echo ran >> before', ONCE, 'echo ran >> behind'], { repeat: true });
  expect(end).toMatchObject({ run: { exitCode: 0, flaky: true } });
});

test('is run again only where that is wanted, once for all, and not what passed before', async () => {
  expect(await run([ONCE])).toMatchObject({ run: { exitCode: 1, outputSummary: 'first time' } });
  const context = makeRunContext();
  const end = await run(['echo ran >> before', ONCE, 'echo ran >> third; exit 4'], { repeat: true }, context);
  expect(end).toMatchObject({ run: { exitCode: 4 } });
  expect(end).not.toHaveProperty('run.flaky');
  const lines = (name: string) => readFileSync(join(context.root, name), 'utf8').trim().split('\n').length;
  expect({ before: lines('before'), third: lines('third') }).toEqual({ before: 1, third: 1 });
});

test('what fails twice has failed', async () => {
  const context = makeRunContext();
  const end = await run(['echo ran >> ran; exit 5'], { repeat: true }, context);
  expect(end).toMatchObject({ status: 'run', run: { exitCode: 5 } });
  expect(end).not.toHaveProperty('run.flaky');
  expect(readFileSync(join(context.root, 'ran'), 'utf8')).toBe('ran\nran\n');
});

test('nobody waits twice for what hangs', async () => {
  const context = makeRunContext();
  const end = await run(['echo ran >> ran; sleep 60'], { repeat: true, timeoutMs: 100 }, context);
  expect(end).toMatchObject({ run: { exitCode: null, outputSummary: expect.stringContaining('timed out') } });
  expect(readFileSync(join(context.root, 'ran'), 'utf8')).toBe('ran\n');
});

test('the mark of every command is told, so that it can be found and ended', async () => {
  const marks: ProcessMark[] = [];
  const context = { ...makeRunContext(), onStart: (mark: ProcessMark) => marks.push(mark) };
  await run(['true', 'false'], { repeat: true }, context);
  expect(marks).toHaveLength(3);
  expect(marks.some(isAlive)).toBe(false);
});

test('an interruption is neither a pass nor a failure', async () => {
  const stop = new AbortController();
  const context = { ...makeRunContext({ signal: stop.signal }), onOutput: () => stop.abort('SIGINT') };
  expect(await run(['echo begun; sleep 60', 'touch never'], { repeat: true }, context)).toEqual({
    status: 'interrupted',
  });
  expect(existsSync(join(context.root, 'never'))).toBe(false);
});

test('secrets are masked in what is said of it', async () => {
  const redactor = createRedactor({ hash: sha256, secrets: ['hunter22hunter22'] });
  const end = await run(['echo hunter22hunter22'], {}, makeRunContext({ redactor }));
  expect(JSON.stringify(end)).not.toContain('hunter22');
  expect(end).toMatchObject({ run: { exitCode: 0, outputSummary: expect.stringContaining('[masked:') } });
});

test('prose is no command', async () => {
  const end = await verifyCommands(
    { text: 'Look at it.', command: null, commands: [], hint: 'Write a command.' },
    makeRunContext(),
    {
      repeat: true,
    },
  );
  expect(end).toEqual({ status: 'not-run', reason: 'The task has no verify command.' });
});

test('a command that cannot be started says nothing about the task', async () => {
  const context = makeRunContext({ execute: { sandbox: true }, environment: { PATH: '/nowhere' } });
  expect(await run(['true'], { repeat: true }, context)).toMatchObject({ status: 'not-run' });
});
