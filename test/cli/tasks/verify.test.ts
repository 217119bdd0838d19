import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openAssignments } from '../../../src/tasks/plans/assignments.js';
import { Workspace } from '../../../src/workspace/workspace.js';
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
    expect(stdout).toMatch(/^Verified {2}`test -f made\.txt` exited with 0 \(\d+ ms\)$/m);
    expect(readFileSync(join(cwd, PLAN_PATH), 'utf8')).toContain('status="completed"');
  });

  test('records a failure where the claim does not hold, and answers no', async () => {
    const cwd = makeProject();
    const { exit, stdout } = await execTeddy(SUBMIT, { cwd, input: claimOf() });
    expect(exit).toBe(1);
    expect(stdout).toContain(
      'The result claimed success, but `test -f made.txt` exited with 1: recorded as failure.',
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
    expect(stderr).toContain(`teddy result submit .teddy/incoming/${keptIn(cwd)[0]} --plan 01-01 --verify\n`);
    expect(existsSync(join(cwd, 'ran.txt'))).toBe(false);
  });

  test('says so where there is nothing to run', async () => {
    const cwd = makeProject();
    const input = claimOf().replace('Task 1: Make it', 'Task 2: Look at it');
    const { exit, stdout, stderr } = await execTeddy(SUBMIT, { cwd, input });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).toContain('Verified  no: the task has no verify command\n');
  });

  test('says of a result that was captured before that it does not hold', async () => {
    const cwd = makeProject();
    const words = SUBMIT.filter((word) => word !== '--verify');
    expect(await execTeddy(words, { cwd, input: claimOf() })).toMatchObject({ exit: 0 });
    const again = await execTeddy(SUBMIT, { cwd, input: claimOf() });
    expect(again.exit).toBe(1);
    expect(again.stdout).toContain(
      'The recorded claim is false: it says success, but `test -f made.txt` exited with 1.\n',
    );
    const json = await execTeddy([...SUBMIT, '--json'], { cwd, input: claimOf() });
    expect(json.exit).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      applied: false,
      duplicate: true,
      claimedStatus: 'success',
      effectiveStatus: 'success',
      verification: { exitCode: 1 },
    });

    writeFileSync(join(cwd, 'made.txt'), 'x');
    const holds = await execTeddy(SUBMIT, { cwd, input: claimOf() });
    expect(holds.exit).toBe(0);
    expect(holds.stdout).toMatch(/^Verified {2}`test -f made\.txt` exited with 0 /m);
  });

  test('tells the limit of a command that took too long', async () => {
    const cwd = makeProject('sleep 60', { '.teddy/config.yaml': 'execute: {timeout: 1s}\n' });
    const { exit, stdout } = await execTeddy([...SUBMIT, '--trust'], { cwd, input: claimOf() });
    expect(exit).toBe(1);
    expect(stdout).toContain(
      'The result claimed success, but `sleep 60` timed out after 1s; its processes were ended: recorded as failure.\n',
    );
  });

  test('says of several commands which is the first, and how many follow', async () => {
    const cwd = makeProject('test -f made.txt</automated>\n<automated>test -f more.txt', { 'made.txt': 'x' });
    const { exit, stdout } = await execTeddy(SUBMIT, { cwd, input: claimOf() });
    expect(exit).toBe(1);
    expect(stdout).toContain(
      'but `test -f made.txt (and 1 more line)` exited with 1: recorded as failure.\n',
    );
  });

  test('does not believe a command that succeeds without a test', async () => {
    const command = 'echo "no tests to run"';
    const cwd = makeProject(command);
    const { exit, stdout } = await execTeddy(SUBMIT, { cwd, input: claimOf({ command }) });
    expect(exit).toBe(1);
    expect(stdout).toMatch(/^note {6}The verification passed, but no test ran: no tests to run\. /m);
    expect(stdout).toContain(
      'The result claimed success, but `echo "no tests to run"` ran no test: recorded as failure.\n',
    );
    expect(readFileSync(join(cwd, PLAN_PATH), 'utf8')).toContain('status="failed"');
    const again = await execTeddy([...SUBMIT, '--json'], { cwd, input: claimOf({ command, attempt: 2 }) });
    expect(JSON.parse(again.stdout)).toMatchObject({
      effectiveStatus: 'failure',
      verification: { exitCode: 0, vacuous: true },
      notes: expect.arrayContaining([expect.objectContaining({ code: 'vacuous', severity: 'warning' })]),
    });
  });

  test('leaves alone what an orchestrator has handed out', async () => {
    const cwd = makeProject();
    const workspace = new Workspace(cwd);
    mkdirSync(join(cwd, '.ultraplan/state'), { recursive: true });
    openAssignments(workspace).add('01-01:1', { executor: 'claude', attempt: 1 });
    const lock = workspace.hold('.ultraplan/state/lock')!;
    onTestFinished(() => lock.release());
    const { exit, stderr } = await execTeddy(SUBMIT, { cwd, input: claimOf() });
    expect(exit).toBe(2);
    expect(stderr).toContain('01-01:1 is being worked on by teddy orchestrate (claude)');
    expect(keptIn(cwd)).toHaveLength(1);
  });
});

describe('teddy task resolve ID done', () => {
  const resolve = (...words: string[]) => ['task', 'resolve', '01-01:1', 'done', '--yes', ...words];

  test('runs nothing unasked: without a terminal it needs --yes', async () => {
    const cwd = makeProject('touch ran.txt');
    const { exit, stdout, stderr } = await execTeddy(['task', 'resolve', '01-01:1', 'done'], { cwd });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toBe(
      'teddy: Approval needed to run the verify command of 01-01:1, but there is no terminal. Read it with teddy task show 01-01:1, then use --yes.\n',
    );
    expect(existsSync(join(cwd, 'ran.txt'))).toBe(false);
    expect(readFileSync(join(cwd, PLAN_PATH), 'utf8')).not.toContain('status=');
    expect(keptIn(cwd)).toEqual([]);
  });

  test('runs the command, and says that it is done', async () => {
    const cwd = makeProject('test -f made.txt', { 'made.txt': 'x' });
    const { exit, stdout, stderr } = await execTeddy(resolve(), { cwd });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: 'Verifying 01-01:1.\nRunning: test -f made.txt\n' });
    expect(stdout).toMatch(/^01-01:1 {2}Task 1: Make it: done\.\nPLAN\.md {3}\S+ 01-01:1 completed\n/);
    expect(stdout).toMatch(/^Verified {2}`test -f made\.txt` exited with 0 \(\d+ ms\)$/m);
  });

  test('does not take a word for it that the command contradicts', async () => {
    const cwd = makeProject();
    const { exit, stdout } = await execTeddy(resolve(), { cwd });
    expect(exit).toBe(1);
    expect(stdout).toMatch(/^01-01:1 {2}Task 1: Make it: not done\.$/m);
    expect(stdout).toContain(
      'You reported it as done, but `test -f made.txt` exited with 1: recorded as failure.\n',
    );
    const json = await execTeddy(resolve('--json'), { cwd });
    expect(json.exit).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      id: '01-01:1',
      decision: 'done',
      effectiveStatus: 'failure',
      verification: { exitCode: 1 },
      unverified: null,
    });
  });
});
