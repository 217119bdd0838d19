import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { sha256 } from '../../src/node/ids.js';
import { FIRST_PREV, nextEntry } from '../../src/tasks/logs/ledger.js';
import type { ResultFacts } from '../../src/tasks/metrics/records.js';
import { Summaries } from '../../src/tasks/metrics/summaries.js';
import { type CaptureProject, fileName } from '../../src/tasks/project.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { makeFolder } from '../folder.js';

export const DIR = '.ultraplan/logs';

export const aResult = (facts: Partial<ResultFacts> = {}): ResultFacts => ({
  planId: '03-01',
  taskIndex: 1,
  taskName: 'Task 1: Create the file',
  loggedAt: '2026-01-26T10:30:45Z',
  status: 'success',
  claimed: facts.status ?? 'success',
  attempt: 1,
  durationMs: 30_000,
  verificationMs: null,
  files: 2,
  executorId: null,
  executor: null,
  late: false,
  superseded: false,
  behind: [],
  ...facts,
});

/** A log in the form that docs/formats/logs.md gives it, made without the program's own writer. */
export function logText(facts: ResultFacts): string {
  const failed = facts.claimed !== 'success';
  const blocked = facts.claimed === 'blocked';
  const quote = JSON.stringify;
  return [
    `logged_at: ${quote(facts.loggedAt)}`,
    `plan_id: ${quote(facts.planId)}`,
    `task_index: ${facts.taskIndex}`,
    'session_id: "sess-1"',
    ...(facts.executor === null ? [] : [`executor: ${quote(facts.executor)}`]),
    ...(facts.verificationMs === null
      ? []
      : [
          `effective_status: ${facts.status}`,
          'verification_run:',
          '  command: "npm test"',
          `  exit_code: ${facts.status === 'success' ? 0 : 1}`,
          `  duration_ms: ${facts.verificationMs}`,
          '  output_summary: "ran"',
        ]),
    ...(facts.superseded ? ['superseded: true'] : []),
    ...(facts.behind.length === 0 ? [] : ['behind:', ...facts.behind.map((id) => `  - ${quote(id)}`)]),
    '',
    'result:',
    `  status: ${facts.claimed}`,
    `  task_name: ${quote(facts.taskName)}`,
    ...(facts.files === 0 ? ['  files_modified: []'] : ['  files_modified:']),
    ...Array.from({ length: facts.files }, (_, i) => `    - src/file-${i}.ts`),
    '  verification:',
    `    command: ${blocked ? 'null' : '"npm test"'}`,
    `    exit_code: ${blocked ? 'null' : failed ? 1 : 0}`,
    `    output_summary: ${blocked ? 'null' : '"ran"'}`,
    `  done_criteria_met: ${!failed}`,
    '  evidence: |',
    '    First line.',
    '',
    '    Second line.',
    `  error: ${failed ? '"did not work"' : 'null'}`,
    '  metadata:',
    ...(facts.durationMs === null ? [] : [`    duration_ms: ${facts.durationMs}`]),
    ...(facts.attempt === null ? [] : [`    attempt: ${facts.attempt}`]),
    ...(facts.executorId === null ? [] : [`    executor_id: ${quote(facts.executorId)}`]),
    '',
  ].join('\n');
}

/** As if the id were what was submitted. */
const textOf = (id: string) => sha256(id).slice(0, 16);

/** The logs of a project in a new folder, written as results come in: log, ledger, session and summaries. */
export class LogBook {
  readonly project: CaptureProject;
  readonly summaries = new Summaries();
  private end = { count: 0, head: FIRST_PREV, size: 0, open: false };

  constructor(readonly root = makeFolder()) {
    this.project = { workspace: new Workspace(root), dir: DIR, state: null, plans: [] };
  }

