import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readState } from '../../../src/core/state/state.js';
import { parseTaskPlan } from '../../../src/core/task-plan/parse.js';
import type { LedgerEntry, SessionRecord } from '../../../src/tasks/metrics/records.js';
import { listContent, PROGRAM_ENV } from '../../folder.js';
import { leaveOutRoot, TEDDY } from '../teddy.js';

export const PLANS = 8;
export const TASKS = 8;

export type Status = 'success' | 'failure' | 'blocked';

const MARKS = { success: 'completed', failure: 'failed', blocked: 'blocked' } as const;

/** A project with eight plans of eight tasks each, and what can be said of it from outside. */
export class Site {
  readonly root: string;

  constructor() {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), 'teddy-results-')));
    mkdirSync(join(this.root, '.planning/phases'), { recursive: true });
    mkdirSync(join(this.root, '.teddy'));
    mkdirSync(join(this.root, 'home'));
    for (let plan = 1; plan <= PLANS; plan++) writeFileSync(this.planPath(plan), planText(plan));
    writeFileSync(join(this.root, 'STATE.md'), STATE);
  }

  planPath(plan: number): string {
    return join(this.root, `.planning/phases/${planId(plan)}-PLAN.md`);
  }

  /** Runs teddy; SIGKILL after so many milliseconds. */
  run(
    words: string[],
    { input = '', killAfter }: { input?: string; killAfter?: number } = {},
  ): Promise<{ exit: number | null; stdout: string; stderr: string }> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [TEDDY, ...words, '--root', this.root], {
        cwd: this.root,
        env: { ...PROGRAM_ENV, HOME: join(this.root, 'home') },
        detached: true,
      });
      const texts = { stdout: '', stderr: '' };
      child.stdout.on('data', (chunk) => {
        texts.stdout += chunk;
      });
      child.stderr.on('data', (chunk) => {
        texts.stderr += chunk;
      });
      child.stdin.on('error', () => {});
      child.stdin.end(input);
      child.on('error', reject);
      const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter);
      child.on('close', (code) => {
        clearTimeout(timer);
        resolve({ exit: code, ...texts, stderr: leaveOutRoot(texts.stderr) });
      });
    });
  }

  ledger(): LedgerEntry[] {
    return this.lines('.ultraplan/logs/ledger.jsonl').map((line) => JSON.parse(line) as LedgerEntry);
  }

  /** Everything that is wrong. `accepted` holds the ids whose submitters were told that all is well. */
  async judge(accepted: readonly string[]): Promise<string[]> {
    const wrong: string[] = [];
    const ask = async (words: string[]) => {
      const { exit, stdout, stderr } = await this.run([...words, '--json']);
      if (exit !== 0) wrong.push(`${words.join(' ')} ends with ${exit}: ${stdout.slice(0, 500)}${stderr}`);
      return stdout;
    };
    await ask(['logs', 'verify']);
    await ask(['metrics', '--rebuild']);
    const entries = this.ledger();
    const ids = entries.map(({ id }) => id);
    for (const id of accepted)
      if (!ids.includes(id)) wrong.push(`${id} was accepted and is not in the ledger`);
    if (new Set(ids).size !== ids.length) wrong.push('a result was applied twice');
    wrong.push(...this.judgePlans(entries), ...this.judgeState(entries), ...this.judgeFiles(entries));
    return wrong;
  }

  private judgePlans(entries: readonly LedgerEntry[]): string[] {
    const wrong: string[] = [];
    for (let plan = 1; plan <= PLANS; plan++) {
      const text = readFileSync(this.planPath(plan), 'utf8');
      const { tasks } = parseTaskPlan(text);
      if (tasks.length !== TASKS) wrong.push(`${planId(plan)} has ${tasks.length} tasks`);
      for (const { index, status } of tasks) {
        const last = entries.findLast((entry) => entry.plan === planId(plan) && entry.task === index);
        const expected = last ? MARKS[last.status] : 'pending';
        if (status !== expected) wrong.push(`${planId(plan)}:${index} is ${status}, not ${expected}`);
      }
      // What was never touched is as it was.
      const bare = text
        .replace(/ status="\w+"/g, '')
        .replace(/ completed_at="[^"]+"/g, '')
        .replace(/- \[x\] (.*) \(completed [\d-]+\)/g, '- [ ] $1');
      if (bare !== planText(plan)) wrong.push(`${planId(plan)} lost something`);
    }
    return wrong;
  }

  private judgeState(entries: readonly LedgerEntry[]): string[] {
    const text = readFileSync(join(this.root, 'STATE.md'), 'utf8');
    const fields = readState(text);
    const last = new Map(entries.map((entry) => [`${entry.plan}:${entry.task}`, entry.status]));
    const done = [...last.values()].filter((status) => status === 'success').length;
    const percent = Math.round((done / (PLANS * TASKS)) * 100);
    const wrong: string[] = [];
    if (!fields.progress?.includes(` ${percent}%`))
      wrong.push(`Progress is ${fields.progress}, not ${percent}%`);
    if (!text.includes('A sentence that a person wrote.')) wrong.push('STATE.md lost a sentence');
    const blocked = [...last].filter(([, status]) => status === 'blocked').map(([id]) => id);
    const listed = fields.blockers.flatMap((line) => /^- (\S+:\d+) /.exec(line)?.[1] ?? []);
    if (listed.sort().join() !== blocked.sort().join()) wrong.push(`Blockers are ${listed}, not ${blocked}`);
    return wrong;
  }

  private judgeFiles(entries: readonly LedgerEntry[]): string[] {
    const wrong: string[] = [];
    const session = JSON.parse(this.text('.ultraplan/logs/current-session.json')) as SessionRecord;
    if (session.ledger.count !== entries.length) wrong.push(`the session counts ${session.ledger.count}`);
    const days = readdirSync(join(this.root, '.ultraplan/logs/summary')).filter((name) =>
      name.startsWith('daily-'),
    );
    const counted = days.map(
      (name) => JSON.parse(this.text(`.ultraplan/logs/summary/${name}`)).tasks_executed,
    );
    const sum = counted.reduce((total: number, each: number) => total + each, 0);
    if (sum !== entries.length) wrong.push(`the summaries count ${sum} of ${entries.length}`);
    const under = listContent(join(this.root, '.teddy/tx'));
    if (under.length > 0) wrong.push(`.teddy/tx holds ${under}`);
    return wrong;
  }

  private text(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  private lines(path: string): string[] {
    return this.text(path).split('\n').slice(0, -1);
  }
}

