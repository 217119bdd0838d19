import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asPlan } from '../../src/tasks/plans/find-plans.js';
import {
  findDeadEnds,
  findNext,
  planDependencies,
  planIssues,
  touchedPlans,
  waitsOn,
} from '../../src/tasks/plans/next-tasks.js';
import type { FoundPlan, UnreadablePlan } from '../../src/tasks/types.js';
import { expectLinear } from '../growth.js';

/** Where nothing is known but what the plans say. */
function next(plans: readonly FoundPlan[], unreadable: readonly UnreadablePlan[] = []) {
  const conditionsOf = ({ plan }: FoundPlan) =>
    plan.tasks.map(({ status }) => ({ status, aborted: false, behind: [] }));
  return findNext(plans, { plans, unreadable, conditionsOf });
}

/** A plan with tasks whose tags hold these attributes, below a frontmatter. */
function aPlan(path: string, frontmatter = '', tasks: readonly string[] = ['']): FoundPlan {
  const elements = tasks.map((tag, i) => `<task ${tag}>\n<name>Task ${i + 1}: T${i + 1}</name>\n</task>\n`);
  return asPlan(path, `---\n${frontmatter}\n---\n<tasks>\n${elements.join('')}</tasks>\n`);
}

const DONE = ['status="completed"'];
const dependencyOn = (written: string, others: readonly FoundPlan[], path = '03-09-PLAN.md') => {
  const plan = aPlan(path, `depends_on: [${JSON.stringify(written)}]`);
  const all = [...others, plan];
  return { named: planDependencies(plan, all), waits: waitsOn(plan, plan.plan.tasks[0]!, all) };
};

describe('a task of a plan', () => {
  test('waits for those that it names, else for the one before it', () => {
    const named = aPlan('01-01-PLAN.md', '', ['', '', 'depends_on="1"']);
    expect(next([named])).toMatchObject({
      next: [{ id: '01-01:1' }, { id: '01-01:2' }],
      waiting: [{ id: '01-01:3', on: ['01-01:1'] }],
    });
    const inOrder = aPlan('01-02-PLAN.md', '', ['', '']);
    expect(next([inOrder]).waiting).toMatchObject([{ id: '01-02:2', on: ['01-02:1'] }]);
  });

  test('waiting for the words that name nothing', () => {
    const plan = aPlan('01-01-PLAN.md', '', ['', 'depends_on="the moon"']);
    const { next: ready, waiting } = next([plan]);
    expect(ready.map(({ id }) => id)).toEqual(['01-01:1']);
    expect(waiting).toMatchObject([{ id: '01-01:2', on: ['the moon'] }]);
  });

  test('that depends on itself waits', () => {
    const plan = aPlan('01-01-PLAN.md', '', ['depends_on="1"', 'depends_on="1"']);
    expect(next([plan]).next).toEqual([]);
  });

  test('in a circle waits, and so do all of the circle', () => {
    const plan = aPlan('01-01-PLAN.md', '', ['depends_on="3"', 'depends_on="1"', 'depends_on="2"', '']);
    const { next: ready, waiting } = next([plan]);
    expect(ready.map(({ id }) => id)).toEqual(['01-01:4']);
    expect(waiting.map(({ id, on }) => [id, ...on])).toEqual([
      ['01-01:1', '01-01:3'],
      ['01-01:2', '01-01:1'],
      ['01-01:3', '01-01:2'],
    ]);
  });
});

