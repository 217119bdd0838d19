import { realpathSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import { type Ended, execTeddy } from '../execute/program.js';
import { claimOf, makeProject } from '../tasks/project.js';
import { brief, checkText, makeRepository, reportOf } from './project.js';

/** A minute of one hour. */
const at = (minute: number) => ({ TEDDY_NOW: `2026-01-02T03:${String(minute).padStart(2, '0')}:00Z` });

async function decide(cwd: string, taskId: string, word: string, minute: number): Promise<Ended> {
  return execTeddy(['agent', 'decide', taskId, word], { cwd, env: at(minute) });
}

async function statsOf(cwd: string) {
  const { exit, stdout, stderr } = await execTeddy(['agent', 'stats', '--json'], { cwd });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('what people decide', () => {
  test('is held against what agents state', async () => {
    const cwd = makeRepository({});
    // Stated 0.9, 0.9, 0.8, 0.8, 0.6: of these the first, the third and the fifth held.
    const tasks: [string, number, string][] = [
      ['t1', 0.9, 'accept'],
      ['t2', 0.9, 'reject'],
      ['t3', 0.8, 'accept'],
      ['t4', 0.8, 'reject'],
      ['t5', 0.6, 'accept'],
    ];
    for (const [minute, [taskId, confidence, word]] of tasks.entries()) {
      await brief(['investigator', '--task-id', taskId, '--goal', 'g'], { cwd, env: at(minute) });
      await checkText(reportOf({ taskId, confidence }), [], { cwd, env: at(minute + 10) });
      expect(await decide(cwd, taskId, word, minute + 20)).toMatchObject({ exit: 0, stderr: '' });
    }
    // One that nobody decided about, and one that is no report.
    await checkText(reportOf({ taskId: 't6', confidence: 1 }), [], { cwd, env: at(40) });
    await checkText(reportOf({ taskId: 't7', status: 'done' }), [], { cwd, env: at(41) });

    const { agents, total } = await statsOf(cwd);
    expect(total).toMatchObject({ reports: 7, compliant: 6, decided: 5, verdict: 'in-line' });
    expect(total.stated).toBeCloseTo(0.8, 10);
    expect(total.held).toBeCloseTo(0.6, 10);
    expect(total.gap).toBeCloseTo(0.2, 10);
    // (0.01 + 0.81 + 0.04 + 0.64 + 0.16) / 5
    expect(total.brier).toBeCloseTo(0.332, 10);
    const investigator = agents.find(({ agent }: { agent: string }) => agent === 'investigator');
    expect(investigator).toMatchObject({ decided: 5 });
    const bands = investigator.bands.map(({ decided }: { decided: number }) => decided);
    expect(bands).toEqual([0, 1, 2, 2, 0]);
  });

  test('is about the last answer before it; a later word stands over an earlier one', async () => {
    const cwd = makeFolder();
    await checkText(reportOf({ confidence: 0.9 }), [], { cwd, env: at(1) });
    await decide(cwd, 'auth-1', 'reject', 2);
    await checkText(reportOf({ confidence: 0.8 }), [], { cwd, env: at(3) });
    await decide(cwd, 'auth-1', 'reject', 4);
    await decide(cwd, 'auth-1', 'accept', 5);
    const { total } = await statsOf(cwd);
    expect(total).toMatchObject({ reports: 2, decided: 2, held: 0.5 });
    expect(total.stated).toBeCloseTo(0.85, 10);
    const held = total.bands.map((band: { held: number | null }) => band.held);
    // 0.8 held, 0.9 did not.
    expect(held).toEqual([null, null, 1, 0, null]);
  });

  test('needs a report', async () => {
    const cwd = makeRepository({});
    await brief(['investigator', '--task-id', 'auth-1', '--goal', 'g'], { cwd });
    expect(await decide(cwd, 'auth-1', 'accept', 1)).toMatchObject({
      exit: 2,
      stdout: '',
      stderr: expect.stringContaining('There is no saved report of task "auth-1"'),
    });
  });
});

test('what a verification found counts where nobody decided', async () => {
  const cwd = makeProject('test -f made.txt');
  await checkText(reportOf({ taskId: '01-01:1', confidence: 0.9 }), [], { cwd, env: at(1) });
  expect((await statsOf(cwd)).total).toMatchObject({ reports: 1, decided: 0 });

  // The executor claims that it is there, and it is not.
  const words = ['result', 'submit', '-', '--plan', '01-01', '--verify'];
  const submitted = await execTeddy(words, { cwd, input: claimOf(), env: at(2) });
  expect(submitted.exit).toBe(1);
  const verified = await statsOf(cwd);
  expect(verified.total).toMatchObject({ reports: 1, decided: 1, held: 0, stated: 0.9 });

  await decide(cwd, '01-01:1', 'accept', 3);
  expect((await statsOf(cwd)).total).toMatchObject({ decided: 1, held: 1 });
});

test('what was decided is a sentence, and in numbers a table', async () => {
  const cwd = makeFolder();
  // Of five that state 0.9 one holds; the investigator answers twice, first with what is no report.
  for (const [at, word] of ['accept', 'reject', 'reject', 'reject', 'reject'].entries()) {
    const taskId = `fix-${at}`;
    await checkText(reportOf({ agent: 'fixer', taskId, confidence: 0.9 }), [], { cwd });
    await execTeddy(['agent', 'decide', taskId, word], { cwd });
  }
  await checkText(reportOf({ taskId: 'look-1', agent: 'Investigator', status: 'done' }), [], {
    cwd,
    env: at(1),
  });
  await checkText(reportOf({ taskId: 'look-1', confidence: 0.75 }), [], { cwd, env: at(2) });
  const words = ['agent', 'decide', 'look-1', 'reject', '--reason', 'It is per process.'];
  const rejected = await execTeddy(words, { cwd, env: at(3) });
  expect(rejected.stdout).toMatch(
    /^investigator on look-1: rejected\. Saved in \.teddy\/reports\/look-1-[0-9a-f]{8}\/decision-1\.json\.\n$/,
  );
  const accepted = await execTeddy(['agent', 'decide', 'look-1', 'accept', '--json'], { cwd, env: at(4) });
  expect(JSON.parse(accepted.stdout)).toEqual({
    root: realpathSync(cwd),
    task_id: 'look-1',
    agent: 'investigator',
    at: '2026-01-02T03:04:00Z',
    decision: 'accept',
    reason: null,
    answer: expect.stringMatching(/^[0-9a-f]{64}$/),
    kept: expect.stringMatching(/\/decision-2\.json$/),
  });
  // Of all: stated (5 × 0.9 + 0.75) / 6, held 2 / 6, Brier (0.01 + 4 × 0.81 + 0.0625) / 6.
  const { stdout } = await execTeddy(['agent', 'stats'], { cwd });
  expect(stdout).toBe(`agent         reports  compliant  decided  stated  right    gap  Brier
fixer               5      100 %        5    0.90   0.20  +0.70   0.65
Investigator        2       50 %        1    0.75   1.00  -0.25   0.06
all                 7       85 %        6    0.88   0.33  +0.54   0.55

fixer: overconfident: it was right less often than it claimed.
  confidence   decided  stated  right
  0.85 to 0.95       5    0.90   0.20

Investigator: Needs 5 decisions for a verdict (1 so far).

all: overconfident: it was right less often than it claimed.
  confidence   decided  stated  right
  0.7 to 0.85        1    0.75   1.00
  0.85 to 0.95       5    0.90   0.20
`);
});

test('an answer of nobody is not counted under an empty name', async () => {
  const cwd = makeFolder();
  await checkText('I am done.', [], { cwd });
  const { stdout } = await execTeddy(['agent', 'stats'], { cwd });
  expect(stdout.split('\n').filter((line) => /^\s+\d|^:/.test(line))).toEqual([]);
});
