import { decodeText, MB } from '../../node/files.js';
import { sha256 } from '../../node/ids.js';
import type { FileRead, View } from '../../workspace/view.js';
import { type CaptureProject, logFiles } from '../project.js';
import { type LoggedResult, readResultLog } from './log-file.js';

// A log is named once and for all by the path at which it was written, `executions/<day>/<name>`, from the logs' folder.
// Rotation takes it to `archive/<day>/<name>`, or to `<name>-2` where that is taken; findLog tries both.

export type LogFind =
  | { status: 'missing' }
  /** `reason` completes the sentence "<path> …". */
  | { status: 'unreadable'; path: string; reason: string }
  /** Its bytes are not those that were written. */
  | { status: 'changed'; path: string }
  | { status: 'log'; path: string; log: LoggedResult };

/** Above every log: a result has at most 10 MB, and may stand in its log twice, quoted. */
const LOG_LIMIT = 128 * MB;

/**
 * The log that was written at `path`. Where more than one may be meant, the hash of its bytes tells which, and then
 * whether it is that of another line: `taken` has the paths of these. All paths are from the logs' folder.
 */
export function findLog(
  view: View,
  { dir }: CaptureProject,
  path: string,
  hash?: string,
  taken?: { has(path: string): boolean },
): LogFind {
  let best: LogFile | undefined;
  for (const place of isLogPath(path) ? placesOf(path) : []) {
    const read = view.read(`${dir}/${place.path}`, LOG_LIMIT);
    if (read.status === 'missing') {
      if (place.last) break;
      continue;
    }
    const intact = read.status === 'bytes' && (hash === undefined || sha256(read.bytes) === hash);
    const file = { path: place.path, read, intact };
    if (intact && !taken?.has(place.path)) return readLogFile(file);
    // A numbered name may as well be that of another log: only its bytes can say that it is this one.
    if (intact || (!best && !place.numbered)) best = file;
  }
  return best ? readLogFile(best) : { status: 'missing' };
}

interface LogFile {
  path: string;
  read: Exclude<FileRead, { status: 'missing' }>;
  intact: boolean;
}

function readLogFile({ path, read, intact }: LogFile): LogFind {
  if (read.status === 'refused') return { status: 'unreadable', path, reason: read.reason };
  if (!intact) return { status: 'changed', path };
  const text = decodeText(read.bytes);
  const log = text.status === 'text' ? readResultLog(text.text) : text;
  if (log.status === 'log') return { status: 'log', path, log };
  const where = 'line' in log ? ` (line ${log.line})` : '';
  return { status: 'unreadable', path, reason: `${log.reason}${where}` };
}

/** Where a log may be by now. `last`: when nothing is there, nothing is further on. */
function* placesOf(path: string): Generator<{ path: string; numbered: boolean; last: boolean }> {
  yield { path, numbered: false, last: false };
  const archived = path.replace(/^executions\//, 'archive/');
  if (archived !== path) yield { path: archived, numbered: false, last: true };
  for (let number = 2; ; number++) yield { path: numbered(archived, number), numbered: true, last: true };
}

/** `a-2.yaml` for `a.yaml`. */
export function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  const end = dot > name.lastIndexOf('/') + 1 ? dot : name.length;
  return `${name.slice(0, end)}-${number}${name.slice(end)}`;
}

const LOG_PATH = /^(?:executions|archive)\/[^/]+\/[^/]+$/;

function isLogPath(path: string): boolean {
  return LOG_PATH.test(path) && !path.split('/').some((name) => name === '..' || name === '.');
}

/** What is there under the lock: the logs, and a ledger that names them all unless somebody was at it. */
export interface LogStock {
  /** From the logs' folder. */
  logs: Set<string>;
  ledgerSize: number;
}

export function takeStock(view: View, project: CaptureProject): LogStock {
  return { logs: new Set(listLogs(project)), ledgerSize: ledgerSize(view, project) };
}

export function ledgerSize(view: View, project: CaptureProject): number {
  const read = view.readEnd(logFiles.ledger(project), 0);
  return read.status === 'bytes' ? read.size : 0;
}

function listLogs(project: CaptureProject): string[] {
  const { workspace, dir } = project;
  const folders = workspace.view((view) =>
    ['executions', 'archive'].flatMap((base) =>
      view
        .list(`${dir}/${base}`)
        .filter((name) => `${base}/${name}` !== PAST_SESSIONS && view.isFolder(`${dir}/${base}`, name))
        .map((name) => `${base}/${name}`),
    ),
  );
  const logs: string[] = [];
  eachWithView(project, folders, (view, folder) => {
    for (const name of view.list(`${dir}/${folder}`))
      if (name.endsWith('.yaml')) logs.push(`${folder}/${name}`);
  });
  return logs;
}

export const PAST_SESSIONS = 'archive/sessions';

/** A view keeps each folder open that it has seen. */
const ITEMS_IN_A_VIEW = 200;

/** Reads any number of things without the lock. */
export function eachWithView<T>(
  { workspace }: CaptureProject,
  items: Iterable<T>,
  work: (view: View, item: T) => void,
): void {
  let few: T[] = [];
  const readFew = () => {
    workspace.view((view) => {
      for (const item of few) work(view, item);
    });
    few = [];
  };
  for (const item of items) {
    few.push(item);
    if (few.length === ITEMS_IN_A_VIEW) readFew();
  }
  if (few.length > 0) readFew();
}
