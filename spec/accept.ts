import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import type { CaseFile, SpecCase } from './case-folder.js';
import type { FileTree, ProcessEnd } from './run-teddy.js';

const KEYS: readonly (keyof CaseFile)[] = [
  ...(['command', 'why', 'base', 'without', 'now', 'own-runs', 'exit'] as const),
  ...(['stdout', 'stderr', 'issues', 'removed'] as const),
];
/** Longer texts have files of their own. */
const MOST_LINES = 12;

export interface Actual {
  end: ProcessEnd;
  issues: string[] | undefined;
  before: FileTree;
  after: FileTree;
}

/** Writes what the program did as what is expected, for a person to judge in `git diff`. */
export function acceptCase({ folder, written }: SpecCase, { end, issues, before, after }: Actual): void {
  const changed = Object.entries(after).filter(([path, text]) => text !== null && before[path] !== text);
  const removed = Object.keys(before).filter((path) => before[path] !== null && !(path in after));
  rmSync(join(folder, 'tree'), { recursive: true, force: true });
  for (const [path, text] of changed) writeIn(join(folder, 'tree'), path, text!);
  const { stdout: _, stderr: __, ...said } = written;
  writeCase(folder, { ...said, exit: end.exit ?? -1, ...(issues && { issues }), removed }, end);
}

/** Symlinks cannot be accepted: a case that makes one belongs in `test/`. */
function writeIn(root: string, path: string, text: string): void {
  if (text.startsWith('→ ')) throw new Error(`${path} is a symlink.`);
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text, 'latin1');
}

function writeCase(folder: string, written: CaseFile, end: Pick<ProcessEnd, 'stdout' | 'stderr'>): void {
  const all = { ...written };
  for (const stream of ['stdout', 'stderr'] as const) {
    const path = join(folder, stream);
    if (existsSync(path)) rmSync(path);
    if (end[stream] === '') continue;
    if (isShort(end[stream])) all[stream] = end[stream];
    else writeFileSync(path, end[stream]);
  }
  if (all.removed?.length === 0) delete all.removed;
  const inOrder = KEYS.filter((key) => all[key] !== undefined).map((key) => [key, all[key]]);
  const text = stringify(Object.fromEntries(inOrder), { lineWidth: 0, blockQuote: 'literal' });
  writeFileSync(join(folder, 'case.yaml'), text);
}

function isShort(text: string): boolean {
  return text.split('\n').length <= MOST_LINES + 1 && text.endsWith('\n') && !/[\r\t\ufffd]| \n/.test(text);
}
