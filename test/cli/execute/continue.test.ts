import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listTree } from '../../../spec/run-teddy.js';
import { makeFolder } from '../../folder.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { TEDDY } from '../teddy.js';
import { createAction, editAction, execTeddy, executeAction, planOf, readRunFile } from './program.js';

/** The second command fails until there is a file `ready`. */
const PLAN = planOf(
  'Three steps',
  createAction('made.txt'),
  editAction('a.txt', 'one\n', '1\n'),
  executeAction('echo ran >> ran.log'),
  executeAction('test -e ready'),
  createAction('last.txt'),
);

interface Listed {
  id: string;
  overall: string;
}

async function project(files: Record<string, string> = {}) {
  const folder = makeFolder({ 'a.txt': 'one\ntwo\n', 'plan.md': PLAN, ...files });
  const teddy = (...words: string[]) => execTeddy(words, { cwd: folder });
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const runs = async () => JSON.parse((await teddy('runs', '--json')).stdout) as Listed[];
  return { folder, teddy, read, runs };
}

/** The plan stopped at its fourth action. */
async function stoppedProject() {
  const at = await project();
  expect((await at.teddy('execute', 'plan.md', '-y')).exit).toBe(1);
  const [{ id }] = (await at.runs()) as [Listed];
  return { ...at, first: id };
}

test('runs what did not succeed, and nothing else again', async () => {
  const { folder, teddy, read, runs, first } = await stoppedProject();
  writeFileSync(join(folder, 'ready'), '');
  const { exit, stdout, stderr } = await teddy('execute', 'plan.md', '--continue', '-y');
  expect(stderr).toBe(`Continuing run ${first} at action 4.
4/5 EXECUTE test -e ready: done
5/5 CREATE last.txt: done
`);
  expect(exit).toBe(0);
  expect(read('ran.log')).toBe('ran\n');
  expect(existsSync(join(folder, 'last.txt'))).toBe(true);
  expect(stdout).toContain('- **Overall Status:** Completed 🟢\n');
  expect(stdout).toContain(`- **Continues:** ${first}\n`);
  expect(stdout.split(`- **Done in Run:** ${first}\n`)).toHaveLength(4);
  const [{ id: second }] = (await runs()) as [Listed];
  expect(JSON.parse(readRunFile(folder, second, 'run.json'))).toMatchObject({
    continues: first,
    overall: 'Completed',
  });
  const again = await teddy('execute', '--continue');
  expect([again.exit, again.stderr]).toEqual([
    2,
    `teddy: Nothing to continue: every action of run ${second} succeeded.\n`,
  ]);
  // Each run is undone by itself.
  expect((await teddy('undo')).stdout).toContain('  deleted   last.txt\n');
  expect(existsSync(join(folder, 'made.txt'))).toBe(true);
});

test('without a file it takes the plan of the run, and a run can be continued more than once', async () => {
  const { folder, teddy, read, first, runs } = await stoppedProject();
  const failed = await teddy('execute', '--continue', first.slice(-4), '-y');
  expect(failed.exit).toBe(1);
  expect(failed.stdout).toContain('[plan.md](/plan.md)');
  writeFileSync(join(folder, 'ready'), '');
  const done = await teddy('execute', '--continue', '-y', '--json');
  expect(done.exit).toBe(0);
  const second = (await runs())[1]!.id;
  const { continues, actions } = JSON.parse(done.stdout);
  expect(continues).toBe(second);
  expect(actions[0].outcome).toMatchObject({ status: 'success', doneIn: first });
  expect(read('ran.log')).toBe('ran\n');
});

test.skipIf(noPython)(`the review marks what is already done${noPython}`, async () => {
  const home = makeFolder();
  const env = { HOME: home, XDG_STATE_HOME: join(home, 'state'), XDG_CONFIG_HOME: join(home, 'config') };
  const folder = makeFolder({
    'a.txt': 'one\n',
    'plan.md': planOf(
      'Memos',
      createAction('made.txt'),
      executeAction('test -e ready'),
      createAction('last.txt'),
    ).replace('## Action Plan', '## Memos\n````\n[+] Remember.\n````\n\n## Action Plan'),
  });
  expect((await execTeddy(['execute', 'plan.md', '-y'], { cwd: folder, env })).exit).toBe(1);
  writeFileSync(join(folder, 'ready'), '');
  const words = [process.execPath, TEDDY, 'execute', 'plan.md', '--continue', '--no-copy'];
  const terminal = new TestTerminal(words, {
    cwd: folder,
    columns: 100,
    rows: 50,
    env: { TMPDIR: tmpdir(), ...env },
  });
  await terminal.shows('2 of 3');
  expect(terminal.text()).toMatch(/^Continuing run \S+ at action \d\.$/m);
  expect(terminal.text()).toMatch(/^ +Memos .*\(already done\)$/m);
  expect(terminal.text()).toContain('  ✔ 1 CREATE made.txt  already done\n');
  expect(terminal.text()).toMatch(/^ {4}3 CREATE last\.txt {2}new, 1 line$/m);
  await terminal.shows(/n skip(?!.*b back)/s);
  terminal.send('a');
  await terminal.shows('Approve the rest: 2');
  expect(terminal.text().split('made.txt  already done')).toHaveLength(2);
  await terminal.shows('y approve');
  terminal.send('y');
  expect(await terminal.ended).toEqual({ exit: 0, signal: null });
  expect(existsSync(join(folder, 'last.txt'))).toBe(true);
});

