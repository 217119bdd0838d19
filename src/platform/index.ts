// The doors to the machine: files, standard streams, clipboard, environment. Paths and bytes enter,
// plain values leave: a failure is a value with a reason, or `Unusable`. No room above this one
// imports a node built-in that has effects.

export { readClipboard, writeClipboard } from './clipboard.js';
export { checkClock, isoUtc, isoUtcMs, monotonicMs, now } from './clock.js';
export { type EditorEnd, findEditor, runEditor } from './editor.js';
export { errorCode } from './error-code.js';
export { type FileCall, type FileSeam, files, setFileSeam } from './file-calls.js';
export type { BytesRead, PathLook } from './files.js';
export {
  keepOwner,
  limitBytes,
  lookAt,
  MB,
  readBytes,
  realPath,
  refuseToWrite,
  replaceFile,
  writeFile,
} from './files.js';
export { findProgram } from './find-program.js';
export {
  closeQuietly,
  closing,
  type FileStats,
  Folder,
  isAbsent,
  isAlreadyThere,
  newFileMode,
  readAll,
  readText,
  writeAll,
  writeText,
} from './folder.js';
export { findUnfinished } from './git/busy.js';
export {
  type GitChange,
  type GitChanges,
  type GitHead,
  headCommit,
  listGitChanges,
} from './git/changes.js';
export { compareTrees, type EntryChange, SUBMODULE } from './git/entries.js';
export { type GitFiles, listBadNames, listGitFiles } from './git/files.js';
export { FolderCheck, type FolderDifferences } from './git/folder-check.js';
export { gatherWork } from './git/gather.js';
export { listIgnored } from './git/ignored.js';
export { type LandingMark, landCommit } from './git/land.js';
export { checkOut, mergeBranch } from './git/merge.js';
export type { GitRefusal } from './git/refusal.js';
export { mainWorktree } from './git/repository.js';
export { compareSnapshots, describeContent, type GitSnapshot, takeSnapshot } from './git/snapshot.js';
export { openRepository, openWorkTree, readGitVersion, WorkTree } from './git/work-tree.js';
export {
  addWorktree,
  fillWorktree,
  gitFolderOf,
  identifyWorktree,
  isSameWorktree,
  listWorktrees,
  type Nursery,
  removeWorktree,
  type WorktreeIdentity,
} from './git/worktrees.js';
export { type Fetched, type FetchOptions, fetchUrl } from './http/fetch-url.js';
export { openStream, type StreamAnswer } from './http/open-stream.js';
export { type JsonAnswer, type JsonRequest, requestJson } from './http/request-json.js';
export { newRunId, processId, randomId, sha256 } from './ids.js';
export { tryLock } from './kernel-lock.js';
export {
  homeFolders,
  sharedFolders,
  temporaryFolders,
  userTeddyFolders,
} from './machine-folders.js';
export { isOwn, isPrivate, refuseForeign, requireOwn } from './ownership.js';
export { type Cleared, endProcesses, type ProcessName } from './process/end.js';
export { isAlive, type ProcessMark } from './process/mark.js';
export { runProcess } from './process/run.js';
export type {
  OutputMask,
  OutputName,
  ProcessEnd,
  ProcessOptions,
  ProcessOutput,
  ProcessResult,
} from './process/types.js';
export { removeTree } from './remove-tree.js';
export { letOthersRun, sleep } from './sleep.js';
export { readStdin } from './stdin.js';
export { describeSystemError, explainSystemError } from './system-error.js';
export {
  commandLine,
  currentFolder,
  environment,
  environmentVariables,
  exit,
  isTerminal,
  onSignals,
  onUncaught,
  systemName,
  terminalWidth,
  userId,
  writeError,
  writeOutput,
} from './terminal.js';
export { decodeText, fromBase64, toBase64 } from './text.js';
export { openTty, type Tty, type TtySize } from './tty.js';
export { isUnusable, Unusable } from './unusable.js';
export { userKey } from './user-key.js';
export { readUserState, writeUserState } from './user-state.js';
export { answerParent, runInWorker } from './worker.js';
