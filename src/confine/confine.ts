import { basename, dirname, extname, isAbsolute, join } from 'node:path';
import { files } from '../node/file-calls.js';
import { lookAtFile, realPath } from '../node/files.js';
import { findProgram } from '../node/find-program.js';
import { writeNewFile } from '../node/folder.js';
import { socketPaths } from '../node/process/unix-sockets.js';
import { currentUser, homeFolders, temporaryFolders, userTeddyFolders } from '../node/user-folders.js';
import type { LentFolder } from '../workspace/copy/types.js';
import { stateOf } from './agents.js';
import { isHarmless, SECRET_ON_SYSTEM, SHOWN_IN_HOME, SHOWN_WITHOUT_SECRETS, secretsInHome } from './home.js';
import { isInside, Mounts } from './mounts.js';
import type { ConfinedCommand, Confinement, ConfinementTools, UnconfinedCommand } from './types.js';

/**
 * The same command in bubblewrap: what to start, in any folder. Starts nothing; writes nothing but missing settings of the agent.
 * docs/confinement.md lists what is blocked and what is not.
 */
export function confine(
  command: UnconfinedCommand,
  confinement: Confinement,
  { bubblewrap, overlay, nothing, filter }: ConfinementTools,
): ConfinedCommand {
  const overlays = (confinement.lent ?? []).filter(({ overlay }) => overlay !== undefined);
  const isNested = overlays.length > 0 && overlay !== undefined;
  const { program, args } = command;
  const words = command.start?.(program, args) ?? [program, ...args];
  const options = [
    ...isolate(confinement, isNested),
    ...(filter === undefined ? [] : ['--seccomp', '9']),
    ...planMounts(command, confinement, nothing).options(),
    ...Object.entries({ ...privateFolders(confinement), ...command.set }).flatMap(([name, value]) => [
      ...['--setenv', name, value],
    ]),
    ...SESSION_VARIABLES.flatMap((name) => ['--unsetenv', name]),
    ...['--chdir', command.cwd, '--', ...words],
  ];
  const mounted = overlays.flatMap((lent) => [lent.overlay!, join(confinement.copy!, lent.path)]);
  const launched = [
    ...[
      '-c',
      LAUNCH,
      'sh',
      filter ?? '',
      ...(isNested ? [overlay.mount, String(overlays.length)] : ['', '0']),
    ],
    ...[...(isNested ? mounted : []), bubblewrap, ...options],
  ];
  return isNested
    ? { program: overlay.unshare, args: ['-Urm', '--', SHELL, ...launched], env: command.env }
    : { program: SHELL, args: launched, env: command.env };
}

/** The files of the machine, of those named, that the confined command cannot see. Paths are absolute. */
export function listUnseen(
  paths: readonly string[],
  command: UnconfinedCommand,
  confinement: Confinement,
  { nothing }: ConfinementTools,
): string[] {
  const named = paths.filter(
    (path) => realPath(path) !== undefined && lookAtFile(realPath(path)!) === 'file',
  );
  if (named.length === 0) return [];
  const mounts = planMounts(command, confinement, nothing);
  return named.filter((path) => !mounts.sees(path));
}

const SHELL = '/bin/sh';

/**
 * The filter of system calls, `mount`, how many overlays, for each its folder and where it goes, and then what to start.
 * Folders are entered, because the options of a mount cannot hold every character.
 */
const LAUNCH = `
filter=$1 mount=$2 count=$3; shift 3
while [ "$count" -gt 0 ]; do
  cd -- "$1" && "$mount" -t overlay overlay -o userxattr,lowerdir=lower,upperdir=upper,workdir=work -- "$2" || exit 125
  shift 2; count=$((count - 1))
done
if [ -n "$filter" ]; then exec 9<"$filter" || exit 125; fi
cd / && exec "$@"`;

