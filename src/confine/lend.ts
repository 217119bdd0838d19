import { dirname, join } from 'node:path';
import { files } from '../node/file-calls.js';
import { lookAtFile, realPath } from '../node/files.js';
import { runProcess } from '../node/process/run.js';
import { overlayOf } from '../workspace/copy/read-copy.js';
import type { LentFolder, ProjectCopy } from '../workspace/copy/types.js';
import { confine } from './confine.js';
import type { ConfinementTools } from './types.js';

const PROBE_MS = 20_000;

export interface Lending {
  lent: LentFolder[];
  /** `overlay`: the program can write in lent folders, and none of it reaches the project. `read-only`: it cannot. */
  how: 'overlay' | 'read-only';
}

/**
 * Prepares the folders that a copy borrows for one start of a program: on an overlay where the machine has one, else
 * read-only. What was written to an overlay before is still there. A folder that the agent has moved or replaced
 * by a link is no longer lent. Objects of the repository are always read-only.
 */
export async function lendFolders(
  copy: ProjectCopy,
  tools: ConfinementTools,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Lending> {
  const lent = copy.lent.filter(({ path }) => isFolderOf(copy.copy, path));
  const writable = lent.filter(({ path }) => !path.startsWith('.git/'));
  if (writable.length === 0 || tools.overlay === undefined || writable.length > MOST_OVERLAYS)
    return { lent, how: writable.length === 0 ? 'overlay' : 'read-only' };
  const overlaid = lent.map((each) =>
    writable.includes(each) ? { ...each, overlay: makeOverlay(copy, each) } : each,
  );
  return (await works(copy, overlaid, tools, environment))
    ? { lent: overlaid, how: 'overlay' }
    : { lent, how: 'read-only' };
}

/** Each takes a millisecond or two to mount. */
const MOST_OVERLAYS = 500;

/** Whether it is a real folder in the copy: a mount would follow a link that the agent left in its place. */
function isFolderOf(copy: string, path: string): boolean {
  const whole = join(copy, path);
  return lookAtFile(whole) === 'folder' && realPath(whole) === join(realPath(copy) ?? copy, path);
}

function makeOverlay(copy: ProjectCopy, each: LentFolder): string {
  const overlay = overlayOf(copy, each);
  if (lookAtFile(overlay) === 'folder') return overlay;
  if (lookAtFile(dirname(overlay)) === 'missing') files.mkdir(dirname(overlay), 0o700);
  for (const name of ['', 'upper', 'work']) files.mkdir(join(overlay, name), 0o700);
  files.symlink(each.from, join(overlay, 'lower'));
  return overlay;
}

async function works(
  { root, copy }: ProjectCopy,
  lent: readonly LentFolder[],
  tools: ConfinementTools,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const { program, args, env } = confine(
    { program: '/bin/sh', args: ['-c', ':'], cwd: root, env: environment },
    { root, copy, lent, network: false, home: 'read-only', terminal: false },
    tools,
  );
  const result = await runProcess({
    command: { file: program, args },
    cwd: '/',
    env,
    timeoutMs: PROBE_MS,
    capture: { bytes: 1000 },
  });
  return result.status === 'exited' && result.code === 0;
}
