// The user's tree. Paths that somebody wrote enter, and only what lies inside the root is read or changed:
// `Jail` finds it, `openTree` reads it, `Workspace` changes it, all of a commit or none. Whatever goes wrong
// is a value with a reason. Nothing here asks a person, runs a command or knows what a plan is.

export type { Change, CommitResult, Conflict } from './commit/change.js';
export { describeUncommitted } from './commit/describe.js';
export { sealOf } from './commit/log.js';
export type { Recovery } from './commit/recover.js';
export type { Incoming, Offered } from './incoming.js';
export { Jail, type Located, type Place } from './jail.js';
export { type LocatedFolder, locateFolder } from './locate.js';
export type { Lock } from './lock.js';
export type { FolderMove } from './move-folder.js';
export type { Growing } from './own-file.js';
export { findRoot } from './root.js';
export type { RunChange } from './run-changes.js';
export type { RunFolder } from './run-folder.js';
export { type RecordRead, RUN_RECORD, type RunNotes } from './runs.js';
export { hideFromGit } from './store.js';
export { lookTogether, openTree, type SteadyTree } from './tree.js';
export type { UndoResult } from './undo.js';
export type { Undone } from './undone.js';
export { UserTrees } from './user-trees.js';
export type { FileRead, View } from './view.js';
export {
  type CommitOptions,
  type MoveResult,
  type PruneResult,
  type Update,
  type UpdateResult,
  Workspace,
} from './workspace.js';
