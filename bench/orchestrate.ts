import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { seeded } from '../test/workspace/faults/random.js';
import type { Check } from './table.js';

const TEDDY = resolve('bin/teddy.cjs');
const EXECUTORS = 8;
const SHORTEST_MS = 500;
const LONGEST_MS = 3000;
const SEED = 8;
/** Of the plans by which the cost of one task is measured: how many tasks each has. */
const TASKS_OF_PLAN = 20;
/** How often both sides do them. */
const ROUNDS = 3;

/** Many tasks against the least time that they could take, and one task against its own processes alone. */
export async function benchOrchestrate(): Promise<Check[]> {
  if (!fs.existsSync('dist')) {
    console.log('skipped: not built yet (npm run build)');
    return [];
  }
  return [
    await makespan('dependencies', 1.1),
    await makespan('waves', null),
    await overhead({ order: 'at will' }, 1.3),
    await overhead({ order: 'sequence' }, 1.3),
    await overhead({ order: 'at will', git: true, where: 'in a git repository', plans: 3 }, null),
    await overhead({ order: 'at will', git: true, jobs: 2, where: 'two jobs, in worktrees', plans: 3 }, null),
  ];
}

// Many tasks

interface BenchPlan {
  id: string;
  wave: number;
  dependsOn: string[];
  /** `named`: each behind those that its `depends_on` names. */
  order: 'at will' | 'sequence' | 'named';
  /** Of each task: how long it sleeps, and the numbers of those that it waits for. */
  tasks: { ms: number; needs: number[] }[];
}

/**
 * `waves`: nothing of the second begins before all of the first is done, so that some have nothing to do at its end,
 * whoever hands out the tasks without knowing how long each takes.
 */
type Shape = 'dependencies' | 'waves';

async function makespan(shape: Shape, limit: number | null): Promise<Check> {
  const plans = makePlans(shape);
  const tasks = plans.flatMap((plan) => plan.tasks);
  const work = tasks.reduce((sum, { ms }) => sum + ms, 0);
  const path = criticalPath(plans);
  const bound = Math.max(path, work / EXECUTORS);
  const project = newProject(`
cat > /dev/null
sleep "$(cat "durations/$TEDDY_TASK_ID")"
cat <<RESULT
${resultText('$TEDDY_TASK_NAME')}RESULT
`);
  try {
    fs.mkdirSync(join(project.root, 'durations'));
    for (const plan of plans) {
      writePlan(project.root, plan);
      plan.tasks.forEach(({ ms }, i) => {
        fs.writeFileSync(join(project.root, 'durations', `${plan.id}:${i + 1}`), (ms / 1000).toFixed(3));
      });
    }
    const { ms } = await orchestrate(project, ['--jobs', String(EXECUTORS), '--isolation', 'none']);
    const seconds = (value: number) => (value / 1000).toFixed(1);
    return {
      name: `${tasks.length} tasks with ${shape} on ${EXECUTORS} executors / max(critical path, work / ${EXECUTORS})`,
      value: ms / bound,
      limit,
      bound: 'at most',
      unit: '×',
      detail: `${seconds(ms)} s; path ${seconds(path)} s, work ${seconds(work)} s`,
    };
  } finally {
    fs.rmSync(project.base, { recursive: true, force: true });
  }
}

/** 25 plans of 8 tasks; the later ones behind one earlier plan each, or in a second wave; tasks at will, in sequence, or behind those that they name. */
function makePlans(shape: Shape): BenchPlan[] {
  const random = seeded(SEED);
  const duration = () => Math.round(SHORTEST_MS + random() * (LONGEST_MS - SHORTEST_MS));
  return Array.from({ length: 25 }, (_, i) => {
    const order = (['at will', 'sequence', 'named'] as const)[i % 3]!;
    const tasks = Array.from({ length: 8 }, (_, task) => {
      const needs = { 'at will': [], sequence: [task], named: [1 + Math.floor(random() * task)] }[order];
      return { ms: duration(), needs: task === 0 ? [] : needs };
    });
    const isLater = i >= 12;
    const dependsOn = isLater && shape === 'dependencies' ? [planId(i - 12)] : [];
    const wave = isLater && shape === 'waves' ? 2 : 1;
    return { id: planId(i), wave, dependsOn, order, tasks };
  });
}

function planId(i: number): string {
  return `01-${String(i + 1).padStart(2, '0')}`;
}

/** The longest chain: within plans by what tasks name, between them by names and waves. */
function criticalPath(plans: readonly BenchPlan[]): number {
  const ends = new Map<string, number>();
  const waves = new Map<number, number>();
  for (const { id, wave, dependsOn, tasks } of plans) {
    const start = Math.max(waves.get(wave - 1) ?? 0, ...dependsOn.map((other) => ends.get(other)!));
    const done: number[] = [];
    for (const { ms, needs } of tasks)
      done.push(Math.max(start, ...needs.map((need) => done[need - 1]!)) + ms);
    ends.set(id, Math.max(...done));
    waves.set(wave, Math.max(waves.get(wave) ?? 0, ...done));
  }
  return Math.max(...ends.values());
}

// One task

interface Manner {
  order: BenchPlan['order'];
  where?: string;
  git?: true;
  jobs?: number;
  plans?: number;
}