export function planId(plan: number): string {
  return `01-0${plan}`;
}

function planText(plan: number): string {
  const indexes = Array.from({ length: TASKS }, (_, i) => i + 1);
  return [
    '---',
    'phase: 01-many',
    `plan: 0${plan}`,
    'parallel: true',
    '---',
    '<tasks>',
    ...indexes.flatMap((index) => [
      '<task type="auto">',
      `  <name>Task ${index}: Do part ${index}</name>`,
      '  <action>if (a < b) { done(); }</action>',
      '  <verify>true</verify>',
      '  <done>It is done.</done>',
      '</task>',
    ]),
    '</tasks>',
    '<success_criteria>',
    ...indexes.map((index) => `- [ ] Task ${index}: Do part ${index}`),
    '</success_criteria>',
    '',
  ].join('\n');
}

const STATE = `# State

## Current Position

Phase: 1 of 1 (Many)
Progress: [░░░░░░░░░░] 0%

A sentence that a person wrote.

## Blockers

None yet.
`;

export function resultText(index: number, status: Status, round: number): string {
  return [
    `status: ${status}`,
    `task_name: "Task ${index}: Do part ${index}"`,
    'files_modified: []',
    'verification:',
    `  command: ${status === 'blocked' ? 'null' : '"true"'}`,
    `  exit_code: ${status === 'success' ? 0 : status === 'failure' ? 1 : 'null'}`,
    '  output_summary: "fine"',
    `done_criteria_met: ${status === 'success'}`,
    `evidence: "round ${round}"`,
    `error: ${status === 'success' ? 'null' : '"did not work"'}`,
    'metadata:',
    `  duration_ms: ${1000 + index}`,
    `  attempt: ${round + 1}`,
    '  executor_id: "exec-1"',
    '',
  ].join('\n');
}
