import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULTS } from '../../src/config/config-file.js';
import { findAttemptFiles, findQuestions, readAttempts } from '../../src/orchestrate/attempt-records.js';
import type { FailureKind } from '../../src/orchestrate/events.js';
import {
  AttemptJournal,
  type EndedLine,
  type JournalLine,
  type StartedLine,
} from '../../src/orchestrate/journal.js';
import { resolveTask } from '../../src/tasks/plans/change-task.js';
import { openCapture } from '../../src/tasks/project.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder } from '../folder.js';

const PATH = '.ultraplan/state/journal.jsonl';
const at = '2026-03-01T09:00:00.000Z';
const TASK = { id: '01-01:1', name: 'Task 1: A' };

const started = (attempt = 1): JournalLine =>
  ({ type: 'started', at, task: TASK.id, name: TASK.name, attempt, executor: 'e' }) as unknown as StartedLine;

interface Ending {
  attempt?: number;
  executor?: string;
  kind?: FailureKind;
  name?: string;
  durationMs?: number;
  costUsd?: number | null;
  decisions?: number;
}

const ended = (outcome: EndedLine['outcome'], ending: Ending = {}): EndedLine => {
  const { attempt = 1, executor = 'e', kind, name = TASK.name, durationMs = 10, costUsd = null } = ending;
  return {
    type: 'ended',
    at,
    task: TASK.id,
    name,
    attempt,
    executor,
    outcome,
    behind: [],
    durationMs,
    failure: kind ? { attempt, kind, reason: `It was ${kind}.`, evidence: null, filesChanged: null } : null,
    usage: { inputTokens: null, outputTokens: null, costUsd },
    decisions: ending.decisions ?? 0,
  };
};

const asked = (decisions = 0, name = TASK.name): JournalLine => ({
  type: 'asked',
  at,
  task: TASK.id,
  name,
  why: 'attempts-exhausted',
  message: 'Why?',
  decisions,
});

async function write(...lines: JournalLine[]): Promise<Workspace> {
  const root = makeFolder({ '01-01-PLAN.md': '<task><name>Task 1: A</name></task>\n' });
  const workspace = new Workspace(root);
  const journal = AttemptJournal.open(workspace);
  await workspace.update((view) => ({ changes: [journal.change(view, lines)], value: null }));
  return workspace;
}

