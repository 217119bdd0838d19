import { describe, expect, test } from 'vitest';
import { findBlockers } from '../../../src/tasks/plans/blockers.js';
import { graphOf, idsOf, lookAtPlans } from './facts.js';

/** Two plans of one phase, the second behind the first, and one of the next phase. */
const THREE = {
  '01-01': { tasks: 3 },
  '01-02': { front: 'depends_on: ["01-01"]', tasks: 2 },
  '02-01': { front: 'parallel: true', tasks: 2 },
};

describe('ready', () => {
  test('what is completed lets others begin, and what is reopened holds them again', () => {
    const graph = graphOf(THREE);
    const steps = ['01-01:1', '01-01:2', '01-01:3', '01-02:1', '01-02:2'];
    for (const id of steps) {
      expect(idsOf(graph.ready())).toEqual([id]);
      graph.settle(id, 'completed');
    }
    expect(idsOf(graph.ready())).toEqual(['02-01:1', '02-01:2']);
    graph.settle('01-01:2', 'open');
    expect(idsOf(graph.ready())).toEqual(['01-01:2']);
    graph.settle('01-01:2', 'completed');
    expect(idsOf(graph.ready())).toEqual(['02-01:1', '02-01:2']);
  });

  test('what is skipped is not done: only the order of phases goes on', () => {
    const graph = graphOf(THREE);
    for (const id of ['01-01:1', '01-01:2']) graph.settle(id, 'completed');
    graph.settle('01-01:3', 'skipped');
    expect(graph.ready()).toEqual([]);
    expect(graph.waitsOn('01-02:1')).toEqual(['01-01, which has skipped tasks']);
    for (const id of ['01-02:1', '01-02:2']) graph.settle(id, 'skipped');
    expect(idsOf(graph.ready())).toEqual(['02-01:1', '02-01:2']);
    expect(idsOf(graph.skipped())).toEqual(['01-01:3', '01-02:1', '01-02:2']);
    expect(idsOf(graph.open())).toEqual(['02-01:1', '02-01:2']);
  });

  test('a plan that is not part of the run is waited for, until it is completed', () => {
    const graph = graphOf(THREE, ['01-02']);
    expect(graph.ready()).toEqual([]);
    expect(graph.waitsOn('01-02:2')).toEqual(['01-01, which is not part of this run', '01-02:1']);
    const done = { ...THREE, '01-01': { tasks: Array.from({ length: 3 }, () => 'status="completed"') } };
    expect(graph.update(lookAtPlans(done))).toMatchObject({ changed: [], completed: [] });
    expect(idsOf(graph.ready())).toEqual(['01-02:1']);
    expect(idsOf(graphOf(done, ['01-02']).ready())).toEqual(['01-02:1']);
  });

  test('a plan without tasks is never done', () => {
    const graph = graphOf({
      '01-01': { tasks: 0 },
      '01-02': { front: 'depends_on: ["01-01"]' },
      '02-01': {},
    });
    expect(graph.ready()).toEqual([]);
    expect(graph.waitsOn('01-02:1')).toEqual(['01-01, which has no tasks']);
    graph.settle('01-02:1', 'skipped');
    expect(idsOf(graph.ready())).toEqual(['02-01:1']);
  });
});

describe('postpone', () => {
  test('puts a task behind others, until these are completed', () => {
    const graph = graphOf({ '01-01': { front: 'parallel: true', tasks: 3 }, '01-02': {} });
    expect(graph.postpone('01-01:1', ['01-01:3', '01-02', '09-09', '01-01:1'])).toEqual({
      status: 'ok',
      behind: ['01-01:3', '01-02'],
    });
    expect(idsOf(graph.ready())).toEqual(['01-01:2', '01-01:3', '01-02:1']);
    expect(graph.waitsOn('01-01:1')).toEqual(['01-01:3', '01-02']);
    graph.settle('01-01:3', 'completed');
    graph.settle('01-02:1', 'completed');
    expect(idsOf(graph.ready())).toEqual(['01-01:1', '01-01:2']);
    expect(graph.postpone('01-01:1', ['01-01:3', '01-02', '09-09'])).toEqual({ status: 'nothing' });
  });

  test('not behind what waits for it', () => {
    const graph = graphOf(THREE);
    expect(graph.postpone('01-01:1', ['01-01:3'])).toEqual({ status: 'circle' });
    expect(graph.postpone('01-01:2', ['01-02:1'])).toEqual({ status: 'circle' });
    expect(graph.postpone('01-01:2', ['01-01'])).toEqual({ status: 'circle' });
    expect(idsOf(graph.ready())).toEqual(['01-01:1']);
  });

  test('not behind what was given up', () => {
    const graph = graphOf({ '01-01': {}, '01-02': {} });
    graph.settle('01-01:1', 'skipped');
    expect(graph.postpone('01-02:1', ['01-01:1', '01-01'])).toEqual({ status: 'nothing' });
    expect(idsOf(graph.ready())).toEqual(['01-02:1']);
  });
});

