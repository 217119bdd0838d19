import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DEFAULTS } from '../src/config/config-file.js';
import { captureResult } from '../src/tasks/capture-results.js';
import { openCapture } from '../src/tasks/project.js';
import { Workspace } from '../src/workspace/workspace.js';
import { compare } from './commit.js';
import { pastResults } from './past-results.js';
import { recordCalls } from './replay.js';
import type { Check } from './table.js';

const TEDDY = resolve('bin/teddy.cjs');
const PLANS = 8;
const TASKS = 8;
const MANY = 100_000;
/** Until the code that is measured has been compiled for good. */
const WARM_UP = 150;

/** Capture against the least that its work could cost, and against itself in a project with a long past. */
export async function benchCapture(): Promise<Check[]> {
  if (!fs.existsSync('dist')) {
    console.log('skipped: not built yet (npm run build)');
    return [];
  }
  const state = fs.mkdtempSync(join(tmpdir(), 'teddy-bench-'));
  const before = process.env.XDG_STATE_HOME;
  process.env.XDG_STATE_HOME = state;
  const long = newProject();
  try {
    pastResults(long, MANY);
    return [await together(state), await inProcess(), await late(long), metrics(long, state)];
  } finally {
    if (before === undefined) delete process.env.XDG_STATE_HOME;
    else process.env.XDG_STATE_HOME = before;
    for (const folder of [state, long]) fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** As many processes as there are tasks, all at once. */
async function together(state: string): Promise<Check> {
  const best = { submit: Number.POSITIVE_INFINITY, node: Number.POSITIVE_INFINITY };
  for (let round = 0; round < 4; round++) {
    const root = newProject();
    try {
      const start = (words: string[]) => run(words, root, state);
      const files = eachTask((plan, index) => {
        const file = join(root, `result-${plan}-${index}.yaml`);
        fs.writeFileSync(file, resultText(index, round));
        return { file, plan };
      });
      best.node = Math.min(best.node, await time(() => Promise.all(files.map(() => start(['-e', '0'])))));
      best.submit = Math.min(
        best.submit,
        await time(() =>
          Promise.all(
            files.map(({ file, plan }) => start([TEDDY, 'result', 'submit', file, '--plan', planId(plan)])),
          ),
        ),
      );
      const lines = ledgerLines(root);
      if (lines !== files.length) throw new Error(`${lines} of ${files.length} results were captured`);
    } finally {
      fs.rmSync(root, { recursive: true, force: true });
    }
  }
  return {
    name: `${PLANS * TASKS} result submit at once / ${PLANS * TASKS} node -e 0`,
    value: best.submit / best.node,
    // Each of the 64 takes at least the time of a Node and of loading what captures.
    limit: 4.5,
    bound: 'at most',
    unit: '×',
    detail: `${Math.round(best.submit)} ms`,
  };
}

/** Calls that only look: a capture without them would be blind, and the bare calls do without. */
const LOOKS = new Set(['lstat', 'stat', 'statAt', 'read', 'list', 'readlink', 'realpath', 'access']);

/** Against the calls alone that change files and sync them, as a capture makes them. */
async function inProcess(): Promise<Check> {
  const template = newProject();
  const folder = fs.realpathSync(tmpdir());
  try {
    for (let i = 0; i < WARM_UP; i++) await capture(template, i);
    const prepare = async (root: string) => fs.cpSync(template, root, { recursive: true });
    const recorded = fs.mkdtempSync(join(folder, 'teddy-bench-'));
    await prepare(recorded);
    const last = () => captureIn(recorded);
    const replay = await recordCalls(recorded, last, ({ name }) => !LOOKS.has(name));
    fs.rmSync(recorded, { recursive: true, force: true });
    const check = (root: string) => {
      replay(root);
      // Calls that all fail would be fast.
      if (ledgerLines(root) !== WARM_UP + 1) throw new Error('the replay did nothing');
    };
    await compare(folder, 1, prepare, captureIn, check);
    const ratio = await compare(folder, 60, prepare, captureIn, replay);
    return {
      name: 'captures in process / the bare calls that write and sync, by rate',
      value: 100 / ratio,
      limit: 40,
      bound: 'at least',
      unit: '%',
    };
  } finally {
    fs.rmSync(template, { recursive: true, force: true });
  }
}

function captureIn(root: string): Promise<void> {
  return capture(root, WARM_UP);
}

/** One more result behind a hundred thousand, and one behind ten; the plans that are there are the same. */
async function late(long: string): Promise<Check> {
  const short = newProject();
  try {
    pastResults(short, 10);
    for (let i = 0; i < 5; i++) for (const root of [short, long]) await capture(root, i);
    const times = { short: [] as number[], long: [] as number[] };
    for (let i = 0; i < 60; i++) {
      times.short.push(await time(() => capture(short, 5 + i)));
      times.long.push(await time(() => capture(long, 5 + i)));
    }
    return {
      name: `result ${MANY.toLocaleString('en')} of a project / result 10`,
      value: median(times.long) / median(times.short),
      limit: 1.2,
      bound: 'at most',
      unit: '×',
    };
  } finally {
    fs.rmSync(short, { recursive: true, force: true });
  }
}

function metrics(long: string, state: string): Check {
  const short = newProject();
  try {
    pastResults(short, 100);
    const best = { short: Number.POSITIVE_INFINITY, long: Number.POSITIVE_INFINITY };
    for (let i = 0; i < 10; i++) {
      best.short = Math.min(best.short, runSync(['metrics'], short, state));
      best.long = Math.min(best.long, runSync(['metrics'], long, state));
    }
    return {
      name: `teddy metrics over ${MANY.toLocaleString('en')} results / over 100`,
      value: best.long / best.short,
      limit: 3,
      bound: 'at most',
      unit: '×',
    };
  } finally {
    fs.rmSync(short, { recursive: true, force: true });
  }
}

function ledgerLines(root: string): number {
  return fs.readFileSync(join(root, '.ultraplan/logs/ledger.jsonl'), 'utf8').split('\n').length - 1;
}

async function capture(root: string, round: number): Promise<void> {
  const plan = (Math.floor(round / TASKS) % PLANS) + 1;
  const index = (round % TASKS) + 1;
  const project = openCapture(new Workspace(root), DEFAULTS);
  const { status } = await captureResult(project, {
    submission: { text: resultText(index, round), plan: planPath(plan) },
    now: new Date(),
    mask: (text) => text,
  });
  if (status !== 'applied') throw new Error(`the result was ${status}`);
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** The home of somebody who has used teddy before: it has compiled code. */
function environment(state: string) {
  return { PATH: process.env.PATH, HOME: state, XDG_STATE_HOME: state };
}

function run(words: string[], cwd: string, state: string): Promise<void> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, words, {
      cwd,
      env: environment(state),
      stdio: 'ignore',
    });
    child.on('error', failed);
    child.on('close', (code) =>
      code === 0 ? done() : failed(new Error(`${words.join(' ')} ends with ${code}`)),
    );
  });
}

