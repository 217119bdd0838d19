import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** A file as its text, with `!` before an executable one; a link as `-> target`; null removes it. */
export type Files = Record<string, string | Buffer | null>;

export function writeAll(root: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    const full = join(root, path);
    rmSync(full, { recursive: true, force: true });
    if (content === null) continue;
    mkdirSync(dirname(full), { recursive: true });
    const text = typeof content === 'string' ? content : undefined;
    if (text?.startsWith('-> ')) symlinkSync(text.slice(3), full);
    else {
      const isProgram = text?.startsWith('!') === true;
      writeFileSync(full, isProgram ? text!.slice(1) : content);
      chmodSync(full, isProgram ? 0o755 : 0o644);
    }
  }
}

/** Everything in the project but `.git` and `.teddy`, as `writeAll` takes it; folders end in a slash. */
export function readAllFiles(root: string, below = ''): Record<string, string> {
  const seen: Record<string, string> = {};
  for (const name of readdirSync(join(root, below)).sort()) {
    const path = below === '' ? name : `${below}/${name}`;
    if (path === '.git' || path === '.teddy') continue;
    const stats = lstatSync(join(root, path));
    if (stats.isSymbolicLink()) seen[path] = `-> ${readlinkSync(join(root, path))}`;
    else if (stats.isDirectory()) Object.assign(seen, { [`${path}/`]: '' }, readAllFiles(root, path));
    else seen[path] = `${stats.mode & 0o100 ? '!' : ''}${readFileSync(join(root, path), 'utf8')}`;
  }
  return seen;
}
