/** What is at a path. Paths are relative to the root, with `/`, without a leading one. */
export interface Stat {
  kind: 'file' | 'folder' | 'other';
}

export type TextRead =
  | { status: 'text'; text: string }
  | { status: 'missing' }
  /** It is there but cannot be read as text: `reason` completes the sentence "<path> …". */
  | { status: 'refused'; reason: string };

/**
 * A tree of files as checks and runs see it. Neither method throws. `text` gives the text with its
 * byte order mark and line endings as they are.
 */
export interface Tree {
  stat(path: string): Stat | undefined;
  text(path: string): TextRead;
  /** The path with every link resolved, in trees that have links: two names of one file have one real path. */
  real?(path: string): string;
  /** The machine that the tree is on; left out in trees that are on none. */
  readonly machine?: Machine;
}

/** What absolute paths mean on the machine around a tree. No method throws. */
export interface Machine {
  /** The same place as a path from the root, symlinks on the way followed; undefined if it is not inside the root. */
  insideRoot(absolute: string): string | undefined;
  exists(absolute: string): boolean;
  /** The home folder, if there is one. */
  readonly home: string | undefined;
  /** The home and temporary folders in every spelling, each with a name for messages: `your home folder`. */
  readonly places: readonly { path: string; name: string }[];
}

export function realPathIn(tree: Tree, path: string): string {
  return tree.real?.(path) ?? path;
}

/** A tree held in memory: a map of path to text. Folders exist where a path passes through them. */
export class MemoryTree implements Tree {
  private readonly files: ReadonlyMap<string, string>;
  private readonly folders = new Set<string>();

  constructor(files: Record<string, string> = {}) {
    this.files = new Map(Object.entries(files));
    for (const path of this.files.keys()) addFolders(this.folders, path);
  }

  stat(path: string): Stat | undefined {
    if (this.files.has(path)) return { kind: 'file' };
    return this.folders.has(path) ? { kind: 'folder' } : undefined;
  }

  text(path: string): TextRead {
    const text = this.files.get(path);
    if (text !== undefined) return { status: 'text', text };
    return this.folders.has(path) ? { status: 'refused', reason: 'is a folder' } : { status: 'missing' };
  }
}

/**
 * Changes over lazy reads of a tree. The same overlay is what checks run on, what a diff shows and
 * what a transaction stages, so that they cannot disagree.
 */
export class Overlay implements Tree {
  private readonly changes = new Map<string, string>();
  private readonly folders = new Set<string>();

  constructor(private readonly base: Tree) {}

  stat(path: string): Stat | undefined {
    if (this.changes.has(path)) return { kind: 'file' };
    if (this.folders.has(path)) return { kind: 'folder' };
    return this.base.stat(path);
  }

  text(path: string): TextRead {
    const text = this.changes.get(path);
    if (text !== undefined) return { status: 'text', text };
    if (this.folders.has(path)) return { status: 'refused', reason: 'is a folder' };
    return this.base.text(path);
  }

  real(path: string): string {
    return realPathIn(this.base, path);
  }

  write(path: string, text: string): void {
    this.changes.set(path, text);
    addFolders(this.folders, path);
  }

  /** The changed files, in the order in which they were first written. */
  changed(): ReadonlyMap<string, string> {
    return this.changes;
  }
}

function addFolders(folders: Set<string>, path: string): void {
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    folders.add(path.slice(0, slash));
  }
}

/** A file's new text, null for none. `reason` completes the sentence "<path> …". */
export type FileEdit =
  | { status: 'edited'; text: string | null; notApplied: string[] }
  | { status: 'refused'; reason: string };
