import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseTaskPlan } from '../../../src/core/task-plan/parse.js';
import type { JournalLine } from '../../../src/orchestrate/journal.js';
import type { LedgerEntry } from '../../../src/tasks/metrics/records.js';
import { listContent } from '../../folder.js';
import { OUTCOMES } from './soak-plans.js';
import type { ExecutorRecord, Run, SoakSite } from './soak-site.js';

const LOGS = '.ultraplan/logs';
/** Everything that is wrong at the end, by the files alone. */
export async function judgeSoak(site: SoakSite, runs: readonly Run[]): Promise<string[]> {
  const ledger = site.read<LedgerEntry>(`${LOGS}/ledger.jsonl`);
  const records = site.records();
  return [
    ...judgeTasks(site, ledger),
    ...judgeLedger(site, ledger, records),
    ...judgeRecords(site, runs, records),
    ...judgeJournal(site, records),
    ...(await judgeCommands(site)),
    ...judgeLeftovers(site),
  ];
}

/** The plans say what has to come of each task, and are otherwise as they were. */
function judgeTasks({ plans, root }: SoakSite, ledger: readonly LedgerEntry[]): string[] {
  const wrong: string[] = [];
  for (const { id, path, text, tasks } of plans) {
    const now = readFileSync(join(root, path), 'utf8');
    const parsed = parseTaskPlan(now).tasks;
    if (parsed.length !== tasks.length) wrong.push(`${id} has ${parsed.length} tasks`);
    tasks.forEach((task, i) => {
      const of = ledger.filter((entry) => entry.plan === id && entry.task === i + 1);
      const status = parsed[i]?.status;
      const expected = { completed: 'completed', skipped: 'skipped', left: 'pending' }[task.expected];
      if (status !== expected) wrong.push(`${task.id} (${task.kind}) is ${status}, not ${expected}`);
      const successes = of.filter((entry) => entry.status === 'success').length;
      if (successes !== (task.expected === 'completed' ? 1 : 0))
        wrong.push(`${task.id} has ${successes} successes in the ledger`);
      if (successes > 0 && of.at(-1)?.status !== 'success')
        wrong.push(`${task.id}: ${of.at(-1)?.status} came behind its success`);
      if (task.expected === 'left' && of.length > 0) wrong.push(`${task.id} was begun`);
    });
    const bare = now
      .replace(/ status="\w+"/g, '')
      .replace(/ completed_at="[^"]+"/g, '')
      .replace(/- \[x\] (.*) \(completed [\d-]+\)/g, '- [ ] $1');
    if (bare !== text) wrong.push(`${path} is not as it was`);
  }
  return wrong;
}

/** Each line is of one attempt, and its log holds what that attempt's executor printed. */
function judgeLedger(
  site: SoakSite,
  ledger: readonly LedgerEntry[],
  records: readonly ExecutorRecord[],
): string[] {
  const wrong: string[] = [];
  const ids = ledger.map(({ plan, id }) => `${plan} ${id}`);
  for (const id of ids.filter((each, i) => ids.indexOf(each) !== i)) wrong.push(`${id} is applied twice`);
  const printed = new Map(records.map((record) => [record.mark, record]));
  for (const { plan, task, id, log, status } of ledger) {
    const text = readFileSync(join(site.root, LOGS, log), 'utf8');
    const mark = /seen-[\d-]+/.exec(text)?.[0];
    const by = mark === undefined ? undefined : printed.get(mark);
    if (by?.id !== `${plan}:${task}`) wrong.push(`${id}: its log is of ${by?.id ?? 'nobody'}`);
    if (status === 'success' && by && !existsSync(join(site.root, site.tasks.get(by.id)!.file)))
      wrong.push(`${id} is a success without its file`);
    const later = records.find(({ id, type, at }) => id === by?.id && type === 'began' && at > by.at);
    if (status === 'success' && later)
      wrong.push(`${id} succeeded, and attempt ${later.attempt} was begun (run ${later.run})`);
  }
  return wrong;
}

