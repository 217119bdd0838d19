import { seeded } from '../../workspace/faults/random.js';

/** A task, what its executor will do, and what has to come of it. */
export interface SoakTask {
  id: string;
  name: string;
  /** From the root: what it writes. */
  file: string;
  verify: string;
  /** The name of another task of its plan. */
  other: string;
  /**
   * `plain`: done by the third attempt at the latest. `fixable`: once a person says how. `mended`: once a person has seen
   * to something. `hopeless`: never, and it is skipped.
   */
  kind: 'plain' | 'fixable' | 'mended' | 'hopeless';
  /** Of the first attempts, where it is plain. */
  behaviours: string[];
  /** Of all attempts, in turns, where nobody has helped yet. */
  bad: string[];
  /** `left`: it waits for one that was skipped, and is never begun. */
  expected: 'completed' | 'skipped' | 'left';
}

export interface SoakPlan {
  id: string;
  path: string;
  text: string;
  tasks: SoakTask[];
}

/** What an attempt has to come to, by what its executor does. */
export const OUTCOMES: Readonly<Record<string, string>> = {
  good: 'done',
  'good, exit code 1': 'done',
  'good, killed at the end': 'done',
  'good, leaves a child': 'done',
  'good, said twice': 'done',
  'reports a failure': 'reported',
  'claims what is not so': 'verification',
  'success with exit code 2': 'invalid',
  'another task': 'invalid',
  'two documents': 'invalid',
  'half of it, killed': 'invalid',
  prose: 'invalid',
  'prose, exit code 3': 'crash',
  nothing: 'crash',
  'nothing, killed': 'crash',
  hangs: 'time-out',
  'hangs, with a child': 'time-out',
  'blocked by another': 'blocked',
  'blocked by nobody': 'blocked',
};

export const BEHAVIOURS = Object.keys(OUTCOMES);

const BAD = BEHAVIOURS.filter((name) => OUTCOMES[name] !== 'done' && OUTCOMES[name] !== 'blocked');

/** Of these nothing has to be waited out. */
const QUICK = ['reports a failure', 'claims what is not so', 'another task', 'prose'];

export interface Size {
  phases: number;
  /** How many plans each wave of a phase has. */
  waves: number[];
  tasksOfPlan: number;
}

/** Phases of waves of plans of tasks: at will, in sequence and behind those that they name. */
export function makeSoakPlans({ phases, waves, tasksOfPlan }: Size, seed: number): SoakPlan[] {
  const random = seeded(seed);
  const plans: SoakPlan[] = [];
  let count = Math.floor(random() * BEHAVIOURS.length);
  for (let phase = 1; phase <= phases; phase++) {
    let number = 0;
    waves.forEach((plansOfWave, wave) => {
      for (let i = 0; i < plansOfWave; i++) {
        number++;
        const isLast = wave === waves.length - 1;
        plans.push(
          makePlan({
            id: `${two(phase)}-${two(number)}`,
            phase,
            wave: wave + 1,
            needs: wave > 0 && i % 2 === 0 ? [`${two(phase)}-01`] : [],
            order: (['at will', 'sequence', 'named'] as const)[(number + phase) % 3]!,
            // What waits for a skipped task would keep a later phase from ever beginning.
            hopeless: !isLast ? null : phase === phases ? 2 : tasksOfPlan,
            tasksOfPlan,
            random,
            next: () => BEHAVIOURS[count++ % BEHAVIOURS.length]!,
          }),
        );
      }
    });
  }
  return plans;
}

interface Draft {
  id: string;
  phase: number;
  wave: number;
  needs: string[];
  order: 'at will' | 'sequence' | 'named';
  /** The number of the task that never succeeds. */
  hopeless: number | null;
  tasksOfPlan: number;
  random: () => number;
  next: () => string;
}

function makePlan(draft: Draft): SoakPlan {
  const { id, order, hopeless, tasksOfPlan, random } = draft;
  const path = `.planning/phases/${id}-PLAN.md`;
  const tasks: SoakTask[] = [];
  const needs = Array.from({ length: tasksOfPlan }, (_, i) => {
    if (i === 0 || order === 'at will') return [];
    return order === 'sequence' ? [i] : [1 + Math.floor(random() * i)];
  });
  for (let index = 1; index <= tasksOfPlan; index++) {
    const isHopeless = index === hopeless;
    const waitsForNobody = needs[index - 1]!.every((each) => tasks[each - 1]!.expected === 'completed');
    tasks.push({
      ...describeTask(id, index, tasksOfPlan),
      kind: isHopeless ? 'hopeless' : chooseKind(random()),
      behaviours: [draft.next(), random() < 0.5 ? 'good' : pick(BAD, random())],
      bad: Array.from({ length: 3 }, () => pick(QUICK, random())),
      expected: !waitsForNobody ? 'left' : isHopeless ? 'skipped' : 'completed',
    });
  }
  for (const task of tasks) {
    // Whoever waits for what is never begun is never done, and rightly so.
    const waitsForEver = tasks.some(({ name, expected }) => name === task.other && expected === 'left');
    if (waitsForEver)
      task.behaviours = task.behaviours.map((each) => each.replace('by another', 'by nobody'));
  }
  return { id, path, text: planText(draft, tasks, needs), tasks };
}

function describeTask(plan: string, index: number, tasks: number) {
  const file = `work/${plan}-${index}.txt`;
  return {
    id: `${plan}:${index}`,
    name: nameOf(index),
    file,
    verify: `grep -q "Task ${index}:" ${file}`,
    other: nameOf(index > 1 ? index - 1 : tasks),
  };
}

function nameOf(index: number): string {
  return `Task ${index}: Do part ${index}`;
}

function chooseKind(chance: number): SoakTask['kind'] {
  return chance < 0.04 ? 'fixable' : chance < 0.08 ? 'mended' : 'plain';
}

function pick<T>(items: readonly T[], chance: number): T {
  return items[Math.floor(chance * items.length)]!;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

function planText(
  { phase, wave, needs: plans, order }: Draft,
  tasks: readonly SoakTask[],
  needs: readonly number[][],
) {
  const [, number] = tasks[0]!.id.split(/[-:]/);
  const elements = tasks.map(({ name, file, verify }, i) => {
    const named = order === 'named' && needs[i]!.length > 0 ? ` depends_on="${needs[i]!.join(',')}"` : '';
    return `<task type="auto"${named}>
  <name>${name}</name>
  <files>${file}</files>
  <action>Write your name into ${file}.</action>
  <verify><automated>${verify}</automated></verify>
  <done>The name is there.</done>
</task>`;
  });
  return `---
phase: ${two(phase)}-soak
plan: ${number}
wave: ${wave}
depends_on: [${plans.map((id) => `"${id}"`).join(', ')}]
parallel: ${order === 'at will'}
---

<tasks>
${elements.join('\n')}
</tasks>

<success_criteria>
${tasks.map(({ name }) => `- [ ] ${name}`).join('\n')}
</success_criteria>
`;
}
