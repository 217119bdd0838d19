import { describe, expect, test } from 'vitest';
import { graphOf, idsOf, lookAtPlans, problemsOf } from './facts.js';

const codes = (...args: Parameters<typeof problemsOf>) => problemsOf(...args).map(({ code }) => code);
const messages = (...args: Parameters<typeof problemsOf>) =>
  problemsOf(...args).map(({ message }) => message);

describe('a graph is refused', () => {
  test('where plans wait on each other, by the shortest way', () => {
    const [problem, ...more] = problemsOf({
      '01-01': { front: 'depends_on: ["01-03", "01-02"]' },
      '01-02': { front: 'depends_on: ["01-01"]' },
      '01-03': { front: 'depends_on: ["01-02"]' },
    });
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ code: 'circle', path: '.planning/phases/01-01-PLAN.md', line: 2 });
    expect(problem!.message).toMatch(/^Dependency cycle 01-01 → 01-02 → 01-01: /);
  });

  test('where waves close the circle, and they are named', () => {
    const [message] = messages({
      '01-01': { front: 'wave: 1\ndepends_on: ["01-02"]' },
      '01-02': { front: 'wave: 2' },
    });
    expect(message).toContain('01-01 → 01-02 → 01-01');
    expect(message).toContain('01-02 is in wave 2, 01-01 in wave 1.');
  });

  test('once for each circle, and not for who only waits for one', () => {
    const found = messages({
      '01-01': { front: 'depends_on: ["01-02"]' },
      '01-02': { front: 'depends_on: ["01-01"]' },
      '01-03': { front: 'depends_on: ["01-04", "01-01"]' },
      '01-04': { front: 'depends_on: ["01-03"]' },
      '01-05': { front: 'depends_on: ["01-03"]' },
    });
    expect(found.map((message) => message.split(':', 1)[0])).toEqual([
      'Dependency cycle 01-01 → 01-02 → 01-01',
      'Dependency cycle 01-03 → 01-04 → 01-03',
    ]);
  });

  test('where tasks wait on each other', () => {
    const [problem] = problemsOf({
      '01-01': { tasks: ['depends_on="3"', 'depends_on="3"', 'depends_on="2,1"'] },
    });
    expect(problem).toMatchObject({ code: 'circle', line: 5 });
    expect(problem!.message).toMatch(/^Dependency cycle 01-01:1 → 01-01:3 → 01-01:1: /);
  });

  test('where something names itself', () => {
    const plans = {
      '01-01': { front: 'depends_on: ["01-01"]' },
      '01-02': { tasks: ['depends_on="Task 1"', 'depends_on="1, the moon"'] },
    };
    const found = problemsOf(plans);
    expect(found.map(({ code }) => code)).toEqual(['self-dependency', 'self-dependency', 'unknown-task']);
    expect(found.map(({ message }) => /^(.*): /.exec(message.split('depends_on', 1)[0]!)?.[1])).toEqual([
      '01-01 → 01-01',
      '01-02:1 → 01-02:1',
      '01-02:2 → the moon',
    ]);
  });

  test('where a plan is named that is not there', () => {
    const [problem] = problemsOf({ '01-01': { front: 'phase: 1\ndepends_on: ["09-09"]' } });
    expect(problem).toMatchObject({ code: 'unknown-plan', line: 3 });
    expect(problem!.message).toContain('01-01 → 09-09');
    expect(codes({ '01-01': {} }, ['01-01', '05-05'])).toEqual(['unknown-plan']);
  });

  test('where two plans have one id, unless both are over', () => {
    const done = { tasks: ['status="completed"'] };
    const two = (tasks: object) => ({
      '.planning/phases/a/01-01-PLAN.md': tasks,
      '.planning/phases/b/01-01-PLAN.md': tasks,
      '01-02': { front: 'depends_on: ["01-01"]' },
    });
    expect(codes(two({}))).toEqual(['id-taken']);
    expect(codes(two({}), ['01-02'])).toEqual(['id-taken']);
    const graph = graphOf(two(done));
    expect(idsOf(graph.ready())).toEqual(['01-02:1']);
    expect(graph.plans.map(({ id }) => id)).toEqual(['01-01', '01-02']);
  });

  test('where a plan cannot be read that is to be run, or may have to come first', () => {
    const plans = {
      '01-01': 'a\u0000b',
      '01-02': { front: 'depends_on: ["01-01"]' },
      '01-03': { front: 'wave: 2' },
      '02-01': {},
    };
    expect(problemsOf(plans)).toMatchObject([
      { code: 'plan-unreadable', path: '.planning/phases/01-01-PLAN.md' },
    ]);
    for (const chosen of ['01-01', '01-02', '01-03'])
      expect(codes(plans, [chosen])).toEqual(['plan-unreadable']);
    expect(codes(plans, ['02-01'])).toEqual([]);
  });

  test('where the frontmatter may have said what comes first', () => {
    expect(problemsOf({ '01-01': { front: 'wave: {a: 1}' } })).toMatchObject([
      { code: 'order-unreadable', line: 2 },
    ]);
    expect(codes({ '01-01': { front: 'depends_on: [' } })).toEqual(['order-unreadable']);
    expect(codes({ '01-01': { front: 'autonomous: perhaps' } })).toEqual([]);
  });

  test('only for what is chosen, or needed by it, and not over', () => {
    const plans = {
      '01-01': { front: 'depends_on: ["01-02"]' },
      '01-02': { front: 'depends_on: ["01-01"]' },
      '01-03': { front: 'depends_on: ["01-04"]' },
      '01-04': { front: 'depends_on: ["01-02"]' },
      '01-05': {},
      '01-06': { front: 'depends_on: ["01-06", "09-09"]', tasks: ['status="completed"'] },
      '01-07': { tasks: ['depends_on="the moon" status="completed"', 'depends_on="2" status="skipped"', ''] },
    };
    expect(codes(plans, ['01-05', '01-06', '01-07'])).toEqual([]);
    expect(codes(plans, ['01-03'])).toEqual(['circle']);
  });

  test('not where people took a circle apart', () => {
    const graph = graphOf({
      '01-01': { front: 'depends_on: ["01-02"]', tasks: ['status="completed"'] },
      '01-02': { front: 'depends_on: ["01-01"]' },
      '01-03': { tasks: ['depends_on="2"', 'depends_on="1" status="completed"'] },
    });
    expect(idsOf(graph.ready())).toEqual(['01-02:1', '01-03:1']);
    graph.settle('01-01:1', 'open');
    expect(idsOf(graph.ready())).toEqual(['01-01:1', '01-03:1']);
  });
});

