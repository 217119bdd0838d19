import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { OrchestrateEvent, Summary } from '../../../src/orchestrate/events.js';
import { makeFolder, readTree } from '../../folder.js';
import { type Ended, endOf } from '../sessions/site.js';
import { TEDDY } from '../teddy.js';

export interface TaskText {
  name?: string;
  files?: string;
  /** Null: there is none. */
  verify?: string | null;
  type?: string;
  dependsOn?: string;
  action?: string;
}

/** What a task makes where nothing else is said: `made-01-01-2.txt`. */
export const madeBy = (id: string) => `made-${id.replace(':', '-')}.txt`;

/** A plan `NN-NN`; `tasks` are texts or how many there are, each making a file of its own and verified by that. */
export function planText(
  id: string,
  tasks: number | readonly TaskText[],
  frontmatter: readonly string[] = [],
): string {
  const all = typeof tasks === 'number' ? Array.from({ length: tasks }, (): TaskText => ({})) : tasks;
  const [phase, plan] = id.split('-');
  const elements = all.map((task, i) => {
    const made = madeBy(`${id}:${i + 1}`);
    const { name = `Part ${i + 1}`, files = made, verify = `test -s ${made}`, type = 'auto' } = task;
    const order = task.dependsOn === undefined ? '' : ` depends_on="${task.dependsOn}"`;
    const check = verify === null ? '' : `  <verify>${verify}</verify>\n`;
    return `<task type="${type}"${order}>
  <name>Task ${i + 1}: ${name}</name>
  <files>${files}</files>
  <action>${task.action ?? 'Write it.'}</action>
${check}  <done>It is there.</done>
</task>
`;
  });
  const boxes = all.map(({ name }, i) => `- [ ] Task ${i + 1}: ${name ?? `Part ${i + 1}`}\n`);
  return `---\nphase: ${phase}\nplan: ${plan}\n${frontmatter.map((line) => `${line}\n`).join('')}---\n
<tasks>\n${elements.join('')}</tasks>\n
<success_criteria>\n${boxes.join('')}</success_criteria>\n`;
}

/**
 * What executors of tests begin with. `$MADE` is the file of the task; `claim`, `fail WHY` and `blocked WHY` print results.
 * Every attempt leaves a line in the tally, beside the project.
 */
const LIBRARY = `cat > "$SITE/prompts/$TEDDY_TASK_ID.$TEDDY_ATTEMPT"
echo "$TEDDY_TASK_ID $TEDDY_ATTEMPT" >> "$SITE/tally"
MADE="made-\${TEDDY_TASK_ID%:*}-\${TEDDY_TASK_ID#*:}.txt"
NAME="$TEDDY_TASK_NAME"
result() { printf 'status: %s\\ntask_name: "%s"\\nfiles_modified: [%s]\\nverification:\\n  command: %s\\n  exit_code: %s\\n  output_summary: "seen"\\ndone_criteria_met: %s\\nevidence: "%s"\\nerror: %s\\n' "$@"; }
claim() { result success "$NAME" "\${FILES-$MADE}" '"as the plan says"' 0 true "It was written." null; }
fail() { result failure "$NAME" "" '"as the plan says"' 1 false "It was tried." "\\"$1\\""; }
blocked() { result blocked "$NAME" "" null null false "Nothing." "\\"$1\\""; }
make() { echo "$TEDDY_TASK_ID" > "$MADE"; }
kill_teddy() { kill -KILL "$(sed -n 's/.*"pid": *\\([0-9]*\\).*/\\1/p' "$ROOT/.ultraplan/state/holder.json")"; }
`;

/** Prints what `claude -p --output-format json` prints, for an answer that another program gives. */
export const CLAUDE = `echo "$*" >> "$SITE/arguments"
ANSWER="$(sh "$SITE/executor" | sed 's/\\\\/\\\\\\\\/g; s/"/\\\\"/g' | awk '{printf "%s\\\\n", $0}')"
printf '{"type":"result","subtype":"success","is_error":false,"duration_ms":12,"num_turns":1,"result":"%s","session_id":"s","total_cost_usd":%s,"usage":{"input_tokens":1000,"output_tokens":20}}\\n' "$ANSWER" "\${COST:-0.4}"`;

export interface SiteOptions {
  /** In a repository, with all that is there committed. */
  git?: boolean;
  /** Lines of the config, below the executor. */
  config?: string;
  /** What the executor does, in sh; it makes its file and says so where nothing is said. */
  executor?: string;
  files?: Record<string, string>;
  env?: Record<string, string>;
  /** As by default. Otherwise the user's config switches it off: executors leave notes beside the project, and kill teddy. */
  confined?: boolean;
}

const GIT_ENV = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
  GIT_CONFIG_NOSYSTEM: '1',
};

/** A project with plans and an executor called `worker`, whose files lie beside it. */
export class Site {
  readonly base: string;
  readonly root: string;
  readonly env: Record<string, string>;

  constructor(plans: Record<string, string>, options: SiteOptions = {}) {
    const { git = false, config = '', executor = 'make\nclaim', files = {}, env = {} } = options;
    const { confined = false } = options;
    this.base = makeFolder({ 'bin/.keep': '', 'prompts/.keep': '', tally: '' });
    if (!confined) this.writeBeside('.config/teddy/config.yaml', 'confine: {on: false}\n');
    this.root = join(this.base, 'project');
    this.env = {
      PATH: `${join(this.base, 'bin')}:${process.env.PATH}`,
      HOME: this.base,
      XDG_CACHE_HOME: process.env.XDG_CACHE_HOME!,
      XDG_STATE_HOME: join(this.base, 'user'),
      SITE: this.base,
      ROOT: this.root,
      // These tests may be run by root.
      IS_SANDBOX: '1',
      ...GIT_ENV,
      ...env,
    };
    this.behave(executor);
    for (const [id, text] of Object.entries(plans)) this.write(`.planning/${id}-PLAN.md`, text);
    for (const [path, text] of Object.entries(files)) this.write(path, text);
    this.write('.teddy/config.yaml', `executors:\n  worker: {command: sh "$SITE/executor"}\n${config}`);
    if (!git) return;
    this.git('init', '-q', '-b', 'main');
    this.commit('Begin');
  }

