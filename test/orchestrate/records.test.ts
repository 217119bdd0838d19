import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULTS } from '../../src/config/config-file.js';
import { UserError } from '../../src/node/errors.js';
import { setFileSeam } from '../../src/node/file-calls.js';
import { Folder } from '../../src/node/folder.js';
import { endedLine } from '../../src/orchestrate/attempt/record.js';
import { AttemptJournal, Records, type StartedLine, timestamp } from '../../src/orchestrate/journal.js';
import { prepareState } from '../../src/orchestrate/state-files.js';
import { captureResult } from '../../src/tasks/capture-results.js';
import { listProject } from '../../src/tasks/plans/tasks.js';
import { openCapture } from '../../src/tasks/project.js';
import { acquireLock } from '../../src/workspace/lock.js';
import type { View } from '../../src/workspace/view.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { readTree } from '../folder.js';
import { AT, PLAN, resultText, TestProject } from '../tasks/project.js';

/** Three tasks, one after the other. */
const FIRST = '03-01:1';
const SECOND = '03-01:2';
const THIRD = '03-01:3';
/** Of another plan, which waits for nothing. */
const BESIDE = '03-02:1';
const BESIDE_TEXT =
  '---\nphase: 03-execute\nplan: 02\n---\n\n<task type="auto">\n  <name>Task 1: Beside it</name>\n</task>\n';

class Site extends TestProject {
  readonly workspace = new Workspace(this.root, this.root, 20);
  readonly own = openCapture(this.workspace, DEFAULTS);
  readonly journal = AttemptJournal.open(this.workspace);
  readonly records = new Records({
    workspace: this.workspace,
    project: this.own,
    journal: this.journal,
    session: 'run-1',
  });

  static async open(): Promise<Site> {
    const site = new Site({ '.planning/phases/03/03-02-PLAN.md': BESIDE_TEXT });
    await prepareState(site.workspace);
    return site;
  }

  begin(task: string): Promise<void> {
    return this.records.recordStart(started(task));
  }

  /** Captures that the first task is done, as a turn of the records has to; `disturb` comes before the commit. */
  async end(disturb: (view: View) => void = () => {}): Promise<void> {
    const line = endedLine(
      { task: { id: FIRST, name: 'Task 1: Create the agent' }, number: 1, executor: 'e', decisions: 0 },
      { durationMs: 10, usage: { inputTokens: null, outputTokens: null, costUsd: null } },
      { outcome: 'done', failure: null, behind: [] },
    );
    await captureResult(this.own, {
      submission: { plan: PLAN, text: resultText(), session: 'run-1' },
      now: new Date(AT),
      mask: (text) => text,
      also: (view) => {
        const changes = this.records.include(view, [line]);
        disturb(view);
        return changes;
      },
    });
    this.records.took([line]);
  }

  /** What the next process finds in the journal, and what the plans say. */
  get written(): { journal: string[]; statuses: string[] } {
    const text = readTree(join(this.root, '.ultraplan/state'))['journal.jsonl'] ?? '';
    const lines = text.split('\n').slice(0, -1);
    const journal = lines.map((line) => JSON.parse(line) as { type: string; task: string });
    const tasks = ['03-01', '03-02'].flatMap((plan) => listProject(this.project, plan).plans[0]!.tasks);
    return {
      journal: journal.map(({ type, task }) => `${type} ${task}`),
      statuses: tasks.map(({ status }) => status),
    };
  }

  /** The attempts that are under way, as this process has it and as the next one would. */
  get open(): string[][] {
    return [this.journal, AttemptJournal.open(this.workspace)].map(({ open }) => [...open.keys()]);
  }
}

function started(task: string): StartedLine {
  const place = { taskId: task, taskName: task, attempt: 1, root: '/', base: null, branch: null };
  return {
    type: 'started',
    at: timestamp(),
    task,
    name: task,
    attempt: 1,
    key: 'k',
    executor: 'e',
    place,
    decisions: 0,
  };
}