describe('the order of plans', () => {
  test('earlier phases come first, by their numbers', () => {
    const graph = graphOf({ '02-01': {}, '02.1-01': {}, '10-01': {}, notes: {} });
    const after = Object.fromEntries(graph.plans.map((plan) => [plan.id, plan.after]));
    expect(after).toEqual({
      '02-01': [],
      '02.1-01': ['02-01'],
      '10-01': ['02-01', '02.1-01'],
      'notes-PLAN': [],
    });
    expect(idsOf(graph.ready())).toEqual(['02-01:1', 'notes-PLAN:1']);
    graph.settle('02-01:1', 'skipped');
    expect(idsOf(graph.ready())).toEqual(['02.1-01:1', 'notes-PLAN:1']);
  });

  test('only among those that are chosen', () => {
    expect(idsOf(graphOf({ '01-01': {}, '02-01': {} }, ['02-01']).ready())).toEqual(['02-01:1']);
  });

  test('what an earlier phase needs belongs to it', () => {
    const graph = graphOf({
      '01-01': { front: 'depends_on: ["03-01"]' },
      '02-01': {},
      '03-01': {},
      '03-02': {},
    });
    const ran: string[] = [];
    for (let [task] = graph.ready(); task; [task] = graph.ready()) {
      ran.push(task.plan.id);
      graph.settle(task.id, 'completed');
    }
    expect(ran).toEqual(['03-01', '01-01', '02-01', '03-02']);
  });
});

