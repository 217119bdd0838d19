// SIGKILL at any moment of a run with a command, of its undo and of its redo: once the next command has run, the files are
// as before or as after, each of these can still be reached, and nothing is called restored that is not.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { create, execute, planOf } from '../runs/boundary/plan.js';
import { differences, readTree, type Tree } from '../runs/undo/undo-oracle.js';
import { inParallel } from '../worker.js';
import { SOAK, seeded } from '../workspace/faults/random.js';
import { TEDDY } from './teddy.js';
import { freeze, Kills, killNow, reach, timePhases } from './wrap/killed.js';

const KILLS = SOAK ? 200 : 12;
const WORKS = ['execute', 'undo', 'redo'] as const;
type Work = (typeof WORKS)[number];

const PHASES: Record<Work, readonly string[]> = {
  execute: ['starting', 'recording', 'running', 'comparing', 'ending'],
  undo: ['starting', 'staging', 'moving', 'ending'],
  redo: ['starting', 'staging', 'moving', 'ending'],
};

const FIRST = `
mkdir -p src/deep many hollow/inner gone; printf 'ignored/\\n' > .gitignore; mkdir ignored
for i in $(seq 120); do printf "one $i\\n" > many/$i; done
printf 'one\\n' > src/a; printf 'two\\n' > src/deep/b; ln -s src/a link; printf run > run.sh; chmod 755 run.sh
printf same > kept; printf deleted > gone/file
`;
const COMMAND = `
touch ignored/started; sed -i s/one/eins/ many/*; rm -r gone run.sh; mkdir run.sh; printf in > run.sh/in
mv src lib; chmod 700 lib; chmod 600 kept; rm link; ln -s kept link; rmdir hollow/inner; mkdir -p new/empty
for i in $(seq 40); do printf new > new/$i; done; sleep 0.05; touch ignored/ended
`;
const PLAN = planOf([create('first', 'made\n'), execute(COMMAND), create('last/file', 'made\n')]);

interface Ended {
  exit: number | null;
  stdout: string;
  stderr: string;
}

class Site {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), 'teddy-undo-kill-')));
  readonly root = join(this.base, 'project');
  readonly before: Tree;

  constructor(git: boolean) {
    mkdirSync(this.root);
    const shell = (script: string) => execFileSync('sh', ['-c', script], { cwd: this.root, stdio: 'ignore' });
    shell(FIRST);
    const identity = '-c user.name=A -c user.email=a@example.org';
    if (git) shell(`git init -q && git add many src && git ${identity} commit -qm 1`);
    this.before = this.tree();
  }

  /** What is ignored is no one's business. */
  tree(): Tree {
    const isCovered = ([path]: [string, string]) => !path.startsWith('ignored/');
    return Object.fromEntries(Object.entries(readTree(this.root)).filter(isCovered));
  }

  start(words: readonly string[], input = ''): ChildProcess {
    const child = spawn(process.execPath, [TEDDY, ...words], {
      cwd: this.root,
      env: { PATH: process.env.PATH, TMPDIR: tmpdir(), HOME: this.base },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    child.stdin!.on('error', () => {}).end(input);
    return child;
  }

  teddy(words: readonly string[], input = ''): Promise<Ended> {
    return new Promise((resolve) => {
      const child = this.start(words, input);
      const texts = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const)
        child[name]!.setEncoding('utf8').on('data', (text: string) => {
          texts[name] += text;
        });
      child.on('close', (exit) => resolve({ exit, ...texts }));
    });
  }

  async succeed(words: readonly string[], input = ''): Promise<string> {
    const { exit, stdout, stderr } = await this.teddy(words, input);
    if (exit !== 0) throw new Error(`teddy ${words.join(' ')} ends with ${exit}: ${stderr}${stdout}`);
    return stdout;
  }

  names(...path: string[]): string[] {
    try {
      return readdirSync(join(this.root, ...path)).filter((name) => name !== '.gitignore');
    } catch {
      return [];
    }
  }

  get run(): string | undefined {
    return this.names('.teddy/runs')[0];
  }

  /** Where the process is, as its files show. */
  phase(work: Work): string {
    const { run } = this;
    if (work === 'execute') {
      if (run === undefined) return 'starting';
      if (this.names('.teddy/runs', run).includes('run.json')) return 'ending';
      const marks = this.names('ignored');
      if (marks.includes('ended')) return 'comparing';
      return marks.includes('started') ? 'running' : 'recording';
    }
    const changing = this.names('.teddy/tx');
    if (changing.some((name) => name.endsWith('.log'))) return 'moving';
    const isDone = this.names('.teddy/runs', run!).includes('undone.json') === (work === 'undo');
    if (isDone) return 'ending';
    return changing.length > 0 ? 'staging' : 'starting';
  }

  remove(): void {
    rmSync(this.base, { recursive: true, force: true });
  }
}

/** A project in which this is the next thing to do, with the trees before and after it. */
async function prepare(work: Work, git: boolean): Promise<{ site: Site; from: Tree; to: Tree | undefined }> {
  const site = new Site(git);
  if (work === 'execute') return { site, from: site.before, to: undefined };
  await site.succeed(['execute', '-', '-y'], PLAN);
  const after = site.tree();
  expect(differences(site.before, after).length).toBeGreaterThan(150);
  if (work === 'undo') return { site, from: after, to: site.before };
  await site.succeed(['undo']);
  expect(site.tree()).toEqual(site.before);
  return { site, from: site.before, to: after };
}

const wordsOf = (work: Work): [string[], string] =>
  work === 'execute' ? [['execute', '-', '-y'], PLAN] : [[work], ''];

