import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { makeFolder } from './folder.js';

const IDENTITY = ['-c', 'user.name=T', '-c', 'user.email=t@example.org', '-c', 'protocol.file.allow=always'];

/** git as a user runs it, without teddy's own settings. */
export function plainGit(cwd: string, ...words: string[]): string {
  return execFileSync('git', [...IDENTITY, ...words], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** A new repository with these files in one commit. */
export function makeRepository(files: Record<string, string | Uint8Array> = { a: 'a\n' }): string {
  const root = realpathSync(makeFolder(files));
  plainGit(root, 'init', '-q', '-b', 'main');
  commitAll(root);
  return root;
}

/** The commit's id. */
export function commitAll(root: string, message = 'a commit'): string {
  plainGit(root, 'add', '-A');
  plainGit(root, 'commit', '-q', '--allow-empty', '-m', message);
  return plainGit(root, 'rev-parse', 'HEAD').trim();
}
