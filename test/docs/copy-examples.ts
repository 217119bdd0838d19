import { spawnSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';

/** What the plan of first-turn, a result in capture, a session and an orchestration make: where one is, the example was tried out. */
const MADE = [
  'examples/first-turn/test/edge-cases.test.js',
  'examples/capture/.ultraplan',
  'examples/session/calendar/.teddy',
  'examples/orchestrate/.ultraplan',
];

/**
 * The examples as a clone has them, in `folder`. Whoever has tried them out in place, and has not put them back, gets
 * them as git has them.
 */
export function copyExamples(root: string, folder: string): void {
  const made = MADE.filter((path) => existsSync(join(root, path)));
  if (made.length === 0) {
    const examples = join(root, 'examples');
    cpSync(examples, join(folder, 'examples'), { recursive: true, filter: (path) => !isLeftover(path) });
    return;
  }
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', 'git ls-files -z examples | git checkout-index -z --stdin --prefix="$1/"', 'sh', folder],
    { cwd: root, encoding: 'utf8' },
  );
  if (status !== 0 || !existsSync(join(folder, 'examples')))
    throw new Error(`Put the examples back first; there is ${made.join(' and ')}. ${stderr}`);
}

/** Of a run that was undone its folder is still there. */
function isLeftover(path: string): boolean {
  return /\/\.teddy\/(?:runs|tx|contents|lock|incoming|incoming\.lock|reports|context-maps|turn\.context)$/.test(
    path,
  );
}
