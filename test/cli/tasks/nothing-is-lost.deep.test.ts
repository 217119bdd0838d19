import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { homeOf, makeFolder } from '../../folder.js';
import { execTeddy } from '../execute/program.js';
import { TEDDY } from '../teddy.js';
import { claimOf, keptIn, makeProject } from './project.js';

const SUBMIT = ['result', 'submit', '-', '--plan', '01-01'];

/** A submit whose verification takes its time, once that has begun. */
async function submitSlowly(cwd: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [TEDDY, ...SUBMIT, '--verify'], {
    cwd,
    detached: true,
    env: { PATH: process.env.PATH, TMPDIR: tmpdir(), HOME: homeOf(cwd), XDG_STATE_HOME: makeFolder() },
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  child.stdin!.end(claimOf());
  for await (const text of child.stderr!.setEncoding('utf8')) if (text.includes('Running:')) break;
  return child;
}

test('what a killed process was given is told of a while later, and can be submitted', async () => {
  const cwd = makeProject('sleep 60');
  const child = await submitSlowly(cwd);
  expect(keptIn(cwd)).toHaveLength(1);
  child.kill('SIGKILL');
  await once(child, 'exit');

  const name = `${(Date.now() - 60_000).toString(36)}-4711-0`;
  const path = `.teddy/incoming/${name}`;
  renameSync(join(cwd, '.teddy/incoming', keptIn(cwd)[0]!), join(cwd, path));
  expect(readFileSync(join(cwd, path), 'utf8')).toBe(claimOf());

  const other = await execTeddy(SUBMIT, { cwd, input: claimOf({ attempt: 2 }) });
  expect(other).toMatchObject({
    exit: 0,
    stderr: `A submitted result was never recorded. Submit it again or delete it:\n  teddy result submit ${path} --plan PLAN\n`,
  });
  const again = await execTeddy(['result', 'submit', path, '--plan', '01-01', '--json'], { cwd });
  expect(again).toMatchObject({ exit: 0, stderr: '' });
  expect(JSON.parse(again.stdout)).toMatchObject({ applied: true, duplicate: false });
  expect(keptIn(cwd)).toEqual([]);
});

test('an interrupted verification leaves the result, and ends with 130', async () => {
  const cwd = makeProject('sleep 60');
  const child = await submitSlowly(cwd);
  child.kill('SIGINT');
  const [exit] = await once(child, 'exit');
  expect(exit).toBe(130);
  expect(keptIn(cwd)).toHaveLength(1);
  const { stdout } = await execTeddy(['task', 'list', '--json', '--plan', '01-01'], { cwd });
  expect(JSON.parse(stdout).tasks[0]).toMatchObject({ status: 'pending', ready: true });
});

test('what another process is about to submit is left to it', async () => {
  const cwd = makeProject('sleep 60');
  const child = await submitSlowly(cwd);
  const path = `.teddy/incoming/${keptIn(cwd)[0]}`;
  const words = ['result', 'submit', path, '--plan', '01-01'];
  expect(await execTeddy(words, { cwd })).toEqual({
    exit: 2,
    stdout: '',
    stderr: `teddy: ${path} is being processed by another teddy right now.\n`,
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
});

test('a result of more than 10 MB is refused in a sentence', async () => {
  const cwd = makeProject();
  const input = `# ${'x'.repeat(10 * 1024 * 1024)}\n${claimOf()}`;
  expect(await execTeddy(SUBMIT, { cwd, input })).toEqual({
    exit: 2,
    stdout: '',
    stderr: 'teddy: standard input is larger than 10 MB.\n',
  });
});

test('a result that is nearly 10 MB is captured', async () => {
  const cwd = makeProject();
  const input = claimOf().replace('Made it', 'x'.repeat(10 * 1024 * 1024 - 1000));
  const { exit, stderr } = await execTeddy(SUBMIT, { cwd, input });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
});

test('paths are those of the folder that one is in', async () => {
  const cwd = makeProject();
  const inner = join(cwd, '.planning');
  const words = ['result', 'submit', '-', '--plan', '01-01-PLAN.md', '--state', 'MY-STATE.md', '--json'];
  const { stdout } = await execTeddy(words, { cwd: inner, input: claimOf() });
  expect(JSON.parse(stdout)).toMatchObject({
    planPath: '.planning/01-01-PLAN.md',
    statePath: '.planning/MY-STATE.md',
  });

  mkdirSync(join(cwd, 'deep/er'), { recursive: true });
  const lost = await execTeddy(['result', 'submit', '-', '--plan', 'no such plan'], {
    cwd: join(cwd, 'deep/er'),
    input: claimOf({ attempt: 2 }),
  });
  expect(lost.stderr).toContain(`submit ../../.teddy/incoming/${keptIn(cwd)[0]} --plan PLAN\n`);
});

test('many at once: each result is applied, once', async () => {
  const cwd = makeProject();
  const results = Array.from({ length: 8 }, (_, at) => claimOf({ attempt: at + 1 }));
  const ends = await Promise.all(
    [...results, ...results].map((input) => execTeddy([...SUBMIT, '--json'], { cwd, input })),
  );
  expect(ends.map(({ exit, stderr }) => ({ exit, stderr }))).toEqual(
    ends.map(() => ({ exit: 0, stderr: '' })),
  );
  const said = ends.map(({ stdout }) => JSON.parse(stdout));
  expect(said.filter(({ applied }) => applied)).toHaveLength(8);
  expect(said.filter(({ duplicate }) => duplicate)).toHaveLength(8);
  expect(keptIn(cwd)).toEqual([]);
  const verified = await execTeddy(['logs', 'verify', '--json'], { cwd });
  expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, entries: 8 });
  const rebuilt = await execTeddy(['metrics', '--rebuild', '--json'], { cwd });
  expect(JSON.parse(rebuilt.stdout)).toMatchObject({ drift: false, results: 8 });
});
