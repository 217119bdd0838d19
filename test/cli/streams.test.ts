import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { makeFolder } from '../folder.js';
import { PLAN, startTeddy, TEDDY, teddy } from './teddy.js';

test('a reader that goes away is no error', async () => {
  const cwd = makeFolder({ 'plan.md': PLAN + 'and so on\n'.repeat(200_000) });
  const child = startTeddy(['validate', 'plan.md', '--json'], cwd);
  const stderr = text(child.stderr!);
  child.stdout!.once('data', () => child.stdout!.destroy());
  const [exit] = await once(child, 'close');
  expect({ exit, stderr: await stderr }).toEqual({ exit: 0, stderr: '' });
});

test('a result larger than a pipe arrives whole', () => {
  const cwd = makeFolder({ 'plan.md': PLAN + 'and so on\n'.repeat(200_000) });
  const { stdout } = teddy(['validate', 'plan.md', '--json'], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({ ok: true });
});

test('an interrupt while waiting for standard input is exit code 130', async () => {
  const child = startTeddy(['validate', '-'], makeFolder());
  // More than a pipe holds: once all of it is taken, teddy is reading.
  child.stdin!.write('a'.repeat(1_000_000), () => child.kill('SIGINT'));
  const [exit] = await once(child, 'exit');
  expect(exit).toBe(130);
});

test("a shell's <(command) can stand for the file", () => {
  const cwd = makeFolder({ 'plan.md': PLAN });
  const { status, stdout } = spawnSync(
    'bash',
    ['-c', '"$0" "$1" validate <(cat plan.md)', process.execPath, TEDDY],
    { cwd, encoding: 'utf8' },
  );
  expect(status).toBe(0);
  expect(stdout).toMatch(/: 1 action, ready\n$/);
});

test('colours are for terminals: a pipe gets none', () => {
  const cwd = makeFolder({ 'plan.md': '# Not a plan\n' });
  expect(teddy(['validate', 'plan.md'], { cwd, env: { FORCE_COLOR: '1' } }).stdout).not.toContain('\u001b');
});
