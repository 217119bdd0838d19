import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { type FileCall, setFileSeam } from '../../../src/node/file-calls.js';
import { userKey } from '../../../src/node/user-folders.js';
import { UserTrees } from '../../../src/workspace/root.js';

export const SECRET = 'What stands outside is nobody’s business.';

// The key with which logs are sealed is the user's; tests have one of their own, read before calls are watched; so is
// where the user's own folders are.
const state = mkdtempSync(join(tmpdir(), 'teddy-state-'));
process.env.XDG_STATE_HOME = state;
userKey();
UserTrees.of(state);
afterAll(() => rmSync(state, { recursive: true, force: true }));

/** A root with a sibling that nothing may touch, one with a name that the root's name begins. */
export interface House {
  house: string;
  root: string;
  outside: string;
}

export function makeHouse(files: Record<string, string> = {}): House {
  const house = realpathSync(mkdtempSync(join(tmpdir(), 'teddy-jail-')));
  onTestFinished(() => rmSync(house, { recursive: true, force: true }));
  const [root, outside] = [join(house, 'root'), join(house, 'root-outside')];
  write(root, { 'in.txt': 'inside', 'dir/in.txt': 'inside', '.git/config': '[core]\n', ...files });
  write(outside, { 'secret.txt': SECRET, 'x.txt': SECRET, 'dir/x.txt': SECRET, 'dir/deep/x.txt': SECRET });
  return { house, root, outside };
}

export function write(folder: string, files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Every name, kind, mode, time of change and content in a folder: equal only if nothing was done there. */
export function fingerprint(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const look = (path: string) => {
    const stats = lstatSync(join(folder, path), { bigint: true });
    const kind = `${stats.mode.toString(8)} ${stats.ino} ${stats.nlink} ${stats.mtimeNs} ${stats.ctimeNs}`;
    if (stats.isDirectory()) {
      found[`${path}/`] = kind;
      for (const name of readdirSync(join(folder, path))) look(join(path, name));
    } else if (stats.isSymbolicLink()) found[path] = `${kind} → ${readlinkSync(join(folder, path))}`;
    else if (stats.isFile()) found[path] = `${kind} ${hashOf(readFileSync(join(folder, path)))}`;
    else found[path] = kind;
  };
  look('.');
  return found;
}

export function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Arguments of a call that name a place, and those that are a file already open. */
const PATHS: Partial<Record<FileCall['name'], number>> = {
  open: 1,
  lstat: 1,
  rename: 2,
  link: 2,
  unlink: 1,
  mkdir: 1,
  rmdir: 1,
  list: 1,
  readlink: 1,
  access: 1,
};

/**
 * Watches where every file call lands: what an opened file really is, and in which folder a name is looked
 * up. The list holds each call that landed outside `root`. Linux only, where /proc tells.
 */
export function watchCalls(root: string): string[] {
  const strays: string[] = [];
  // How a mount is known is a question to the kernel about a folder that is open already.
  const isInside = (path: string) =>
    path === root || path.startsWith(`${root}/`) || /^\/proc\/(?:self|\d+)\/fdinfo\/\d+$/.test(path);
  setFileSeam((call, perform) => {
    for (const path of call.args.slice(0, PATHS[call.name] ?? 0).map(String)) {
      const [, base, rest] = /^(\/proc\/self\/fd\/\d+)(?:\/(.*))?$/s.exec(path) ?? [];
      const folder = base === undefined ? path : readlinkSync(base);
      if (!isInside(folder) || rest?.includes('/') || rest === '..')
        strays.push(`${call.name} ${folder} ${rest}`);
    }
    const result = perform(call.args);
    if (call.name === 'open') {
      const opened = readlinkSync(`/proc/self/fd/${result}`);
      if (!isInside(opened)) strays.push(`opened ${opened}`);
    }
    return result;
  });
  onTestFinished(() => setFileSeam(undefined));
  return strays;
}

/** What this process has open in a folder. */
export function openIn(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${name}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      // The listing itself, which is closed by now.
      return [];
    }
  });
}