describe('attempts', () => {
  test('are summed up by executor, what was cut off apart', async () => {
    const workspace = await write(
      ended('failed', { kind: 'crash', durationMs: 100, costUsd: 0.5 }),
      ended('cut-off', { attempt: 2, durationMs: 5000, costUsd: 0.25 }),
      ended('failed', { attempt: 2, kind: 'time-out', durationMs: 200 }),
      ended('blocked', { attempt: 3, durationMs: 0 }),
      ended('done', { attempt: 4, durationMs: 100 }),
      ended('failed', { attempt: 5, executor: 'another', kind: 'invalid' }),
    );
    const { executors, problem } = readAttempts(workspace);
    expect(problem).toBeNull();
    expect(executors.map(({ executor }) => executor)).toEqual(['another', 'e']);
    expect(executors[0]).toMatchObject({ attempts: 1, retries: 1, failures: { invalid: 1 }, costUsd: null });
    expect(executors[1]).toEqual({
      executor: 'e',
      attempts: 4,
      retries: 3,
      done: 1,
      blocked: 1,
      failed: 2,
      cutOff: 1,
      failures: {
        reported: 0,
        invalid: 0,
        verification: 0,
        vacuous: 0,
        conflict: 0,
        crash: 1,
        'rate-limit': 0,
        'time-out': 1,
      },
      duration: { total: 400, average: 100 },
      costUsd: 0.75,
    });
  });

  test('of a task are its own, and not those of another that stood there', async () => {
    const records = readAttempts(
      await write(ended('failed', { name: 'Task 1: Z', kind: 'crash' }), ended('done', { attempt: 2 })),
    );
    expect(records.of(TASK)).toEqual([
      {
        attempt: 2,
        executor: 'e',
        endedAt: at,
        outcome: 'done',
        why: null,
        reason: null,
        durationMs: 10,
        costUsd: null,
        run: null,
        resultId: null,
      },
    ]);
  });

  test('know the run that started them, and the id of their result', async () => {
    const start = (attempt: number, run: string) => ({ ...started(attempt), key: `k${attempt}`, run });
    const records = readAttempts(
      await write(start(1, 'one') as JournalLine, ended('failed'), start(2, 'two') as JournalLine),
    );
    expect(records.of(TASK)).toMatchObject([{ attempt: 1, run: 'one', resultId: '01-01:1#1.k1' }]);
    expect(records.openAttempt(TASK)).toMatchObject({ attempt: 2, run: 'two' });
    expect(records.lastRun).toBe('two');
  });

  test('are nothing where there is no journal, and where it cannot be used a sentence says so', async () => {
    const none = readAttempts(new Workspace(makeFolder()));
    expect([none.problem, none.executors, none.of(TASK)]).toEqual([null, [], []]);
    const workspace = await write(ended('done'), asked());
    const path = join(workspace.root, PATH);
    const text = readFileSync(path, 'utf8');
    for (const [damaged, where] of [
      [text.replace('"executor":"e"', '"executor":"f"'), 'line 1, was not written'],
      [`${text}{"type":"asked"}\n`, 'line 3, was not written'],
      [text.slice(0, -5), 'line 2, is incomplete'],
    ]) {
      writeFileSync(path, damaged!);
      const records = readAttempts(workspace);
      expect(records.problem).toContain(`${PATH}, ${where}`);
      expect([records.executors, records.hasAsked]).toEqual([[], false]);
    }
  });

  test('have their output, and their patches of every time that the number was used', () => {
    const state = '.ultraplan/state';
    const root = makeFolder({
      [`${state}/output/01-01-1.1.txt`]: 'x',
      [`${state}/patches/01-01-1-1.patch`]: 'x',
      [`${state}/patches/01-01-1-1-2.patch`]: 'x',
      [`${state}/patches/01-01-1-11.patch`]: 'x',
      [`${state}/patches/01-01-11-1.patch`]: 'x',
    });
    expect(findAttemptFiles(new Workspace(root), TASK.id, 1)).toEqual({
      output: `${state}/output/01-01-1.1.txt`,
      patches: [`${state}/patches/01-01-1-1-2.patch`, `${state}/patches/01-01-1-1.patch`],
    });
    expect(findAttemptFiles(new Workspace(root), TASK.id, 2)).toEqual({ output: null, patches: [] });
  });
});

describe('a question', () => {
  const questionsOf = (workspace: Workspace) =>
    findQuestions(readAttempts(workspace), openCapture(workspace, DEFAULTS));

  test('is open until somebody decides, and knows the failures since the last decision', async () => {
    const workspace = await write(
      ended('failed', { kind: 'crash' }),
      ended('failed', { attempt: 2, kind: 'time-out' }),
      asked(),
    );
    expect([...questionsOf(workspace)]).toEqual([
      [
        TASK.id,
        {
          why: 'attempts-exhausted',
          message: 'Why?',
          askedAt: expect.any(String),
          answers: ['retry', 'fix', 'done', 'skip', 'abort'],
          failures: ['crash', 'time-out'],
        },
      ],
    ]);
    await resolveTask(openCapture(workspace, DEFAULTS), TASK.id, 'retry');
    expect([...questionsOf(workspace)]).toEqual([]);
    const journal = AttemptJournal.open(workspace);
    const again = [ended('failed', { attempt: 3, kind: 'invalid', decisions: 1 }), asked(1)];
    await workspace.update((view) => ({ changes: [journal.change(view, again)], value: null }));
    expect(questionsOf(workspace).get(TASK.id)).toMatchObject({ failures: ['invalid'] });
  });

  test.each<[string, JournalLine[], string | undefined]>([
    ['somebody works on it again', [asked(), started()], undefined],
    ['another task stands there now', [asked(0, 'Task 1: Z')], undefined],
    ['it is completed', [asked()], '<task status="completed"><name>Task 1: A</name></task>\n'],
    ['it is skipped', [asked()], '<task status="skipped"><name>Task 1: A</name></task>\n'],
  ])('is closed when %s', async (_, lines, plan) => {
    const workspace = await write(...lines);
    if (plan !== undefined) writeFileSync(join(workspace.root, '01-01-PLAN.md'), plan);
    expect([...questionsOf(workspace)]).toEqual([]);
  });
});
