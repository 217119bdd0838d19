// STATE.md: what it says, and the same text with some of its fields changed. The order, the spelling and all that
// people wrote stay as they are. Nothing here throws, and nothing here knows where the numbers come from.
export { formatDuration, formatDurationWords, formatProgress } from './durations.js';
export { STATE_ISSUES, type StateIssueCode } from './issue-codes.js';
export { readState } from './read.js';
export type * from './types.js';
export { updateState } from './update.js';
