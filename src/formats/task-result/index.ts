// An executor's YAML: text in, a result and its issues out, each with its line; and the verdict on it, given the plan
// and the tree that it speaks of. Nothing here throws, whatever the bytes, and nothing is guessed by likeness.
export { RESULT_EXAMPLE } from './example.js';
export { fixResult } from './fix.js';
export { RESULT_ISSUES, type ResultIssueCode } from './issue-codes.js';
export { judgeResult, type ResultSubject } from './judge.js';
export { RESULT_LIMIT, readFields, readResult } from './read.js';
export type * from './types.js';
export { restoreTexts } from './unquoted.js';
export { saysNoTestRan } from './vacuous.js';
export { writeResult } from './write.js';
