import type { View } from '../../workspace/view.js';
import { type CaptureProject, type RecordFile, readRecordFile } from '../project.js';
import { type DataDifference, findDifferences, isObject, type Leaf } from './differences.js';
import { isLike } from './record-shape.js';
import { emptyDay, emptyPlan, emptyProject, type Summaries } from './summaries.js';

/**
 * Something in a record that the log does not bear out. Where `field` is null it is about the whole file: `recorded` is
 * then null for a file that is missing, `damaged` for one that cannot be read, else the number of its results; and
 * `logged` is the number of results that belong there, or `changed` where a log was changed, so that nobody can say and
 * the file stays as it is. A field that is not there is null as well.
 */
export interface Difference extends Omit<DataDifference, 'field'> {
  /** From the root. */
  file: string;
  field: string | null;
}

const RECORD_NAME = /^(?:daily-.*|plan-.*|project)\.json$/;

/** What is in `summary/` against what was counted, and the records to write so that it is the same. */
export function compareRecords(
  view: View,
  project: CaptureProject,
  summaries: Summaries,
  {
    unnamed,
    disputed,
  }: {
    /** Logs that no line of the ledger names: their ids are nowhere but in the records. */
    unnamed: ReadonlySet<string>;
    /** Records that had counted a log which is not what was written. */
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
    // A record without logs is all that is left of them.
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

/** What was counted, with what only the record knows: tasks under way, and ids that the ledger has lost. */
function withRecordedOnly(
  counted: object,
  recorded: RecordFile<object>,
  unnamed: ReadonlySet<string>,
): object {
  if (recorded.status === 'missing' || !isObject(recorded.value) || !('ids' in counted)) return counted;
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
  return isObject(value) ? Object.entries(value) : [];
}
