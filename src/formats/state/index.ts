// STATE.md: what it says, and the same text with some of its fields changed. All other bytes stay as they are. Nothing
// here throws, and nothing here knows where the numbers come from.
export { phaseKey } from './by-phase.js';
export { formatDuration, formatDurationWords, formatProgress, readDuration } from './durations.js';
export { readCount } from './forms.js';
export { STATE_ISSUES, type StateIssueCode } from './issue-codes.js';
export { readState } from './read.js';
export type * from './types.js';
export { updateState } from './update.js';
