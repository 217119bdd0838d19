import { decodeText } from '../../node/text.js';
import { UserError } from '../../node/user-error.js';
import type { View } from '../../workspace/view.js';
import { describeCommit } from '../conflicts.js';
import { entryOf, ledgerLines } from '../logs/ledger-lines.js';
import {
  eachWithView,
  findLog,
  type LogFind,
  type LogStock,
  ledgerSize,
  takeStock,
} from '../logs/log-files.js';
import { readLog } from '../logs/read-log.js';
import { type CaptureProject, logFiles } from '../project.js';
import { compareRecords, type Difference } from './compare-records.js';
import type { LedgerEntry, ResultFacts } from './records.js';
import { Recount } from './recount.js';

export interface Rebuild {
  /** Whether the records were something else than the log. */
  drift: boolean;
  differences: Difference[];
  /** How many logs were counted. */
  results: number;
  /** Logs, from the root, that could not be counted, or are not what was written. `reason` completes the sentence "<path> …". */
  damaged: { path: string; reason: string }[];
}

/**
 * Counts every result again, from the logs in `executions/` and `archive/` together, and compares. With `write`, what
 * differs is put right in one commit. Most logs are read without the lock; what was submitted meanwhile is added under
 * it.
 *
 * A record whose logs are all gone (somebody removed them) is a difference and stays as it is, each time: it is all
 * that is left of these results. To be rid of it is a person's decision. So is what a log is worth that somebody
 * changed: it is not counted, and a record that had counted it stays. Throws `UserError` where nothing could be
 * compared or written; then nothing was changed.
 */
export async function rebuildMetrics(project: CaptureProject, { write = false } = {}): Promise<Rebuild> {
  const taken = await project.workspace.update((view) => ({ changes: [], value: takeStock(view, project) }));
  if (taken.status !== 'committed') throw new UserError(describeCommit('Nothing was counted', taken));
  const count = new LogCount(project, taken.value);
  count.addStock();
  const compared = await project.workspace.update((view) => {
    count.addSince(view);
    const { changes, differences } = compareRecords(view, project, count.recount, count);
    return { changes: write ? changes : [], value: differences };
  });
  if (compared.status !== 'committed')
    throw new UserError(describeCommit('The metrics were not rebuilt', compared));
  const { recount, damaged } = count;
  const differences = compared.value;
  return { drift: differences.length > 0, differences, results: recount.results, damaged };
}

/** A line of the ledger, as far as it is needed here. */
type Named = Pick<LedgerEntry, 'plan' | 'id' | 'log' | 'sha256' | 'text' | 'at'>;

/** A log that no line of the ledger names. */
interface Unnamed {
  path: string;
  facts: ResultFacts;
}

/**
 * Counts logs in the order in which they were submitted: that of the ledger, whatever the clock said. Those that it
 * does not name, because somebody was at it, are put between by their time.
 */
class LogCount {
  readonly recount = new Recount();
  readonly damaged: Rebuild['damaged'] = [];
  /** As they were written: `executions/<day>/<name>`. */
  readonly unnamed = new Set<string>();
  /** Records, from the root, that had counted a log which is not what was written. */
  readonly disputed = new Set<string>();
  /** Where the logs are that were counted, or are damaged. */
  private readonly seen = new Set<string>();

  constructor(
    private readonly project: CaptureProject,
    private readonly stock: LogStock,
  ) {}

  addStock(): void {
    const named = this.readLedger(0, this.stock.ledgerSize);
    const between = this.readUnnamed(this.stock.logs, countPaths(named));
    eachWithView(this.project, merge(named, between), (view, log) => {
      if ('facts' in log) this.addUnnamed(log);
      else this.addNamed(view, log);
    });
    // A name that two lines share may still belong to none of them: the bytes have decided by now.
    const left = [...this.stock.logs].filter((path) => !this.seen.has(path));
    for (const log of this.readUnnamed(left, new Map())) this.addUnnamed(log);
  }