  /** What the executor does from now on. */
  behave(executor: string): void {
    writeFileSync(join(this.base, 'executor'), `${LIBRARY}${executor}\n`);
  }

  /** A program on PATH. */
  program(name: string, text: string): void {
    const path = join(this.base, 'bin', name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
  }

  write(path: string, text: string): void {
    this.writeBeside(join('project', path), text);
  }

  /** From the folder that the project lies in, which is the user's home. */
  writeBeside(path: string, text: string): void {
    const full = join(this.base, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  has(path: string): boolean {
    return existsSync(join(this.root, path));
  }

  /** A file that an executor left beside the project; empty where there is none. */
  note(name: string): string {
    const path = join(this.base, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }

  leave(name: string, text = ''): void {
    writeFileSync(join(this.base, name), text);
  }

  /** `01-01:1 1`, in the order in which attempts began. */
  get tally(): string[] {
    return lines(this.note('tally'));
  }

  promptOf(id: string, attempt: number): string {
    return this.note(`prompts/${id}.${attempt}`);
  }

  plan(id: string): string {
    return this.read(`.planning/${id}-PLAN.md`);
  }

  /** `status="…"` of each task of a plan; `-` where it has none. */
  marks(id: string): string[] {
    return [...this.plan(id).matchAll(/<task [^>]*>/g)].map(
      ([tag]) => / status="(\w+)"/.exec(tag)?.[1] ?? '-',
    );
  }

  /** The logs of results, by their names without the day. */
  get logs(): Record<string, string> {
    return this.logsIn('executions');
  }

  /** Results that could not be taken, in their order. */
  get rejected(): string[] {
    return Object.values(this.logsIn('rejected'));
  }

  private logsIn(folder: string): Record<string, string> {
    const path = join(this.root, '.ultraplan/logs', folder);
    if (!existsSync(path)) return {};
    return Object.fromEntries(
      Object.entries(readTree(path)).map(([name, text]) => [name.split('/').at(-1)!, text]),
    );
  }

  get journal(): Record<string, unknown>[] {
    return lines(this.read('.ultraplan/state/journal.jsonl')).map((line) => JSON.parse(line));
  }

  /** Every file of the project and its text, but for git's own. */
  tree(): Record<string, string> {
    const all = Object.entries(readTree(this.root));
    return Object.fromEntries(all.filter(([path]) => !path.startsWith('.git/')));
  }

  git(...words: string[]): string {
    const { status, stdout, stderr } = spawnSync('git', words, {
      cwd: this.root,
      env: this.env,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`git ${words[0]}: ${stderr}`);
    return stdout;
  }

  commit(message: string): void {
    this.git('add', '-A');
    this.git('commit', '-q', '-m', message);
  }

  /** What of worktrees, branches and their folders is left. */
  leftovers(): { worktrees: number; branches: string[]; folders: string[] } {
    const folder = join(this.root, '.ultraplan/state/worktrees');
    return {
      worktrees: lines(this.git('worktree', 'list')).length - 1,
      branches: lines(this.git('branch', '--format=%(refname:short)')).filter((name) => name !== 'main'),
      folders: existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : [],
    };
  }

  start(words: readonly string[], { trust = true, input = '' } = {}): ChildProcess {
    const child = spawn(process.execPath, [TEDDY, ...words, ...(trust ? ['--trust'] : [])], {
      cwd: this.root,
      env: this.env,
      // A session of its own: no terminal of whoever runs the tests is asked.
      detached: true,
    });
    child.stdin!.on('error', () => {}).end(input);
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    return child;
  }

  run(words: readonly string[], options: { trust?: boolean; input?: string } = {}): Promise<Ended> {
    return endOf(this.start(words, options));
  }

  /** With lines for human review. */
  orchestrate(...words: string[]): Promise<Ended> {
    return this.run(['orchestrate', '--yes', ...words]);
  }

  /** With events. */
  async conduct(...words: string[]): Promise<Conducted> {
    const { exit, stdout, stderr } = await this.run(['orchestrate', '--json', '--yes', ...words]);
    return { exit, stderr, ...readEvents(stdout) };
  }

  /** What is done is said with `--yes`: there is no terminal to be asked at. */
  resolve(id: string, answer: string): Promise<Ended> {
    return this.run(['task', 'resolve', id, answer, ...(answer.startsWith('done') ? ['--yes'] : [])]);
  }
}

export interface Conducted {
  exit: number | null;
  stderr: string;
  events: OrchestrateEvent[];
  summary: Summary;
  of<T extends OrchestrateEvent['type']>(type: T): Extract<OrchestrateEvent, { type: T }>[];
}

export function readEvents(stdout: string): Pick<Conducted, 'events' | 'summary' | 'of'> {
  const events = lines(stdout).map((line) => JSON.parse(line) as OrchestrateEvent);
  const of: Conducted['of'] = (type) =>
    events.filter((event): event is Extract<OrchestrateEvent, { type: typeof type }> => event.type === type);
  return { events, of, summary: of('ended')[0]?.summary as Summary };
}

export function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // One that nobody has waited for yet does nothing any more.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
