import { realpathSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkConfinement } from '../../src/confine/check.js';
import { confine } from '../../src/confine/confine.js';
import { noPython, TestTerminal } from '../cli/pty/terminal.js';
import { makeFolder } from '../folder.js';

const checked = await checkConfinement({ root: process.cwd(), environment: process.env });
const because = checked.available ? noPython : ` (skipped: ${checked.cause})`;

/** Types a command into the terminal at its standard input, first as a program does, then as a console does. */
const TYPE = `
import fcntl, sys, termios
for request, words in ((termios.TIOCSTI, b"typed\\n"), (0x541C, b"\\3\\0")):
    for one in ([bytes([each]) for each in words] if request == termios.TIOCSTI else [words]):
        try:
            fcntl.ioctl(0, request, one)
        except OSError as error:
            print("refused", error.errno)
            break
`;

async function lineAfter(words: readonly string[]): Promise<string> {
  const cwd = realpathSync(makeFolder());
  const shell = '"$@"; printf "%s\\n" ready; read -r line; echo "read:$line."';
  const terminal = new TestTerminal(['/bin/sh', '-c', shell, 'sh', ...words], { cwd });
  await terminal.shows('ready');
  terminal.send('end\r');
  await terminal.ended;
  return terminal.history();
}

describe.skipIf(because !== '')(`the outer terminal${because}`, () => {
  test.for([
    ['in a session of its own', false],
    ["in the terminal's session", true],
  ] as const)('cannot be typed into by a confined program %s', async ([, terminal]) => {
    if (!checked.available) throw new Error(checked.cause);
    const root = realpathSync(makeFolder());
    const env = { PATH: '/usr/bin:/bin', HOME: realpathSync(makeFolder()) };
    const command = { program: '/usr/bin/python3', args: ['-c', TYPE], cwd: root, env };
    const confinement = {
      root,
      copy: realpathSync(makeFolder()),
      network: false,
      home: 'private',
      terminal,
    } as const;
    const { program, args } = confine(command, confinement, checked.tools);
    const text = await lineAfter([program, ...args]);
    expect(text).toMatch(/refused 1\n[\s\S]*refused (?:1|25)\n/);
    expect(text).not.toContain('read:typed');
    // In the terminal's session the program has its foreground, so the shell reads nothing after it.
    if (!terminal) expect(text).toContain('read:end.');
  });

  test('can be typed into without confinement, where the kernel allows it', async ({ skip }) => {
    const text = await lineAfter(['/usr/bin/python3', '-c', TYPE]);
    if (text.includes('refused 5')) skip('this kernel refuses TIOCSTI to all');
    expect(text).toContain('read:typed.');
  });
});
