import { basename, dirname, isAbsolute, join } from 'node:path';
import { decodeText, lookAtFile, MB, readBytes, realPath } from '../node/files.js';
import { listeningSockets } from '../node/process/unix-sockets.js';
import { currentUser, homeFolders, temporaryFolders, userTeddyFolders } from '../node/user-folders.js';
import type { LentFolder } from '../workspace/copy/types.js';
import { stateOf } from './agents.js';
import {
  holdsCredentials,
  SECRET_ON_SYSTEM,
  SHOWN_IN_HOME,
  SHOWN_WITHOUT_SECRETS,
  secretsInHome,
} from './home.js';
import { isInside, Mounts } from './mounts.js';
import type { ConfinedCommand, Confinement, ConfinementTools, UnconfinedCommand } from './types.js';

/**
 * The same command in bubblewrap: what to start, in the same folder or in any other. Starts nothing and writes nothing.
 * docs/confinement.md lists what is blocked and what is not.
 */
export function confine(
  command: UnconfinedCommand,
  confinement: Confinement,
  { bubblewrap, overlay }: ConfinementTools,
): ConfinedCommand {
  const overlays = (confinement.lent ?? []).filter(({ overlay }) => overlay !== undefined);
  const isNested = overlays.length > 0 && overlay !== undefined;
  const options = [
    ...isolate(confinement, isNested),
    ...planMounts(command, confinement).options(),
    ...Object.entries({ ...privateFolders(confinement), ...command.set }).flatMap(([name, value]) => [
      ...['--setenv', name, value],
    ]),
    ...SESSION_VARIABLES.flatMap((name) => ['--unsetenv', name]),
    ...['--chdir', command.cwd, '--', command.program, ...command.args],
  ];
  if (!isNested) return { program: bubblewrap, args: options, env: command.env };
  const words = overlays.flatMap((lent) => [lent.overlay!, join(confinement.copy!, lent.path)]);
  const args = [
    ...['-Urm', '--', '/bin/sh', '-c', MOUNT_OVERLAYS, 'sh', overlay.mount, String(overlays.length)],
    ...[...words, bubblewrap, ...options],
  ];
  return { program: overlay.unshare, args, env: command.env };
}

/** `mount`, how many, for each its folder and where it goes, and then what to start. Relative: names may hold commas. */
const MOUNT_OVERLAYS = `
mount=$1 count=$2; shift 2
while [ "$count" -gt 0 ]; do
  cd -- "$1" && "$mount" -t overlay overlay -o userxattr,lowerdir=lower,upperdir=upper,workdir=work -- "$2" || exit 125
  shift 2; count=$((count - 1))
done
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

function planMounts(command: UnconfinedCommand, confinement: Confinement): Mounts {
  const { root, network, agent, write = [], hide = [] } = confinement;
  const homes = findHomes(command.env);
  const mounts = new Mounts();
  mounts.showDisk();
  for (const folder of realFolders(temporaryFolders())) mounts.empty(folder, { writable: true });
  for (const folder of realFolders(OTHERS_FOLDERS)) mounts.empty(folder);
  for (const folder of homes) mounts.empty(folder, { writable: confinement.home === 'private' });
  mounts.show('/home/linuxbrew');
  mounts.show('/run/current-system');
  const resolver = network ? realPath('/etc/resolv.conf') : undefined;
  if (resolver?.startsWith('/run/')) mounts.show(resolver);
  for (const home of homes) showHome(mounts, home, command);
  showProject(mounts, confinement);
  for (const home of homes) {
    const { state, settings } = stateOf(agent);
    for (const path of state) mounts.show(join(home, path), { writable: true });
    for (const path of settings) mounts.show(join(home, path));
  }
  const expand = (path: string) => expandPath(path, root, homes[0]);
  for (const path of write) mounts.show(expand(path), { writable: true });
  const secrets = homes.flatMap((home) => secretsInHome(agent).map((path) => join(home, path)));
  const allowed = new Set(homes.flatMap((home) => harmlessFiles(home)));
  for (const path of [...SECRET_ON_SYSTEM, ...userTeddyFolders(), ...secrets])
    if (!allowed.has(path)) mounts.hide(path);
  for (const path of listeningSockets()) if (!isInside(path, root)) mounts.hide(path);
  for (const path of hide) {
    const whole = expand(path);
    if (confinement.copy === undefined || !isInside(whole, root)) mounts.hide(whole);
    else mounts.cover(whole, join(confinement.copy, whole.slice(root.length)));
  }
  return mounts;
}

/** The homes of others, and where services listen. */
const OTHERS_FOLDERS = ['/home', '/root', '/run'];

function realFolders(paths: readonly string[]): string[] {
  const real = new Set(paths.map(realPath).filter((path) => path !== undefined && path !== '/'));
  return [...real].filter((path): path is string => lookAtFile(path!) === 'folder');
}

/** Where the user's files are: a home at `/` has nothing that could be told apart from the rest. */
function findHomes(env: UnconfinedCommand['env']): string[] {
  const named = [env.HOME ?? '', ...homeFolders()].filter(isAbsolute).map(realPath);
  return [...new Set(named)].filter((path): path is string => path !== undefined && path !== '/');
}

function showHome(mounts: Mounts, home: string, command: UnconfinedCommand): void {
  const paths = [...SHOWN_IN_HOME.map((path) => join(home, path)), ...harmlessFiles(home)];
  for (const path of paths) mounts.show(path);
  const folders = (command.env.PATH ?? '').split(':').filter(isAbsolute);
  const program = realPath(command.program);
  for (const folder of [...folders, ...(program === undefined ? [] : [dirname(program)])]) {
    if (!isInside(folder, home) || folder === home) continue;
    const shown =
      basename(folder) === 'bin' && isToolFolder(dirname(folder), home) ? dirname(folder) : folder;
    if (!mounts.sees(shown)) mounts.show(shown);
  }
}

/** `~/.tool` or `~/.tools/one`: what installers make. Not `.local`, and not a folder of the user's own. */
function isToolFolder(folder: string, home: string): boolean {
  const path = folder.slice(home.length + 1);
  return path.startsWith('.') && path !== '.local' && path !== '.config';
}

function harmlessFiles(home: string): string[] {
  return SHOWN_WITHOUT_SECRETS.map((path) => join(home, path)).filter((path) => {
    const read = readBytes(path, MB);
    const decoded = read.status === 'bytes' ? decodeText(read.bytes) : undefined;
    return decoded?.status === 'text' && !holdsCredentials(decoded.text);
  });
}

function showProject(mounts: Mounts, { root, copy, project, lent = [] }: Confinement): void {
  if (copy === undefined) {
    mounts.show(root, { writable: project === 'writable' });
    if (project === 'writable' && lookAtFile(join(root, '.teddy')) === 'folder')
      mounts.show(join(root, '.teddy'));
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
  for (const secret of hidden) mounts.cover(join(at, secret), join(from, secret));
}

function expandPath(path: string, root: string, home = '/'): string {
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1));
  return isAbsolute(path) ? path : join(root, path);
}
