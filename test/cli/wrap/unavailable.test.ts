// Machines on which programs cannot be confined: the message names the cause and what helps, and nothing is started.

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkConfinement } from '../../../src/confine/check.js';
import { makeFolder, PROGRAM_ENV } from '../../folder.js';
import { noPython } from '../pty/terminal.js';
import { TEDDY } from '../teddy.js';

const checked = await checkConfinement({ root: process.cwd(), environment: process.env });
const because = checked.available ? '' : ` (skipped: ${checked.cause})`;
const noNamespace =
  spawnSync('unshare', ['-Ur', 'true']).status === 0 ? '' : ' (skipped: no namespace can be made)';

/** Refuses user namespaces to what it starts, as the filter of a container does. */
const AS_IN_A_CONTAINER = `
import ctypes, os, struct, sys
unshare, clone = {'x86_64': (272, 56), 'aarch64': (97, 220)}[os.uname().machine]
refuse = (6, 0, 0, 0x50001)
steps = [(0x20, 0, 0, 0), (0x15, 0, 1, unshare), refuse, (0x15, 0, 3, clone), (0x20, 0, 0, 16), (0x45, 0, 1, 0x10000000), refuse, (6, 0, 0, 0x7fff0000)]
class Filter(ctypes.Structure): _fields_ = [('length', ctypes.c_ushort), ('steps', ctypes.c_char_p)]
chosen = Filter(len(steps), b''.join(struct.pack('HBBI', *step) for step in steps))
libc = ctypes.CDLL(None)
libc.prctl(38, 1, 0, 0, 0)
libc.prctl(22, 2, ctypes.byref(chosen))
os.execvp(sys.argv[1], sys.argv[1:])
`;

function wrap(before: readonly string[], path = process.env.PATH) {
  const root = realpathSync(makeFolder({ 'a.txt': 'one\n' }));
  const [program, ...words] = [
    ...before,
    process.execPath,
    TEDDY,
    'wrap',
    '--',
    'touch',
    join(root, 'started'),
  ];
  const env = { ...PROGRAM_ENV, HOME: realpathSync(makeFolder()), PATH: path };
  const { status, stderr } = spawnSync(program!, words, { cwd: root, env, encoding: 'utf8' });
  expect(existsSync(join(root, 'started'))).toBe(false);
  expect(existsSync(join(root, '.teddy/changes'))).toBe(false);
  return { status, message: stderr.split('\n', 1)[0] };
}

const REST = 'To run it without confinement, pass --unconfined.';

describe(`programs cannot be confined${because}`, () => {
  test.skipIf(because + noNamespace !== '')(`no user namespaces are left${noNamespace}`, () => {
    const limit = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"';
    const { status, message } = wrap(['unshare', '-Ur', 'sh', '-c', limit, 'sh']);
    expect(status).toBe(2);
    expect(message).toMatch(
      /^teddy: The agent cannot be confined: \S+bwrap does not work here \(bwrap: .*\)\. /,
    );
    expect(message).toContain(`Allow user namespaces: sudo sysctl user.max_user_namespaces=10000. ${REST}`);
  });

  test.skipIf(because + noPython !== '')(`a container refuses user namespaces${noPython}`, () => {
    const { status, message } = wrap(['python3', '-c', AS_IN_A_CONTAINER]);
    expect(status).toBe(2);
    expect(message).toMatch(
      /^teddy: The agent cannot be confined: \S+bwrap does not work here \(bwrap: [^<]*\)\. /,
    );
    expect(message).toContain(
      `Allow user namespaces: in a container, start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined. ${REST}`,
    );
  });

  test.each([
    ['bwrap: Unknown option --disable-userns', 'Install bubblewrap 0.8 or newer.'],
    ['bwrap: out of luck', 'This must succeed: bwrap --unshare-all --ro-bind / / true.'],
  ])('bubblewrap says: %s', (said, remedy) => {
    const bin = makeFolder({ bwrap: `#!/bin/sh\necho "${said}" >&2\nexit 1\n` });
    chmodSync(join(bin, 'bwrap'), 0o755);
    const { status, message } = wrap([], `${bin}:${process.env.PATH}`);
    expect(status).toBe(2);
    expect(message).toBe(
      `teddy: The agent cannot be confined: ${realpathSync(bin)}/bwrap does not work here (${said}). ${remedy} ${REST}`,
    );
  });
});
