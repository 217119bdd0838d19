// STATE.md: what it says, and the same text with some of its fields changed. The order, the spelling and all that
// people wrote stay as they are. Nothing here throws, and nothing here knows where the numbers come from.
export { STATE_ISSUES, type StateIssueCode } from './issue-codes.js';
export type * from './types.js';
