import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { until } from '../sessions/site.js';
import { AWAIT, GATE, watch } from './attacked.js';
import { lines, madeBy, planText, Site } from './site.js';

describe('other plans than those of the run', () => {
  test.each(['none', 'worktree'])(
    'a tick in one of them makes nothing done, with isolation %s',
    async (isolation) => {
      const site = new Site(
        { '01-01': planText('01-01', 1), '02-01': planText('02-01', 1) },
        {
          git: true,
          executor: `[ $TEDDY_TASK_ID = 01-01:1 ] && sed -i 's/<task type/<task status="completed" type/; s/- \\[ \\]/- [x]/' .planning/02-01-PLAN.md
make; claim`,
        },
      );
      expect((await site.orchestrate('--isolation', isolation, '01-01')).exit).toBe(0);
      expect(site.marks('02-01')).toEqual(['-']);
      const { exit, summary } = await site.conduct('--isolation', isolation);
      expect({ exit, done: summary.done, doneBefore: summary.doneBefore }).toEqual({
        exit: 0,
        done: 1,
        doneBefore: 1,
      });
      expect(site.tally).toEqual(['01-01:1 1', '02-01:1 1']);
      expect(site.has(madeBy('02-01:1'))).toBe(true);
    },
  );
});

describe('names', () => {
  test("a result by the task's number and other words is taken once, and the next task begins", async () => {
    const site = new Site(
      { '01-01': planText('01-01', 2) },
      {
        // It ends, even if it were begun again and again.
        executor: `make
[ "$(wc -l < "$SITE/tally")" -gt 4 ] && fail "begun again and again" || NAME="Task $TEDDY_TASK_INDEX: I made a thing" claim`,
      },
    );
    const { exit, summary, of } = await site.conduct();
    expect({ exit, done: summary.done, complete: summary.complete }).toEqual({
      exit: 0,
      done: 2,
      complete: true,
    });
    expect(site.tally).toEqual(['01-01:1 1', '01-01:2 1']);
    expect(site.marks('01-01')).toEqual(['completed', 'completed']);
    expect(of('note').filter(({ message }) => message.includes('taken away'))).toEqual([]);
    expect(of('finished')[0]!.warnings.join('\n')).toContain('I made a thing');
    // It stays so.
    expect((await site.conduct()).summary).toMatchObject({ done: 0, doneBefore: 2, complete: true });
    expect(site.tally).toHaveLength(2);
  });

  test.each(['worked on', 'verified'])(
    'a task that is renamed while it is %s is not done under the old name and begun under the new',
    async (what) => {
      const site = new Site(
        { '01-01': planText('01-01', [{ verify: `sh gate.sh ${madeBy('01-01:1')}` }]) },
        { git: true, files: GATE, executor: `${AWAIT}\nawait work; make; claim` },
      );
      if (what === 'verified') site.leave('work');
      const run = watch(site, '--isolation', 'worktree');
      const isThere = what === 'verified' ? 'verified' : 'tally';
      await until(() => site.note(isThere) !== '', `it is ${what}`);
      site.write(
        '.planning/01-01-PLAN.md',
        site.plan('01-01').replaceAll('Task 1: Part 1', 'Task 1: Make it well'),
      );
      site.leave('work');
      site.leave('go');
      const { exit, summary, of } = await run.told();
      const isDone = summary.done === 1;
      // What is told, what the plan says and what the project has are one.
      expect({
        exit,
        complete: summary.complete,
        marks: site.marks('01-01'),
        isThere: site.has(madeBy('01-01:1')),
      }).toEqual(
        isDone
          ? { exit: 0, complete: true, marks: ['completed'], isThere: true }
          : { exit: 1, complete: false, marks: ['-'], isThere: false },
      );
      expect(of('note').filter(({ message }) => message.includes('taken away'))).toEqual([]);
      expect(summary.questions.map(({ why }) => why)).toEqual(isDone ? [] : ['unusable']);
      const again = await site.conduct('--isolation', 'worktree');
      expect(again.exit).toBe(0);
      expect(site.tally).toHaveLength(isDone ? 1 : 2);
      expect(site.marks('01-01')).toEqual(['completed']);
      expect(lines(site.git('log', '--format=%s', '--', 'made*'))).toHaveLength(1);
    },
  );
});

