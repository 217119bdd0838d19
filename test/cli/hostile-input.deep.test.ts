import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../folder.js';
import { NOBODY, noOtherUser, PLAN, teddy } from './teddy.js';

/** Root may read and write anything, so as root the command runs as somebody else. */
const asSomebody = process.getuid?.() === 0 ? { uid: NOBODY } : {};
const unreachable = process.getuid?.() === 0 ? noOtherUser : '';

const ELEVEN_MB = Buffer.alloc(11 * 1024 * 1024, 'a');

test('a file over 10 MB', () => {
  const cwd = makeFolder({ 'plan.md': ELEVEN_MB });
  expect(teddy(['validate', 'plan.md'], { cwd })).toEqual({
    exit: 2,
    stdout: '',
    stderr: 'teddy: plan.md is larger than 10 MB.\n',
  });
});

test('standard input over 10 MB', () => {
  expect(teddy(['preprocess', '-'], { cwd: makeFolder(), input: ELEVEN_MB })).toEqual({
    exit: 2,
    stdout: '',
    stderr: 'teddy: standard input is larger than 10 MB.\n',
  });
});

test('a device', () => {
  expect(teddy(['validate', '/dev/zero'], { cwd: makeFolder() })).toMatchObject({
    exit: 2,
    stderr: 'teddy: /dev/zero is not a regular file.\n',
  });
});

test.skipIf(unreachable)(`a file that may not be read${unreachable}`, () => {
  const cwd = makeFolder({ 'plan.md': PLAN });
  chmodSync(cwd, 0o755);
  chmodSync(join(cwd, 'plan.md'), 0o000);
  expect(teddy(['validate', 'plan.md'], { cwd, ...asSomebody })).toEqual({
    exit: 2,
    stdout: '',
    stderr: 'teddy: plan.md cannot be read (permission denied).\n',
  });
});

test.skipIf(unreachable)(`a file that may not be written stays as it is${unreachable}`, () => {
  const wrapped = `Here it is:\n\n\`\`\`\`\`\n${PLAN}\`\`\`\`\`\n`;
  const cwd = makeFolder({ 'plan.md': wrapped });
  chmodSync(cwd, 0o755);
  chmodSync(join(cwd, 'plan.md'), 0o444);
  expect(teddy(['preprocess', 'plan.md'], { cwd, ...asSomebody })).toEqual({
    exit: 2,
    stdout: '',
    stderr: 'teddy: plan.md cannot be written (permission denied).\n',
  });
  expect(readdirSync(cwd)).toEqual(['plan.md']);
  expect(readFileSync(join(cwd, 'plan.md'), 'utf8')).toBe(wrapped);
});

test('a name that would fool the terminal is shown for what it is', () => {
  expect(teddy(['validate', 'plan\u001b[2J\u202e\n.md'], { cwd: makeFolder() })).toMatchObject({
    exit: 2,
    stderr: 'teddy: plan<U+001B>[2J<U+202E><U+000A>.md does not exist.\n',
  });
});

test('JSON holds hidden characters as escapes', () => {
  const cwd = makeFolder({ 'plan.md': `${PLAN}\u001b[2J\u202e\u{e0041}\n` });
  const { stdout } = teddy(['validate', 'plan.md', '--json'], { cwd });
  expect(stdout).toContain('\\u001b[2J\\u202e\\udb40\\udc41');
  expect(JSON.parse(stdout).plan.actions[0].message).toContain('\u001b[2J\u202e\u{e0041}');
});

test('a bug in teddy is a sentence, and a stack only for who asks', () => {
  const cwd = makeFolder({
    'plan.md': PLAN,
    'break.cjs': 'JSON.stringify = () => { throw new Error("out of cheese"); };',
  });
  const run = (env: NodeJS.ProcessEnv) =>
    teddy(['validate', 'plan.md', '--json'], { cwd, env, node: ['--require', './break.cjs'] });
  expect(run({})).toEqual({
    exit: 2,
    stdout: '',
    stderr: 'teddy: unexpected error, which is a bug in teddy: out of cheese\n',
  });
  expect(run({ TEDDY_DEBUG: '1' }).stderr).toMatch(/\n {4}at /);
});
