// A process of its own for each measurement: teddy looks at the files once before a command and once after it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULTS } from '../src/config/config-file.js';
import { Workspace } from '../src/workspace/workspace.js';

/** In milliseconds. */
export interface ScanTimes {
  before: number;
  after: number;
}

const [work, root, ...rest] = process.argv.slice(2) as [string, string, ...string[]];
const result = work === 'scan' ? await scan(root, rest[0]!) : readAll(root, rest[0]!);
process.stdout.write(JSON.stringify(result));

/** Both scans of a command that changes nothing. */
async function scan(root: string, run: string): Promise<ScanTimes> {
  const workspace = new Workspace(root);
  const begun = await workspace.beginRun(() => ({ id: run, files: {}, note: { kind: 'begun' } }));
  if (begun.status !== 'begun') throw new Error(JSON.stringify(begun));
  const start = performance.now();
  const recorded = await workspace.recordState(run, DEFAULTS.undo);
  const between = performance.now();
  if (recorded.status !== 'recorded') throw new Error(recorded.reason);
  const compared = await recorded.compare(() => null);
  const end = performance.now();
  if (compared.status !== 'compared' || compared.changes.changed.length > 0)
    throw new Error(`compared: ${JSON.stringify(compared)}`);
  begun.folder.writeRecord('run.json', '{}');
  begun.folder.close();
  return { before: between - start, after: end - between };
}

/** Reading every file once, from a list with a path in each line. */
function readAll(root: string, list: string): number {
  const paths = readFileSync(list, 'utf8').trimEnd().split('\n');
  const start = performance.now();
  for (const path of paths) readFileSync(join(root, path));
  return performance.now() - start;
}
