import { isMapping } from '../../core/yaml.js';
import { UserError } from '../../node/errors.js';
import type { View } from '../../workspace/view.js';
import { ledgerEntries } from '../logs/ledger.js';
import {
  eachWithView,
  findLog,
  type LogFind,
  type LogStock,
  ledgerSize,
  takeStock,
} from '../logs/read-log.js';
import {
  type CaptureProject,
  changesTo,
  describeCommit,
  jsonText,
  logFiles,
  type RecordFile,
  readRecordFile,
} from '../project.js';
import { isLike, type LedgerEntry, type ResultFacts } from './records.js';
import { dayOf, emptyDay, emptyPlan, emptyProject, Summaries } from './summaries.js';

export interface Rebuild {
  /** Whether the records differ from the logs. */
  drift: boolean;
  differences: Difference[];
  /** How many logs were counted. */
  results: number;
  /** Logs, from the root, that could not be counted, or are not what was written. `reason` completes the sentence "<path> …". */
  damaged: { path: string; reason: string }[];
}

/** Reports how many of all logs have been read. */
type OnProgress = (read: number, all: number) => void;

interface RebuildOptions {
  write?: boolean;
  onProgress?: OnProgress;
}

/**
 * Recounts every result from the logs in `executions/` and `archive/`, and compares. With `write`, differences are corrected
 * in one commit. Most logs are read without the lock; what is submitted meanwhile is added under it.
 *
 * A record whose logs were all removed is reported each time and never changed: it is all that is left of these results, and
 * only the user may delete it. The same holds for a record that counted a log which was changed later; such a log is not
 * counted. Throws `UserError` if nothing could be compared or written; then nothing was changed.
 */
export async function rebuildMetrics(
  project: CaptureProject,
  { write = false, onProgress = () => {} }: RebuildOptions = {},
): Promise<Rebuild> {
  const taken = await project.workspace.update((view) => ({ changes: [], value: takeStock(view, project) }));
  if (taken.status !== 'committed') throw new UserError(describeCommit('Nothing was counted', taken));
  const recount = new Recount(project);
  recount.addStock(taken.value, onProgress);
  const compared = await project.workspace.update((view) => {
    recount.addSince(view, taken.value);
    const { corrections, differences } = compareRecords(view, project, recount.summaries, recount);
    const changes = [...(write ? corrections : [])].flatMap(([path, record]) =>
      changesTo(view, path, jsonText(record)),
    );
    return { changes, value: differences };
  });
  if (compared.status !== 'committed')
    throw new UserError(describeCommit('The metrics were not rebuilt', compared));
  const { summaries, damaged } = recount;
  const differences = compared.value;
  return { drift: differences.length > 0, differences, results: summaries.project.results, damaged };
}

interface CountedLog {
  at: string;
  path: string;
  facts: ResultFacts;
}

/**
 * Counts logs in the order of the ledger, whatever the clock said. Logs that a damaged ledger does not name are inserted by
 * their time.
 */
class Recount {
  readonly summaries = new Summaries();
  readonly damaged: Rebuild['damaged'] = [];
  /** As they were written: `executions/<day>/<name>`. */
  readonly unnamed = new Set<string>();
  /** Paths of the records that counted a log which was changed later. */
  readonly disputed = new Set<string>();
  /** Where the logs are that were counted, or are damaged. */
  private readonly seen = new Set<string>();

  constructor(private readonly project: CaptureProject) {}