function runSync(words: string[], cwd: string, state: string): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [TEDDY, ...words], {
    cwd,
    env: environment(state),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${words.join(' ')} ends with ${status}: ${stderr}`);
  return performance.now() - start;
}

function newProject(): string {
  const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'teddy-bench-')));
  fs.mkdirSync(join(root, '.teddy'));
  fs.mkdirSync(join(root, '.planning/phases'), { recursive: true });
  for (let plan = 1; plan <= PLANS; plan++)
    fs.writeFileSync(join(root, planPath(plan)), planText(plan, TASKS));
  return root;
}

function eachTask<T>(make: (plan: number, index: number) => T): T[] {
  return Array.from({ length: PLANS * TASKS }, (_, i) => make((i % PLANS) + 1, Math.floor(i / PLANS) + 1));
}

export function planId(plan: number): string {
  return `90-0${plan}`;
}

export function planPath(plan: number): string {
  return `.planning/phases/${planId(plan)}-PLAN.md`;
}

const ACTION = 'Change what has to be changed, if (a < b), and say why in a sentence or two.\n'.repeat(12);

export function planText(plan: number, tasks: number): string {
  const indexes = Array.from({ length: tasks }, (_, i) => i + 1);
  return [
    `---\nphase: 90-bench\nplan: 0${plan}\nwave: 1\nparallel: true\n---\n`,
    '<objective>\nMeasure.\n</objective>\n\n<tasks>',
    ...indexes.map(
      (index) =>
        `<task type="auto">\n  <name>Task ${index}: Do part ${index}</name>\n  <files>src/part-${index}.ts</files>\n  <action>\n${ACTION}  </action>\n  <verify>npm test</verify>\n  <done>It works.</done>\n</task>\n`,
    ),
    '</tasks>\n\n<success_criteria>',
    ...indexes.map((index) => `- [ ] Task ${index}: Do part ${index}`),
    '</success_criteria>\n',
  ].join('\n');
}

export function resultText(index: number, round: number): string {
  return `status: success
task_name: "Task ${index}: Do part ${index}"
files_modified: []
verification:
  command: "npm test"
  exit_code: 0
  output_summary: "12 passed"
done_criteria_met: true
evidence: |
  Round ${round}. Everything that the criteria ask for is there.
error: null
metadata:
  duration_ms: ${20_000 + round}
  attempt: ${round + 1}
  executor_id: "exec-${round}"
`;
}
