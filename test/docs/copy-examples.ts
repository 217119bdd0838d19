import { spawnSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';

/** What the plan of first-turn makes: where it is, the plan was carried out. */
const MADE = 'examples/first-turn/test/edge-cases.test.js';

/**
 * The examples as a clone has them, in `folder`. Whoever has carried out first-turn, as the README says, and has not
 * undone it, gets them as git has them.
 */
export function copyExamples(root: string, folder: string): void {
  if (!existsSync(join(root, MADE))) {
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
    throw new Error(`${MADE} is there: run teddy undo --root examples/first-turn first. ${stderr}`);
}

/** Of a run that was undone its folder is still there. */
function isLeftover(path: string): boolean {
  return /\/\.teddy\/(?:runs|tx|lock|turn\.context)$/.test(path);
}