  addStock({ logs, ledgerSize: size }: LogStock, onProgress: OnProgress): void {
    let read = 0;
    const named: CountedLog[] = [];
    eachWithView(this.project, ledgerEntries(this.project, 0, size), (view, entry) => {
      named.push(...this.readNamed(view, entry));
      onProgress(++read, logs.size);
    });
    const unnamed: CountedLog[] = [];
    const left = [...logs].filter((path) => !this.seen.has(path));
    eachWithView(this.project, left, (view, path) => {
      unnamed.push(...this.read(findLog(view, this.project, path), path));
      onProgress(++read, logs.size);
    });
    for (const { path } of unnamed) this.unnamed.add(path.replace(/^archive\//, 'executions/'));
    for (const { facts } of mergeByTime(named, unnamed)) this.summaries.add(facts);
  }

  /** Adds what was submitted after the logs were listed. */
  addSince(view: View, stock: LogStock): void {
    for (const entry of ledgerEntries(this.project, stock.ledgerSize, ledgerSize(view, this.project)))
      for (const { facts } of this.readNamed(view, entry)) this.summaries.add(facts);
  }

  private readNamed(view: View, { plan, id, log, sha256, text, at }: LedgerEntry): CountedLog[] {
    const { project } = this;
    this.summaries.addId(plan, id, { log, text });
    const found = findLog(view, project, log, sha256, this.seen);
    if (found.status === 'changed' && !this.seen.has(found.path)) {
      this.disputed.add(logFiles.day(project, dayOf(at)));
      this.disputed.add(logFiles.plan(project, plan));
      this.disputed.add(logFiles.project(project));
    }
    return this.read(found, log);
  }

  /** Empty if the log is damaged or was already counted. */
  private read(found: LogFind, log: string): CountedLog[] {
    if (found.status === 'missing') return this.fail(log, 'is missing, in the archive too');
    const { path } = found;
    if (this.seen.has(path)) return [];
    this.seen.add(path);
    if (found.status === 'unreadable') return this.fail(path, found.reason);
    if (found.status === 'changed')
      return this.fail(path, 'was changed after it was written (details: teddy logs verify)');
    const { facts } = found.log;
    return [{ at: facts.loggedAt, path, facts }];
  }

  private fail(log: string, reason: string): [] {
    this.damaged.push({ path: `${this.project.dir}/${log}`, reason });
    return [];
  }
}

function* mergeByTime(named: readonly CountedLog[], unnamed: readonly CountedLog[]): Generator<CountedLog> {
  const key = ({ at, path }: CountedLog) => `${at} ${path}`;
  const sorted = [...unnamed].sort((one, other) => (key(one) < key(other) ? -1 : 1));
  let next = 0;
  for (const log of named) {
    while (next < sorted.length && sorted[next]!.at < log.at) yield sorted[next++]!;
    yield log;
  }
  yield* sorted.slice(next);
}

/**
 * A difference between a record and the logs. If `field` is null, it is about the whole file: `recorded` is then null for a
 * missing file, `damaged` for an unreadable one, else the number of its results; `logged` is the number of results that belong
 * there, or `changed` if a log was changed, so that the file must stay. A missing field is null as well.
 */
interface Difference extends Omit<DataDifference, 'field'> {
  /** From the root. */
  file: string;
  field: string | null;
}

const RECORD_NAME = /^(?:daily-.*|plan-.*|project)\.json$/;

/** Compares `summary/` with what was counted, and lists the records to write. */
function compareRecords(
  view: View,
  project: CaptureProject,
  summaries: Summaries,
  {
    unnamed,
    disputed,
  }: {
    /** Logs that the ledger does not name: their ids are only in the records. */
    unnamed: ReadonlySet<string>;
    /** Records that counted a log which was changed later. */
    disputed: ReadonlySet<string>;
  },
): { differences: Difference[]; corrections: Map<string, object> } {
  const counted = summaries.files(project);
  const folder = `${project.dir}/summary`;
  const there = view.list(folder).filter((name) => RECORD_NAME.test(name));
  const differences: Difference[] = [];
  const corrections = new Map<string, object>();
  for (const file of new Set([...counted.keys(), ...there.map((name) => `${folder}/${name}`)])) {
    const recorded = readRecordFile(view, file, exampleOf(file));
    if (recorded.status === 'record' && disputed.has(file)) {
      differences.push({ file, field: null, recorded: resultsIn(recorded.value), logged: 'changed' });
      continue;
    }
    const wanted = withRecordedOnly(counted.get(file) ?? {}, recorded, unnamed);
    const found = compareRecord(recorded, wanted);
    differences.push(...found.map((each) => ({ file, ...each })));
    // A record without logs is all that is left of its results.
    const stays = found.length === 0 || (recorded.status !== 'missing' && resultsIn(wanted) === 0);
    if (!stays) corrections.set(file, wanted);
  }
  return { differences, corrections };
}

function exampleOf(path: string): object {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === 'project.json') return emptyProject();
  return name.startsWith('plan-') ? emptyPlan('') : emptyDay('');
}

/** What was counted, plus what only the record knows: tasks in progress, and ids that are missing in the ledger. */
function withRecordedOnly(
  counted: object,
  recorded: RecordFile<object>,
  unnamed: ReadonlySet<string>,
): object {
  if (recorded.status === 'missing' || !isMapping(recorded.value) || !('ids' in counted)) return counted;
  const ids = entriesOf(recorded.value.ids).filter(
    ([, known]) => isLike(known, { log: '', text: '' }) && unnamed.has(known.log),
  );
  const started = entriesOf(recorded.value.started).filter(([, start]) =>
    isLike(start, { at: '', name: '' }),
  );
  return {
    ...counted,
    ids: Object.fromEntries([...ids, ...entriesOf(counted.ids)]),
    started: Object.fromEntries(started),
  };
}

function compareRecord(recorded: RecordFile<object>, counted: object): Omit<Difference, 'file'>[] {
  const logged = resultsIn(counted);
  if (recorded.status === 'record' && logged > 0) return findDifferences(recorded.value, counted);
  const said = recorded.status === 'record' ? resultsIn(recorded.value) : NO_COUNT[recorded.status];
  return said === logged ? [] : [{ field: null, recorded: said, logged }];
}

const NO_COUNT: Record<'missing' | 'damaged', Leaf> = { missing: null, damaged: 'damaged' };

function resultsIn(record: { results?: number; tasks_executed?: number }): number {
  return record.results ?? record.tasks_executed ?? 0;
}

function entriesOf(value: unknown): [string, unknown][] {
  return isMapping(value) ? Object.entries(value) : [];
}

type Leaf = string | number | boolean | null;

/** Where two values differ. A missing value is null; a list or an unexpected object is its JSON. */
interface DataDifference {
  /** `by_plan.03-01.tasks` */
  field: string;
  recorded: Leaf;
  logged: Leaf;
}

/** Compares plain data recursively where both have objects. */
function findDifferences(recorded: object, logged: object, prefix = ''): DataDifference[] {
  return [...new Set([...Object.keys(logged), ...Object.keys(recorded)])].flatMap((key) => {
    const [one, other] = [valueAt(recorded, key), valueAt(logged, key)];
    const field = `${prefix}${key}`;
    if (isMapping(one) && isMapping(other)) return findDifferences(one, other, `${field}.`);
    const difference = { field, recorded: leafOf(one), logged: leafOf(other) };
    return difference.recorded === difference.logged ? [] : [difference];
  });
}

function valueAt(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined;
}

function leafOf(value: unknown): Leaf {
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : (value as Leaf);
}
