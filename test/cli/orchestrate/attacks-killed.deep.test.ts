import { describe, expect, test } from 'vitest';
import { until } from '../sessions/site.js';
import { AWAIT, GATE, killAtLanding, watch } from './attacked.js';
import { lines, madeBy, planText, Site } from './site.js';

const NOTHING_LEFT = { worktrees: 0, branches: [], folders: [] };
const WORKTREE = ['--isolation', 'worktree'];
const gated = (id: string) => planText(id, [{ verify: `sh gate.sh ${madeBy(`${id}:1`)}` }]);
const verified = (site: Site) => lines(site.note('verified'));

describe('killed, then decided by a person', () => {
  test('while it was verified: what the person said holds, and nothing is verified unseen', async () => {
    const ids = ['01-01', '01-02', '01-03', '01-04', '01-05'];
    const site = new Site(Object.fromEntries(ids.map((id) => [id, gated(id)])), { git: true, files: GATE });
    const run = watch(site, '--jobs', '5', ...WORKTREE);
    await until(() => verified(site).length === 5, 'all are verified');
    run.child.kill('SIGKILL');
    await run.ended;
    site.leave('go');
    const made = (id: string) => madeBy(`${id}:1`);
    site.write(made('01-03'), 'by hand\n');
    for (const [id, answer] of [
      ['01-01', 'skip'],
      ['01-02', 'abort'],
      ['01-03', 'done'],
      ['01-04', 'fix: use the blue brush'],
      ['01-05', 'retry'],
    ])
      expect((await site.resolve(`${id}:1`, answer!)).exit).toBe(0);
    site.leave('verified');

    const { exit, summary, of } = await site.conduct(...WORKTREE);
    expect(summary).toMatchObject({
      done: 2,
      doneBefore: 1,
      skipped: 1,
      failed: 1,
      questions: [],
      open: [],
      complete: false,
    });
    expect(exit).toBe(1);
    // Only what begins anew.
    expect(verified(site)).toEqual([made('01-04'), made('01-05')]);
    expect(of('verifying').map(({ task }) => task.id)).toEqual(['01-04:1', '01-05:1']);
    const begun = site.tally.slice(5).map((line) => line.split(' '));
    expect(begun.map(([id]) => id)).toEqual(['01-04:1', '01-05:1']);
    expect(site.promptOf('01-04:1', Number(begun[0]![1]))).toContain('use the blue brush');
    expect(ids.map((id) => site.marks(id)[0])).toEqual([
      'skipped',
      'failed',
      'completed',
      'completed',
      'completed',
    ]);
    expect(ids.filter((id) => site.has(made(id)))).toEqual(['01-03', '01-04', '01-05']);
    expect(site.read(made('01-03'))).toBe('by hand\n');
    expect(lines(site.git('ls-files', 'made*'))).toEqual([made('01-04'), made('01-05')]);
    // A result that came too late is recorded as that, and counts for nothing.
    const counted = Object.entries(site.logs).filter(([, text]) => !/superseded/.test(text));
    expect(counted.map(([name]) => name).sort()).toEqual(
      ['01-03', '01-04', '01-05'].map((id) => `${id}-task-01-success.yaml`),
    );
    expect(site.leftovers()).toEqual(NOTHING_LEFT);
    expect((await site.run(['logs', 'verify'])).exit).toBe(0);
  });

  test('before the branch moved, though all was ready: a skip holds', async () => {
    const site = new Site({ '01-01': planText('01-01', 1) }, { git: true });
    killAtLanding(site, 'before');
    expect(await site.orchestrate(...WORKTREE)).toMatchObject({ signal: 'SIGKILL' });
    expect(site.has(madeBy('01-01:1'))).toBe(false);
    expect((await site.resolve('01-01:1', 'skip')).exit).toBe(0);
    const { exit, summary } = await site.conduct(...WORKTREE);
    expect({ exit, done: summary.done, skipped: summary.skipped }).toEqual({ exit: 1, done: 0, skipped: 1 });
    expect(site.marks('01-01')).toEqual(['skipped']);
    expect(site.has(madeBy('01-01:1'))).toBe(false);
    expect(lines(site.git('log', '--format=%s'))).toEqual(['Begin']);
    expect(site.leftovers()).toEqual(NOTHING_LEFT);
  });
});

describe('killed, then started for another plan', () => {
  const at: Record<string, (site: Site) => Promise<void>> = {
    'at work': async (site) => {
      site.behave(`${AWAIT}\nawait go; make; claim`);
      const run = watch(site, '01-01', ...WORKTREE);
      await until(() => site.tally.length === 1, 'it is at work');
      run.child.kill('SIGKILL');
      await run.ended;
      site.behave('make; claim');
    },
    'while it was verified': async (site) => {
      const run = watch(site, '01-01', ...WORKTREE);
      await until(() => verified(site).length === 1, 'it is verified');
      run.child.kill('SIGKILL');
      await run.ended;
    },
    'after the branch had moved': async (site) => {
      site.leave('go');
      killAtLanding(site, 'after');
      expect(await site.orchestrate('01-01', ...WORKTREE)).toMatchObject({ signal: 'SIGKILL' });
      expect(lines(site.git('ls-files', 'made*'))).toEqual([madeBy('01-01:1')]);
    },
  };

  test.each(Object.keys(at))('%s: nothing is lost or stuck, and each is done once', async (moment) => {
    const site = new Site({ '01-01': gated('01-01'), '01-02': gated('01-02') }, { git: true, files: GATE });
    await at[moment]!(site);
    site.leave('go');
    const other = await site.conduct('01-02', ...WORKTREE);
    expect({ exit: other.exit, done: other.summary.done }).toEqual({ exit: 0, done: 1 });
    const all = await site.conduct(...WORKTREE);
    expect(all.summary).toMatchObject({ done: 1, doneBefore: 1, open: [], questions: [], complete: true });
    expect(all.exit).toBe(0);
    const first = moment === 'at work' ? ['01-01:1 1', '01-01:1 1'] : ['01-01:1 1'];
    expect([...site.tally].sort()).toEqual([...first, '01-02:1 1']);
    expect([...site.marks('01-01'), ...site.marks('01-02')]).toEqual(['completed', 'completed']);
    expect(Object.keys(site.logs).sort()).toEqual([
      '01-01-task-01-success.yaml',
      '01-02-task-01-success.yaml',
    ]);
    expect(lines(site.git('log', '--format=%s', '--', madeBy('01-01:1')))).toHaveLength(1);
    expect(site.leftovers()).toEqual(NOTHING_LEFT);
  });
});
