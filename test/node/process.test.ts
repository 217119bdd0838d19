import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { endProcesses } from '../../src/node/process/end.js';
import { isAlive, type ProcessMark } from '../../src/node/process/process-table.js';
import { runProcess } from '../../src/node/process/run.js';
import type { ProcessOptions } from '../../src/node/process/types.js';
import { makeFolder } from '../folder.js';

const env = { PATH: process.env.PATH };

/** A shell command in a folder of its own, unless told otherwise. */
function run(shell: string, options: Partial<ProcessOptions> = {}) {
  return runProcess({ command: { shell }, cwd: '/', env, capture: { bytes: 10_000 }, ...options });
}

/** The command is aborted once it says `ready`. */
function runUntilReady(shell: string, options: Partial<ProcessOptions> = {}) {
  const abort = new AbortController();
  let shown = '';
  const onOutput = (_: string, text: string) => {
    shown += text;
    if (shown.includes('ready')) abort.abort();
  };
  return run(shell, { ...options, signal: abort.signal, onOutput });
}

async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

const pidIn = (path: string) => Number(readFileSync(path, 'utf8'));
const runs = (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

const NOTHING = { ended: [], survived: [] };

describe('how a command ends', () => {
  test('by itself: code, outputs, nothing left', async () => {
    const result = await run('echo out; echo err >&2; exit 3');
    expect(result).toEqual({
      status: 'exited',
      code: 3,
      durationMs: expect.any(Number),
      stdout: { head: 'out\n', tail: '', bytes: 4, lines: 1, truncated: false, valid: true },
      stderr: { head: 'err\n', tail: '', bytes: 4, lines: 1, truncated: false, valid: true },
      backgroundEnded: false,
      leftovers: false,
      ...NOTHING,
    });
  });

  test('by a signal', async () => {
    expect(await run('kill -9 $$')).toMatchObject({ status: 'signalled', signal: 'SIGKILL' });
  });

  test('a program with its words: no shell reads them', async () => {
    const result = await runProcess({
      command: { file: 'printf', args: ['%s|', '$HOME', 'a b', '*', ''] },
      cwd: '/',
      env,
      capture: { bytes: 100 },
    });
    expect(result).toMatchObject({ status: 'exited', code: 0, stdout: { head: '$HOME|a b|*||' } });
  });

  test('the environment is the one given', async () => {
    const result = await run('env', { env: { PATH: process.env.PATH, ONLY: 'this', NOT: undefined } });
    const names = result.stdout.head.split('\n').map((line) => line.split('=')[0]);
    expect(names).toContain('ONLY');
    expect(names).not.toContain('NOT');
    expect(names).not.toContain('HOME');
  });

  test('in a session of its own, so that no terminal can be left raw', async () => {
    const result = await run('ps -o pid=,pgid=,sid= -p $$; (: > /dev/tty) 2>&1 | head -c 40');
    const [pid, group, session] = result.stdout.head.trim().split(/\s+/);
    expect([group, session]).toEqual([pid, pid]);
    expect(result.stdout.head).toContain('/dev/tty');
  });
});

describe('what cannot be started is said', () => {
  test.each<[string, Partial<ProcessOptions>, string, string]>([
    ['no such program', { command: { file: 'no-such-program', args: [] } }, 'command-missing', 'not found'],
    ['no such folder', { cwd: '/no/such/folder' }, 'folder-missing', 'no folder /no/such/folder'],
    ['a file for a folder', { cwd: '/etc/passwd' }, 'folder-missing', 'no folder /etc/passwd'],
    ['a NUL', { command: { shell: 'echo a\0b' } }, 'refused', 'NUL'],
    ['a NUL in the environment', { env: { A: 'a\0b' } }, 'refused', 'NUL'],
    ['too long', { command: { shell: `: ${'a'.repeat(5_000_000)}` } }, 'refused', 'longer than'],
    ['not executable', { command: { file: '/etc/passwd', args: [] } }, 'refused', 'permission denied'],
    ['a folder', { command: { file: '/etc', args: [] } }, 'refused', 'permission denied'],
    ['an empty name', { command: { file: '', args: [] } }, 'refused', 'could not be started'],
  ])('%s', async (_, options, code, reason) => {
    const result = await run('true', options);
    expect(result).toMatchObject({ status: 'not-started', code, leftovers: false, stdout: { bytes: 0 } });
    expect(result.status === 'not-started' && result.reason).toContain(reason);
  });

  test('a script whose interpreter is missing', async () => {
    const folder = makeFolder({ script: '#!/no/such/interpreter\n' });
    chmodSync(join(folder, 'script'), 0o755);
    expect(await run('', { command: { file: join(folder, 'script'), args: [] } })).toMatchObject({
      status: 'not-started',
      code: 'command-missing',
    });
  });
});

describe('standard input', () => {
  const large = 'täglich\n'.repeat(100_000);

  test.each<[string, ProcessOptions['input'], string]>([
    ['empty unless given', undefined, ''],
    ['text', 'grüße', 'grüße'],
    ['empty text', '', ''],
    ['bytes', Uint8Array.from([65, 66]), 'AB'],
    ['a stream', Readable.from(['a', 'b', 'c']), 'abc'],
    ['more than a pipe holds', large, large],
  ])('%s', async (_, input, expected) => {
    const result = await run('cat', { ...(input !== undefined && { input }), capture: { bytes: 2_000_000 } });
    expect(result).toMatchObject({ status: 'exited', code: 0 });
    expect(result.stdout.head).toBe(expected);
  });

  test('a command that does not read it ends all the same', async () => {
    expect(await run('exit 4', { input: large })).toMatchObject({ status: 'exited', code: 4 });
  });

  test('an endless stream is left when the command has ended', async () => {
    const endless = new Readable({ read: () => {} });
    expect(await run('exit 0', { input: endless })).toMatchObject({ status: 'exited', code: 0 });
    expect(endless.destroyed).toBe(false);
  });

  test('a stream that breaks off ends the command: it must not act on half its input', async () => {
    const broken = new Readable({ read: () => broken.destroy(new Error('gone')) });
    expect(await run('cat; sleep 100', { input: broken })).toMatchObject({
      status: 'aborted',
      reason: 'Its input failed (gone).',
    });
  });
});

describe('time-out and abort end the whole group', () => {
  test('on time-out', async () => {
    expect(await run('sleep 100 & sleep 100', { timeoutMs: 100 })).toMatchObject({
      status: 'timed-out',
      leftovers: false,
    });
  });

  test('on abort', async () => {
    expect(await runUntilReady('echo ready; sleep 100')).toMatchObject({
      status: 'aborted',
      reason: 'It was stopped.',
      stdout: { head: 'ready\n' },
    });
  });

  test('grandchildren too', async () => {
    const folder = makeFolder();
    const grandchild = 'sleep 100 & echo $! > grandchild; echo ready; wait';
    const result = await runUntilReady(`(sh -c '${grandchild}') & wait`, { cwd: folder });
    expect(result).toMatchObject({ status: 'aborted', leftovers: false });
    expect(runs(pidIn(join(folder, 'grandchild')))).toBe(false);
  });

  test('those that ignore SIGTERM, after the grace time', async () => {
    const folder = makeFolder();
    const stubborn = `trap "" TERM; echo $$ > stubborn; echo ready; while :; do sleep 0.05; done`;
    const result = await runUntilReady(`sh -c '${stubborn}'`, { cwd: folder, graceMs: 200 });
    expect(result).toMatchObject({ status: 'aborted', leftovers: false });
    expect(runs(pidIn(join(folder, 'stubborn')))).toBe(false);
  });

  test('one that has time to clear up does so', async () => {
    const result = await runUntilReady(
      `trap 'echo cleared; exit 0' TERM; echo ready; while :; do sleep 0.02; done`,
    );
    expect(result).toMatchObject({ status: 'aborted', stdout: { head: 'ready\ncleared\n' } });
  });

  test('a stopped process too', async () => {
    expect(await run('kill -STOP $$', { timeoutMs: 100, graceMs: 100 })).toMatchObject({
      status: 'timed-out',
      leftovers: false,
    });
  });

  test.each(['exec sleep 100', 'while :; do echo ready; done'])(
    'a daemon in another session is ended with it: %s',
    async (work) => {
      const folder = makeFolder();
      const daemon = `echo $$ > daemon; echo ready; ${work}`;
      const result = await runUntilReady(`setsid sh -c '${daemon}' & sleep 100`, { cwd: folder });
      expect(result).toMatchObject({ status: 'aborted', leftovers: false, survived: [] });
      const pid = pidIn(join(folder, 'daemon'));
      expect(result.ended).toContainEqual({ pid, name: expect.stringMatching(/^(?:sh|sleep)$/) });
      expect(runs(pid)).toBe(false);
    },
  );

  test('a daemon that cannot be known for ours and holds the output is left, and said', async () => {
    const folder = makeFolder();
    // Its parent has gone, its session is its own, and its environment is empty.
    const daemon = `(exec env -i setsid sh -c 'echo $$ > daemon; exec sleep 100' &)`;
    const result = await runUntilReady(
      `sh -c "${daemon.replaceAll('$', '\\$')}"; until test -s daemon; do sleep 0.02; done; sleep 0.1; echo ready; sleep 100`,
      { cwd: folder },
    );
    const pid = pidIn(join(folder, 'daemon'));
    onTestFinished(() => void process.kill(pid, 'SIGKILL'));
    expect(result).toMatchObject({ status: 'aborted', leftovers: true, stdout: { head: 'ready\n' } });
    expect(runs(pid)).toBe(true);
  });

  test('what is aborted before it began does not begin', async () => {
    const folder = makeFolder();
    const result = await run('touch began', { cwd: folder, signal: AbortSignal.abort() });
    expect(result).toMatchObject({ status: 'aborted', leftovers: false });
    expect(existsSync(join(folder, 'began'))).toBe(false);
  });

  test('a time longer than a timer can wait is no time-out', async () => {
    expect(await run('sleep 0.1', { timeoutMs: 1e12 })).toMatchObject({ status: 'exited' });
  });
});

describe('what a command leaves in the background', () => {
  test('is ended with it, and said', async () => {
    const folder = makeFolder();
    const result = await run('sleep 100 >/dev/null 2>&1 & echo $! > background', { cwd: folder });
    expect(result).toMatchObject({ status: 'exited', code: 0, backgroundEnded: true, leftovers: false });
    expect(runs(pidIn(join(folder, 'background')))).toBe(false);
  });

  test('holding the output open delays by the grace time only', async () => {
    const result = await run('sleep 100 & echo on', { graceMs: 100 });
    expect(result).toMatchObject({ status: 'exited', backgroundEnded: true, stdout: { head: 'on\n' } });
  });

  test('still talking is listened to until it is silent', async () => {
    const talker = 'for n in 1 2 3 4 5; do sleep 0.1; echo $n; done';
    const result = await run(`(${talker}; sleep 100) & echo 0`, { graceMs: 800 });
    expect(result).toMatchObject({ status: 'exited', stdout: { head: '0\n1\n2\n3\n4\n5\n' } });
  });

  test('can be left', async () => {
    const folder = makeFolder();
    const result = await run('sleep 100 >/dev/null 2>&1 & echo $! > background', {
      cwd: folder,
      background: 'leave',
    });
    const pid = pidIn(join(folder, 'background'));
    onTestFinished(() => void process.kill(pid, 'SIGKILL'));
    expect(result).toMatchObject({ status: 'exited', backgroundEnded: false, leftovers: true });
    expect(runs(pid)).toBe(true);
  });
});

describe('output', () => {
  test('characters cut by chunks are whole, and shown as they come', async () => {
    const shown: string[] = [];
    const command = `printf 'gr\\303'; sleep 0.2; printf '\\274n \\360\\237'; sleep 0.2; printf '\\230\\200'`;
    const result = await run(command, { onOutput: (_, text) => shown.push(text) });
    expect(result.stdout).toMatchObject({ head: 'grün 😀', bytes: 10, lines: 1, valid: true });
    expect(shown.join('')).toBe('grün 😀');
    expect(shown.every((text) => !/[\ufffd\ud800-\udbff]$/.test(text))).toBe(true);
  });

  test.each([
    ['a wrong byte', String.raw`printf 'a\351b'`, 'a\ufffdb'],
    ['a character that never ends', String.raw`printf 'a\360\237'`, 'a\ufffd'],
    ['a surrogate', String.raw`printf '\355\240\200'`, '\ufffd\ufffd\ufffd'],
    ['a lone continuation', String.raw`printf '\200'`, '\ufffd'],
  ])('%s is marked', async (_, command, expected) => {
    expect((await run(command)).stdout).toMatchObject({ head: expected, valid: false });
  });

  test('a U+FFFD that was printed is valid; so are NUL and a byte order mark', async () => {
    const result = await run(String.raw`printf '\357\273\277\000\357\277\275'`);
    expect(result.stdout).toMatchObject({ head: '\ufeff\0\ufffd', valid: true });
  });

  test.each([
    ['exactly the limit', 10, { head: '0123456789', tail: '', truncated: false }],
    ['one byte over', 9, { head: '01234', tail: '6789', truncated: true }],
    ['nothing kept', 0, { head: '', tail: '', truncated: true }],
    ['one byte kept', 1, { head: '0', tail: '', truncated: true }],
  ])('%s', async (_, bytes, expected) => {
    expect((await run('printf 0123456789', { capture: { bytes } })).stdout).toMatchObject({
      ...expected,
      bytes: 10,
    });
  });

  test('head and tail are cut between characters', async () => {
    const result = await run('printf 😀😀😀😀😀', { capture: { bytes: 14 } });
    expect(result.stdout).toMatchObject({ head: '😀', tail: '😀', bytes: 20, truncated: true });
  });

  test('the tail is the last of many small pieces', async () => {
    const result = await run('i=0; while [ $i -lt 500 ]; do echo $i; i=$((i+1)); done', {
      capture: { bytes: 40 },
    });
    expect(result.stdout).toMatchObject({
      head: '0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n',
      tail: '495\n496\n497\n498\n499\n',
      lines: 500,
    });
  });

  test('a spill file holds the output from its first byte', async () => {
    const folder = makeFolder();
    const spill = { stdout: join(folder, 'out'), stderr: join(folder, 'err') };
    const result = await run('for n in 1 2 3 4; do echo $n; sleep 0.02; done', {
      capture: { bytes: 4, spill },
    });
    expect(result.stdout).toMatchObject({ head: '1\n', tail: '4\n', spilled: spill.stdout });
    expect(readFileSync(spill.stdout, 'utf8')).toBe('1\n2\n3\n4\n');
  });

  test.each([
    [7, '€€\n[… 12 bytes left out …]\n€', 12],
    [6, '€€\n[… 12 bytes left out …]\n€', 12],
    [18, '€€€€€€€', undefined],
    [20, '€€€€€€€', undefined],
    [0, '\n[… 18 bytes left out …]\n€', 18],
  ])('a spill file that may have %i bytes has the beginning and the end', async (most, text, omitted) => {
    const folder = makeFolder();
    const spill = { stdout: join(folder, 'out'), stderr: join(folder, 'err'), most };
    const result = await run('for n in 1 2 3 4 5 6 7; do printf €; sleep 0.02; done', {
      capture: { bytes: 8, spill },
    });
    expect(readFileSync(spill.stdout, 'utf8')).toBe(text);
    expect(result.stdout).toMatchObject({ bytes: 21, spilled: spill.stdout });
    expect(result.stdout.omitted).toBe(omitted);
  });

  test.each([
    ['is there already', (path: string) => writeFileSync(path, 'mine'), 'EEXIST'],
    ['is a link', (path: string) => symlinkSync('elsewhere', path), 'EEXIST'],
    ['has no folder', () => {}, 'ENOENT'],
  ])('a spill file that %s is not written, and the command goes on', async (_, prepare, code) => {
    const folder = makeFolder();
    if (code === 'EEXIST') mkdirSync(join(folder, 'sub'));
    const path = join(folder, 'sub', 'out');
    prepare(path);
    const result = await run('printf 0123456789', {
      capture: { bytes: 4, spill: { stdout: path, stderr: join(folder, 'err') } },
    });
    expect(result).toMatchObject({ status: 'exited', stdout: { head: '01', tail: '89' } });
    expect(result.stdout.spilled).toBeUndefined();
    expect(result.stdout.spillFailed).toContain(code);
    expect(existsSync(join(folder, 'sub', 'elsewhere'))).toBe(false);
  });
});

describe('the mask', () => {
  /** Masks `secret`, holding back what could be its beginning. */
  const maskSecret = () => {
    let held = '';
    return {
      push(text: string) {
        const all = (held + text).replaceAll('secret', '[masked]');
        let keep = 5;
        while (keep > 0 && !all.endsWith('secret'.slice(0, keep))) keep--;
        held = all.slice(all.length - keep);
        return all.slice(0, all.length - keep);
      },
      end: () => held,
    };
  };

  test('works across chunks, on what is kept, shown and spilled', async () => {
    const folder = makeFolder();
    const spill = { stdout: join(folder, 'out'), stderr: join(folder, 'err') };
    let shown = '';
    const result = await run('printf "a sec"; sleep 0.1; printf "ret b"; sleep 0.1; printf " s"', {
      mask: maskSecret,
      capture: { bytes: 12, spill },
      onOutput: (_, text) => {
        shown += text;
      },
    });
    expect(result.stdout).toMatchObject({ head: 'a [mas', tail: ' b s'.padStart(6, 'd]'), bytes: 14 });
    expect(shown).toBe('a [masked] b s');
    expect(readFileSync(spill.stdout, 'utf8')).toBe('a [masked] b s');
  });

  test('each stream has its own', async () => {
    const result = await run('printf sec; printf ret >&2', { mask: maskSecret });
    expect([result.stdout.head, result.stderr.head]).toEqual(['sec', 'ret']);
  });

  test('one that cuts a character in two does no harm', async () => {
    const cutter = () => {
      let held = '';
      return {
        push(text: string) {
          const all = held + text;
          held = all.slice(1);
          return all.slice(0, 1);
        },
        end: () => held,
      };
    };
    expect((await run('printf 😀😀', { mask: cutter })).stdout).toMatchObject({ head: '😀😀', bytes: 8 });
  });

  test.each<[string, Partial<ProcessOptions>]>([
    ['mask', { mask: () => ({ push: () => boom(), end: () => '' }) }],
    ['last word of a mask', { mask: () => ({ push: () => '', end: () => boom() }) }],
    ['making of a mask', { mask: () => boom() }],
    ['listener', { onOutput: () => boom() }],
  ])('a %s that throws ends the command, and shows nothing', async (_, options) => {
    const result = await run('echo secret; sleep 0.3', options);
    expect(result).toMatchObject({ status: 'aborted', reason: expect.stringContaining('boom') });
    expect(result.stdout.head).toBe('');
  });

  test('a note of the start that cannot be made ends the command', async () => {
    expect(await run('sleep 100', { onStart: () => boom() })).toMatchObject({
      status: 'aborted',
      reason: 'Its start could not be recorded (Error: boom).',
    });
  });

  function boom(): never {
    throw new Error('boom');
  }
});

describe('marks', () => {
  test('tell a live process, and end all of it', async () => {
    let mark: ProcessMark | undefined;
    let wasAlive = false;
    const result = await run('sleep 100 & sleep 100', {
      onStart(started) {
        mark = started;
        wasAlive = isAlive(started);
        expect(isAlive({ ...started, born: 'another time' })).toBe(false);
        setTimeout(() => void endProcesses([started], 0), 100);
      },
    });
    expect(wasAlive).toBe(true);
    expect(result).toMatchObject({ status: 'signalled', signal: 'SIGKILL', leftovers: false });
    expect(isAlive(mark!)).toBe(false);
    expect(await endProcesses([mark!], 0)).toEqual({ ended: [], survived: [] });
  });

  test('are given even for what ends at once', async () => {
    const marks: ProcessMark[] = [];
    await run('true', { onStart: (mark) => marks.push(mark) });
    const token = expect.stringMatching(/^[0-9a-z]{26}$/);
    expect(marks).toEqual([{ pid: expect.any(Number), born: expect.stringMatching(/\d/), token }]);
  });

  test.runIf(process.platform === 'linux')('know the group of a leader that has gone', async () => {
    const folder = makeFolder();
    let mark: ProcessMark | undefined;
    await run('sleep 100 >/dev/null 2>&1 & echo $! > background', {
      cwd: folder,
      background: 'leave',
      onStart: (started) => {
        mark = started;
      },
    });
    const pid = pidIn(join(folder, 'background'));
    expect([isAlive(mark!), runs(pid)]).toEqual([false, true]);
    // Before a restart the same number was another's.
    const [boot] = mark!.born.split('/');
    for (const born of [mark!.born.replace(boot!, 'another-boot'), 'unknown'])
      expect([await endProcesses([{ ...mark!, born }], 0), runs(pid)]).toEqual([NOTHING, true]);
    expect(await endProcesses([mark!], 0)).toEqual({ ended: [{ pid, name: 'sleep' }], survived: [] });
    await eventually(() => !runs(pid));
  });

  test('of another birth end nothing', async () => {
    const other = spawn('sleep', ['100'], { detached: true });
    onTestFinished(() => void other.kill('SIGKILL'));
    expect(await endProcesses([{ pid: other.pid!, born: 'another time' }], 0)).toEqual(NOTHING);
    expect(runs(other.pid!)).toBe(true);
  });
});

describe('when this process ends, so does the group', () => {
  /** Another node process that runs `sleep 100` by runProcess and has written its pid to the file `child`. */
  async function startRunner(body: string): Promise<{ runner: ChildProcess; child: number }> {
    const folder = makeFolder({
      'runner.ts': `
        import { runProcess } from ${JSON.stringify(fileURLToPath(new URL('../../src/node/process/run.ts', import.meta.url)))};
        void runProcess({ command: { shell: 'echo $$ > child; mv child ready; sleep 100 & wait' }, cwd: import.meta.dirname,
          env: process.env, capture: { bytes: 10 } });
        // The command may be ready before this process has gone on from starting it.
        setTimeout(() => process.getBuiltinModule('node:fs').writeFileSync(import.meta.dirname + '/guarded', ''), 20);
        ${body}`,
    });
    const { build } = await import('esbuild');
    const outfile = join(folder, 'runner.mjs');
    await build({
      entryPoints: [join(folder, 'runner.ts')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
    });
    const runner = spawn(process.execPath, [outfile], { stdio: 'ignore' });
    await eventually(() => ['ready', 'guarded'].every((name) => existsSync(join(folder, name))));
    return { runner, child: pidIn(join(folder, 'ready')) };
  }

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('by %s', async (signal) => {
    const { runner, child } = await startRunner('');
    const ended = once(runner, 'exit');
    runner.kill(signal);
    expect(await ended).toEqual([null, signal]);
    await eventually(() => !runs(child));
  });

  test('by an exit', async () => {
    const { runner, child } = await startRunner(`process.on('SIGUSR2', () => process.exit(7));`);
    const ended = once(runner, 'exit');
    runner.kill('SIGUSR2');
    expect(await ended).toEqual([7, null]);
    await eventually(() => !runs(child));
  });

  test('a face that listens to the signal decides', async () => {
    const { runner, child } = await startRunner(
      `process.on('SIGTERM', () => setTimeout(() => process.exit(8), 100));`,
    );
    const ended = once(runner, 'exit');
    runner.kill('SIGTERM');
    expect(await ended).toEqual([8, null]);
    await eventually(() => !runs(child));
  });
});