/** Counts commits by the one name that each of them gives its log; while `isFull`, none can be made. */
function watchDisk(): { commits: number; isFull: boolean } {
  const disk = { commits: 0, isFull: false };
  setFileSeam((call, perform) => {
    if (disk.isFull && call.name === 'sync') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    if (call.name === 'rename' && String(call.args[1]).endsWith('.log')) disk.commits++;
    return perform(call.args);
  });
  onTestFinished(() => setFileSeam(undefined));
  return disk;
}

async function expectUnusable(begun: Promise<void>, reason: string): Promise<void> {
  await expect(begun).rejects.toThrow(UserError);
  await expect(begun).rejects.toThrow(reason);
}

const heard = (begun: Promise<void>) =>
  begun.then(
    () => 'begun',
    (error: Error) => error.message,
  );

test('a beginning alone is one commit: the task is in progress, and the journal says who has it', async () => {
  const site = await Site.open();
  const disk = watchDisk();
  await site.begin(FIRST);
  expect(disk.commits).toBe(1);
  expect(site.written).toEqual({
    journal: [`started ${FIRST}`],
    statuses: ['in_progress', 'pending', 'pending', 'pending'],
  });
  expect(site.open).toEqual([[FIRST], [FIRST]]);
  expect(site.session.session_id).toBe('run-1');
});

test('those that begin at once are one commit', async () => {
  const site = await Site.open();
  const disk = watchDisk();
  await Promise.all([site.begin(FIRST), site.begin(BESIDE)]);
  expect(disk.commits).toBe(1);
  expect(site.written).toEqual({
    journal: [`started ${FIRST}`, `started ${BESIDE}`],
    statuses: ['in_progress', 'pending', 'pending', 'in_progress'],
  });
  expect(site.session.tasks.map(({ task_id }) => task_id)).toEqual([FIRST, BESIDE]);
});

test('what begins because a task ends is in the commit of that end, and hears of it after the turn', async () => {
  const site = await Site.open();
  await site.begin(FIRST);
  const disk = watchDisk();
  let isHeard = false;
  const begun = await site.records.run(async () => {
    const waiting = site.begin(SECOND).then(() => {
      isHeard = true;
    });
    await site.end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(isHeard).toBe(false);
    return { waiting };
  });
  await begun.waiting;
  // Its own turn finds nothing left to write.
  await site.records.run(async () => {});
  expect(disk.commits).toBe(1);
  expect(site.written).toEqual({
    journal: [`started ${FIRST}`, `ended ${FIRST}`, `started ${SECOND}`],
    statuses: ['completed', 'in_progress', 'pending', 'pending'],
  });
  expect(site.open).toEqual([[SECOND], [SECOND]]);
});

test('what waits for something else cannot begin, and spoils neither the end nor who begins beside it', async () => {
  const site = await Site.open();
  await site.begin(FIRST);
  const disk = watchDisk();
  const begun = await site.records.run(async () => {
    const all = [site.begin(THIRD), site.begin(BESIDE)];
    for (const each of all) each.catch(() => {});
    await site.end();
    return { all };
  });
  await expectUnusable(begun.all[0]!, `it is waiting for ${SECOND}.`);
  await begun.all[1];
  expect(disk.commits).toBe(1);
  expect(site.written).toEqual({
    journal: [`started ${FIRST}`, `ended ${FIRST}`, `started ${BESIDE}`],
    statuses: ['completed', 'pending', 'pending', 'in_progress'],
  });
  expect(site.open).toEqual([[BESIDE], [BESIDE]]);
});

test('one that cannot begin alone is rejected, and nothing says that it has begun', async () => {
  const site = await Site.open();
  await expectUnusable(site.begin(SECOND), `it is waiting for ${FIRST}.`);
  expect(site.written).toEqual({ journal: [], statuses: ['pending', 'pending', 'pending', 'pending'] });
  expect(site.open).toEqual([[], []]);
  await site.begin(FIRST);
  expect(site.written.journal).toEqual([`started ${FIRST}`]);
});

