import { join } from 'node:path';
import { lookAtFile, realPath } from '../../node/files.js';
import { findProgram } from '../../node/find-program.js';
import { runProcess } from '../../node/process/run.js';
import type { ProcessOptions } from '../../node/process/types.js';
import type { CommandContext } from '../run-context.js';

/** `reason` is a whole sentence. */
export type Boxed =
  | { status: 'boxed'; command: ProcessOptions['command']; env: ProcessOptions['env'] }
  | { status: 'refused'; reason: string };

export interface Unboxed {
  shell: string;
  /** Real and absolute, inside the root. */
  cwd: string;
  /** What the plan adds to the environment. */
  env: Readonly<Record<string, string>>;
}

const PROBE_MS = 20_000;
const INSTEAD = 'or set execute.sandbox to false to run commands without one';

/**
 * The same command in a bubblewrap sandbox, or a refusal. Inside, the whole disk can be read and only the root can be
 * written to, without its `.teddy`; `/tmp` is empty, private and gone afterwards; there is no network but loopback of
 * its own, unless that is allowed; no other process is seen; and all that was started ends with the command. Programs
 * keep their caches in that `/tmp`. `/run` is empty too: the services that listen there could write for the command.
 * A service whose socket lies elsewhere on the disk can still be reached. The end comes at once, without SIGTERM.
 */
export async function boxCommand(unboxed: Unboxed, context: CommandContext): Promise<Boxed> {
  if (context.root === '/') {
    return {
      status: 'refused',
      reason: 'The sandbox cannot confine a command to the root if the root is /.',
    };
  }
  const bwrap = findBubblewrap(context);
  if (bwrap === undefined) {
    const reason = `execute.sandbox is on, but bubblewrap (bwrap) is not on PATH. Install it (Debian, Ubuntu: apt-get install bubblewrap), ${INSTEAD}.`;
    return { status: 'refused', reason };
  }
  const fault = await probe(bwrap, context);
  if (fault !== undefined) {
    const reason = `execute.sandbox is on, but ${bwrap} does not work here (${fault}). Fix it, ${INSTEAD}.`;
    return { status: 'refused', reason };
  }
  // Not in the environment of bwrap itself, which runs outside: the plan could make it load a library of its own.
  const added = Object.entries({ ...PRIVATE_FOLDERS, ...unboxed.env });
  const args = [
    ...confine(context),
    ...added.flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', unboxed.cwd, '--', '/bin/sh', '-c', unboxed.shell],
  ];
  return { status: 'boxed', command: { file: bwrap, args }, env: context.environment };
}

/** Home is read-only: what programs write there on their way has a place here. */
const PRIVATE_FOLDERS = {
  TMPDIR: '/tmp',
  XDG_CACHE_HOME: '/tmp/.cache',
  npm_config_cache: '/tmp/.npm',
};

function confine({ root, settings }: CommandContext): string[] {
  const network = settings.execute.network;
  const store = join(root, '.teddy');
  // The order counts: each lies over the ones before.
  return [
    ...['--unshare-all', ...(network ? ['--share-net'] : [])],
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'sandbox'],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...['--tmpfs', '/tmp', '--tmpfs', '/run', ...openInRun(network)],
    ...['--bind', root, root],
    ...(lookAtFile(store) === 'folder' ? ['--ro-bind', store, store] : []),
  ];
}

/** Where NixOS has its programs, and, with the network, how names are looked up. */
function openInRun(network: boolean): string[] {
  const resolver = network ? realPath('/etc/resolv.conf') : undefined;
  return [
    ...['--ro-bind-try', '/run/current-system', '/run/current-system'],
    ...(resolver?.startsWith('/run/') ? ['--ro-bind', resolver, resolver] : []),
  ];
}

/**
 * On the user's own PATH, not the plan's, and nowhere in the root: there an earlier action may have put a program of
 * that name.
 */
function findBubblewrap({ environment, root }: CommandContext): string | undefined {
  const found = findProgram('bwrap', environment.PATH ?? '', [root]);
  return found.status === 'found' ? realPath(found.file) : undefined;
}

const probed = new WeakMap<CommandContext['settings'], Promise<string | undefined>>();

/** What is wrong with it, in a few words. It is asked once in a run. */
async function probe(bwrap: string, context: CommandContext): Promise<string | undefined> {
  const known = probed.get(context.settings) ?? tryOut(bwrap, context);
  probed.set(context.settings, known);
  const fault = await known;
  // One that was cut off has shown nothing.
  if (context.signal.aborted) probed.delete(context.settings);
  return fault;
}

async function tryOut(bwrap: string, context: CommandContext): Promise<string | undefined> {
  const result = await runProcess({
    command: { file: bwrap, args: [...confine(context), '--', '/bin/sh', '-c', ':'] },
    cwd: context.root,
    env: context.environment,
    timeoutMs: PROBE_MS,
    signal: context.signal,
    capture: { bytes: 1000 },
  });
  if (result.status === 'exited' && result.code === 0) return undefined;
  const said = context.redactor.mask(result.stderr.head.split('\n', 1)[0]!);
  if (said !== '') return said;
  return 'reason' in result ? result.reason.replace(/\.$/, '') : result.status;
}
