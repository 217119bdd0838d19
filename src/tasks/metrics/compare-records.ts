import { MB } from '../../node/files.js';
import { sha256 } from '../../node/ids.js';
import { decodeText } from '../../node/text.js';
import type { Change } from '../../workspace/commit/change.js';
import type { View } from '../../workspace/view.js';
import { type CaptureProject, jsonText } from '../project.js';
import { emptyDay, emptyPlan, emptyProject } from './counters.js';
import { isLike } from './record-shape.js';
import type { CountedFile, Recount } from './recount.js';

/**
 * Something in a record that the log does not bear out. Where `field` is null it is about the whole file: `recorded` is
 * then null for a file that is missing, `damaged` for one that cannot be read, else the number of its results; and
 * `logged` is the number of results that belong there, or `changed` where a log was changed, so that nobody can say and
 * the file stays as it is. A field that is not there is null as well.
 */
export interface Difference {
  /** From the root. */
  file: string;
  /** `by_plan.03-01.tasks` */
  field: string | null;
  recorded: Leaf;
  logged: Leaf;
}

type Leaf = string | number | boolean | null;
type Json = Record<string, unknown>;

/** A file as it stands. `hash` is that of its bytes; of one that is damaged, `value` is whatever object it holds. */
type Recorded =
  | { status: 'missing' }
  | { status: 'record'; value: Json; hash: string }
  | { status: 'damaged'; value: Json; hash: string | null };

const RECORD_LIMIT = 64 * MB;
const RECORD_NAME = /^(?:daily-.*|plan-.*|project)\.json$/;

/** What is in `summary/` against what was counted, and the changes that make it the same. */
export function compareRecords(
  view: View,
  project: CaptureProject,
  recount: Recount,
  {
    unnamed,
    disputed,
  }: {
    /** Logs that no line of the ledger names: their ids are nowhere but in the records. */
    unnamed: ReadonlySet<string>;
    /** Records that had counted a log which is not what was written. */
    disputed: ReadonlySet<string>;
  },
): { differences: Difference[]; changes: Change[] } {
  const counted = recount.files(project);
  const folder = `${project.dir}/summary`;
  const there = view.list(folder).filter((name) => RECORD_NAME.test(name));
  const differences: Difference[] = [];
  const changes: Change[] = [];
  for (const file of new Set([...counted.keys(), ...there.map((name) => `${folder}/${name}`)])) {
    const recorded = readRecord(view, file);
    if (recorded.status === 'record' && disputed.has(file)) {
      differences.push({ file, field: null, recorded: resultsOf(recorded.value), logged: 'changed' });
      continue;
    }
    const wanted = withRecordedOnly(counted.get(file), recorded, unnamed);
    const found = compare(file, recorded, wanted);
    differences.push(...found);
    // A record without logs is all that is left of them.
    const stays = found.length === 0 || (recorded.status !== 'missing' && wanted.results === 0);
    if (!stays) changes.push(changeOf(file, recorded, wanted));
  }
  return { differences, changes };
}

function readRecord(view: View, path: string): Recorded {
  const read = view.read(path, RECORD_LIMIT);
  if (read.status === 'missing') return { status: 'missing' };
  if (read.status === 'refused') return { status: 'damaged', value: {}, hash: null };
  const hash = sha256(read.bytes);
  const text = decodeText(read.bytes);
  try {
    const value: unknown = text.status === 'text' ? JSON.parse(text.text) : null;
    if (!isObject(value)) return { status: 'damaged', value: {}, hash };
    return { status: isLike(value, likeOf(path)) ? 'record' : 'damaged', value, hash };
  } catch {
    return { status: 'damaged', value: {}, hash };
  }
}

function likeOf(path: string): object {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === 'project.json') return emptyProject();
  return name.startsWith('plan-') ? emptyPlan('') : emptyDay('');
}

/** What was counted, with what only the record knows: tasks under way, and ids that the ledger has lost. */
function withRecordedOnly(
  counted: CountedFile | undefined,
  recorded: Recorded,
  unnamed: ReadonlySet<string>,
): CountedFile {
  const { results, value } = counted ?? { results: 0, value: {} };
  if (recorded.status === 'missing' || !('ids' in value) || !isObject(value.ids)) return { results, value };
  const ids = entriesOf(recorded.value.ids).filter(
    ([, known]) => isLike(known, { log: '', text: '' }) && unnamed.has(known.log),
  );
  const started = entriesOf(recorded.value.started).filter(([, start]) =>
    isLike(start, { at: '', name: '' }),
  );
  return {
    results,
    value: {
      ...value,
      ids: Object.fromEntries([...ids, ...Object.entries(value.ids)]),
      started: Object.fromEntries(started),
    },
  };
}

function compare(file: string, recorded: Recorded, { results, value }: CountedFile): Difference[] {
  if (recorded.status === 'record' && results > 0) return compareFields(file, '', recorded.value, value);
  const said =
    recorded.status === 'record'
      ? resultsOf(recorded.value)
      : recorded.status === 'damaged'
        ? 'damaged'
        : null;
  return said === results ? [] : [{ file, field: null, recorded: said, logged: results }];
}

function resultsOf({ results, tasks_executed }: Json): Leaf {
  const count = results ?? tasks_executed;
  return typeof count === 'number' ? count : 'damaged';
}

function compareFields(file: string, prefix: string, recorded: Json, logged: Json | object): Difference[] {
  const wanted = logged as Json;
  return [...new Set([...Object.keys(wanted), ...Object.keys(recorded)])].flatMap((key) => {
    const one = Object.hasOwn(recorded, key) ? recorded[key] : undefined;
    const other = Object.hasOwn(wanted, key) ? wanted[key] : undefined;
    const field = `${prefix}${key}`;
    if (isObject(one) && isObject(other)) return compareFields(file, `${field}.`, one, other);
    const [recordedLeaf, loggedLeaf] = [leafOf(one), leafOf(other)];
    return recordedLeaf === loggedLeaf ? [] : [{ file, field, recorded: recordedLeaf, logged: loggedLeaf }];
  });
}

/** A list, or a whole object in the place of a value, is told by its text. */
function leafOf(value: unknown): Leaf {
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : (value as Leaf);
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

function changeOf(path: string, recorded: Recorded, { value }: CountedFile): Change {
  const before = recorded.status === 'missing' ? null : recorded.hash;
  return { path, before, after: new TextEncoder().encode(jsonText(value)) };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
