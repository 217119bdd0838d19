import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildGraph } from '../../../src/orchestrate/graph/build-graph.js';
import type { TaskGraph } from '../../../src/orchestrate/graph/task-graph.js';
import { idsOf, lookAtPlans, type PlanSketch } from './facts.js';

describe('ready', () => {
  test('is what counting anew would say, whatever happens', () => {
    const plan = fc.record({
      wave: fc.constantFrom('', 'wave: 1', 'wave: 2'),
      needs: fc.subarray([0, 1, 2, 3, 4]),
      parallel: fc.boolean(),
      tasks: fc.integer({ min: 1, max: 3 }),
    });
    const step = fc.record({
      task: fc.nat(99),
      behind: fc.option(fc.nat(99), { freq: 5 }),
      state: fc.constantFrom('completed' as const, 'completed' as const, 'skipped' as const, 'open' as const),
    });
    const ids = ['01-01', '01-02', '02-01', '02-02', '03-01'];
    let graphs = 0;
    fc.assert(
      fc.property(
        fc.array(plan, { minLength: 5, maxLength: 5 }),
        fc.array(step, { maxLength: 25 }),
        (plans, steps) => {
          const sketches = plans.map(({ wave, needs, parallel, tasks }, i): [string, PlanSketch] => {
            const named = needs.filter((other) => other !== i).map((other) => `"${ids[other]}"`);
            const front = `${wave}\nparallel: ${parallel}\ndepends_on: [${named.join(', ')}]`;
            return [ids[i]!, { front, tasks }];
          });
          const project = Object.fromEntries(sketches);
          const read = buildGraph(lookAtPlans(project), null);
          if (read.status === 'refused') return;
          graphs++;
          checkRandomly(read.graph, steps);
        },
      ),
      { numRuns: process.env.TEDDY_SOAK === '1' ? 3000 : 80 },
    );
    expect(graphs).toBeGreaterThan(0);
  });
});

type Steps = readonly {
  task: number;
  behind: number | null;
  state: 'completed' | 'skipped' | 'open';
}[];

/** Against the rules themselves, for every task at every step. */
function checkRandomly(graph: TaskGraph, steps: Steps): void {
  const ids = [...graph.tasks.keys()];
  const state = new Map(ids.map((id) => [id, 'open']));
  const behind = new Map<string, string[]>();
  const statesOf = (plan: string) => ids.filter((id) => id.startsWith(`${plan}:`)).map((id) => state.get(id));
  const isOver = (id: string) =>
    id.includes(':') ? state.get(id) === 'completed' : statesOf(id).every((each) => each === 'completed');
  const expected = () =>
    ids.filter((id) => {
      const { plan, needs } = graph.tasks.get(id)!;
      return (
        state.get(id) === 'open' &&
        [...needs, ...plan.needs, ...(behind.get(id) ?? [])].every(isOver) &&
        plan.after.every((id) => !statesOf(id).includes('open'))
      );
    });
  const check = () => {
    expect(idsOf(graph.ready()).sort()).toEqual(expected().sort());
    const ranks = graph.ready().map(({ rank }) => rank);
    expect(ranks).toEqual([...ranks].sort((one, other) => other - one));
  };
  check();
  for (const step of steps) {
    const id = ids[step.task % ids.length]!;
    const other = step.behind === null ? undefined : ids[step.behind % ids.length]!;
    if (other !== undefined) {
      const { status } = graph.postpone(id, [other]);
      if (status === 'ok') behind.set(id, [...(behind.get(id) ?? []), other]);
      if (status === 'nothing') expect(other === id || state.get(other) !== 'open').toBe(true);
    } else {
      graph.settle(id, step.state);
      state.set(id, step.state);
    }
    check();
  }
  // Whatever was put behind whatever: there is always a way to the end.
  for (const id of ids) if (state.get(id) === 'skipped') graph.settle(id, 'open');
  for (let [task] = graph.ready(); task; [task] = graph.ready()) graph.settle(task.id, 'completed');
  expect(idsOf(graph.open())).toEqual([]);
}
