import { decodeText, MB, readBytes, realPath } from '../node/files.js';
import { findProgram } from '../node/find-program.js';
import { runProcess } from '../node/process/run.js';
import { processorName, systemName } from '../node/terminal/terminal.js';
import { keepUserFile } from '../node/user-folders.js';
import { confine } from './confine.js';
import { systemCallFilter } from './system-calls.js';
import type { Confinement, ConfinementCheck, ConfinementTools } from './types.js';

const PROBE_MS = 20_000;

interface Surroundings {
  /** The project: a program of that name in it is not used. Real. */
  root: string;
  /** The user's own. */
  environment: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
}

/** Whether programs can be confined here, which is tried out once per process. */
export async function checkConfinement(options: Surroundings): Promise<ConfinementCheck> {
  if (systemName() !== 'linux')
    return {
      available: false,
      cause: 'confinement needs bubblewrap, which only Linux has',
      remedy: 'Use Linux, or a Linux container or virtual machine',
    };
  if (options.root === '/')
    return {
      available: false,
      cause: 'a program cannot be confined to the root if the root is /',
      remedy: 'Choose a folder with --root',
    };
  const programs = findTools(options);
  if (programs === undefined)
    return {
      available: false,
      cause: 'bubblewrap (bwrap) is not on PATH',
      remedy: 'Install it (Debian, Ubuntu: apt-get install bubblewrap)',
    };
  const nothing = keepUserFile('confine', 'nothing', new Uint8Array());
  const tools = { ...programs, nothing, ...keepFilter() };
  const fault = await probe(tools, options);
  return fault === undefined ? { available: true, tools } : describeFault(tools.bubblewrap, fault);
}

/** On the user's PATH and nowhere in the root: there an agent or a plan may have put a program of that name. */
function findTools({ root, environment }: Surroundings): Omit<ConfinementTools, 'nothing'> | undefined {
  const [bubblewrap, unshare, mount] = ['bwrap', 'unshare', 'mount'].map((name) => {
    const found = findProgram(name, environment.PATH ?? '', [root]);
    return found.status === 'found' ? realPath(found.file) : undefined;
  });
  if (bubblewrap === undefined) return undefined;
  return unshare && mount ? { bubblewrap, overlay: { unshare, mount } } : { bubblewrap };
}

/** In a file of the user's own, because bubblewrap reads it from one. Throws `UserError` where there is no place for it. */
function keepFilter(): Pick<ConfinementTools, 'filter'> {
  const filter = systemCallFilter(processorName());
  return filter === undefined ? {} : { filter: keepUserFile('confine', 'system-calls', filter) };
}

const probed = new Map<string, Promise<string | undefined>>();

/** What is wrong with it, in a few words. */
async function probe(tools: ConfinementTools, options: Surroundings): Promise<string | undefined> {
  const known = probed.get(tools.bubblewrap) ?? tryOut(tools, options);
  probed.set(tools.bubblewrap, known);
  const fault = await known;
  // One that was interrupted has shown nothing.
  if (options.signal?.aborted) probed.delete(tools.bubblewrap);
  return fault;
}

async function tryOut(
  tools: ConfinementTools,
  { root, environment, signal }: Surroundings,
): Promise<string | undefined> {
  const confinement: Confinement = {
    root,
    project: 'read-only',
    network: false,
    home: 'read-only',
    terminal: false,
  };
  const command = { program: '/bin/sh', args: ['-c', ':'], cwd: root, env: environment };
  const { program, args, env } = confine(command, confinement, tools);
  const result = await runProcess({
    command: { file: program, args },
    cwd: root,
    env,
    signal,
    timeoutMs: PROBE_MS,
    capture: { bytes: 1000 },
  });
  if (result.status === 'exited' && result.code === 0) return undefined;
  const said = result.stderr.head.split('\n', 1)[0]!;
  if (said !== '') return said;
  return 'reason' in result ? result.reason.replace(/\.$/, '') : result.status;
}

/** Switches of the kernel with which systems and containers forbid user namespaces, and how to allow them. */
const SWITCHES: readonly { path: string; off: string; remedy: string }[] = [
  {
    path: '/proc/sys/kernel/unprivileged_userns_clone',
    off: '0',
    remedy: 'Allow user namespaces: sudo sysctl kernel.unprivileged_userns_clone=1',
  },
  {
    path: '/proc/sys/user/max_user_namespaces',
    off: '0',
    remedy: 'Allow user namespaces: sudo sysctl user.max_user_namespaces=10000',
  },
  {
    path: '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
    off: '1',
    remedy:
      'Give bubblewrap an AppArmor profile that allows user namespaces (Ubuntu: apt-get install apparmor-profiles, then copy bwrap-userns-restrict to /etc/apparmor.d)',
  },
];

/** What Docker refuses by default: user namespaces, and a /proc of their own. */
const IN_CONTAINER =
  'Allow user namespaces: in a container, start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined';

function describeFault(bubblewrap: string, said: string): ConfinementCheck {
  // Debian's names its documentation, too.
  const fault = said.replace(/\. See <.*/, '');
  const cause = `${bubblewrap} does not work here (${fault})`;
  if (/disable-userns/.test(fault))
    return { available: false, cause, remedy: 'Install bubblewrap 0.8 or newer' };
  const forbidden = SWITCHES.find(({ path, off }) => readSwitch(path) === off);
  const usual = /permi/i.test(fault)
    ? IN_CONTAINER
    : 'This must succeed: bwrap --unshare-all --ro-bind / / true';
  return { available: false, cause, remedy: forbidden?.remedy ?? usual };
}

function readSwitch(path: string): string | undefined {
  const read = readBytes(path, MB);
  const decoded = read.status === 'bytes' ? decodeText(read.bytes) : undefined;
  return decoded?.status === 'text' ? decoded.text.trim() : undefined;
}