test('--dry-run shows only what is left', async () => {
  const { folder, teddy } = await stoppedProject();
  const tree = listTree(folder);
  const { exit, stdout } = await teddy('execute', '--continue', 'plan.md', '--dry-run');
  expect(exit).toBe(0);
  expect(stdout).toContain('4 of 5  EXECUTE');
  expect(stdout).not.toContain('3 of 5');
  expect(listTree(folder)).toEqual(tree);
});

test('is refused, with the reason', async () => {
  const { folder, teddy, first } = await stoppedProject();
  const refuse = async (...words: string[]) => {
    const { exit, stderr } = await teddy('execute', '-y', ...words);
    expect(exit).toBe(2);
    return stderr;
  };
  expect(await refuse('--continue', 'nope')).toContain('There is no run nope.');
  writeFileSync(join(folder, 'plan.md'), `${PLAN}\n`);
  expect(await refuse('plan.md', '--continue')).toContain('no run here had exactly this plan');
  expect(await refuse('plan.md', '--continue', first)).toContain(`the plan was changed after run ${first}.`);
  await teddy('undo');
  expect(await refuse('--continue')).toBe(
    `teddy: Cannot continue: run ${first} was undone. Revert the undo with teddy redo, or run the whole plan again without --continue.\n`,
  );
  const foreign = await execTeddy(['execute', '--continue', first], {
    cwd: folder,
    env: { XDG_STATE_HOME: makeFolder() },
  });
  expect(foreign.stderr).toContain('Cannot continue: this run was recorded by another user');
});

test('works after the process was killed', async () => {
  const plan = planOf(
    'Killed',
    createAction('made.txt'),
    executeAction('echo ran >> ran.log'),
    executeAction('test -e ready || kill -9 $PPID; test -e ready || sleep 5'),
    createAction('last.txt'),
  );
  const { folder, teddy, read } = await project({ 'plan.md': plan });
  expect((await teddy('execute', 'plan.md', '-y')).exit).toBe(null);
  writeFileSync(join(folder, 'ready'), '');
  const { exit, stdout } = await teddy('execute', 'plan.md', '--continue', '-y');
  expect(exit).toBe(0);
  expect(stdout).toContain('- **Overall Status:** Completed 🟢\n');
  expect(read('ran.log')).toBe('ran\n');
});

test('in a session the rest of the plan is the next turn', async () => {
  const { folder, teddy, read } = await project();
  expect((await teddy('new', 'steps')).exit).toBe(0);
  const first = await teddy('execute', 'plan.md', '--session', 'steps', '-y');
  expect(first.exit).toBe(1);
  writeFileSync(join(folder, 'ready'), '');
  const { exit, stdout, stderr } = await teddy('execute', '--continue', '-y');
  expect(stderr).toMatch(/^Continuing run \S+ at action 4\.$/m);
  expect(exit).toBe(0);
  expect(stdout).toContain('[.teddy/sessions/steps/02/plan.md]');
  expect(read('.teddy/sessions/steps/02/report.md')).toBe(stdout);
  expect(read('.teddy/sessions/steps/02/report.md')).toContain('- **Continues:** ');
  expect(read('ran.log')).toBe('ran\n');
});

test('in a session that has a newer plan it is refused', async () => {
  const { folder, teddy } = await project({ 'other.md': planOf('Other', createAction('other.txt')) });
  await teddy('new', 'steps');
  await teddy('execute', 'plan.md', '--session', 'steps', '-y');
  const [stopped] = JSON.parse((await teddy('runs', '--json')).stdout) as [Listed];
  // Without a terminal nothing is decided, and the plan stays.
  expect((await teddy('execute', 'other.md', '--session', 'steps')).exit).toBe(2);
  const tree = listTree(folder);
  const { exit, stderr } = await teddy('execute', '--continue', stopped.id, '-y');
  expect(exit).toBe(2);
  expect(stderr).toContain(
    'Cannot continue: session steps has a newer plan. Review it with: teddy resume steps',
  );
  expect(listTree(folder)).toEqual(tree);
});
