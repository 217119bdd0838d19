import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunContext } from '../../../src/runs/run-context.js';
import { makeFolder } from '../../folder.js';
import { makeRunContext } from '../run-context.js';
import { execute } from './action.js';

const probe = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', '--proc', '/proc', 'true']);
const works = probe.status === 0;
const because = works ? '' : ' (skipped: bubblewrap does not work here)';

/** Where `/tmp` is not the sandbox's own: a folder in the project's own node_modules. */
function makeOutside(): string {
  const folder = join(process.cwd(), 'node_modules', '.cache', `teddy-sandbox-${process.pid}-${Date.now()}`);
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => void spawnSync('rm', ['-rf', folder]));
  return folder;
}

function makeBox(options: Parameters<typeof makeRunContext>[0] = {}): RunContext {
  return makeRunContext({ ...options, execute: { sandbox: true, network: false, ...options.execute } });
}

describe.skipIf(!works)(`in the sandbox${because}`, () => {
  test('it runs as it would without: outputs, exit code, cwd, environment', async () => {
    const context = makeBox({ files: { 'sub/file': 'content' } });
    const done = await execute('cat file; echo "$A|$HOME"; pwd; echo err >&2; exit 3', context, {
      cwd: 'sub',
      env: { A: 'a b;$c' },
    });
    expect(done).toEqual({
      status: 'failure',
      summary: 'The command failed with exit code 3.',
      exitCode: 3,
      output: { text: `contenta b;$c|${process.env.HOME}\n${context.root}/sub\n` },
      error: { text: 'err\n' },
    });
  });

  test('it writes in the root, and nowhere else', async () => {
    const outside = makeOutside();
    const context = makeBox();
    const done = await execute(
      `echo in > inside
       (echo out > '${outside}/file') 2>&1; (echo out > /etc/teddy-test) 2>&1; (echo out > ~/teddy-test) 2>&1
       (mount -o remount,rw,bind / && echo out > '${outside}/file') 2>&1`,
      context,
    );
    expect(readFileSync(join(context.root, 'inside'), 'utf8')).toBe('in\n');
    // Where this project lies in /tmp itself, the box has no such folder at all.
    const refusals = /Read-only file system|Directory nonexistent|No such file or directory/g;
    expect(done.output!.text.match(refusals)).toHaveLength(3);
    expect(existsSync(join(outside, 'file'))).toBe(false);
    expect(existsSync('/etc/teddy-test')).toBe(false);
  });

  test('not through a link either', async () => {
    const outside = makeOutside();
    const context = makeBox();
    symlinkSync(outside, join(context.root, 'link'));
    expect(await execute('echo out > link/file', context)).toMatchObject({ status: 'failure' });
    expect(existsSync(join(outside, 'file'))).toBe(false);
  });

  test("teddy's own folder can be read, not written or moved", async () => {
    const context = makeBox({ files: { '.teddy/policy.yaml': 'rules: []\n' } });
    const done = await execute(
      'cat .teddy/policy.yaml; echo x > .teddy/policy.yaml; mv .teddy other',
      context,
    );
    expect(done).toMatchObject({ status: 'failure', output: { text: 'rules: []\n' } });
    expect(readFileSync(join(context.root, '.teddy/policy.yaml'), 'utf8')).toBe('rules: []\n');
  });

  test('temporary files are private, and caches have a place', async () => {
    const context = makeBox();
    const done = await execute(
      'ls /run; touch /tmp/teddy-private; mkdir -p "$XDG_CACHE_HOME" "$npm_config_cache"; mktemp; hostname',
      context,
    );
    expect(done).toMatchObject({
      status: 'success',
      output: { text: expect.stringMatching(/^\/tmp\/\S+\nsandbox\n$/) },
    });
    expect(existsSync('/tmp/teddy-private')).toBe(false);
  });

  test('no other process is seen', async () => {
    const done = await execute(`ls -d /proc/[0-9]* | wc -l; kill -0 ${process.pid} 2>&1`, makeBox());
    expect(Number.parseInt(done.output!.text, 10)).toBeLessThan(8);
    expect(done.output!.text).toMatch(/No such process/i);
  });

  test.each([
    ['is closed', false, 'closed'],
    ['is open where that is allowed', true, 'open'],
  ])('the network %s', async (_, network, expected) => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const script = `require('net').connect(${port}, '127.0.0.1').on('connect', () => { console.log('open'); process.exit() }).on('error', () => console.log('closed'))`;
    const context = makeBox({ files: { 'connect.cjs': script }, execute: { network } });
    const done = await execute(`'${process.execPath}' connect.cjs`, context);
    expect(done.output).toEqual({ text: `${expected}\n` });
    expect(connections).toBe(network ? 1 : 0);
  });

  test.each(['setsid sleep', 'nohup sleep', 'sleep'])('a time-out ends all inside (%s)', async (sleep) => {
    const context = makeBox();
    const seconds = `100.${process.pid}`;
    const done = await execute(`sh -c '${sleep} ${seconds} & echo begun; wait' & wait`, context, {
      timeout: 1,
    });
    expect(done).toMatchObject({
      status: 'failure',
      ended: 'timed out after 1s; its processes were ended',
      output: { text: 'begun\n' },
    });
    expect(commandLines().filter((line) => line.includes(seconds))).toEqual([]);
  });

  test('the plan cannot reach what sets the sandbox up', async () => {
    const outside = makeOutside();
    const context = makeBox();
    // A bwrap of its own on PATH, and a library that is to be loaded before it.
    mkdirSync(join(context.root, 'bin'));
    writeFileSync(join(context.root, 'bin/bwrap'), `#!/bin/sh\ntouch '${outside}/escaped'\n`);
    chmodSync(join(context.root, 'bin/bwrap'), 0o755);
    const env = { PATH: `${context.root}/bin:${process.env.PATH}`, LD_PRELOAD: `${context.root}/evil.so` };
    const done = await execute('echo "$LD_PRELOAD"', context, { env });
    expect(done.output).toEqual({ text: `${env.LD_PRELOAD}\n` });
    // What would make bwrap list its own libraries, of which the shell has none, and do nothing.
    const traced = await execute('true', context, { env: { LD_TRACE_LOADED_OBJECTS: '1' } });
    expect(traced.output?.text ?? '').not.toMatch(/libcap|libselinux/);
    const [onPath, linked] = [
      makeBoxWithPath(`${context.root}/bin`, context),
      makeBoxWithPath('bin', context),
    ];
    for (const each of [onPath, linked]) {
      expect(await execute('true', each)).toMatchObject({ status: 'success' });
    }
    expect(existsSync(join(outside, 'escaped'))).toBe(false);
  });

  test('a command with every odd character is the same inside', async () => {
    const text = `-- '"'"' \\ $HOME \u202e é 😀`;
    const done = await execute(`printf '%s' '${text}'`, makeBox());
    expect(done.output).toEqual({ text: text.replace(`'"'"'`, "'") });
  });
});

