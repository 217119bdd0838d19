// Where attempts at tasks are made: each in a git worktree of its own, or all in the project. A task's name enters, a
// folder leaves, and what was done there comes back as one commit that can be verified before the branch moves. What a
// person has not committed is never written over, and what was not landed is kept as a patch.
export { isAmongIgnored } from './ignored.js';
export { canIsolate, type IsolationOptions, openIsolation } from './open-isolation.js';
export { listPaths } from './place-folder.js';
export type { Candidate, Changes, Isolation, Place } from './types.js';
