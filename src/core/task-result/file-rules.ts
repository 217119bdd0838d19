import { readRootPath } from '../path.js';
import type { Task } from '../task-plan/types.js';
import type { Tree } from '../tree.js';
import { type Covers, coverOf } from './covers.js';
import type { IssueLog } from './issue-log.js';
import { describe, quote } from './wording.js';

/** The listed files, as written, by what was found of them. */
export interface FilesSeen {
  existing: string[];
  missing: string[];
  /** Not looked for, because they lead elsewhere. */
  elsewhere: string[];
  unplanned: string[];
  /** Against what was really changed, where that is known. */
  unclaimed: string[];
  unchanged: string[];
}

export function judgeFiles(
  files: readonly string[],
  task: Task | undefined,
  { tree, filesChanged }: { tree: Tree; filesChanged?: readonly string[] },
  log: IssueLog,
): FilesSeen {
  const seen: FilesSeen = {
    existing: [],
    missing: [],
    elsewhere: [],
    unplanned: [],
    unclaimed: [],
    unchanged: [],
  };
  const covers = task && coverOf(task.files, tree);
  const known = new Map<string, number>();
  const changed = filesChanged && withFolders(filesChanged);
  files.forEach((file, at) => {
    const field = ['files_modified', at];
    const path = readListed(file, field, log);
    if (path === undefined) {
      seen.elsewhere.push(file);
      return;
    }
    const before = known.get(path);
    if (before !== undefined) {
      log.add('file-repeated', field, `${quote(file)} is listed twice: as files_modified[${before}] too.`);
      return;
    }
    known.set(path, at);
    // What was changed and is not there was deleted, or is not in the project yet.
    if (tree.stat(path) || changed?.has(path)) {
      seen.existing.push(file);
    } else if (isAbsolute(file)) {
      seen.elsewhere.push(file);
      return;
    } else {
      seen.missing.push(file);
      const hint = 'List paths from the project root. A file that was deleted may stay in the list.';
      log.add('file-missing', field, `${quote(file)} does not exist.`, hint);
    }
    if (changed && !changed.has(path)) {
      seen.unchanged.push(file);
      const hint = 'List what was changed, and nothing else.';
      log.add('file-unchanged', field, `${quote(file)} is listed, and was not changed.`, hint);
    }
    if (covers && !covers(path)) {
      seen.unplanned.push(file);
      const message = `${quote(file)} is not among the <files> of ${quote(task.name)}.`;
      log.add('file-unplanned', field, message, 'Say in the evidence why it had to change.');
    }
  });
  for (const path of filesChanged ?? [])
    if (!isUnder(known, path)) judgeUnclaimed(path, task, covers, seen, log);
  return seen;
}

function judgeUnclaimed(
  path: string,
  task: Task | undefined,
  covers: Covers | undefined,
  seen: FilesSeen,
  log: IssueLog,
): void {
  const field = ['files_modified'];
  seen.unclaimed.push(path);
  log.add(
    'file-unclaimed',
    field,
    `${quote(path)} was changed, and is not listed.`,
    'List every file that was changed.',
  );
  if (!task || !covers || covers(path)) return;
  seen.unplanned.push(path);
  const message = `${quote(path)} was changed, and is not among the <files> of ${quote(task.name)}.`;
  log.add('file-unplanned', field, message, 'Say in the evidence why it had to change.');
}

/** The paths, and all folders that they are in: who lists a folder lists what is in it. */
function withFolders(paths: readonly string[]): Set<string> {
  const all = new Set<string>();
  for (const path of paths) {
    let above = path;
    while (above !== '' && !all.has(above)) {
      all.add(above);
      above = above.slice(0, Math.max(0, above.lastIndexOf('/')));
    }
  }
  return all;
}

function isUnder(listed: ReadonlyMap<string, unknown>, path: string): boolean {
  for (let above = path; above !== ''; above = above.slice(0, Math.max(0, above.lastIndexOf('/'))))
    if (listed.has(above)) return true;
  return listed.has('.');
}

/** Its path from the root; undefined where it has none. */
function readListed(file: string, field: (string | number)[], log: IssueLog): string | undefined {
  const read = readRootPath(file);
  const hint = 'Write the path from the project root, such as src/a.ts.';
  if (read.status === 'ok' && !isAbsolute(file)) return read.path;
  if (isAbsolute(file)) log.add('file-absolute', field, `${quote(file)} is an absolute path.`, hint);
  else if (read.status === 'outside') log.add('file-outside', field, `${quote(file)} ${read.reason}.`, hint);
  else if (read.status === 'invalid') {
    const name = file === '' ? `files_modified[${field[1]}]` : quote(file);
    log.add('file-invalid', field, `${name} ${file === '' ? `is ${describe(file)}` : read.reason}.`, hint);
  }
  return read.status === 'ok' ? read.path : undefined;
}

function isAbsolute(file: string): boolean {
  return file.startsWith('/') || /^[A-Za-z]:[\\/]/.test(file);
}
