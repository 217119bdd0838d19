// The review that follows `teddy wrap` at a terminal: every key, what lands, the feedback, and how the agent gets it.

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkConfinement } from '../../../src/confine/check.js';
import { makeFolder } from '../../folder.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { writeTools } from '../review/review.js';
import { TEDDY, teddy } from '../teddy.js';

const checked = await checkConfinement({ root: process.cwd(), environment: process.env });
const because = noPython || (checked.available ? '' : ` (skipped: ${checked.cause})`);

const NUMBERS = Array.from({ length: 40 }, (_, at) => `${at + 1}\n`).join('');
const FILES = {
  'a.txt': 'one\ntwo\n',
  'b.txt': 'b\n',
  'long.txt': NUMBERS,
  'old.txt': NUMBERS.replace('40\n', ''),
  'test/x.test.js': "test('x', () => {\n  expect(1).toBe(1);\n  expect(2).toBe(2);\n});\n",
};
/** Edits, deletes, renames, adds a text and a binary file, changes a mode, weakens a test. */
const AGENT = `
sed -i s/one/ONE/ a.txt && chmod +x a.txt
rm b.txt
git mv old.txt new.txt
sed -i 's/^3$/three/; s/^20$/twenty/; s/^38$/thirty-eight/' long.txt
printf '\\000\\001' > logo.png
echo hello > notes.md
sed -i '/toBe(2)/d' test/x.test.js
`;

function makeProject(files: Record<string, string> = { ...FILES, 'agent.sh': AGENT }) {
  const root = realpathSync(makeFolder(files));
  execFileSync('git', ['init', '-q'], { cwd: root });
  execFileSync('git', ['add', '-A'], { cwd: root });
  const home = realpathSync(makeFolder());
  return { root, env: { HOME: home, XDG_STATE_HOME: join(home, 'state') } };
}

function readProject(root: string): Record<string, string> {
  const paths = execFileSync('git', ['ls-files', '-coz', '--exclude-standard', '--exclude=.teddy'], {
    cwd: root,
    encoding: 'utf8',
  });
  return Object.fromEntries(
    paths
      .split('\0')
      .filter((path) => path !== '' && existsSync(join(root, path)))
      .map((path) => [
        path,
        `${statSync(join(root, path)).mode & 0o100 ? '!' : ''}${readFileSync(join(root, path), 'latin1')}`,
      ]),
  );
}

function works(root: string): string[] {
  return readdirSync(join(root, '.teddy/changes')).filter((name) => /^\d{8}-/.test(name));
}

/** A question at its keys. */
const asked = (number: number) => new RegExp(`${number} of 7 [\\s\\S]*q quit`);