/** They lead to services of the user's session, none of which is there. */
const SESSION_VARIABLES = [
  ...['SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'GPG_AGENT_INFO', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'TMUX', 'STY', 'DOCKER_HOST'],
];

function isolate({ network, terminal }: Confinement, isNested: boolean): string[] {
  const { user, group } = currentUser();
  return [
    ...['--unshare-all', '--unshare-user', '--disable-userns', ...(network ? ['--share-net'] : [])],
    ...['--die-with-parent', '--cap-drop', 'ALL', '--hostname', 'sandbox'],
    // In the namespace of the overlay the user is root: inside they are who they are again.
    ...(isNested ? ['--uid', String(user), '--gid', String(group)] : []),
    ...(terminal ? [] : ['--new-session']),
  ];
}

/** What programs write on their way has a place here. */
function privateFolders({ home }: Confinement): Record<string, string> {
  const always = { TMPDIR: '/tmp', npm_config_cache: '/tmp/.npm' };
  return home === 'private' ? always : { ...always, XDG_CACHE_HOME: '/tmp/.cache' };
}

function planMounts(command: UnconfinedCommand, confinement: Confinement, nothing: string): Mounts {
  const { root, network, agent, write = [], hide = [] } = confinement;
  const homes = findHomes(command.env);
  const mounts = new Mounts(nothing);
  mounts.showDisk();
  for (const folder of realFolders(temporaryFolders())) mounts.empty(folder, { writable: true });
  for (const folder of realFolders(OTHERS_FOLDERS)) mounts.empty(folder);
  for (const folder of homes) mounts.empty(folder, { writable: confinement.home === 'private' });
  mounts.show('/home/linuxbrew');
  mounts.show('/run/current-system');
  const resolver = network ? realPath('/etc/resolv.conf') : undefined;
  if (resolver?.startsWith('/run/')) mounts.show(resolver);
  for (const home of homes) showHome(mounts, home, command);
  // Only where the agent itself looks: the user's other homes are not its own.
  const [ownHome] = homes;
  const expand = (path: string) => expandPath(path, root, ownHome);
  // What the user lets it write around the project does not show the project itself.
  const isAround = (path: string) => isInside(root, realPath(path) ?? path);
  const writable = write.map(expand);
  for (const path of writable.filter(isAround)) mounts.show(path, { writable: true });
  showProject(mounts, confinement);
  const { state, settings } = stateOf(agent);
  if (ownHome !== undefined) {
    for (const path of state) mounts.show(join(ownHome, path), { writable: true });
    for (const path of settings) guardSettings(mounts, join(ownHome, path));
  }
  for (const path of writable) if (!isAround(path)) mounts.show(path, { writable: true });
  const secrets = homes.flatMap((home) => secretsInHome(agent).map((path) => join(home, path)));
  const allowed = new Set(homes.flatMap((home) => harmlessFiles(home)));
  for (const path of [...SECRET_ON_SYSTEM, ...userTeddyFolders(), ...secrets])
    if (!allowed.has(path)) mounts.hide(path);
  for (const path of socketPaths()) if (!isInside(path, root)) mounts.hide(path);
  for (const path of hide) {
    const whole = expand(path);
    if (confinement.copy === undefined || !isInside(whole, root)) mounts.hide(whole);
    else coverInCopy(mounts, whole, join(confinement.copy, whole.slice(root.length)));
  }
  return mounts;
}

/** The homes of others, and where services listen. */
const OTHERS_FOLDERS = ['/home', '/root', '/run'];

function realFolders(paths: readonly string[]): string[] {
  const real = new Set(paths.map(realPath).filter((path) => path !== undefined && path !== '/'));
  return [...real].filter((path): path is string => lookAtFile(path!) === 'folder');
}

/** Where the user's files are: a home at `/` cannot be distinguished from the rest. */
function findHomes(env: UnconfinedCommand['env']): string[] {
  const named = [env.HOME ?? '', ...homeFolders()].filter(isAbsolute).map(realPath);
  return [...new Set(named)].filter((path): path is string => path !== undefined && path !== '/');
}

function showHome(mounts: Mounts, home: string, command: UnconfinedCommand): void {
  const paths = [...SHOWN_IN_HOME.map((path) => join(home, path)), ...harmlessFiles(home)];
  for (const path of paths) mounts.show(path);
  const folders = (command.env.PATH ?? '').split(':').filter(isAbsolute);
  for (const folder of [...folders, ...foldersOfProgram(command)]) {
    if (!isInside(folder, home) || folder === home) continue;
    const shown =
      basename(folder) === 'bin' && isToolFolder(dirname(folder), home) ? dirname(folder) : folder;
    if (!mounts.sees(shown)) mounts.show(shown);
  }
}

/** Where the program really is, with what npm installed for it. */
function foldersOfProgram({ program, env }: UnconfinedCommand): string[] {
  const found = findProgram(program, env.PATH ?? '', []);
  const real = realPath(found.status === 'found' ? found.file : program);
  if (real === undefined) return [];
  const [before, ...rest] = real.split('/node_modules/');
  return [rest.length === 0 ? dirname(real) : `${before}/node_modules`];
}

/** `~/.tool` or `~/.tools/one`: what installers make. Not what all programs share, and not a folder of the user's own. */
function isToolFolder(folder: string, home: string): boolean {
  const path = folder.slice(home.length + 1);
  return path.startsWith('.') && !SHARED_IN_HOME.has(path);
}

const SHARED_IN_HOME = new Set(['.local', '.local/share', '.local/state', '.config', '.cache', '.var']);

function harmlessFiles(home: string): string[] {
  return SHOWN_WITHOUT_SECRETS.map((path) => join(home, path)).filter(isHarmless);
}

function showProject(mounts: Mounts, { root, copy, project, places = [], lent = [] }: Confinement): void {
  if (copy === undefined) {
    mounts.show(root, { writable: project === 'writable' });
    if (project === 'writable' && lookAtFile(join(root, '.teddy')) === 'folder')
      mounts.show(join(root, '.teddy'));
    for (const { from, at, writable } of places) mounts.show(from, { at, writable });
    return;
  }
  mounts.show(copy, { at: root, writable: true });
  for (const folder of lent) lend(mounts, root, folder);
}

function lend(mounts: Mounts, root: string, { path, from, overlay, caches, hidden }: LentFolder): void {
  const at = join(root, path);
  if (overlay === undefined) {
    mounts.show(from, { at });
    for (const cache of caches) mounts.empty(join(at, cache), { writable: true });
  }
  for (const secret of hidden)
    if (overlay === undefined || !isReplaced(join(overlay, 'upper'), secret))
      mounts.cover(join(at, secret), join(from, secret));
}

/** Where an agent has put a link on the way, bubblewrap would follow it and make a file at its end, outside. */
function coverInCopy(mounts: Mounts, target: string, like: string): void {
  if (realPath(like) === like) mounts.cover(target, like);
}

/** Whether what an agent wrote over a lent folder has a link or a file on the way, so that the path leads there no more. */
function isReplaced(upper: string, path: string): boolean {
  const names = path.split('/');
  const kinds = names.map((_, at) => lookAtFile(join(upper, ...names.slice(0, at + 1))));
  const first = kinds.findIndex((kind) => kind !== 'folder');
  return first !== -1 && kinds[first] !== 'missing';
}

/**
 * Read-only, also where they are missing: what the agent put there, it would run without confinement the next time. So
 * they are made, empty, because nothing can be mounted where nothing is. A link cannot be mounted over, and stays.
 */
function guardSettings(mounts: Mounts, path: string): void {
  if (lookAtFile(dirname(path)) !== 'folder') return;
  if (lookAtFile(path) === 'missing') makeEmpty(path);
  if (lookAtFile(path) !== 'symlink') mounts.show(path);
}

function makeEmpty(path: string): void {
  const ending = extname(path);
  if (ending === '') files.mkdir(path, 0o700);
  else writeNewFile(path, ending.startsWith('.json') ? '{}\n' : '');
}

function expandPath(path: string, root: string, home = '/'): string {
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1));
  return isAbsolute(path) ? path : join(root, path);
}
