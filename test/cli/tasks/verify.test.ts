import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { execTeddy } from '../execute/program.js';
import { claimOf, keptIn, makeProject, PLAN_PATH } from './project.js';

const SUBMIT = ['result', 'submit', '-', '--plan', '01-01', '--verify'];

describe('teddy result submit --verify', () => {
  test('believes a claim that holds, and says what was run before it runs', async () => {
    const cwd = makeProject('test -f made.txt', { 'made.txt': 'x' });
    const { exit, stdout, stderr } = await execTeddy(SUBMIT, { cwd, input: claimOf() });
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: 'Verifying 01-01:1.\nRunning: test -f made.txt\n',
    });
    expect(stdout).toMatch(/^Verified {2}`test -f made\.txt` exits with 0 \(\d+ ms\)$/m);
    expect(readFileSync(join(cwd, PLAN_PATH), 'utf8')).toContain('status="completed"');
  });

  test('records a failure where the claim does not hold, and answers no', async () => {
    const cwd = makeProject();
    const { exit, stdout } = await execTeddy(SUBMIT, { cwd, input: claimOf() });
    expect(exit).toBe(1);
    expect(stdout).toContain(
      'The result claimed success, but `test -f made.txt` exits with 1: recorded as failure.',
    );
    expect(readFileSync(join(cwd, PLAN_PATH), 'utf8')).toContain('status="failed"');
    expect(keptIn(cwd)).toEqual([]);
  });

  test('gives both in JSON', async () => {
    const cwd = makeProject();
    const { exit, stdout } = await execTeddy([...SUBMIT, '--json'], { cwd, input: claimOf() });
    expect(exit).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'VALID',
      applied: true,
      duplicate: false,
      claimedStatus: 'success',
      effectiveStatus: 'failure',
      verification: { command: 'test -f made.txt', exitCode: 1 },
    });
  });

  test('shows the command as it is, and its output, with nothing that a terminal would act on', async () => {
    const command = "printf 'a\\033[2Jb\\n'; true";
    const cwd = makeProject(command);
    const { exit, stderr } = await execTeddy(SUBMIT, { cwd, input: claimOf({ command }) });
    expect(exit).toBe(0);
    expect(stderr).toBe(`Verifying 01-01:1.\nRunning: ${command}\na<U+001B>[2Jb\n`);
  });

  test('runs nothing that policy denies, and keeps the result', async () => {
    const cwd = makeProject('touch ran.txt', {
      '.teddy/policy.yaml': 'rules:\n  - {deny: EXECUTE, command: "touch *"}\n',
    });
    const words = [...SUBMIT, '--trust'];
    const { exit, stdout, stderr } = await execTeddy(words, { cwd, input: claimOf() });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toMatch(/denied by policy/);
    expect(stderr).toContain(`teddy result submit .teddy/incoming/${keptIn(cwd)[0]} --plan 01-01\n`);
    expect(existsSync(join(cwd, 'ran.txt'))).toBe(false);
  });

  test('says so where there is nothing to run', async () => {
    const cwd = makeProject();
    const input = claimOf().replace('Task 1: Make it', 'Task 2: Look at it');
    const { exit, stdout, stderr } = await execTeddy(SUBMIT, { cwd, input });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).toContain('Verified  no: the task names no command that can be run\n');
  });
});