describe('a plan that depends on another', () => {
  test('however that one is called', () => {
    const first = aPlan('.planning/phases/03-execute/03-01-database-PLAN.md');
    for (const written of [
      '03-01',
      '3-1',
      '003-01',
      '03-01-PLAN',
      '03-01-PLAN.md',
      '03-01.md',
      '03-01-database',
      '3-1-Database',
      '03-01-database-PLAN.md',
      '03-01-plan.md',
      '03-01-other-words',
      '03-01:1',
      '01',
      '1',
      '03-execute/03-01-database-PLAN.md',
      '03-execute/03-01',
      '../03-execute/03-01-PLAN.md',
      '.planning/phases/03-execute/03-01-database-PLAN.md',
    ]) {
      const found = dependencyOn(written, [first], '.planning/phases/03-execute/03-09-PLAN.md');
      expect(found, written).toEqual({ named: ['03-01'], waits: ['03-01'] });
      const done = aPlan(first.path, '', DONE);
      const over = dependencyOn(written, [done], '.planning/phases/03-execute/03-09-PLAN.md');
      expect(over, written).toEqual({ named: ['03-01'], waits: [] });
    }
  });

  test('by the name of a file that has no numbers', () => {
    const notes = aPlan('plans/Data-base-PLAN.md', 'phase: 3\nplan: 4');
    expect(notes.id).toBe('3-4');
    expect(dependencyOn('data-base', [notes]).named).toEqual(['3-4']);
    expect(dependencyOn('plans/Data-base-PLAN.md', [notes]).named).toEqual(['3-4']);
    expect(dependencyOn('04', [notes]).named).toEqual(['3-4']);
  });

  test('what fits no plan is waited for as it is written', () => {
    const others = [aPlan('a/03-01-PLAN.md', '', DONE), aPlan('a/03-02-PLAN.md', '', DONE)];
    for (const written of [
      '03-01 and 03-02',
      '03-01..03-02',
      '03-01+03-02',
      '03-01/03-02',
      '03-010',
      '03-01b',
      '13-01',
      'b/03-01-PLAN.md',
      '3',
      '3.1',
      'plan 01',
      'the moon',
      '-PLAN.md',
      '/',
    ]) {
      expect(dependencyOn(written, others), written).toEqual({ named: [written], waits: [written] });
    }
  });

  test('a number alone is one of its own phase, and of no other', () => {
    const others = [aPlan('02-01-PLAN.md', '', DONE), aPlan('02.1-01-PLAN.md', '', DONE)];
    expect(dependencyOn('01', others).waits).toEqual(['01']);
    expect(dependencyOn('1', others, '02.1-02-PLAN.md').named).toEqual(['02.1-01']);
    expect(dependencyOn('2', others, 'notes.md').named).toEqual(['2']);
  });

  test('which is itself, or in a circle, waits', () => {
    const self = aPlan('03-01-PLAN.md', 'depends_on: [03-01]');
    expect(next([self])).toMatchObject({ next: [], waiting: [{ on: ['03-01'] }] });
    const circle = [
      aPlan('03-01-PLAN.md', 'depends_on: [03-02]'),
      aPlan('03-02-PLAN.md', 'depends_on: [03-03]'),
      aPlan('03-03-PLAN.md', 'depends_on: [03-01]'),
    ];
    expect(next(circle)).toMatchObject({
      next: [],
      waiting: [{ on: ['03-02'] }, { on: ['03-03'] }, { on: ['03-01'] }],
    });
    expect(touchedPlans(circle[0]!, circle)).toEqual([circle[0]]);
  });

  test('of which there are two waits for both', () => {
    const others = [aPlan('a/03-01-PLAN.md', '', DONE), aPlan('b/03-01-PLAN.md')];
    expect(dependencyOn('03-01', others).waits).toEqual(['03-01']);
    expect(dependencyOn('03-01', [others[0]!, aPlan('b/03-01-PLAN.md', '', DONE)]).waits).toEqual([]);
  });

  test('of an earlier wave waits for it', () => {
    const all = [
      aPlan('03-01-PLAN.md', 'wave: 1'),
      aPlan('03-02-PLAN.md', 'wave: 2'),
      aPlan('04-01-PLAN.md', 'wave: 2'),
    ];
    expect(planDependencies(all[1]!, all)).toEqual(['03-01']);
    expect(planDependencies(all[2]!, all)).toEqual([]);
  });

  test('any dependency is over, or waited for; never is one lost', () => {
    const names = fc.constantFrom('03-01', '03-02', '04-01', 'notes', '1', 'x y', '03-02-b');
    fc.assert(
      fc.property(fc.array(names, { maxLength: 4 }), fc.boolean(), (written, done) => {
        const others = ['03-01', '03-02-b', 'notes'].map((name) =>
          aPlan(`${name}-PLAN.md`, '', done ? DONE : ['']),
        );
        const plan = aPlan('03-09-PLAN.md', `depends_on: ${JSON.stringify(written)}`);
        const waits = waitsOn(plan, plan.plan.tasks[0]!, [...others, plan]);
        const known = new Map([
          ['03-01', '03-01'],
          ['03-02', '03-02'],
          ['03-02-b', '03-02'],
          ['notes', 'notes-PLAN'],
          ['1', '03-01'],
        ]);
        const wanted = written.flatMap((each) => (known.has(each) ? (done ? [] : known.get(each)!) : each));
        expect(waits).toEqual([...new Set(wanted)]);
      }),
      { numRuns: 50 },
    );
  });
});