  /** Gives the log's path from the logs' folder. */
  add(facts: ResultFacts, id = `id-${this.end.count + 1}`): string {
    const day = facts.loggedAt.slice(0, 10);
    const base = `executions/${day}/${fileName(facts.planId)}-task-${String(facts.taskIndex).padStart(2, '0')}-${facts.status}`;
    let log = `${base}.yaml`;
    for (let number = 2; existsSync(this.at(log)); number++) log = `${base}-${number}.yaml`;
    const text = logText(facts);
    this.write(log, text);
    this.addLine({ facts, id, log, hash: sha256(text) });
    this.summaries.add(facts);
    this.summaries.addId(facts.planId, id, { log, text: textOf(id) });
    return log;
  }

  addLine({ facts, id, log, hash }: { facts: ResultFacts; id: string; log: string; hash: string }): void {
    const { loggedAt: at, planId: plan, taskIndex: task, status, claimed } = facts;
    const { line, count, head } = nextEntry(this.end, {
      at,
      plan,
      task,
      id,
      status,
      claimed,
      log,
      sha256: hash,
      text: textOf(id),
    });
    this.end = { count, head, size: this.end.size + line.length, open: false };
    appendFileSync(this.at('ledger.jsonl'), line);
  }

  /** Session and summaries, as they stand after all that was added. */
  save(): this {
    const { count, head } = this.end;
    this.writeJson('current-session.json', aSession('sess-1', '2026-01-26T10:30:45Z', { count, head }));
    for (const [path, value] of this.summaries.files(this.project))
      this.writeJson(path.slice(DIR.length + 1), value);
    return this;
  }

  /** Paths here are from the logs' folder. */
  at(path: string): string {
    return join(this.root, DIR, path);
  }

  read(path: string): string {
    return readFileSync(this.at(path), 'utf8');
  }

  readJson(path: string): unknown {
    return JSON.parse(this.read(path));
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), text);
  }

  writeJson(path: string, value: unknown): void {
    this.write(path, `${JSON.stringify(value, null, 2)}\n`);
  }

  has(path: string): boolean {
    return existsSync(this.at(path));
  }

  /** Every file, with what it holds. */
  snapshot(folder = ''): Record<string, string> {
    const entries = readdirSync(this.at(folder), { withFileTypes: true });
    return Object.assign(
      {},
      ...entries.map((entry) => {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        return entry.isDirectory() ? this.snapshot(path) : { [path]: this.read(path) };
      }),
    );
  }
}

export function aSession(id: string, lastUpdated: string, ledger = { count: 0, head: '' }) {
  return {
    session_id: id,
    started_at: lastUpdated,
    plan_id: '03-01',
    tasks: [],
    last_updated: lastUpdated,
    ledger,
  };
}

const status = fc.constantFrom('success' as const, 'failure' as const, 'blocked' as const);
const twoDigits = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'));

/** Any result that can be in a log, on few plans and days so that they meet. */
export const someResult: fc.Arbitrary<ResultFacts> = fc
  .record({
    planId: fc.constantFrom('03-01', '03-02', '02.1-03', 'notes', 'constructor', '__proto__', 'a/b', '7'),
    taskIndex: fc.integer({ min: 1, max: 3 }),
    taskName: fc.constantFrom('Task 1: One', 'Task 2: "Two"', 'Ünïcode: ✓', '- # tricky'),
    loggedAt: fc
      .tuple(fc.constantFrom('2026-01-26', '2026-01-27', '2025-12-31'), twoDigits(23), twoDigits(59))
      .map(([day, hour, minute]) => `${day}T${hour}:${minute}:00Z`),
    claimed: status,
    verified: fc.option(fc.record({ status, verificationMs: fc.nat(5000) })),
    attempt: fc.option(fc.integer({ min: 1, max: 4 })),
    durationMs: fc.option(fc.nat(100_000)),
    files: fc.nat(4),
    executorId: fc.option(fc.constantFrom('exec-1', 'exec-2')),
    executor: fc.option(fc.constantFrom('claude', 'codex', 'human', '__proto__', 'constructor')),
    superseded: fc.boolean(),
    behind: fc.uniqueArray(fc.constantFrom('03-01:1', '03-02', 'a/b:2')),
  })
  .map(({ verified, ...facts }) => ({
    ...facts,
    status: verified?.status ?? facts.claimed,
    verificationMs: verified?.verificationMs ?? null,
    late: false,
  }));
