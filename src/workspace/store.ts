import { closing, Folder, files, isAlreadyThere, randomId, writeText } from '../platform/index.js';

/** What of `.teddy` is the machine's and not the project's. */
const IGNORED = '/lock\n/tx/\n/runs/\n/turn.context\n';

/**
 * The tool's own folder in a root: `.teddy`, with `tx` for changes under way. Made on first use, `tx` for
 * this user's eyes alone.
 */
export class Store {
  private constructor(
    readonly folder: Folder,
    readonly tx: Folder,
  ) {}

  static open(root: string): Store {
    const base = Folder.open(root);
    try {
      makeFolder(base, '.teddy', 0o777);
      const folder = base.openFolder('.teddy');
      try {
        if (makeFolder(folder, 'tx', 0o700)) folder.sync();
        // Written last, it stands for all of this being on disk.
        if (folder.lstat('.gitignore') === undefined) {
          base.sync();
          writeIgnore(folder);
        }
        return new Store(folder, folder.openFolder('tx'));
      } catch (error) {
        folder.close();
        throw error;
      }
    } finally {
      base.close();
    }
  }

  close(): void {
    this.tx.close();
    this.folder.close();
  }
}

/** True when it was not there before. */
export function makeFolder(parent: Folder, name: string, mode: number): boolean {
  if (parent.lstat(name) !== undefined) return false;
  try {
    parent.makeFolder(name, mode);
    return true;
  } catch (error) {
    if (isAlreadyThere(error)) return false;
    throw error;
  }
}

function writeIgnore(folder: Folder): void {
  const part = `.gitignore-${randomId(8)}`;
  closing(folder.create(part, 0o644), (file) => {
    writeText(file, IGNORED);
    files.sync(file);
  });
  folder.rename(part, folder, '.gitignore');
  folder.sync();
}