/** Every result that was stored, or whose orchestrator was not killed, is in exactly one log. */
function judgeRecords(site: SoakSite, runs: readonly Run[], records: readonly ExecutorRecord[]): string[] {
  const wrong: string[] = [];
  const kept = new Map<string, string[]>();
  for (const folder of ['executions', 'rejected']) {
    const files = existsSync(join(site.root, LOGS, folder))
      ? readdirSync(join(site.root, LOGS, folder), { recursive: true, withFileTypes: true })
      : [];
    for (const file of files.filter((each) => each.isFile())) {
      const text = readFileSync(join(file.parentPath, file.name), 'utf8');
      for (const mark of new Set(text.match(/seen-[\d-]+/g))) {
        const others = kept.get(mark);
        if (others) others.push(file.name);
        else kept.set(mark, [file.name]);
      }
    }
  }
  const killed = new Set(runs.filter(({ killedAt }) => killedAt !== null).map(({ number }) => number));
  const stored = new Set(runs.flatMap((run) => run.stored));
  const attempts = new Map<string, ExecutorRecord[]>();
  for (const record of records) {
    const { id, attempt, mark, run, behaviour } = record;
    const name = `${id}, attempt ${attempt}, ${behaviour}, run ${run}`;
    const logs = kept.get(mark) ?? [];
    if (logs.length > 1) wrong.push(`${name}: logged as ${logs.join(' and ')}`);
    if (record.type === 'began') {
      attempts.set(`${id}#${attempt}`, [...(attempts.get(`${id}#${attempt}`) ?? []), record]);
    } else if (record.what === 'result' && logs.length === 0) {
      if (stored.has(mark)) wrong.push(`${name}: its result was stored and is in no log`);
      else if (!killed.has(run)) wrong.push(`${name}: its result is in no log`);
    }
  }
  // One that was cut off is begun again under its number, and by nobody else.
  for (const [name, begun] of attempts)
    for (const { run } of begun.slice(0, -1))
      if (!killed.has(run)) wrong.push(`${name} was begun in run ${run} and later again`);
  return wrong;
}

/** Attempts begin and end, one at a time, each as its executor made it end. */
function judgeJournal(site: SoakSite, records: readonly ExecutorRecord[]): string[] {
  const open = new Map<string, number>();
  const behaviours = new Map(records.map((record) => [`${record.id}#${record.attempt}`, record.behaviour]));
  const wrong: string[] = [];
  for (const line of site.read<JournalLine>('.ultraplan/state/journal.jsonl')) {
    if (line.type === 'started') {
      if (open.has(line.task)) wrong.push(`${line.task}: two attempts at once in the journal`);
      open.set(line.task, line.attempt);
    } else if (line.type === 'ended') {
      if (open.get(line.task) !== line.attempt)
        wrong.push(`${line.task}: attempt ${line.attempt} ended without having begun, or twice`);
      open.delete(line.task);
      const behaviour = behaviours.get(`${line.task}#${line.attempt}`);
      const outcome = line.failure?.kind ?? line.outcome;
      if (!isRight(outcome, behaviour)) wrong.push(`${line.task}: ${behaviour} came to ${outcome}`);
    }
  }
  for (const [task, attempt] of open) wrong.push(`${task}: attempt ${attempt} is still open in the journal`);
  return wrong;
}

function isRight(outcome: string, behaviour: string | undefined): boolean {
  // An orchestrator died before it was begun or ended, or the machine was too busy for it.
  if (outcome === 'cut-off' || outcome === 'time-out') return true;
  // An attempt that was cut off had done it already.
  if (behaviour === 'claims what is not so' && outcome === 'done') return true;
  return behaviour !== undefined && OUTCOMES[behaviour] === outcome;
}

async function judgeCommands(site: SoakSite): Promise<string[]> {
  const wrong: string[] = [];
  for (const words of [
    ['logs', 'verify'],
    ['metrics', '--rebuild'],
  ]) {
    const { exit, stdout, stderr } = await site.run(words);
    if (exit !== 0) wrong.push(`${words.join(' ')} ends with ${exit}: ${(stdout + stderr).slice(0, 1000)}`);
  }
  return wrong;
}

/** Processes, worktrees, branches, and files that nobody should have written. */
function judgeLeftovers(site: SoakSite): string[] {
  const wrong = site.alive().map(({ pid, command }) => `process ${pid} is alive: ${command}`);
  const trees = site.git('worktree', 'list', '--porcelain').match(/^worktree .*/gm) ?? [];
  if (trees.length !== 1) wrong.push(`there are worktrees: ${trees.join(', ')}`);
  const branches = site.git('for-each-ref', '--format=%(refname)').trim().split('\n');
  if (branches.join() !== 'refs/heads/main') wrong.push(`there are refs: ${branches.join(', ')}`);
  const worktrees = join(site.root, '.ultraplan/state/worktrees');
  const folders = existsSync(worktrees) ? readdirSync(worktrees).filter((name) => name !== '.gitignore') : [];
  if (folders.length > 0) wrong.push(`worktrees/ holds ${folders.join(', ')}`);
  const foreign = site
    .git('status', '--porcelain', '--untracked-files=all')
    .split('\n')
    .filter((line) => line !== '' && !/^.. (\.planning\/|\.ultraplan\/|\.teddy\/|work\/)/.test(line));
  if (foreign.length > 0) wrong.push(`git status: ${foreign.join(', ')}`);
  const under = listContent(join(site.root, '.teddy/tx'));
  if (under.length > 0) wrong.push(`.teddy/tx holds ${under}`);
  return wrong;
}
