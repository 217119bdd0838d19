// The copy of a run's plan in `.teddy/runs` counts only if it is what the run received.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../folder.js';
import { createAction, execTeddy, executeAction, planOf, resealFirstNote, runIds } from './program.js';

const PLAN = planOf(
  'Steps',
  createAction('made.txt'),
  executeAction('test -e ready'),
  createAction('last.txt'),
);
const EVIL = PLAN.replace('last.txt', 'evil.txt').replace('test -e ready', 'touch stolen');

/** The plan stopped at its second action; `ready` lets it continue. */
async function stoppedProject() {
  const state = makeFolder();
  const folder = makeFolder({ 'plan.md': PLAN });
  const teddy = (...words: string[]) => execTeddy(words, { cwd: folder, env: { XDG_STATE_HOME: state } });
  expect((await teddy('execute', 'plan.md', '-y')).exit).toBe(1);
  writeFileSync(join(folder, 'ready'), '');
  const id = runIds(folder)[0]!;
  const inRun = (name: string) => join(folder, '.teddy/runs', id, name);
  const isHere = (name: string) => existsSync(join(folder, name));
  return { state, folder, teddy, id, inRun, isHere };
}

/** A run as it was before its journal had the hash of its plan. */
function forgetHash({ state, inRun }: { state: string; inRun: (name: string) => string }): void {
  resealFirstNote(state, inRun('journal/progress.jsonl'), ({ planHash, ...note }) => {
    expect(planHash).toMatch(/^[0-9a-f]{64}$/);
    return note;
  });
}

describe('--continue', () => {
  test('refuses a copy that was changed', async () => {
    const { teddy, id, inRun, isHere } = await stoppedProject();
    writeFileSync(inRun('plan.md'), EVIL);
    for (const words of [['--continue', id], ['--continue']]) {
      const { exit, stderr } = await teddy('execute', '-y', ...words);
      expect([exit, stderr]).toEqual([
        2,
        `teddy: Cannot continue: .teddy/runs/${id}/plan.md was changed after the run. Give the plan as it was, teddy execute PLAN --continue ${id}, or run it again without --continue.\n`,
      ]);
    }
    expect([isHere('stolen'), isHere('evil.txt'), isHere('last.txt')]).toEqual([false, false, false]);
  });

  test('does not continue a changed plan because the copy was changed like it', async () => {
    const { folder, teddy, id, inRun, isHere } = await stoppedProject();
    writeFileSync(inRun('plan.md'), EVIL);
    writeFileSync(join(folder, 'plan.md'), EVIL);
    const named = await teddy('execute', 'plan.md', '--continue', id, '-y');
    expect([named.exit, named.stderr]).toEqual([
      2,
      expect.stringContaining(`the plan was changed after run ${id}.`),
    ]);
    const { exit, stderr } = await teddy('execute', 'plan.md', '--continue', '-y');
    expect([exit, stderr]).toEqual([2, expect.stringContaining('no run here had exactly this plan')]);
    expect([isHere('stolen'), isHere('evil.txt')]).toEqual([false, false]);
  });

  test.each([
    ['changed', (path: string) => writeFileSync(path, EVIL)],
    ['deleted', (path: string) => rmSync(path)],
  ])('takes the original plan where the copy was %s', async (_, spoil) => {
    const { teddy, id, inRun, isHere } = await stoppedProject();
    spoil(inRun('plan.md'));
    const { exit, stderr } = await teddy('execute', 'plan.md', '--continue', '-y');
    expect(stderr).toContain(`Continuing run ${id} at action 2.\n`);
    expect(exit).toBe(0);
    expect([isHere('stolen'), isHere('last.txt')]).toEqual([false, true]);
  });

  test('refuses a run of a version that did not record the hash', async () => {
    const at = await stoppedProject();
    forgetHash(at);
    for (const words of [['--continue'], ['plan.md', '--continue'], ['plan.md', '--continue', at.id]]) {
      const { exit, stderr } = await at.teddy('execute', '-y', ...words);
      expect([exit, stderr]).toEqual([
        2,
        `teddy: Cannot continue: run ${at.id} was recorded by an older version of teddy, which did not seal its plan. Run the plan again without --continue.\n`,
      ]);
    }
    expect(at.isHere('last.txt')).toBe(false);
  });
});

describe('diff', () => {
  test('does not show the command of a changed copy', async () => {
    const { teddy, id, inRun } = await stoppedProject();
    writeFileSync(inRun('plan.md'), EVIL);
    const { exit, stdout, stderr } = await teddy('diff', id);
    expect(exit).toBe(0);
    expect(stdout).toContain('+++ b/made.txt\n');
    expect(stderr).not.toContain('touch stolen');
    expect(stderr).toBe('');
    const json = JSON.parse((await teddy('diff', id, '--json')).stdout);
    expect(json).toMatchObject({ plan: 'altered', commands: [{ number: 2, command: null }] });
  });

  test('shows the plan of an older version, marked', async () => {
    const at = await stoppedProject();
    forgetHash(at);
    expect((await at.teddy('diff', at.id)).exit).toBe(0);
    expect(JSON.parse((await at.teddy('diff', at.id, '--json')).stdout)).toMatchObject({
      plan: 'unverified',
    });
  });

  test('of an unchanged copy says nothing about it', async () => {
    const { teddy, id } = await stoppedProject();
    const { stderr } = await teddy('diff', id);
    expect(stderr).toBe('');
    expect(JSON.parse((await teddy('diff', id, '--json')).stdout)).toMatchObject({ plan: 'verified' });
  });
});

describe('a turn', () => {
  test('goes on from the plan that ran, whatever a command made of its copy', async () => {
    const folder = makeFolder({
      'plan.md': planOf(
        'Context',
        executeAction("sed -i 's/kept.txt/forged.txt/' .teddy/runs/*/plan.md .teddy/sessions/s/01/plan.md"),
      ).replace(
        '## Action Plan',
        '## Active Context\n````\n[+] [kept.txt](/kept.txt)\n````\n\n## Action Plan',
      ),
      'kept.txt': 'kept\n',
      'forged.txt': 'forged\n',
    });
    const teddy = (...words: string[]) => execTeddy(words, { cwd: folder });
    expect((await teddy('new', 's')).exit).toBe(0);
    const ran = await teddy('execute', 'plan.md', '--session', 's', '-y');
    expect(ran.exit).toBe(0);
    expect(readFileSync(join(folder, '.teddy/sessions/s/01/plan.md'), 'utf8')).toContain('forged.txt');
    const next = readFileSync(join(folder, '.teddy/sessions/s/02/turn.context'), 'utf8');
    expect(next).toBe('kept.txt\n');
  });
});