function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    });
}

function makeBoxWithPath(first: string, { root }: RunContext): RunContext {
  return makeBox({ root, environment: { PATH: `${first}:${process.env.PATH}`, HOME: process.env.HOME } });
}

describe('without a sandbox nothing is run', () => {
  const refused = async (context: RunContext) => {
    const done = await execute('touch happened', context);
    expect(existsSync(join(context.root, 'happened'))).toBe(false);
    expect(done).toMatchObject({ status: 'failure', error: { text: `${done.summary}\n` } });
    expect(done.exitCode).toBeUndefined();
    return done.summary;
  };

  test('bubblewrap is not there', async () => {
    const context = makeBox({ environment: { PATH: makeFolder() } });
    expect(await refused(context)).toMatch(
      /^The command was not run: execute\.sandbox is on, but bubblewrap \(bwrap\) is not on PATH\. Install it .*, or set execute\.sandbox to false to run commands without one\.$/,
    );
    expect(await refused(makeBox({ environment: {} }))).toContain('is not on PATH');
  });

  test('it does not work', async () => {
    const bin = makeFolder({
      bwrap: '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n',
    });
    chmodSync(join(bin, 'bwrap'), 0o755);
    const summary = await refused(makeBox({ environment: { PATH: bin } }));
    expect(summary).toContain('does not work here (bwrap: No permissions to create new namespace)');
  });

  test('it cannot be started', async () => {
    const bin = makeFolder({ bwrap: 'no program' });
    chmodSync(join(bin, 'bwrap'), 0o755);
    expect(await refused(makeBox({ environment: { PATH: bin } }))).toContain('does not work here (');
  });

  test('the root is the whole disk', async () => {
    const mark = join(makeFolder(), 'mark');
    const done = await execute(`touch '${mark}'`, { ...makeBox(), root: '/' });
    expect(done).toMatchObject({ status: 'failure', summary: expect.stringContaining('if the root is /') });
    expect(existsSync(mark)).toBe(false);
  });
});
