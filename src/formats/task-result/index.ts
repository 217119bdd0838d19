// An executor's YAML: text in, a result and its issues out, each with its line; and the verdict on it, given the plan
// and the tree that it speaks of. Nothing here throws, whatever the bytes, and nothing is guessed by likeness.
export { RESULT_ISSUES, type ResultIssueCode } from './issue-codes.js';
export type * from './types.js';