describe('a frontmatter that does not say what comes first', () => {
  const BROKEN = {
    'broken YAML': 'depends_on: [03-01, "oops: ',
    'no mapping': '- depends_on\n- 03-01',
    'mappings in the list': 'depends_on:\n  - plan: 03-01',
    'a mapping': 'depends_on: {plan: 03-01}',
    'a wave that is no number': 'wave: soon',
  };

  test.each(Object.entries(BROKEN))('%s: its tasks wait', (_, frontmatter) => {
    const plan = aPlan('03-02-PLAN.md', frontmatter);
    const { next: ready, waiting } = next([plan]);
    expect(ready).toEqual([]);
    expect(waiting).toMatchObject([{ id: '03-02:1', on: ['frontmatter'] }]);
    expect(planIssues(plan).map(({ code }) => code)).toContainEqual(expect.stringMatching(/^frontmatter-/));
  });

  test('not closed: its tasks wait', () => {
    const plan = asPlan('03-02-PLAN.md', '---\ndepends_on: [03-01]\n<task><name>Task 1: A</name></task>\n');
    expect(next([plan])).toMatchObject({ next: [], waiting: [{ on: ['frontmatter'] }] });
  });

  test('another key of a wrong type holds nothing up, and is told', () => {
    const plan = aPlan('03-02-PLAN.md', 'autonomous: perhaps');
    expect(next([plan]).next).toHaveLength(1);
    expect(planIssues(plan).map(({ code }) => code)).toEqual(['frontmatter-type']);
  });

  test('issues of the plan and of its frontmatter come in the order of their lines', () => {
    const plan = aPlan('03-02-PLAN.md', 'autonomous: perhaps', ['', 'status="odd"']);
    expect(planIssues(plan).map(({ code }) => code)).toEqual(['frontmatter-type', 'status-unknown']);
    expect(planIssues(aPlan('03-02-PLAN.md'))).toEqual([]);
  });
});

test('tasks of two plans with one id cannot begin: nobody could tell their results apart', () => {
  const all = [aPlan('a/03-01-PLAN.md'), aPlan('b/03-01-PLAN.md'), aPlan('03-02-PLAN.md')];
  const { next: ready, waiting } = next(all);
  expect(ready.map(({ id }) => id)).toEqual(['03-02:1']);
  expect(waiting).toEqual([
    { id: '03-01:1', name: 'Task 1: T1', on: ['a unique id'] },
    { id: '03-01:1', name: 'Task 1: T1', on: ['a unique id'] },
  ]);
});

describe('a plan that cannot be read', () => {
  const unread: UnreadablePlan = { path: '04-01-PLAN.md', reason: 'is no text', id: '04-01', phase: '4' };

  test('may be of an earlier wave: later ones of its phase wait on it, and nobody else', () => {
    const plans = [
      aPlan('04-02-PLAN.md', 'wave: 2'),
      aPlan('04-03-PLAN.md', 'wave: 1'),
      aPlan('04-04-PLAN.md'),
      aPlan('05-01-PLAN.md', 'wave: 2'),
    ];
    const { next: ready, waiting } = next(plans, [unread]);
    expect(ready.map(({ id }) => id)).toEqual(['04-03:1', '04-04:1', '05-01:1']);
    expect(waiting).toMatchObject([{ id: '04-02:1', on: ['04-03', '04-01'] }]);
    expect(waitsOn(plans[0]!, plans[0]!.plan.tasks[0]!, plans, [unread])).toContain('04-01');
  });

  test('is waited on by who names it, once', () => {
    const plan = aPlan('04-02-PLAN.md', 'wave: 2\ndepends_on: ["04-01"]');
    expect(next([plan], [unread]).waiting).toMatchObject([{ on: ['04-01'] }]);
  });
});

