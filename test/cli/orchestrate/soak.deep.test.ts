// Many tasks, executors that do all that they should not, and an orchestrator that is killed again and again.
import { expect, test } from 'vitest';
import { checkConfinement } from '../../../src/confine/check.js';
import type { TaskQuestion } from '../../../src/orchestrate/events.js';
import { SOAK, seeded } from '../../workspace/faults/random.js';
import { judgeSoak } from './soak-checks.js';
import { BEHAVIOURS, makeSoakPlans, type Size } from './soak-plans.js';
import { type Run, SoakSite } from './soak-site.js';

const CONFINES = (await checkConfinement({ root: process.cwd(), environment: process.env })).available;
const SEED = Number(process.env.TEDDY_SEED ?? (SOAK ? Date.now() % 1_000_000 : 1));

interface Form {
  isolation: 'worktree' | 'none';
  isConfined: boolean;
  size: Size;
  jobs: number;
  taskTime: string;
  kills: number;
  /** In ms from the start of a run: it is killed before. */
  latest: number;
}

const LONG: Form[] = [
  {
    isolation: 'none',
    isConfined: false,
    size: { phases: 5, waves: [4, 3, 3], tasksOfPlan: 20 },
    jobs: 8,
    taskTime: '4s',
    kills: 20,
    latest: 20_000,
  },
  {
    isolation: 'worktree',
    isConfined: CONFINES,
    size: { phases: 4, waves: [3, 2], tasksOfPlan: 10 },
    jobs: 4,
    taskTime: '4s',
    kills: 20,
    latest: 10_000,
  },
];

const SHORT: Form[] = [
  {
    isolation: 'none',
    isConfined: false,
    size: { phases: 1, waves: [2, 1], tasksOfPlan: 7 },
    jobs: 6,
    taskTime: '2s',
    kills: 1,
    latest: 2500,
  },
  {
    isolation: 'worktree',
    isConfined: CONFINES,
    size: { phases: 1, waves: [1, 1], tasksOfPlan: 5 },
    jobs: 4,
    taskTime: '2s',
    kills: 1,
    latest: 2500,
  },
];

const EARLIEST_KILL = 300;
const MOST_RUNS = 300;

/** Answers some questions while the orchestrator works, and leaves the others for later. */
class Person {
  readonly answered = new Set<string>();
  private work: Promise<string[]> = Promise.resolve([]);

  constructor(
    private readonly site: SoakSite,
    private readonly random: () => number,
  ) {}

  hear(question: TaskQuestion): void {
    const isLater = this.random() < 0.3;
    if (isLater) this.answered.delete(question.id);
    else this.answered.add(question.id);
    if (isLater) return;
    this.work = this.work.then(async (wrong) => [...wrong, ...(await this.site.answer([question]))]);
  }

  /** What went wrong. */
  end(): Promise<string[]> {
    return this.work;
  }
}

/** Most of the short form is waiting. */
const each = SOAK ? test.each(LONG) : test.concurrent.each(SHORT);

each('every task ends in the one right state, isolation $isolation, confined: $isConfined', async (form) => {
  const { size, ...options } = form;
  console.log(`seed ${SEED} (TEDDY_SEED sets it)`);
  const site = new SoakSite(makeSoakPlans(size, SEED), options);
  try {
    await soak(site, form);
  } finally {
    site.remove();
  }
});

async function soak(site: SoakSite, { kills, latest }: Form): Promise<void> {
  const random = seeded(SEED);
  const runs: Run[] = [];
  const wrong: string[] = [];
  let killed = 0;
  for (let calm = 0; calm < MOST_RUNS; ) {
    const killAfter = killed < kills ? EARLIEST_KILL + random() * (latest - EARLIEST_KILL) : undefined;
    const person = new Person(site, random);
    const run = await site.orchestrate(killAfter, (question) => person.hear(question));
    runs.push(run);
    wrong.push(...(await person.end()));
    if (run.killedAt !== null) {
      killed++;
      continue;
    }
    calm++;
    if (!run.summary || run.exit === null || run.exit > 1) {
      wrong.push(`run ${run.number} ends with ${run.exit}: ${run.stderr}`);
      break;
    }
    const { questions, open } = run.summary;
    // No one else works here.
    const foreign = open.filter(({ waitsOn }) => waitsOn.some((each) => each.startsWith('whoever')));
    for (const { task } of foreign)
      wrong.push(`run ${run.number} says that somebody else works on ${task.id}`);
    const asked = [
      ...questions.filter(({ id }) => !person.answered.has(id)),
      ...foreign.map(({ task }) => ({ id: task.id, why: 'blocked' as const })),
    ];
    wrong.push(...(await site.answer(asked)));
    if (asked.length === 0 && person.answered.size === 0) break;
  }
  const before = site.records().length;
  runs.push(await site.orchestrate());
  if (site.records().length !== before) wrong.push('something was begun again after the end');
  wrong.push(...(await judgeSoak(site, runs)));

  const attempts = site.records().filter(({ type }) => type === 'began');
  console.log(`${site.tasks.size} tasks, ${attempts.length} attempts, ${runs.length} runs, ${killed} killed`);
  expect(wrong).toEqual([]);
  expect(killed).toBe(kills);
  if (SOAK) expect(new Set(attempts.map(({ behaviour }) => behaviour)).size).toBe(BEHAVIOURS.length);
}