/** The phase in which it was killed; undefined if it had ended. */
async function kill(site: Site, work: Work, phase: string, delay: number): Promise<string | undefined> {
  const child = site.start(...wordsOf(work));
  child.stdout!.resume();
  child.stderr!.resume();
  let isOver = false;
  const end = new Promise<void>((resolve) =>
    child.on('exit', () => {
      isOver = true;
      resolve();
    }),
  );
  const now = () => site.phase(work);
  await reach(phase, PHASES[work], now, () => isOver);
  const until = performance.now() + delay;
  while (performance.now() < until && !isOver) await new Promise((resolve) => setImmediate(resolve));
  let killed: string | undefined;
  if (await freeze(child.pid!)) {
    const reached = now();
    if (killNow(child.pid!)) killed = reached;
  }
  await end;
  return killed;
}

async function timeWork(work: Work): Promise<Map<string, number>> {
  const { site } = await prepare(work, true);
  const child = site.start(...wordsOf(work));
  child.stdout!.resume();
  child.stderr!.resume();
  let exit: number | null | undefined;
  child.on('exit', (code) => {
    exit = code;
  });
  const lengths = await timePhases(
    PHASES[work],
    () => site.phase(work),
    () => exit !== undefined,
  );
  expect(exit).toBe(0);
  site.remove();
  return lengths;
}

test('killed at a random moment of execute, undo and redo', async () => {
  const random = seeded(Number(process.env.TEDDY_SEED ?? 1));
  const lengths = new Map<Work, Map<string, number>>();
  for (const work of WORKS) lengths.set(work, await timeWork(work));
  const moments = WORKS.flatMap((work) => PHASES[work].map((phase) => ({ work, phase })));
  const kills = Object.fromEntries(WORKS.map((work) => [work, new Kills()])) as Record<Work, Kills>;
  const ends = new Map<string, number>();
  const wrong: string[] = [];
  let survived = 0;
  const total = () => WORKS.reduce((sum, work) => sum + kills[work].total, 0);
  while (total() < KILLS) {
    const rounds = [...moments.keys()];
    await inParallel(rounds, 2, async (round) => {
      if (total() >= KILLS) return;
      const { work, phase } = moments[round]!;
      const delay = random() * lengths.get(work)!.get(phase)!;
      const { site, from, to } = await prepare(work, random() < 0.5);
      try {
        const killed = await kill(site, work, phase, delay);
        if (killed === undefined) survived++;
        else kills[work].add(killed, 'teddy');
        const end = await (work === 'execute' ? judgeRun(site) : judgeRestored(site, work, from, to!));
        const key = `${work} ${killed ?? 'not killed'}: ${end}`;
        ends.set(key, (ends.get(key) ?? 0) + 1);
      } catch (error) {
        wrong.push(
          `${work}, ${phase} and ${Math.round(delay)} ms: ${error instanceof Error ? error.message : error}`,
        );
      } finally {
        site.remove();
      }
    });
  }
  console.log(
    `${total()} kills, ${survived} survived; ${[...ends]
      .sort()
      .map(([end, count]) => `${end} ${count}`)
      .join(', ')}`,
  );
  expect(wrong).toEqual([]);
  for (const work of WORKS) expect(kills[work].phases.size).toBeGreaterThan(SOAK ? 3 : 1);
});

/** The undo of a run that was killed is exact. */
async function judgeRun(site: Site): Promise<string> {
  const { before, run } = site;
  const listed = JSON.parse(await site.succeed(['runs', '--json'])) as { id: string }[];
  if (listed.length === 0) {
    expectTree(site, before, 'no run is listed');
    return 'nothing happened';
  }
  const ran = site.tree();
  const undone = JSON.parse(await site.succeed(['undo', run!, '--json'])) as {
    restored: string[];
    deleted: string[];
    refused: unknown[];
    commands: { recorded: boolean; unrestorable: unknown[] }[];
  };
  const now = site.tree();
  for (const path of undone.restored)
    if (now[path] !== before[path]) throw new Error(`${path} is called restored, and is ${now[path]}`);
  const isKnown =
    undone.refused.length === 0 &&
    undone.commands.every((each) => each.recorded && each.unrestorable.length === 0);
  if (isKnown) expectTree(site, before, 'the undo names nothing');
  const isUndone = differences(before, now).length === 0;
  if (isUndone && differences(ran, before).length > 0) {
    await site.succeed(['redo']);
    expectTree(site, ran, 'after the redo');
  }
  return `${isKnown ? 'known' : 'not known'}, ${isUndone ? 'exact' : 'not exact'}`;
}

/** All of it happened or nothing, and either can be reached. */
async function judgeRestored(site: Site, work: 'undo' | 'redo', from: Tree, to: Tree): Promise<string> {
  await site.succeed(['runs', '--json']);
  const now = site.tree();
  const isDone = differences(now, to).length === 0;
  if (!isDone) expectTree(site, from, 'it is neither as before nor as after');
  const again = await site.teddy(work === 'undo' ? ['undo', site.run!] : ['redo']);
  // There is nothing to redo where it was done.
  if (again.exit !== 0 && !(work === 'redo' && isDone))
    throw new Error(`again: ${again.stderr}${again.stdout}`);
  expectTree(site, to, `after ${work} again`);
  await site.succeed(work === 'undo' ? ['redo'] : ['undo']);
  expectTree(site, from, `after ${work} and back`);
  await site.succeed([work]);
  expectTree(site, to, 'a third time');
  return isDone ? 'done' : 'not done';
}

function expectTree(site: Site, expected: Tree, when: string): void {
  const now = site.tree();
  const odd = differences(now, expected).slice(0, 5);
  if (odd.length > 0)
    throw new Error(
      `${when}: ${odd.map((path) => `${path} is ${now[path]}, not ${expected[path]}`).join('; ')}`,
    );
}
