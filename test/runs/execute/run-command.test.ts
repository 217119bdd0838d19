import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../../../src/runs/run-command.js';
import { makeFolder } from '../../folder.js';
import { execute as makeExecute } from '../../review/actions.js';
import { makeRunContext } from '../run-context.js';
import { execute } from './action.js';

/** Hands whose command is stopped once it says `ready`. */
function stopWhenReady(reason?: string) {
  const abort = new AbortController();
  let shown = '';
  return makeRunContext({
    signal: abort.signal,
    onOutput(_, text) {
      shown += text;
      if (shown.includes('ready')) abort.abort(reason);
    },
  });
}

const runs = (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
const pidIn = (...path: string[]) => Number(readFileSync(join(...path), 'utf8'));

describe('how a command ends', () => {
  test('exit code 0 is success, and the outputs are apart', async () => {
    expect(await execute('echo out; echo err >&2', makeRunContext())).toEqual({
      status: 'success',
      summary: 'The command succeeded.',
      exitCode: 0,
      output: { text: 'out\n' },
      error: { text: 'err\n' },
    });
  });

  test('silence has no outputs', async () => {
    expect(await execute(':', makeRunContext())).toEqual({
      status: 'success',
      summary: 'The command succeeded.',
      exitCode: 0,
    });
  });

  test.each([1, 3, 127, 255])('exit code %i is failure', async (code) => {
    expect(await execute(`exit ${code}`, makeRunContext())).toEqual({
      status: 'failure',
      summary: `The command failed with exit code ${code}.`,
      exitCode: code,
    });
  });

  test('by a signal', async () => {
    const done = await execute('kill -SEGV $$', makeRunContext());
    expect(done).toEqual({
      status: 'failure',
      summary: 'The command was ended by signal SIGSEGV.',
      ended: 'by signal SIGSEGV',
    });
  });

  test('the time limit of the settings, and its grandchildren are gone', async () => {
    const context = makeRunContext({ execute: { timeoutMs: 1500 } });
    const done = await execute(`sh -c 'sleep 100 & echo $! > pid; echo begun; wait' & wait`, context);
    expect(done).toEqual({
      status: 'failure',
      summary: 'The command timed out after 1.5s; its processes were ended.',
      ended: 'timed out after 1.5s; its processes were ended',
      output: { text: 'begun\n' },
    });
    expect(runs(pidIn(context.root, 'pid'))).toBe(false);
  });

  test("the plan's own time limit comes first", async () => {
    const done = await execute('sleep 100', makeRunContext(), { timeout: 1 });
    expect(done).toMatchObject({ ended: 'timed out after 1s; its processes were ended' });
  });

  test.each([
    [undefined, 'by Ctrl-C'],
    ['SIGTERM', 'by SIGTERM'],
  ])('when stopped (%s), and its grandchildren are gone', async (reason, ended) => {
    const context = stopWhenReady(reason);
    const done = await execute(`sh -c 'sleep 100 & echo $! > pid; echo ready; wait' & wait`, context);
    expect(done).toEqual({
      status: 'failure',
      summary: `The command was ended ${ended}.`,
      ended,
      output: { text: 'ready\n' },
    });
    expect(runs(pidIn(context.root, 'pid'))).toBe(false);
  });

  test('stopped before it began: it does not begin', async () => {
    const context = makeRunContext({ signal: AbortSignal.abort() });
    expect(await execute('touch begun', context)).toMatchObject({ status: 'failure' });
    expect(existsSync(join(context.root, 'begun'))).toBe(false);
  });

  test('what it leaves in the background is ended, and that is said', async () => {
    const context = makeRunContext();
    const done = await execute('sleep 100 > /dev/null 2>&1 & echo $! > pid', context);
    expect(done).toMatchObject({
      status: 'success',
      notes: ['Background processes that the command had left were ended.'],
    });
    expect(runs(pidIn(context.root, 'pid'))).toBe(false);
  });

  test('its mark is told when it starts', async () => {
    const marks: unknown[] = [];
    await runCommand(makeExecute('echo $$'), '1', makeRunContext(), (mark) => void marks.push(mark));
    const token = expect.stringMatching(/^[0-9a-z]{26}$/);
    expect(marks).toEqual([{ pid: expect.any(Number), born: expect.stringMatching(/\d/), token }]);
  });

  test('one whose start cannot be noted does not go on', async () => {
    const context = makeRunContext();
    const done = await runCommand(makeExecute('sleep 1; touch done'), '1', context, () => {
      throw new Error('disk full');
    });
    expect(done).toMatchObject({ status: 'failure', summary: expect.stringContaining('disk full') });
    expect(existsSync(join(context.root, 'done'))).toBe(false);
  });
});

describe('the command is run as it stands', () => {
  test('no standard input: what asks gets nothing', async () => {
    const done = await execute('read answer; echo "[$answer] $?"', makeRunContext());
    expect(done.output).toEqual({ text: '[] 1\n' });
  });

  test('output that looks like a prompt is kept', async () => {
    const text = 'x = input("Name? ")\nPassword: \n(y/N) ';
    const done = await execute(`cat <<'EOF'\n${text}\nEOF`, makeRunContext());
    expect(done.output).toEqual({ text: `${text}\n` });
  });

  test('CRLF reaches the shell', async () => {
    const done = await execute(`printf '%s' 'a\r\nb\r\n'`, makeRunContext());
    expect(done.output).toEqual({ text: 'a\r\nb\r\n' });
  });

  test('so do quotes, backslashes, dollars and characters that cannot be seen', async () => {
    const text = `'"'"' \\ $HOME \`date\` \u202e\u200b é 😀 \u001b[31m`;
    const done = await execute(`printf '%s' '${text}'`, makeRunContext());
    expect(done.output).toEqual({ text: text.replace(`'"'"'`, "'") });
  });

  test('100 KB of it', async () => {
    const long = 'a'.repeat(100_000);
    const done = await execute(`printf %s ${long} | wc -c`, makeRunContext());
    expect(done.output?.text.trim()).toBe('100000');
  });

  test.each([
    ['a NUL', 'echo a\0b', 'NUL'],
    ['too long', `: ${'a'.repeat(3_000_000)}`, 'longer than'],
  ])('%s is a failure', async (_, command, reason) => {
    const done = await execute(command, makeRunContext());
    expect(done).toMatchObject({ status: 'failure', summary: expect.stringContaining(reason) });
    expect(done.error?.text).toBe(`${done.summary}\n`);
  });
});

describe('environment and folder', () => {
  test("the environment is the one handed in, with the plan's on top", async () => {
    const environment = { PATH: process.env.PATH, KEPT: 'kept', CHANGED: 'before', UNSET: undefined };
    const env = { CHANGED: 'after', NEW: 'a b $c' };
    const done = await execute('env', makeRunContext({ environment }), { env });
    const lines = done.output!.text.split('\n');
    expect(lines).toEqual(expect.arrayContaining(['KEPT=kept', 'CHANGED=after', 'NEW=a b $c']));
    expect(lines.filter((line) => /^(?:HOME|UNSET|VITEST)=/.test(line))).toEqual([]);
  });

  test.each([
    [null, ''],
    ['.', ''],
    ['/', ''],
    ['sub/deep', '/sub/deep'],
    ['/sub/deep/', '/sub/deep'],
    ['sub/../sub', '/sub'],
    ['inward', '/sub/deep'],
    ['home', ''],
    ['there-and-back', '/sub'],
  ])('cwd %s', async (cwd, expected) => {
    const context = makeRunContext({ files: { 'sub/deep/file': '' } });
    symlinkSync('sub/deep', join(context.root, 'inward'));
    symlinkSync('.', join(context.root, 'home'));
    symlinkSync(`${context.root}/sub`, join(context.root, 'there-and-back'));
    const done = await execute('pwd -P', context, { cwd });
    expect(done.output).toEqual({ text: `${context.root}${expected}\n` });
  });

  test.each([
    ['outside', 'leads out of the root through a symlink'],
    ['outside/deeper', 'leads out of the root through a symlink'],
    ['up', 'leads out of the root through a symlink'],
    ['..', 'leads out of the project root'],
    ['sub/../..', 'leads out of the project root'],
    ['~', 'leads to a home folder'],
    ['missing', 'does not exist'],
    ['missing/deeper', 'does not exist'],
    ['file', 'is not a folder'],
    ['file/deeper', 'is not a folder'],
    ['.git', 'is in a protected folder'],
    ['.git/hooks', 'is in a protected folder'],
    ['.TEDDY', 'is in a protected folder'],
    ['hooks', 'is in a protected folder'],
    ['circle', 'leads through symlinks in a circle'],
    ['', 'is empty'],
    ['a\nb', 'contains a control character (U+000A) at position 2'],
  ])('cwd %j is refused, and nothing is run', async (cwd, reason) => {
    const outside = makeFolder({ 'deeper/file': '' });
    const context = makeRunContext({ files: { 'sub/file': '', file: '', '.git/hooks/file': '' } });
    symlinkSync(outside, join(context.root, 'outside'));
    symlinkSync('..', join(context.root, 'up'));
    symlinkSync('.git/hooks', join(context.root, 'hooks'));
    symlinkSync('circle', join(context.root, 'circle'));
    const mark = join(makeFolder(), 'mark');
    const done = await execute(`touch '${mark}'`, context, { cwd });
    expect(done).toMatchObject({
      status: 'failure',
      summary: `The command was not run: its cwd ${JSON.stringify(cwd)} ${reason}.`,
    });
    expect(existsSync(mark)).toBe(false);
  });

  test('a root that has gone', async () => {
    const context = makeRunContext();
    const done = await execute('true', { ...context, root: join(context.root, 'gone') });
    expect(done).toMatchObject({ status: 'failure', summary: expect.stringContaining('cannot be reached') });
  });

  test('a folder whose name looks like an option or a pattern', async () => {
    const context = makeRunContext();
    for (const cwd of ['-P', '*', 'a b', "it's"]) {
      mkdirSync(join(context.root, cwd));
      writeFileSync(join(context.root, cwd, 'here'), cwd);
      expect((await execute('cat here', context, { cwd })).output).toEqual({ text: cwd });
    }
  });
});
