import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OrchestrateEvent, Summary, TaskQuestion } from '../../../src/orchestrate/events.js';
import type { ExecutorEnd } from '../../../src/orchestrate/executors/types.js';
import { TEDDY } from '../teddy.js';
import type { SoakPlan, SoakTask } from './soak-plans.js';

const EXECUTOR = fileURLToPath(new URL('./soak-executor.mjs', import.meta.url));

/** What an executor says of itself. */
export interface ExecutorRecord {
  type: 'began' | 'printed';
  at: number;
  /** Which orchestrator began it. */
  run: number;
  id: string;
  attempt: number;
  pid: number;
  behaviour: string;
  /** Stands in what it printed, and nowhere else. */
  mark: string;
  what?: 'result' | 'nothing';
}

/** One orchestrator, from its start to its end. */
export interface Run {
  number: number;
  /** When it was killed, in ms since 1970; null where it ended by itself. */
  killedAt: number | null;
  /** The marks of the results that its queue had when it was killed, not recorded yet. */
  stored: string[];
  exit: number | null;
  summary: Summary | null;
  stderr: string;
}

export interface SiteOptions {
  isolation: 'worktree' | 'none';
  jobs: number;
  taskTime: string;
  isConfined: boolean;
}

/** A project in a git repository, its executors' records beside it, where confined ones may write, too, and the program that works on it. */
export class SoakSite {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), 'teddy-soak-')));
  readonly root = join(this.base, 'project');
  private readonly notes = join(this.base, 'notes');
  readonly tasks: ReadonlyMap<string, SoakTask>;
  /** In the environment of every process of ours. */
  private readonly mark = `soak-${process.pid}-${Math.random().toString(36).slice(2)}`;
  private readonly children = new Set<ChildProcess>();
  private runs = 0;

  constructor(
    readonly plans: readonly SoakPlan[],
    private readonly options: SiteOptions,
  ) {
    this.tasks = new Map(plans.flatMap(({ tasks }) => tasks.map((task) => [task.id, task])));
    const folders = ['notes/tasks', 'notes/mended', 'project/.planning/phases', 'project/.teddy'];
    for (const folder of [...folders, '.config/teddy'])
      mkdirSync(join(this.base, folder), { recursive: true });
    for (const plan of plans) writeFileSync(join(this.root, plan.path), plan.text);
    for (const task of this.tasks.values())
      writeFileSync(join(this.notes, 'tasks', `${task.id}.json`), JSON.stringify(task));
    copyFileSync(EXECUTOR, join(this.notes, 'executor.mjs'));
    writeFileSync(join(this.base, '.config/teddy/config.yaml'), 'confine: {write: ["~/notes"]}\n');
    const command = `exec '${process.execPath}' '${join(this.notes, 'executor.mjs')}'`;
    writeFileSync(
      join(this.root, '.teddy/config.yaml'),
      `executors:\n  soak:\n    command: ${JSON.stringify(command)}\norchestrate:\n  taskTime: ${options.taskTime}\n`,
    );
    this.git('init', '-q', '-b', 'main');
    for (const [key, value] of [
      ['user.name', 'Soak'],
      ['user.email', 'soak@example.com'],
      ['gc.auto', '0'],
    ])
      this.git('config', key!, value!);
    this.git('add', '.');
    this.git('commit', '-q', '-m', 'Begin');
  }

  /** Removes everything, after ending what should not be there any more. */
  remove(): void {
    for (const child of this.children) child.kill('SIGKILL');
    for (const { pid } of this.alive()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
    rmSync(this.base, { recursive: true, force: true });
  }

  /** Starts the orchestrator, and kills it after so many milliseconds. */
  async orchestrate(killAfter?: number, onAsked: (question: TaskQuestion) => void = () => {}): Promise<Run> {
    const number = ++this.runs;
    const { jobs, isolation, isConfined } = this.options;
    const words = ['orchestrate', '--yes', '--json', '--jobs', String(jobs), '--isolation', isolation];
    if (!isConfined) words.push('--unconfined');
    const child = spawn(process.execPath, [TEDDY, ...words, '--trust'], {
      cwd: this.root,
      env: { ...this.environment, TEDDY_SOAK_RUN: String(number) },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.children.add(child);
    let summary: Summary | null = null;
    let rest = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        if (!line.startsWith('{')) continue;
        const event = JSON.parse(line) as OrchestrateEvent;
        if (event.type === 'ended') summary = event.summary;
        else if (event.type === 'asked') onAsked(event.question);
      }
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    let killedAt: number | null = null;
    const timer =
      killAfter === undefined
        ? undefined
        : setTimeout(() => {
            killedAt = Date.now();
            child.kill('SIGKILL');
          }, killAfter);
    // What it leaves has its output open: nobody waits for that.
    const exit = await new Promise<number | null>((resolve) => child.on('exit', resolve));
    clearTimeout(timer);
    if (exit !== null) killedAt = null;
    await this.drain(child, exit);
    this.children.delete(child);
    const stored = killedAt === null ? [] : this.storedMarks();
    return { number, killedAt, stored, exit, summary, stderr };
  }

  private storedMarks(): string[] {
    const path = join(this.root, '.ultraplan/state/queue.jsonl');
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    // An incomplete last line was never reported to anyone.
    const whole = text.split('\n').slice(0, -1);
    let ends: { task: string; result: ExecutorEnd }[] = [];
    for (const line of whole.map((each) => JSON.parse(each))) {
      if (line.op === 'complete') ends.push(line);
      if (line.op === 'cancel') ends = ends.filter(({ task }) => task !== line.task);
    }
    return ends.flatMap(({ result }) =>
      result.status === 'returned' ? (/seen-[\d-]+/.exec(result.text)?.[0] ?? []) : [],
    );
  }

  private async drain({ stdout }: ChildProcess, exit: number | null): Promise<void> {
    if (exit === null) stdout?.destroy();
    else if (!stdout?.readableEnded) await new Promise((resolve) => stdout?.on('end', resolve));
  }

  /** A person's part: an answer to each question, as they would give it to a task of its kind. */
  async answer(questions: readonly Pick<TaskQuestion, 'id' | 'why'>[]): Promise<string[]> {
    const wrong: string[] = [];
    for (const { id, why } of questions) {
      const { kind } = this.tasks.get(id)!;
      if (kind === 'mended') writeFileSync(join(this.notes, 'mended', id), '');
      const word =
        kind === 'hopeless' && why === 'attempts-exhausted'
          ? 'skip'
          : kind === 'fixable'
            ? 'fix: use the blue one'
            : 'retry';
      const { exit, stdout, stderr } = await this.run(['task', 'resolve', id, word]);
      if (exit !== 0)
        wrong.push(`task resolve ${id} ${JSON.stringify(word)} ends with ${exit}: ${stdout}${stderr}`);
    }
    return wrong;
  }

  async run(words: string[]): Promise<{ exit: number | null; stdout: string; stderr: string }> {
    const child = spawn(process.execPath, [TEDDY, ...words, '--trust'], {
      cwd: this.root,
      env: this.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const texts = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => {
      texts.stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      texts.stderr += chunk;
    });
    const exit = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { exit, ...texts };
  }

  private get environment() {
    return {
      PATH: process.env.PATH,
      HOME: this.base,
      XDG_STATE_HOME: join(this.base, 'state'),
      // Confined executors get variables of teddy.
      TEDDY_SOAK_FOLDER: this.notes,
      TEDDY_SOAK_MARK: this.mark,
    };
  }

  git(...words: string[]): string {
    const { status, stdout, stderr } = spawnSync('git', words, { cwd: this.root, encoding: 'utf8' });
    if (status !== 0) throw new Error(`git ${words.join(' ')}: ${stderr}`);
    return stdout;
  }

  /** What executors say that they did, in order. */
  records(): ExecutorRecord[] {
    return this.lines(join(this.notes, 'records.jsonl')) as ExecutorRecord[];
  }

  /** Objects, one a line, of a file of the project. */
  read<T>(path: string): T[] {
    return this.lines(join(this.root, path)) as T[];
  }

  private lines(path: string): unknown[] {
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  }

  /** The processes of ours that there are: all carry the mark in their environment. */
  alive(): { pid: number; command: string }[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
          if (!environment.split('\0').includes(`TEDDY_SOAK_MARK=${this.mark}`)) return [];
          const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
          return [{ pid: Number(pid), command }];
        } catch {
          return [];
        }
      });
  }
}