/** The same tasks by teddy and by nobody, who does half of them before and half of them after: machines change their pace. */
async function overhead(
  { order, where, git, jobs = 1, plans = 10 }: Manner,
  limit: number | null,
): Promise<Check> {
  const ratios: number[] = [];
  const times = { teddy: [] as number[], bare: [] as number[] };
  const tasks = plans * TASKS_OF_PLAN;
  for (let round = 0; round < ROUNDS; round++) {
    const project = newProject(`exec "${process.execPath}" "$\{0%/*}/executor.mjs"\n`);
    try {
      fs.writeFileSync(join(project.base, 'executor.mjs'), NO_OP);
      for (let i = 0; i < plans; i++) {
        const own = Array.from({ length: TASKS_OF_PLAN }, () => ({ ms: 0, needs: [] }));
        writePlan(project.root, { id: planId(i), wave: 1, dependsOn: [], order, tasks: own });
      }
      if (git) commitAll(project.root);
      const isolation = jobs === 1 ? 'none' : 'worktree';
      const before = await spawnBare(project, tasks / 2);
      const { ms } = await orchestrate(project, ['--jobs', String(jobs), '--isolation', isolation]);
      const bare = before + (await spawnBare(project, tasks / 2));
      ratios.push(ms / bare);
      times.teddy.push(ms / tasks);
      times.bare.push(bare / tasks);
    } finally {
      fs.rmSync(project.base, { recursive: true, force: true });
    }
  }
  return {
    name: `a task ${order === 'sequence' ? 'in a sequence' : order}${where === undefined ? '' : `, ${where}`} / its executor and its verify alone`,
    value: median(ratios),
    limit,
    bound: 'at most',
    unit: '×',
    detail: `${median(times.teddy).toFixed(1)} ms to ${median(times.bare).toFixed(1)} ms`,
  };
}

/** Does nothing, and says that all is well. */
const NO_OP = `
import { readFileSync } from 'node:fs';
readFileSync(0);
process.stdout.write(${JSON.stringify(resultText('NAME'))}.replace('NAME', process.env.TEDDY_TASK_NAME));
`;

/** What the work costs without anybody who looks after it. */
async function spawnBare({ root, env }: Project, tasks: number): Promise<number> {
  const prompt = 'Change what has to be changed, and say why in a sentence or two.\n'.repeat(40);
  const begun = performance.now();
  for (let i = 1; i <= tasks; i++) {
    await shell('sh ../executor.sh', root, { ...env, TEDDY_TASK_NAME: `Task ${i}: Do part ${i}` }, prompt);
    await shell('true', root, env, '');
  }
  return performance.now() - begun;
}

function shell(command: string, cwd: string, env: Record<string, string>, input: string): Promise<void> {
  return new Promise((done, failed) => {
    const child = spawn('/bin/sh', ['-c', command], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdout.resume();
    child.stderr.resume();
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('error', failed);
    child.on('close', (code) => (code === 0 ? done() : failed(new Error(`${command} ends with ${code}`))));
  });
}

// Projects

interface Project {
  base: string;
  root: string;
  env: Record<string, string>;
}

/** With an executor that is this shell script. */
function newProject(script: string): Project {
  const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'teddy-bench-')));
  const root = join(base, 'project');
  fs.mkdirSync(join(root, '.teddy'), { recursive: true });
  fs.mkdirSync(join(root, '.planning/phases'), { recursive: true });
  fs.writeFileSync(join(base, 'executor.sh'), script);
  const command = `sh ${join(base, 'executor.sh')}`;
  fs.writeFileSync(
    join(root, '.teddy/config.yaml'),
    `executors:\n  bench:\n    command: ${JSON.stringify(command)}\n`,
  );
  const env = { PATH: process.env.PATH!, HOME: base, XDG_STATE_HOME: join(base, 'state') };
  return { base, root, env };
}

function commitAll(root: string): void {
  const names = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com'];
  for (const words of [
    ['init', '-q'],
    ['add', '.'],
    [...names, 'commit', '-q', '-m', 'Begin'],
  ]) {
    const { status, stderr } = spawnSync('git', words, { cwd: root, encoding: 'utf8' });
    if (status !== 0) throw new Error(`git ${words.join(' ')}: ${stderr}`);
  }
}

/** From the first hand-out to the last record. */
async function orchestrate({ root, env }: Project, words: string[]): Promise<{ ms: number }> {
  const { stdout, status } = await new Promise<{ stdout: string; status: number | null }>((done, failed) => {
    const child = spawn(process.execPath, [TEDDY, 'orchestrate', '--json', '--yes', '--trust', ...words], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.on('error', failed);
    child.on('close', (code) => done({ stdout, status: code }));
  });
  if (status !== 0) throw new Error(`orchestrate ends with ${status}: ${stdout.slice(-2000)}`);
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; at: string });
  const at = (type: string) => Date.parse(events.find((event) => event.type === type)!.at);
  return { ms: at('ended') - at('began') };
}

function writePlan(root: string, { id, wave, dependsOn, order, tasks }: BenchPlan): void {
  const names = tasks.map((_, i) => `Task ${i + 1}: Do part ${i + 1}`);
  const elements = tasks.map(({ needs }, i) => {
    const named = order === 'named' && needs.length > 0 ? ` depends_on="${needs.join(',')}"` : '';
    return `<task type="auto"${named}>\n  <name>${names[i]}</name>\n  <action>Sleep.</action>\n  <verify><automated>true</automated></verify>\n  <done>It is done.</done>\n</task>`;
  });
  const text = `---
phase: 01-bench
plan: ${id.slice(3)}
wave: ${wave}
depends_on: [${dependsOn.map((other) => `"${other}"`).join(', ')}]
parallel: ${order === 'at will'}
---

<tasks>
${elements.join('\n')}
</tasks>

<success_criteria>
${names.map((name) => `- [ ] ${name}`).join('\n')}
</success_criteria>
`;
  fs.writeFileSync(join(root, `.planning/phases/${id}-PLAN.md`), text);
}

function resultText(name: string): string {
  return `status: success
task_name: "${name}"
files_modified: []
verification:
  command: "true"
  exit_code: 0
  output_summary: "fine"
done_criteria_met: true
evidence: "Nothing had to be done."
error: null
`;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
