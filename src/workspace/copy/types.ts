/** A folder of the project, or of its repository, that a copy does not have itself. */
export interface LentFolder {
  /** From the root, `node_modules`. */
  path: string;
  /** The real folder, absolute. */
  from: string;
  /** Has `lower` (a link to `from`), `upper` and `work`: written files go there. Without it the folder is read-only. */
  overlay?: string;
  /** Caches within it, from `from`: where it is read-only they are empty and can be written. */
  caches: readonly string[];
  /** Files and folders in it that hold secrets, from `from`: they are covered. */
  hidden: readonly string[];
}

/** A copy of the project, on disk. All paths are absolute. */
export interface ProjectCopy {
  /** The project. */
  root: string;
  /** `.teddy/changes/<id>`, with `base.git` and `copy`. */
  folder: string;
  /** What an agent works in. */
  copy: string;
  /** The git tree of the base. */
  base: string;
  lent: readonly LentFolder[];
  /** Ignored files and folders that hold secrets and were not brought, from the root. */
  withheld: readonly string[];
  /** Whole sentences on what the copy does not have. */
  notes: readonly string[];
}

export type CopyResult = { status: 'ok'; copy: ProjectCopy } | { status: 'failed'; reason: string };
