import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '../src/node/ids.js';
import { nextEntry } from '../src/tasks/logs/ledger.js';
import { renderLog } from '../src/tasks/logs/write-log.js';
import type { ResultFacts } from '../src/tasks/metrics/records.js';
import { Summaries } from '../src/tasks/metrics/summaries.js';

const DIR = '.ultraplan/logs';
const PER_PLAN = 10;
const PER_DAY = 400;
const DAY_MS = 24 * 3600 * 1000;

/**
 * Gives a project a past of so many results, as capture would have left it: plans that are long done and whose files
 * are gone, ten results each, four hundred a day up to yesterday.
 */
export function pastResults(root: string, count: number): void {
  const summaries = new Summaries();
  const last = Math.floor((count - 1) / PER_DAY);
  const yesterday = Date.now() - DAY_MS;
  const ledger: string[] = [];
  let end = { count: 0, head: '0'.repeat(64), size: 0, open: false };
  const folders = new Set<string>();
  for (let i = 0; i < count; i++) {
    const at = `${new Date(yesterday - (last - Math.floor(i / PER_DAY)) * DAY_MS).toISOString().slice(0, 19)}Z`;
    const day = at.slice(0, 10);
    const number = Math.floor(i / PER_PLAN);
    const planId = `${String((Math.floor(number / 100) % 80) + 1).padStart(2, '0')}-${String((number % 100) + 1).padStart(2, '0')}`;
    const taskIndex = (i % (PER_PLAN / 2)) + 1;
    const facts: ResultFacts = {
      planId,
      taskIndex,
      taskName: `Task ${taskIndex}: Do part ${taskIndex}`,
      loggedAt: at,
      status: i % PER_PLAN < PER_PLAN / 2 ? 'failure' : 'success',
      claimed: i % PER_PLAN < PER_PLAN / 2 ? 'failure' : 'success',
      attempt: i % PER_PLAN < PER_PLAN / 2 ? 1 : 2,
      durationMs: 30_000 + (i % 977),
      verificationMs: null,
      files: 0,
      executorId: null,
      executor: null,
      late: false,
      superseded: false,
      behind: [],
    };
    const log = `${i < count - 30 * PER_DAY ? 'archive' : 'executions'}/${day}/${planId}-task-${taskIndex}-${facts.status}-${i}.yaml`;
    const text = renderLog({
      loggedAt: at,
      planId,
      taskIndex,
      sessionId: 'sess-old',
      executor: null,
      attempt: null,
      durationMs: null,
      effectiveStatus: facts.status,
      verification: null,
      refused: null,
      filesChanged: null,
      late: false,
      superseded: false,
      masked: false,
      behind: [],
      verdict: 'VALID',
      issues: [],
      text: null,
      yaml: resultOf(facts),
    });
    const ledgerLog = log.replace('archive/', 'executions/');
    const path = join(root, DIR, log);
    if (!folders.has(dirname(path))) fs.mkdirSync(dirname(path), { recursive: true });
    folders.add(dirname(path));
    fs.writeFileSync(path, text);
    summaries.add(facts);
    summaries.addId(planId, `past-${i}`, { log: ledgerLog, text: 'past' });
    const entry = nextEntry(end, {
      at,
      plan: planId,
      task: taskIndex,
      id: `past-${i}`,
      status: facts.status,
      claimed: facts.claimed,
      log: ledgerLog,
      sha256: sha256(text),
      text: 'past',
    });
    ledger.push(entry.line);
    end = { count: entry.count, head: entry.head, size: 0, open: false };
  }
  const write = (name: string, value: unknown) =>
    fs.writeFileSync(join(root, DIR, name), `${JSON.stringify(value, null, 2)}\n`);
  fs.mkdirSync(join(root, DIR, 'summary'), { recursive: true });
  fs.writeFileSync(join(root, DIR, 'ledger.jsonl'), ledger.join(''));
  write('summary/project.json', summaries.project);
  for (const id of summaries.plans.keys()) write(`summary/plan-${id}.json`, summaries.plan(id));
  for (const [day, summary] of summaries.days) write(`summary/daily-${day}.json`, summary);
}

function resultOf({ status, taskName, attempt, durationMs }: ResultFacts): string {
  const done = status === 'success';
  return `status: ${status}\ntask_name: "${taskName}"\nfiles_modified: []\nverification:\n  command: "npm test"\n  exit_code: ${done ? 0 : 1}\n  output_summary: "ran"\ndone_criteria_met: ${done}\nevidence: "as asked"\nerror: ${done ? 'null' : '"1 failed"'}\nmetadata:\n  duration_ms: ${durationMs}\n  attempt: ${attempt}\n`;
}