describe('what git ignores', () => {
  test.each(['.gitignore', '"$(git rev-parse --git-path info/exclude)"'])(
    'because of what the attempt wrote to %s: it is not verified, as it would not land',
    async (rules) => {
      const site = new Site(
        { '01-01': planText('01-01', [{ files: 'feature.js', verify: 'test -s feature.js' }]) },
        {
          git: true,
          executor: `echo "made by $TEDDY_ATTEMPT" > feature.js; [ $TEDDY_ATTEMPT = 1 ] && echo '*.js' >> ${rules} || git add -f feature.js
FILES=feature.js claim`,
        },
      );
      const { exit, of } = await site.conduct('--isolation', 'worktree');
      expect(of('finished').map(({ outcome, why }) => [outcome, why])).toEqual([
        ['failed', 'verification'],
        ['done', null],
      ]);
      expect(exit).toBe(0);
      expect(site.promptOf('01-01:1', 2)).toMatch(/git ignores/);
      expect(site.git('show', 'HEAD:feature.js')).toBe('made by 2\n');
      expect(site.read('feature.js')).toBe('made by 2\n');
    },
  );
});

test('keys in a conflict are masked wherever it is told of, and what is kept of it is for this user only', async () => {
  const keyOf = (letter: string) => `sk-ant-api03-${letter.repeat(40)}`;
  const site = new Site(
    {
      '01-01': planText(
        '01-01',
        [1, 2].map((task) => ({ files: '', verify: `grep -q ${task} env.txt`, dependsOn: '' })),
        ['parallel: true'],
      ),
    },
    {
      git: true,
      files: { 'env.txt': 'API_KEY=none\n' },
      // Both begin with the same text; the second is done once the first has landed.
      executor: `echo "$TEDDY_TASK_ID" >> "$SITE/begun"
n=0; until [ "$(wc -l < "$SITE/begun")" -ge 2 ] || [ $n -gt 200 ]; do sleep 0.05; n=$((n+1)); done
case $TEDDY_TASK_INDEX in
  1) echo "API_KEY=${keyOf('a')} # 1" > env.txt;;
  2) n=0; until grep -q 'status="completed"' "$TEDDY_PLAN" || [ $n -gt 400 ]; do sleep 0.05; n=$((n+1)); done
     echo "API_KEY=${keyOf('b')} # 2" > env.txt;;
esac
FILES=env.txt claim`,
    },
  );
  const words = [
    'orchestrate',
    '--yes',
    '--json',
    '--jobs',
    '2',
    '--max-attempts',
    '1',
    '--isolation',
    'worktree',
  ];
  const { exit, stdout, stderr } = await site.run(words);
  expect(exit).toBe(1);
  expect(parse(site.logs['01-01-task-02-failure.yaml']!)).toMatchObject({ effective_status: 'failure' });
  const holdsKey = (text: string) => ['a', 'b'].some((letter) => text.includes(keyOf(letter)));
  const holding = Object.entries(site.tree()).filter(([, text]) => holdsKey(text));
  const patches = holding.map(([path]) => path).filter((path) => path !== 'env.txt');
  expect(patches).toEqual([expect.stringMatching(/^\.ultraplan\/state\/patches\/.*\.patch$/)]);
  expect(holdsKey(`${stdout}${stderr}`)).toBe(false);
  // Masked, not left out.
  expect(stdout).toMatch(/API_KEY=\[masked:[0-9a-f]{8}\]/);
  expect(site.read('.ultraplan/state/journal.jsonl')).toMatch(/\[masked:[0-9a-f]{8}\]/);
  const mode = (path: string) => statSync(join(site.root, path)).mode & 0o777;
  expect(mode(patches[0]!).toString(8)).toBe('600');
  expect(mode('.ultraplan/state/patches').toString(8)).toBe('700');
});
