import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { TEDDY } from '../teddy.js';
import { planText, Site } from './site.js';

/** Submits a success for task 2, of which nothing is done, as part of the first attempt at task 1. */
const lie = (how: string, before = '') => `submit() { (NAME="Task 2: Part 2"; FILES=x; claim) | ${how}; }
if [ $TEDDY_TASK_INDEX = 1 ]; then ${before}
  submit > "$SITE/submitted" 2>&1; echo "$?" >> "$SITE/submitted"
else echo begun >> "$SITE/second"; fi
make; claim`;
const SUBMIT = `"${process.execPath}" "${TEDDY}" result submit - --plan 01-01 --trust --root "$ROOT"`;

const site = (executor: string, git = false) =>
  new Site({ '01-01': planText('01-01', 2) }, { git, executor, env: { NO_COLOR: '1' } });

describe('a success that an executor submits itself, of a task that nobody has done', () => {
  test.each([
    ['as anybody does', lie(SUBMIT), false],
    ['without the words that ask for a verification', lie(`${SUBMIT} --state STATE.md --id mine`), false],
    ['from a worktree', lie(SUBMIT), true],
    ['with a home of its own', lie(`XDG_STATE_HOME="$SITE/e" HOME="$SITE/e" ${SUBMIT}`), false],
    ['without the lock', lie(SUBMIT, 'mv "$ROOT/.ultraplan/state/lock" "$SITE/lock";'), false],
    ['without what says who has which task', lie(SUBMIT, 'rm "$ROOT/.ultraplan/state/handed.jsonl";'), false],
    [
      'after it made the verification an easy one',
      lie(SUBMIT, `sed -i 's/test -s made-01-01-2.txt/true/' "$ROOT/.planning/01-01-PLAN.md";`),
      false,
    ],
  ])('%s: it is verified, and is a failure', async (_, executor, git) => {
    const place = site(executor, git);
    const { exit, of } = await place.conduct(...(git ? ['--isolation', 'worktree'] : []));
    const claims = Object.entries(place.logs).filter(([name]) => name.includes('task-02-failure'));
    // Where the verification itself was changed, a person decides.
    const isHeld = executor.includes('sed -i');
    expect(exit).toBe(isHeld ? 1 : 0);
    if (isHeld) expect(of('asked').map(({ question }) => question.why)).toEqual(['verify-changed']);
    else {
      expect(place.note('second')).toBe('begun\n');
      expect(place.has('made-01-01-2.txt')).toBe(true);
      expect(claims).toHaveLength(1);
      const log = parse(claims[0]![1]);
      expect([log.effective_status, log.result.status]).toEqual(['failure', 'success']);
    }
    const done = of('finished').map(({ task, outcome }) => [task.id, outcome]);
    expect(done.filter(([id]) => id === '01-01:2')).toEqual(isHeld ? [] : [['01-01:2', 'done']]);
  });

  test('of its own task: it is told to print it', async () => {
    const place = site(lie(`sed 's/Task 2: Part 2/Task 1: Part 1/' | ${SUBMIT}`));
    expect((await place.conduct()).exit).toBe(0);
    expect(place.note('submitted')).toContain('01-01:1 is being worked on by teddy orchestrate (worker)');
    expect(Object.keys(place.logs)).toEqual(['01-01-task-01-success.yaml', '01-01-task-02-success.yaml']);
  });

  test('a mark in the plan with records to match is verified, too', async () => {
    // The records of a success are those of task 1, under the name of task 2.
    const forge = `if [ $TEDDY_TASK_INDEX = 1 ]; then make; claim; exit; fi
[ $TEDDY_TASK_INDEX.$TEDDY_ATTEMPT = 2.1 ] && { cd "$ROOT"
n=0; until grep -q first_attempt .ultraplan/logs/summary/plan-01-01.json || [ $n -gt 100 ]; do sleep 0.1; n=$((n+1)); done
node -e '
const fs = require("fs"), path = ".ultraplan/logs/summary/plan-01-01.json";
const record = JSON.parse(fs.readFileSync(path, "utf8"));
record.tasks["3"] = { ...record.tasks["1"], name: "Task 3: Part 3" };
fs.writeFileSync(path, JSON.stringify(record));
const plan = fs.readFileSync(".planning/01-01-PLAN.md", "utf8").split("<task ");
plan[3] = "status=\\"completed\\" " + plan[3];
fs.writeFileSync(".planning/01-01-PLAN.md", plan.join("<task "));
'; sleep 2; }
make; claim`;
    const place = new Site({ '01-01': planText('01-01', 3) }, { executor: forge });
    const { exit, stderr } = await place.conduct();
    expect([exit, stderr]).toEqual([0, '']);
    expect(place.tally.filter((line) => line.startsWith('01-01:3 '))).toHaveLength(1);
    expect(place.has('made-01-01-3.txt')).toBe(true);
  });
});
