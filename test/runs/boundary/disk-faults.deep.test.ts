// A disk that fails, once or from then on, at any call of a run: whatever the run then says is so.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { Run } from '../../../src/core/report/record.js';
import { setFileSeam } from '../../../src/node/file-calls.js';
import { userKey } from '../../../src/node/user-folders.js';
import { recoverRuns } from '../../../src/sessions/recover-runs.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { changesDisk } from '../../workspace/faults/changing-calls.js';
import { SOAK, sample } from '../../workspace/faults/random.js';
import { judge, Site } from '../kill/judge.js';
import { type Model, SMALL } from '../kill/mixed-plan.js';
import { executeHere } from './execute-here.js';
import { create, edit, planOf, read } from './plan.js';

afterEach(() => setFileSeam(undefined));

/** Without a command, which would take its time at every call. */
const QUIET: Model = {
  ...SMALL,
  actions: [
    edit('a.txt', ['alpha', 'ALPHA']),
    create('new/b.txt', 'b\n'),
    read('a.txt'),
    edit('new/b.txt', ['b', 'B\nb']),
  ],
  writes: { 1: { 'a.txt': 'ALPHA\nbeta\n' }, 2: { 'new/b.txt': 'b\n' } },
  transactions: [[1, 2]],
  commands: {},
  looks: { 3: '+ a.txt' },
};

test.each(['once', 'from then on'])('%s', async (how) => {
  userKey();
  const plan = planOf(QUIET.actions, QUIET.around);
  const total = await countCalls(plan);
  const wrong: string[] = [];
  const tally = { points: 0, threw: 0, told: 0, unkept: 0 };
  for (const at of sample([...Array(total).keys()], SOAK ? 1e9 : 40, 2)) {
    const site = newSite();
    let calls = 0;
    setFileSeam((call, perform) => {
      const number = changesDisk(call) ? calls++ : -1;
      if (number === at || (how === 'from then on' && number > at))
        throw Object.assign(new Error(`ENOSPC: no space left on device, ${call.name}`), { code: 'ENOSPC' });
      return perform(call.args);
    });
    let run: Run | undefined;
    let error: unknown;
    let unkept = false;
    const onUnsaved = () => {
      unkept = true;
    };
    try {
      run = (await executeHere(site.root, plan, { keepGoing: true, onUnsaved })).run;
    } catch (thrown) {
      error = thrown;
    }
    setFileSeam(undefined);
    tally.points++;
    tally[unkept ? 'unkept' : run ? 'told' : 'threw']++;
    const say = (what: string) => wrong.push(`call ${at}${error ? `, which threw ${error}` : ''}: ${what}`);
    try {
      await recoverRuns(new Workspace(site.root));
      for (const each of judge(site, { end: 'killed', faulty: true })) say(each);
      if (run && !site.runs().includes(run.id)) say('there is no trace of the run that was told of');
      else if (run) {
        const kept = site.record(run.id);
        // What could not be kept is made up from the journal: of files it knows all, of the rest maybe less.
        const same = unkept
          ? JSON.stringify(writtenBy(kept)) === JSON.stringify(writtenBy(run))
          : JSON.stringify(kept) === JSON.stringify(run);
        if (!same && !isStuck(run))
          say(`the record on disk is not what was told${unkept ? ', without being kept' : ''}`);
      }
    } catch (thrown) {
      say(`then ${thrown}`);
    }
    rmSync(site.base, { recursive: true, force: true });
  }
  if (SOAK) console.log(how, JSON.stringify(tally));
  expect(wrong).toEqual([]);
});

/** What the next command goes on with: then it says so, and leaves open what comes of it. */
function isStuck({ actions }: Run): boolean {
  return actions.some(
    ({ outcome }) =>
      outcome.status === 'failure' && outcome.summary.includes('Only a part of it was written'),
  );
}

/** The numbers of the actions that changed files. */
function writtenBy({ actions }: Run): number[] {
  return actions.flatMap(({ type, outcome }, at) =>
    (type === 'CREATE' || type === 'EDIT') && outcome.status === 'success' ? [at + 1] : [],
  );
}

async function countCalls(plan: string): Promise<number> {
  let calls = 0;
  setFileSeam((call, perform) => {
    if (changesDisk(call)) calls++;
    return perform(call.args);
  });
  await executeHere(newSite().root, plan, { keepGoing: true });
  setFileSeam(undefined);
  return calls;
}

function newSite(): Site {
  const base = mkdtempSync(join(tmpdir(), 'teddy-fault-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  return new Site(realpathSync(base), QUIET);
}
