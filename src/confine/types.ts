import type { LentFolder } from '../workspace/copy/types.js';

/** A file or folder of the machine, and where a confined program has it. */
export interface MountedPlace {
  from: string;
  at: string;
  writable: boolean;
}

/** The project itself, as a confined program has it where there is no copy. All paths are absolute and real. */
export interface ProjectView {
  /** The project's own path: there the program sees the project. */
  root: string;
  project: 'writable' | 'read-only';
  /** Over the project, in this order: a worktree, a git folder of its own. */
  places?: readonly MountedPlace[];
}

/** What a confined program sees and may write. All paths are absolute and real unless said otherwise. */
export interface Confinement extends Omit<ProjectView, 'project'> {
  /** The folder that is mounted at `root`; without it the project itself is, as `project` says. */
  copy?: string;
  project?: ProjectView['project'];
  /** Folders of the project that the copy does not have: dependencies, build caches. */
  lent?: readonly LentFolder[];
  /** What else it may write and what else it may not see: absolute, from `~/`, or from the root. */
  write?: readonly string[];
  hide?: readonly string[];
  network: boolean;
  /** The agent whose state folders it may write: `claude`, or the name of another program. */
  agent?: string;
  /** Agents write in an empty home folder, which is gone afterwards; for commands it is read-only. */
  home: 'private' | 'read-only';
  /** Whether the program has a pseudo-terminal of its own: if not, it gets a session without a terminal. */
  terminal: boolean;
}

export interface UnconfinedCommand {
  program: string;
  args: readonly string[];
  /** What starts it inside, such as a shell; by itself otherwise. */
  start?: (program: string, args: readonly string[]) => readonly string[];
  /** In the root, or anywhere that the program can see. */
  cwd: string;
  /** The whole environment. bubblewrap itself runs with it, so nothing in it may come from a plan. */
  env: Readonly<Record<string, string | undefined>>;
  /** Set for the program alone. Other users of the machine can read it: never for keys. */
  set?: Readonly<Record<string, string>>;
}

/** What to start instead. */
export interface ConfinedCommand {
  program: string;
  args: string[];
  env: Readonly<Record<string, string | undefined>>;
}

/** The programs that confine others, found outside the project. */
export interface ConfinementTools {
  bubblewrap: string;
  /** What mounts an overlay, if it is installed. */
  overlay?: { unshare: string; mount: string };
  /** An empty file: what a hidden one is seen as. */
  nothing: string;
  /** The file with the filter of system calls, if there is one for this processor. */
  filter?: string;
}

/** `cause` and `remedy` are sentences without their full stop. */
export type ConfinementCheck =
  | { available: true; tools: ConfinementTools }
  | { available: false; cause: string; remedy: string };
