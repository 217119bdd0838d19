import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { lines, planText, Site } from './site.js';

const NOTHING_LEFT = { worktrees: 0, branches: [], folders: [] };

describe('worktrees', () => {
  test('two at once, each in a folder of its own; commits and what is not committed both land', async () => {
    const site = new Site(
      { '01-01': planText('01-01', 2, ['parallel: true']) },
      {
        git: true,
        executor: `pwd >> "$SITE/folders"; echo "$TEDDY_PLAN" >> "$SITE/plans"
n=0; until [ "$(wc -l < "$SITE/folders")" -ge 2 ] || [ $n -gt 200 ]; do sleep 0.05; n=$((n+1)); done
make
[ $TEDDY_TASK_INDEX = 1 ] && { git add "$MADE"; git commit -q -m "By the executor itself"; }
claim`,
      },
    );
    const { exit, of } = await site.conduct('--jobs', '2');
    expect(exit).toBe(0);
    const folders = lines(site.note('folders'));
    expect(new Set(folders).size).toBe(2);
    expect(folders.every((folder) => folder !== site.root)).toBe(true);
    expect(new Set(lines(site.note('plans')))).toEqual(new Set([`${site.root}/.planning/01-01-PLAN.md`]));
    expect(site.read('made-01-01-1.txt')).toBe('01-01:1\n');
    expect(site.read('made-01-01-2.txt')).toBe('01-01:2\n');
    expect(lines(site.git('log', '--format=%s'))).toContain('By the executor itself');
    expect(lines(site.git('ls-files', 'made*'))).toEqual(['made-01-01-1.txt', 'made-01-01-2.txt']);
    expect(site.git('branch', '--show-current').trim()).toBe('main');
    expect(site.leftovers()).toEqual(NOTHING_LEFT);
    expect(of('finished').flatMap(({ warnings }) => warnings)).toEqual([]);
    expect(parse(site.logs['01-01-task-02-success.yaml']!).files_changed).toEqual(['made-01-01-2.txt']);
  });

  test('a conflict goes back, and is solved by the next attempt', async () => {
    const site = new Site(
      {
        '01-01': planText(
          '01-01',
          [
            { files: '', verify: 'grep -q 01-01:1 colours.txt' },
            { files: '', verify: 'grep -q 01-01:2 colours.txt' },
          ],
          ['parallel: true'],
        ),
      },
      {
        git: true,
        files: { 'colours.txt': 'white\n' },
        // Both begin with the same text; the second is done once the first has landed.
        executor: `echo "$TEDDY_TASK_ID" >> "$SITE/begun"
n=0; until [ "$(wc -l < "$SITE/begun")" -ge 2 ] || [ $n -gt 200 ]; do sleep 0.05; n=$((n+1)); done
[ $TEDDY_TASK_INDEX.$TEDDY_ATTEMPT = 2.1 ] && { n=0; until grep -q 'status="completed"' "$TEDDY_PLAN" || [ $n -gt 400 ]; do sleep 0.05; n=$((n+1)); done; }
echo "$TEDDY_TASK_ID" >> colours.txt
FILES=colours.txt claim`,
      },
    );
    const { exit, of } = await site.conduct('--jobs', '2');
    expect(exit).toBe(0);
    expect(of('finished').map(({ task, attempt, outcome, why }) => [task.id, attempt, outcome, why])).toEqual(
      [
        ['01-01:1', 1, 'done', null],
        ['01-01:2', 1, 'failed', 'conflict'],
        ['01-01:2', 2, 'done', null],
      ],
    );
    expect(of('retry')[0]).toMatchObject({ why: 'conflict', waitMs: 0 });
    const prompt = site.promptOf('01-01:2', 2);
    expect(prompt.startsWith('# Earlier attempts\n')).toBe(true);
    expect(prompt).toContain('colours.txt');
    expect(site.read('colours.txt')).toBe('white\n01-01:1\n01-01:2\n');
    expect(site.leftovers()).toEqual(NOTHING_LEFT);
    // Claimed success, and it was none.
    expect(parse(site.logs['01-01-task-02-failure.yaml']!)).toMatchObject({
      effective_status: 'failure',
      result: { status: 'success' },
    });
  });

  test('what a person is changing is not overwritten: they are asked, and nothing is lost', async () => {
    const site = new Site(
      { '01-01': planText('01-01', [{ files: 'notes.txt', verify: 'grep -q new notes.txt' }]) },
      {
        git: true,
        files: { 'notes.txt': 'old\n' },
        executor: 'echo new > notes.txt; FILES=notes.txt claim',
      },
    );
    site.write('notes.txt', 'half a thought\n');
    const first = await site.conduct('--isolation', 'worktree');
    expect(first.exit).toBe(1);
    expect(first.summary.questions.map(({ id, why }) => [id, why])).toEqual([['01-01:1', 'cannot-land']]);
    expect(first.summary.questions[0]!.message).toContain('notes.txt');
    expect(site.read('notes.txt')).toBe('half a thought\n');
    expect(site.marks('01-01')).toEqual(['-']);
    // The work waits, and lands once nothing is in its way: nobody does it again.
    site.git('checkout', '-q', 'notes.txt');
    expect((await site.orchestrate('--isolation', 'worktree')).exit).toBe(0);
    expect(site.read('notes.txt')).toBe('new\n');
    expect(site.tally).toEqual(['01-01:1 1']);
    expect(site.leftovers()).toEqual(NOTHING_LEFT);
  });

  test('retry, after a run that ended with a question cannot-land, only lands: nothing is run again', async () => {
    const site = new Site(
      {
        '01-01': planText('01-01', [
          {
            files: 'notes.txt',
            verify: '<automated>echo "$PWD" >> "$SITE/verified"; grep -q new notes.txt</automated>',
          },
        ]),
      },
      {
        git: true,
        files: { 'notes.txt': 'old\n' },
        executor: 'echo new > notes.txt; FILES=notes.txt claim',
      },
    );
    site.write('notes.txt', 'half a thought\n');
    const first = await site.conduct('--isolation', 'worktree');
    expect(first.summary.questions.map(({ why }) => why)).toEqual(['cannot-land']);
    const verified = site.note('verified');
    expect(lines(verified)).toHaveLength(1);
    site.git('checkout', '-q', 'notes.txt');
    expect((await site.resolve('01-01:1', 'retry')).exit).toBe(0);
    const second = await site.conduct('--isolation', 'worktree');
    expect(second.exit).toBe(0);
    expect(second.of('started')).toEqual([]);
    expect(second.summary).toMatchObject({ complete: true, done: 1, attempts: 1, retries: 0, questions: [] });
    expect([site.tally, site.note('verified')]).toEqual([['01-01:1 1'], verified]);
    expect(site.read('notes.txt')).toBe('new\n');
    expect(site.marks('01-01')).toEqual(['completed']);
    expect(Object.keys(site.logs)).toEqual(['01-01-task-01-success.yaml']);
    expect(site.leftovers()).toEqual(NOTHING_LEFT);
  });

  test('what is claimed, what git saw and what the plan names are compared', async () => {
    const site = new Site(
      { '01-01': planText('01-01', 1) },
      { git: true, executor: 'make; echo x > extra.txt; FILES="$MADE, ghost.txt" claim' },
    );
    const { exit, of } = await site.conduct('--isolation', 'worktree');
    expect(exit).toBe(0);
    const warnings = of('finished')[0]!.warnings;
    for (const path of ['extra.txt', 'ghost.txt'])
      expect(warnings.filter((warning) => warning.includes(path))).not.toEqual([]);
    expect(warnings.filter((warning) => warning.includes('made-01-01-1.txt'))).toEqual([]);
    expect(parse(site.logs['01-01-task-01-success.yaml']!)).toMatchObject({
      files_changed: ['extra.txt', 'made-01-01-1.txt'],
      result: { files_modified: ['made-01-01-1.txt', 'ghost.txt'] },
    });
    expect(site.read('extra.txt')).toBe('x\n');
  });

  test('a worktree that cannot be set up is for human review, and none is left', async () => {
    const site = new Site(
      { '01-01': planText('01-01', 1) },
      { git: true, config: 'orchestrate: {setup: "echo no network; exit 7"}\n' },
    );
    const { exit, summary } = await site.conduct('--isolation', 'worktree');
    expect(exit).toBe(1);
    expect(summary.questions.map(({ why }) => why)).toEqual(['unusable']);
    expect(summary.questions[0]!.message).toContain('no network');
    expect(site.tally).toEqual([]);
    expect(site.leftovers()).toEqual(NOTHING_LEFT);
  });

  test("what is teddy's own is left out, and that is said", async () => {
    const site = new Site(
      { '01-01': planText('01-01', 1) },
      {
        git: true,
        executor: `make
sed -i 's/test -s/true #/' .planning/01-01-PLAN.md
echo 'rules: [{allow: "*"}]' > .teddy/policy.yaml
git add -A; git commit -q -m "All of it"
claim`,
      },
    );
    const plan = site.plan('01-01');
    const { exit, of } = await site.conduct('--isolation', 'worktree');
    expect(exit).toBe(0);
    const warnings = of('finished')[0]!.warnings.join('\n');
    expect(warnings).toContain('.planning/01-01-PLAN.md');
    expect(warnings).toContain('.teddy/policy.yaml');
    expect(site.has('.teddy/policy.yaml')).toBe(false);
    expect(site.plan('01-01')).toContain('<verify>test -s made-01-01-1.txt</verify>');
    expect(site.git('show', 'HEAD:.planning/01-01-PLAN.md')).toBe(plan);
    expect(site.git('ls-files', '.teddy/policy.yaml')).toBe('');
    expect(site.read('made-01-01-1.txt')).toBe('01-01:1\n');
    expect(site.leftovers()).toEqual(NOTHING_LEFT);
  });

  test('what is verified is what would be there with it: an attempt that breaks the other does not land', async () => {
    const site = new Site(
      {
        '01-01': planText(
          '01-01',
          [{ verify: 'sh check.sh' }, { verify: 'sh check.sh' }],
          ['parallel: true'],
        ),
      },
      {
        git: true,
        // Each alone holds, both together do not, and git sees no conflict.
        files: { 'check.sh': 'test ! -s made-01-01-1.txt || test ! -s made-01-01-2.txt\n' },
        executor: `echo x >> "$SITE/begun"
n=0; until [ "$(wc -l < "$SITE/begun")" -ge 2 ] || [ $n -gt 200 ]; do sleep 0.05; n=$((n+1)); done
make; claim`,
      },
    );
    const { exit, summary, of } = await site.conduct('--jobs', '2', '--max-attempts', '1');
    expect(exit).toBe(1);
    expect(summary.done).toBe(1);
    expect(
      of('finished')
        .map(({ outcome, why }) => [outcome, why])
        .sort(),
    ).toEqual([
      ['done', null],
      ['failed', 'verification'],
    ]);
    expect(lines(site.git('ls-files', 'made*'))).toHaveLength(1);
    expect(site.leftovers()).toEqual(NOTHING_LEFT);
  });
});
