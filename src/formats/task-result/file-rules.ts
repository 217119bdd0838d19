import { readRootPath } from '../path.js';
import type { Task } from '../task-plan/index.js';
import type { Tree } from '../tree.js';
import { coverOf } from './covers.js';
import type { IssueLog } from './issue-log.js';
import { describe, quote } from './wording.js';

/** The listed files, as written, by what was found of them. */
export interface FilesSeen {
  existing: string[];
  missing: string[];
  /** Not looked for, because they lead elsewhere. */
  elsewhere: string[];
  unplanned: string[];
}

export function judgeFiles(
  files: readonly string[],
  task: Task | undefined,
  tree: Tree,
  log: IssueLog,
): FilesSeen {
  const seen: FilesSeen = { existing: [], missing: [], elsewhere: [], unplanned: [] };
  const covers = task && coverOf(task.files);
  const known = new Map<string, number>();
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
    if (tree.stat(path)) {
      seen.existing.push(file);
    } else if (isAbsolute(file)) {
      seen.elsewhere.push(file);
      return;
    } else {
      seen.missing.push(file);
      const hint = 'List paths from the project root. A file that was deleted may stay in the list.';
      log.add('file-missing', field, `${quote(file)} does not exist.`, hint);
    }
    if (covers && !covers(path)) {
      seen.unplanned.push(file);
      const message = `${quote(file)} is not among the <files> of ${quote(task.name)}.`;
      log.add('file-unplanned', field, message, 'Say in the evidence why it had to change.');
    }
  });
  return seen;
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