  /** What was submitted after stock was taken. */
  addSince(view: View): void {
    const added = this.readLedger(this.stock.ledgerSize, ledgerSize(view, this.project));
    for (const entry of added) this.addNamed(view, entry);
  }

  /** A line that cannot be read is left out, and its log is one that no line names. */
  private readLedger(from: number, to: number): Named[] {
    const entries: Named[] = [];
    for (const line of ledgerLines(this.project, from, to)) {
      const entry = entryOf(line);
      if (!entry) continue;
      const { plan, id, log, at, sha256, text } = entry;
      entries.push({ plan, id, log, at, sha256, text });
    }
    return entries;
  }

  private readUnnamed(paths: Iterable<string>, named: ReadonlyMap<string, number>): Unnamed[] {
    const found: Unnamed[] = [];
    const unnamed = [...paths].filter((path) => !mayBeNamed(path, named));
    eachWithView(this.project, unnamed, (view, path) => {
      const facts = this.read(findLog(view, this.project, path), path);
      if (facts) found.push({ path, facts });
    });
    return found.sort(
      (one, other) => order(one.facts.loggedAt, other.facts.loggedAt) || order(one.path, other.path),
    );
  }

  private addNamed(view: View, { plan, id, log, sha256, text, at }: Named): void {
    this.recount.addId(plan, id, { log, text });
    const found = findLog(view, this.project, log, sha256, this.seen);
    if (found.status === 'found' && !found.intact && !this.seen.has(found.path)) {
      this.seen.add(found.path);
      this.fail(found.path, 'was changed after it was written (teddy logs verify tells more)');
      const { project } = this;
      const day = logFiles.day(project, at.slice(0, 'YYYY-MM-DD'.length));
      for (const path of [day, logFiles.plan(project, plan), logFiles.project(project)])
        this.disputed.add(path);
      return;
    }
    const facts = this.read(found, log);
    if (facts) this.recount.add(facts);
  }

  private addUnnamed({ path, facts }: Unnamed): void {
    this.unnamed.add(asWritten(path));
    this.recount.add(facts);
  }

  /** Undefined for a log that is damaged, or that was counted already. */
  private read(found: LogFind, log: string): ResultFacts | undefined {
    if (found.status === 'missing') return this.fail(log, 'is neither there nor in the archive');
    if (this.seen.has(found.path)) return undefined;
    this.seen.add(found.path);
    if (found.status === 'refused') return this.fail(found.path, found.reason);
    const text = decodeText(found.bytes);
    if (text.status === 'refused') return this.fail(found.path, text.reason);
    const read = readLog(text.text);
    if (read.status === 'log') return read.facts;
    return this.fail(found.path, `${read.reason}${read.line === undefined ? '' : ` (line ${read.line})`}`);
  }

  private fail(log: string, reason: string): undefined {
    this.damaged.push({ path: `${this.project.dir}/${log}`, reason });
  }
}

function countPaths(named: readonly Named[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { log } of named) times.set(log, (times.get(log) ?? 0) + 1);
  return times;
}

/** The archive numbers a name that is taken there, which happens only when two lines have the same. */
function mayBeNamed(path: string, named: ReadonlyMap<string, number>): boolean {
  const written = asWritten(path);
  return named.has(written) || (named.get(written.replace(/-\d+(?=\.yaml$)/, '')) ?? 0) > 1;
}

function asWritten(path: string): string {
  return path.replace(/^archive\//, 'executions/');
}

function* merge(named: readonly Named[], unnamed: readonly Unnamed[]): Generator<Named | Unnamed> {
  let next = 0;
  for (const entry of named) {
    while (next < unnamed.length && unnamed[next]!.facts.loggedAt < entry.at) yield unnamed[next++]!;
    yield entry;
  }
  yield* unnamed.slice(next);
}

function order(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