test('a plan of many tasks among many plans takes no long look', () => {
  expectLinear(2000, (size) => {
    const many = Array.from({ length: size }, (_, i) =>
      aPlan(`${Math.floor(i / 50)}-${i % 50}-PLAN.md`, 'wave: 1'),
    );
    const waits = `wave: 2\ndepends_on: [${many.map(({ id }) => id)}]`;
    const plan = aPlan('1-60-PLAN.md', waits, Array(size).fill(''));
    expect(next([...many, plan]).waiting).toHaveLength(size);
  });
});

describe('plans that never begin', () => {
  const said = (plans: readonly FoundPlan[], unreadable: readonly UnreadablePlan[] = []) =>
    [...findDeadEnds(plans, unreadable)].flatMap(([path, issues]) =>
      issues.map(({ code, line, message }) => `${path}:${line} ${code} ${message}`),
    );
  const on = (id: string, ...others: string[]) =>
    aPlan(`${id}-PLAN.md`, `phase: x\ndepends_on: [${others.map((each) => `"${each}"`).join(', ')}]`);

  test('wait on a plan that is not there', () => {
    expect(said([on('01-01', '05-09', '05-09', '01-02'), on('01-02')])).toEqual([
      '01-01-PLAN.md:3 plan-unknown "depends_on" in the frontmatter names 05-09, which does not exist, so 01-01 never starts.',
    ]);
  });

  test('not those that wait on one which cannot be read, or are done', () => {
    const unread = { path: '05-09-PLAN.md', reason: 'is a folder', id: '05-09', phase: '5' };
    expect(said([on('01-01', '5-9')], [unread])).toEqual([]);
    expect(said([aPlan('01-01-PLAN.md', 'depends_on: ["05-09", "01-01"]', DONE)])).toEqual([]);
  });

  test('wait on each other', () => {
    const plans = [on('01-04', '01-05'), on('01-05', '01-04'), on('01-06', '01-05'), on('01-07')];
    const why = 'plan-circle Dependency cycle: 01-04 and 01-05 wait for each other, so they never start.';
    expect(said(plans)).toEqual([`01-04-PLAN.md:3 ${why}`, `01-05-PLAN.md:3 ${why}`]);
    expect(said([on('01-01', '01-01')])).toEqual([
      '01-01-PLAN.md:3 plan-circle Dependency cycle: 01-01 depends on itself, so it never starts.',
    ]);
    const wave = aPlan('02-01-PLAN.md', 'wave: 2');
    const first = aPlan('02-02-PLAN.md', 'wave: 1\ndepends_on: ["02-01"]');
    expect(said([wave, first]).map((each) => each.split(' ', 2))).toEqual([
      ['02-01-PLAN.md:undefined', 'plan-circle'],
      ['02-02-PLAN.md:3', 'plan-circle'],
    ]);
  });

  test('not those of a circle in which one is done', () => {
    const done = aPlan('01-05-PLAN.md', 'depends_on: ["01-04"]', DONE);
    expect(said([on('01-04', '01-05'), done])).toEqual([]);
  });

  test('are those that can be reached from themselves, in any graph', () => {
    const count = 7;
    const edge = fc.tuple(fc.nat(count - 1), fc.nat(count - 1));
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 14 }), (edges) => {
        const id = (n: number) => `01-${n + 1}`;
        const plans = Array.from({ length: count }, (_, n) =>
          on(id(n), ...edges.filter(([from]) => from === n).map(([, to]) => id(to))),
        );
        const reach = (from: number) => {
          const seen = new Set<number>();
          const more = [from];
          for (let at = more.pop(); at !== undefined; at = more.pop())
            for (const [one, to] of edges)
              if (one === at && !seen.has(to)) {
                seen.add(to);
                more.push(to);
              }
          return seen;
        };
        const circular = plans.filter((_, n) => reach(n).has(n)).map(({ path }) => path);
        expect(said(plans).map((each) => each.split(':')[0])).toEqual(circular);
      }),
      { numRuns: 60 },
    );
  });

  test('are found in no long time, be it one circle of all', () => {
    expectLinear(5000, (count) => {
      const plans = Array.from({ length: count }, (_, n) => on(`01-${n + 1}`, `01-${((n + 1) % count) + 1}`));
      const found = said(plans);
      expect(found).toHaveLength(count);
      expect(found[0]).toContain(`01-7, 01-8 and ${count - 8} more wait for each other`);
    });
  });
});
