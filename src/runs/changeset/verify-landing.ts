import { join } from 'node:path';
import { agentEnvironment } from '../../confine/agents.js';
import { confine } from '../../confine/confine.js';
import { lendFolders } from '../../confine/lend.js';
import { linkFolders } from '../../confine/link-folders.js';
import type { ConfinementTools } from '../../confine/types.js';
import type { ChangedEntries } from '../../core/changeset/changeset.js';
import type { Redactor } from '../../core/redact/redactor.js';
import type { Done } from '../../core/report/record.js';
import { files } from '../../node/file-calls.js';
import { lookAtFile, removeTree } from '../../node/files.js';
import { randomId } from '../../node/ids.js';
import { onceReady, runProcess } from '../../node/process/run.js';
import type { TreeChange } from '../../workspace/commit/change.js';
import { createCopy } from '../../workspace/copy/create-copy.js';
import type { ProjectCopy } from '../../workspace/copy/types.js';
import { Workspace } from '../../workspace/workspace.js';
import { failure, success } from '../run-record.js';
import { treeChanges } from './tree-changes.js';

/** How the result of a changeset is verified before it lands. */
export interface Verification {
  command: string;
  /** `verify.prepare` of the config: what a fresh checkout needs first. */
  prepare: string | null;
  /** Undefined: the user does not want confinement, or the machine has none. */
  tools: ConfinementTools | undefined;
  network: boolean;
  write: readonly string[];
  hide: readonly string[];
  /** Globs of ignored files with secrets that the agent had, and so the command has. */
  bring: readonly string[];
  /** The user's own. Confined, the command gets of it what the agent had. */
  environment: Readonly<Record<string, string | undefined>>;
  timeoutMs: number;
  redactor: Redactor;
  signal: AbortSignal;
  /** Masked. */
  onOutput?: (stream: 'stdout' | 'stderr', text: string) => void;
}

const CAPTURE_BYTES = 64 * 1024;

/**
 * Runs the command on what would land: the project as it is now with these entries, in a fresh copy of its own, which is
 * removed. `folder` is teddy's own. Never throws.
 */
export async function verifyLanding(
  root: string,
  entries: ChangedEntries,
  project: Parameters<typeof treeChanges>[1],
  folder: string,
  verification: Verification,
): Promise<Done> {
  const place = join(folder, `verify-${randomId(8)}`);
  try {
    files.mkdir(place, 0o700);
    const copied = await createCopy(root, place, verification);
    if (copied.status === 'failed') return failure(copied.reason);
    if (!(await applyTo(copied.copy.copy, treeChanges(entries, project), join(place, 'aside'))))
      return failure('The project has changed since the review, so the result could not be verified.');
    for (const command of [verification.prepare, verification.command]) {
      if (command === null) continue;
      const done = await runIn(copied.copy, command, verification);
      if (done.status === 'failure' || command === verification.command) return done;
    }
    return failure('There is no command to verify with.');
  } catch (error) {
    return failure(`The verification could not be run (${String(error)}).`);
  } finally {
    removeTree(place);
  }
}

/** False where something else is there. What the project has in `.teddy` itself is as before. */
async function applyTo(copy: string, changes: TreeChange[], aside: string): Promise<boolean> {
  const store = join(copy, '.teddy');
  const isTheirs = lookAtFile(store) !== 'missing';
  if (isTheirs) files.rename(store, aside);
  const applied = await new Workspace(copy, copy).commit(changes);
  removeTree(store);
  if (isTheirs) files.rename(aside, store);
  return applied.status === 'committed';
}

async function runIn(copy: ProjectCopy, command: string, verification: Verification): Promise<Done> {
  const { tools, network, write, hide, environment, timeoutMs, redactor, signal, onOutput } = verification;
  const shell = { program: '/bin/sh', args: ['-c', command] };
  if (tools === undefined) linkFolders(copy);
  const start = tools
    ? confine(
        { ...shell, start: onceReady, cwd: copy.root, env: agentEnvironment(environment) },
        {
          root: copy.root,
          copy: copy.copy,
          network,
          write,
          hide,
          home: 'read-only',
          terminal: false,
          lent: (await lendFolders(copy, tools, environment)).lent,
        },
        tools,
      )
    : { ...shell, env: environment };
  const result = await runProcess({
    command: { file: start.program, args: start.args, ...(tools && { gated: true }) },
    cwd: tools ? '/' : copy.copy,
    env: start.env,
    timeoutMs,
    signal,
    capture: { bytes: CAPTURE_BYTES },
    mask: () => redactor.stream(),
    ...(onOutput && { onOutput }),
  });
  if (result.status === 'not-started') return failure(`\`${command}\` was not started: ${result.reason}`);
  const { stdout, stderr } = result;
  const output = { text: `${stdout.head}${stdout.tail}` };
  const error = { text: `${stderr.head}${stderr.tail}` };
  const captured = {
    ...(output.text !== '' && { output }),
    ...(error.text !== '' && { error }),
    ...(result.status === 'exited' ? { exitCode: result.code } : { ended: result.status }),
  };
  return result.status === 'exited' && result.code === 0
    ? { ...success(`\`${command}\` succeeded.`), ...captured }
    : {
        status: 'failure',
        summary: `\`${command}\` ${result.status === 'exited' ? `failed with exit code ${result.code}` : 'did not end by itself'}.`,
        ...captured,
      };
}