describe('leaves', () => {
  test('names what nobody can do any more', () => {
    const graph = graphOf(THREE);
    expect(graph.leaves('01-01:2')).toEqual(['01-01:3', '01-02:1', '01-02:2', '02-01:1', '02-01:2']);
    expect(graph.leaves('01-02:2')).toEqual([]);
    graph.settle('01-02:1', 'skipped');
    graph.settle('01-02:2', 'completed');
    expect(graph.leaves('01-01:3')).toEqual([]);
    expect(graph.leaves('01-01:2')).toEqual(['01-01:3', '02-01:1', '02-01:2']);
  });

  test('and more as long as it is failed: its phase is not over', () => {
    const graph = graphOf(THREE);
    expect(graph.leaves('01-02:2', 'failed')).toEqual(['02-01:1', '02-01:2']);
    expect(graph.leaves('02-01:2', 'failed')).toEqual([]);
  });

  test('and nothing is left over if it is skipped and they are too', () => {
    const graph = graphOf(THREE);
    const left = graph.leaves('01-01:1');
    for (const id of ['01-01:1', ...left]) graph.settle(id, 'skipped');
    expect(graph.open()).toEqual([]);
  });
});

test('the critical path is the longest chain', () => {
  const graph = graphOf({ '01-01': { front: 'parallel: true', tasks: 2 }, '01-02': {}, '02-01': {} });
  const took = new Map([
    ['01-01:1', 5],
    ['01-01:2', 7],
    ['01-02:1', 4],
    ['02-01:1', 10],
    ['elsewhere', 99],
  ]);
  expect(graph.criticalPath(took)).toBe(17);
  graph.postpone('01-01:2', ['01-02:1']);
  expect(graph.criticalPath(took)).toBe(21);
  expect(graph.criticalPath(new Map())).toBe(0);
});

describe('what a task waits on', () => {
  test('in words for people', () => {
    const graph = graphOf({ ...THREE, '01-03': {} });
    expect(graph.waitsOn('01-01:1')).toEqual([]);
    expect(graph.waitsOn('01-01:3')).toEqual(['01-01:2']);
    expect(graph.waitsOn('01-02:2')).toEqual(['01-01', '01-02:1']);
    expect(graph.waitsOn('02-01:1')).toEqual(['phase 1']);
    graph.settle('01-01:2', 'skipped');
    expect(graph.waitsOn('01-01:3')).toEqual(['01-01:2, which was skipped']);
  });
});

describe('update', () => {
  test('takes over what people did', () => {
    const graph = graphOf(THREE);
    const tags = (...tasks: string[]) => lookAtPlans({ ...THREE, '01-01': { tasks } });
    const first = graph.update(tags('status="completed"', 'status="skipped"', 'status="failed"'));
    expect(first.changed).toEqual([]);
    expect(idsOf(first.completed)).toEqual(['01-01:1']);
    expect(idsOf(first.skipped)).toEqual(['01-01:2']);
    const second = graph.update(tags('status="completed"', '', ''));
    expect(idsOf(second.reopened)).toEqual(['01-01:2']);
    expect(idsOf(graph.ready())).toEqual(['01-01:2']);
  });

  test('leaves alone what is another plan by now', () => {
    const graph = graphOf(THREE);
    const done = ['status="completed"', 'status="completed"'];
    for (const changed of [
      { tasks: done },
      { tasks: [...done, 'status="completed" type="checkpoint"'] },
      { tasks: [...done, 'status="completed" depends_on="1"'] },
      { front: 'depends_on: ["02-01"]', tasks: [...done, 'status="completed"'] },
    ]) {
      expect(graph.update(lookAtPlans({ ...THREE, '01-01': changed })).changed).toEqual(['01-01']);
    }
    const { '01-01': _, ...rest } = THREE;
    // The plan that depends on it depends on nothing that is there.
    for (const plans of [rest, { ...THREE, '01-01': 'gone: \u0000' }]) {
      expect(graph.update(lookAtPlans(plans)).changed).toEqual(['01-01', '01-02']);
    }
    expect(idsOf(graph.ready())).toEqual(['01-01:1']);
  });
});

describe('an error names', () => {
  const named = (text: string) => {
    const graph = graphOf({ '03-01': { tasks: 3 }, '03-02': { tasks: 3 }, auth: { tasks: 2 }, '12-01': {} });
    return findBlockers(text, graph.plans.find(({ id }) => id === '03-01')!, graph.plans);
  };

  test.each<[string, string[]]>([
    ['03-02:2 has to be done first', ['03-02:2']],
    ['It needs 03-02.', ['03-02']],
    ['3-2 and Task 3 are missing', ['03-02', '03-01:3']],
    ['task 1 was never done', ['03-01:1']],
    ['Tasks 1, 2 and 3', ['03-01:1', '03-01:2', '03-01:3']],
    ['plan 03-02, task 1, is open', ['03-02:1']],
    ['see .planning/phases/03-02-PLAN.md', ['03-02']],
    ['waits for auth-PLAN:2', ['auth-PLAN:2']],
    ['12-01 before 03-02:1, then 12-01', ['12-01', '03-02:1']],
    ['03-01 itself', []],
    ['on 2003-02-12 and 03-02-12', []],
    ['version 1.03-02, 03-021, x03-02, 103-02', []],
    ['03-02:9, 09-09, task 17, multitask 2, task-force 3', []],
    ['', []],
  ])('%j', (text, expected) => {
    expect(named(text)).toEqual(expected);
  });

  test('a task by the number in its name', () => {
    const text = '<task>\n<name>Task 4: A</name>\n</task>\n<task>\n<name>Task 1: B</name>\n</task>\n';
    const other = graphOf({ '01-01': text });
    expect(findBlockers('Task 1 and Task 2', other.plans[0]!, other.plans)).toEqual(['01-01:2']);
  });

  test('in any text, in little time', () => {
    for (const part of ['03-', '0', 'task ', 'Task 1, ', 'é', 'a.', '1.1', '-', 'a:1']) {
      expect(Array.isArray(named(part.repeat(50_000)))).toBe(true);
    }
  });
});