describe('tasks of two plans do not run at once', () => {
  const shares = (plans: Parameters<typeof graphOf>[0], one: string, other: string) => {
    const graph = graphOf(plans);
    const [first, second] = [graph.tasks.get(one)!, graph.tasks.get(other)!];
    expect(graph.shareFiles(second, first)).toBe(graph.shareFiles(first, second));
    return graph.shareFiles(first, second);
  };

  test.each([
    ['the same file', ['src/a.ts'], ['./src//a.ts']],
    ['a folder and what is below', ['src/'], ['src/deep/a.ts']],
    ['a pattern', ['src/**/*.ts'], ['src/a.ts']],
    ['a pattern of a name', ['src/a*.ts'], ['src/ab.ts']],
    ['everything', ['*.ts'], ['docs/a.md']],
  ])('if both write %s', (_, one, other) => {
    const plans = { '01-01': { files: one }, '01-02': { files: other }, '01-03': { files: ['lib/b'] } };
    expect(shares(plans, '01-01:1', '01-02:1')).toBe(true);
    expect(shares(plans, '01-01:1', '01-03:1')).toBe(one[0] === '*.ts');
    expect(idsOf(graphOf(plans).ready())).toEqual(['01-01:1', '01-02:1', '01-03:1']);
  });

  test('if any of their tasks, or their frontmatter, write the same', () => {
    const plans = {
      '01-01': { front: 'files_modified: [src/a.ts]', tasks: 2 },
      '01-02': { tasks: 2, files: ['b', 'src/a.ts'] },
      '01-03': { front: 'files_modified: [src/ab.ts]' },
    };
    expect(shares(plans, '01-01:2', '01-02:1')).toBe(true);
    expect(shares(plans, '01-01:1', '01-03:1')).toBe(false);
  });

  test('within one plan, by the files of each task', () => {
    const plans = { '01-01': { front: 'parallel: true', tasks: 3, files: ['a', 'b', 'a'] } };
    expect(shares(plans, '01-01:1', '01-01:2')).toBe(false);
    expect(shares(plans, '01-01:1', '01-01:3')).toBe(true);
  });
});

describe('a task', () => {
  test('has what the graph is made of', () => {
    const { tasks } = graphOf({
      '01-01': {
        tasks: ['type="checkpoint:human-verify"', 'status="failed"'],
        files: ['./a//b.ts, ../x, c/'],
      },
    });
    expect(tasks.get('01-01:1')).toMatchObject({
      name: 'Task 1: Do 1',
      isCheckpoint: true,
      needs: [],
      files: ['a/b.ts', 'c'],
      rank: 2,
      status: 'pending',
    });
    expect(tasks.get('01-01:2')).toMatchObject({
      needs: ['01-01:1'],
      rank: 1,
      status: 'failed',
      isCheckpoint: false,
    });
  });

  test('has the longest way ahead as its rank', () => {
    const graph = graphOf({
      '01-01': { front: 'parallel: true', tasks: 2 },
      '01-02': { front: 'depends_on: ["01-01"]', tasks: 3 },
      '01-03': { tasks: 2 },
      '02-01': { tasks: 2 },
    });
    expect([...graph.tasks.values()].map(({ rank }) => rank)).toEqual([6, 6, 5, 4, 3, 4, 3, 2, 1]);
    expect(idsOf(graph.ready())).toEqual(['01-01:1', '01-01:2', '01-03:1']);
  });
});

test('facts are those of `task next`', () => {
  const facts = lookAtPlans({
    '01-01': { front: 'wave: 1', tasks: ['status="skipped"', 'depends_on="1,the moon"'] },
    '01-02': { front: 'wave: 2\ndepends_on: [1, "09-09"]' },
  });
  expect(facts.plans).toMatchObject([
    {
      needs: [],
      isOver: false,
      tasks: [{ condition: { status: 'skipped' } }, { id: '01-01:2', needs: [1] }],
    },
    { wave: 2, needs: ['01-01'], unknown: ['09-09'], unread: [], orderIssues: [] },
  ]);
});