test('where the commit of an end fails, those that waited for it cannot begin, and the others do alone', async () => {
  const site = await Site.open();
  await site.begin(FIRST);
  const disk = watchDisk();
  const all: Promise<string>[] = [];
  const turn = site.records.run(async () => {
    all.push(heard(site.begin(SECOND)), heard(site.begin(BESIDE)));
    disk.isFull = true;
    try {
      await site.end();
    } finally {
      disk.isFull = false;
    }
  });
  await expect(turn).rejects.toThrow('The result was not recorded');
  expect(await Promise.all(all)).toEqual([`it is waiting for ${FIRST}.`, 'begun']);
  expect(disk.commits).toBe(1);
  expect(site.written).toEqual({
    journal: [`started ${FIRST}`, `started ${BESIDE}`],
    statuses: ['in_progress', 'pending', 'pending', 'in_progress'],
  });
  expect(site.open).toEqual([
    [FIRST, BESIDE],
    [FIRST, BESIDE],
  ]);
});

test('where the end itself is refused within its commit, nothing that began with it is written by it', async () => {
  const site = await Site.open();
  await site.begin(FIRST);
  const all: Promise<string>[] = [];
  const turn = site.records.run(async () => {
    all.push(heard(site.begin(SECOND)));
    await site.end(() => {
      throw new UserError('The plan was changed.');
    });
  });
  await expect(turn).rejects.toThrow('The result was not recorded. The plan was changed.');
  expect(await Promise.all(all)).toEqual([`it is waiting for ${FIRST}.`]);
  expect(site.written).toEqual({
    journal: [`started ${FIRST}`],
    statuses: ['in_progress', 'pending', 'pending', 'pending'],
  });
  await site.records.run(() => site.end());
  await site.begin(SECOND);
  expect(site.written.journal).toEqual([`started ${FIRST}`, `ended ${FIRST}`, `started ${SECOND}`]);
});

test('an end whose commit is made again, because another program was in the way, takes them along once', async () => {
  const site = await Site.open();
  await site.begin(FIRST);
  let tries = 0;
  const begun = await site.records.run(async () => {
    const waiting = site.begin(SECOND);
    await site.end(() => {
      if (tries++ === 0) appendFileSync(join(site.root, 'STATE.md'), 'Of another program.\n');
    });
    return { waiting };
  });
  await begun.waiting;
  expect(tries).toBe(2);
  expect(site.read('STATE.md')).toContain('Of another program.');
  expect(site.written).toEqual({
    journal: [`started ${FIRST}`, `ended ${FIRST}`, `started ${SECOND}`],
    statuses: ['completed', 'in_progress', 'pending', 'pending'],
  });
});

test('one that begins while the commit of an end is being made is written after it', async () => {
  const site = await Site.open();
  await site.begin(FIRST);
  const disk = watchDisk();
  const late: Promise<void>[] = [];
  await site.records.run(() => site.end(() => late.push(site.begin(SECOND))));
  await Promise.all(late);
  expect([disk.commits, late.length]).toEqual([2, 1]);
  expect(site.written.journal).toEqual([`started ${FIRST}`, `ended ${FIRST}`, `started ${SECOND}`]);
  expect(site.open).toEqual([[SECOND], [SECOND]]);
});

test('beginnings whose own commit fails are rejected, and the next one does not bring them back', async () => {
  const site = await Site.open();
  const disk = watchDisk();
  disk.isFull = true;
  const reason = '.ultraplan/state/journal.jsonl cannot be written: the disk is full (ENOSPC).';
  expect(await Promise.all([heard(site.begin(FIRST)), heard(site.begin(BESIDE))])).toEqual([reason, reason]);
  disk.isFull = false;
  expect(site.open).toEqual([[], []]);
  await site.begin(BESIDE);
  expect(site.written).toEqual({
    journal: [`started ${BESIDE}`],
    statuses: ['pending', 'pending', 'pending', 'in_progress'],
  });
});

test('a beginning is rejected where another program does not let go of the lock', async () => {
  const site = await Site.open();
  const folder = Folder.open(join(site.root, '.teddy'));
  onTestFinished(() => folder.close());
  const lock = await acquireLock(folder, 'lock', 0);
  const begun = site.begin(FIRST);
  await expectUnusable(begun, '.ultraplan/state/journal.jsonl cannot be written: ');
  lock!.release();
  await site.begin(BESIDE);
  expect(site.written.journal).toEqual([`started ${BESIDE}`]);
});