describe.skipIf(because !== '')(`the review after wrap${because}`, () => {
  test('every key: comment, skip with a reason, back, choose changes, edit, the rest', async () => {
    const { root, env } = makeProject();
    const before = readProject(root);
    const PATH = writeTools({ ed: 'echo "hello, edited" > "$1"' });
    const terminal = new TestTerminal(['node', TEDDY, 'wrap', '--', 'sh', 'agent.sh'], {
      cwd: root,
      env: { ...env, PATH, EDITOR: 'ed' },
    });
    await terminal.shows(/Enter start review[\s\S]*q quit/);
    // Risks first, the gravest before the others.
    const listed = [...terminal.text().matchAll(/^ +(\d) [A-Z]+ /gm)].map(([, number]) => number);
    expect(listed.slice(0, 3)).toEqual(['2', '7', '1']);
    terminal.send('\r');
    await terminal.shows(asked(1));
    terminal.send('c');
    await terminal.shows('Comment for the agent');
    terminal.send('2: why not three?');
    await terminal.shows('why not three?');
    terminal.send('\r');
    await terminal.shows('1 comment on this file');
    terminal.send('?');
    await terminal.shows(/Keep the file as shown[\s\S]*Comment for the agent, on the file/);
    terminal.send('q');
    await terminal.shows(asked(1));
    terminal.send('y');
    await terminal.shows(/✔ 1\/7 \w+ \S+ kept/);
    await terminal.shows(asked(2));
    terminal.send('n');
    await terminal.shows('Why drop it?');
    terminal.send('still needed');
    await terminal.shows('still needed');
    terminal.send('\r');
    await terminal.shows(/– 2\/7 DELETE \S+ dropped: still needed/);
    await terminal.shows(asked(3));
    terminal.send('b');
    await terminal.shows(/2 of 7 {2}DELETE[\s\S]*3 of 7[\s\S]*2 of 7 {2}DELETE[\s\S]*q quit/);
    terminal.send('y');
    await terminal.shows(/3 of 7[\s\S]*2 of 7[\s\S]*3 of 7 [\s\S]*q quit/);
    terminal.send('y');
    await terminal.shows(asked(4));
    terminal.send('h');
    await terminal.shows(/Change 1 of 3[\s\S]*n drop/);
    terminal.send('y');
    await terminal.shows(/Change 2 of 3[\s\S]*n drop/);
    terminal.send('b');
    await terminal.shows(/Change 2 of 3[\s\S]*Change 1 of 3[\s\S]*n drop/);
    terminal.send('y');
    await terminal.shows(/Change 1 of 3[\s\S]*Change 2 of 3[\s\S]*n drop/);
    terminal.send('n');
    await terminal.shows('Why drop it?');
    terminal.send('twenty is fine\r');
    await terminal.shows(/Change 3 of 3[\s\S]*n drop/);
    terminal.send('y');
    await terminal.shows(/Kept: 2 of 3 changes[\s\S]*y keep this/);
    terminal.send('y');
    await terminal.shows(asked(5));
    terminal.send('y');
    await terminal.shows(asked(6));
    terminal.send('e');
    await terminal.shows(/6 of 7 {2}CREATE {2}\(as you edited it\)[\s\S]*hello, edited[\s\S]*q quit/);
    terminal.send('y');
    await terminal.shows(asked(7));
    terminal.send('a');
    await terminal.shows(/Keep the rest: 1[\s\S]*y keep it/);
    terminal.send('y');
    await terminal.shows('Landed: 7 files.');
    expect((await terminal.ended).exit).toBe(0);
    expect(terminal.text()).toContain('kept 2 of 3 changes');
    expect(terminal.text()).toMatch(/Copied the feedback to the clipboard/);
    const { 'old.txt': old, 'b.txt': _, ...rest } = before;
    expect(readProject(root)).toEqual({
      ...rest,
      'a.txt': '!ONE\ntwo\n',
      'long.txt': NUMBERS.replace('3\n', 'three\n').replace('38\n', 'thirty-eight\n'),
      'new.txt': old,
      'logo.png': '\0\u0001',
      'notes.md': 'hello, edited\n',
      'test/x.test.js': FILES['test/x.test.js'].replace('  expect(2).toBe(2);\n', ''),
    });
    const [id] = works(root);
    const report = teddy(['report'], { cwd: root, env }).stdout;
    expect(report).toContain('- **Comment on line 2:** why not three?');
    expect(report).toContain('twenty is fine');
    const undone = teddy(['undo'], { cwd: root, env });
    expect(undone.exit, undone.stderr).toBe(0);
    expect(readProject(root)).toEqual(before);
    expect(teddy(['changes', '--json'], { cwd: root, env }).stdout).toContain('"reviewed": true');
    // The agent gets it: a command of one's own in a variable.
    const again = teddy(['wrap', '--again', id!.slice(-4), '--', 'printenv', 'TEDDY_FEEDBACK'], {
      cwd: root,
      env,
    });
    expect(again.stdout).toContain('Comment on line 2: why not three?');
    expect(again.stdout).toContain('Dropped: twenty is fine');
    expect(again.stdout).toContain('+twenty');
  });

  test('the feedback is the prompt of an agent that takes one, and stays until the next review', async () => {
    const { root, env } = makeProject({ 'a.txt': 'one\n' });
    const bin = join(env.HOME, '.local/bin');
    execFileSync('mkdir', ['-p', bin]);
    execFileSync('sh', ['-c', `printf '#!/bin/sh\necho "<$3>"; echo more >> a.txt\n' > ${bin}/claude`]);
    chmodSync(join(bin, 'claude'), 0o755);
    const options = { cwd: root, env: { ...env, PATH: `${bin}:${process.env.PATH}` } };
    const failed = teddy(
      ['wrap', '--agent', 'claude', '--landing', 'auto', '--verify', 'echo three is missing; exit 3'],
      options,
    );
    expect(failed).toMatchObject({ exit: 1, stdout: '<>\n' });
    for (const round of [1, 2]) {
      const again = teddy(['wrap', '--again'], options);
      expect(again.exit, `${round}`).toBe(0);
      expect(again.stdout).toContain('<The command that verifies your changes failed');
      expect(again.stdout).toContain('three is missing');
      expect(again.stderr).toContain('It starts with the feedback of your review.');
    }
    expect(readProject(root)).toEqual({ 'a.txt': 'one\n' });
    const landed = teddy(
      ['changes', 'review', '--landing', 'auto', '--verify', 'test $(wc -l < a.txt) = 4'],
      options,
    );
    expect(landed.exit, landed.stderr).toBe(0);
    expect(readProject(root)).toEqual({ 'a.txt': 'one\nmore\nmore\nmore\n' });
    expect(works(root)).toEqual([]);
  });

  test('a review that is quit keeps the work and the exit code of the agent', async () => {
    const { root, env } = makeProject();
    const before = readProject(root);
    const command = ['wrap', '--', 'sh', '-c', '. ./agent.sh; exit 7'];
    const terminal = new TestTerminal(['node', TEDDY, ...command], { cwd: root, env });
    await terminal.shows(/Enter start review[\s\S]*q quit/);
    terminal.send('q');
    await terminal.shows('Why quit?');
    terminal.send('\r');
    expect((await terminal.ended).exit).toBe(7);
    expect(terminal.text()).toContain('Nothing landed: the review is not finished.');
    expect(readProject(root)).toEqual(before);
    expect(works(root)).toHaveLength(1);
    expect(teddy(['changes', 'prune'], { cwd: root, env }).stdout).toContain('1 not reviewed yet');
  });

  test('landing of the config', async () => {
    const { root, env } = makeProject({ 'a.txt': 'one\n' });
    execFileSync('mkdir', ['-p', join(env.HOME, '.config/teddy')]);
    execFileSync('sh', ['-c', `umask 077; echo 'landing: auto' > ${env.HOME}/.config/teddy/config.yaml`]);
    const agent = ['--', 'sh', '-c', 'echo two >> a.txt'];
    // Nothing has verified it.
    expect(teddy(['wrap', ...agent], { cwd: root, env }).stderr).toContain(
      'Nothing in the project has changed yet',
    );
    expect(teddy(['wrap', '--verify', 'true', ...agent], { cwd: root, env }).stderr).toContain(
      'Landed: 1 file.',
    );
    expect(readProject(root)).toEqual({ 'a.txt': 'one\ntwo\n' });
    const reviewed = teddy(['wrap', '--landing', 'review', '--verify', 'true', ...agent], { cwd: root, env });
    expect(reviewed.stderr).toContain('Nothing in the project has changed yet');
  });
});
