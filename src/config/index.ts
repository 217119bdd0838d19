// What a project's own files say about how teddy is to work: config.yaml and policy.yaml enter, plain options and
// rules leave, or every problem with its line. Also whether this user has seen these files. Nothing here acts on them.

export { type CommandGlob, type CommandWord, readSimpleCommand } from './command.js';
export { type ConfigRead, DEFAULTS, parseConfig } from './config-file.js';
export { openDocument, readList, readMapping } from './document.js';
export { programLines, readGitPrograms } from './git-programs.js';
export {
  type Components,
  matchComponents,
  matchNames,
  matchPieces,
  type PathGlob,
  type Pieces,
  readPathGlob,
  type UrlGlob,
} from './glob.js';
export { type Init, initProject } from './init.js';
export { keyNames } from './key-names.js';
export { type PolicyRead, parsePolicy } from './policy-file.js';
export type { KeyPath, Problems } from './problems.js';
export { loadProject } from './project.js';
export { checkTrust, describeForTrust, isTrusted, type TrustCheck, trustProject } from './trust.js';
export type * from './types.js';
export { EXECUTOR_PRESETS, OWN_EXECUTORS } from './types.js';
