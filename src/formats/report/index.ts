// The record of a run, and its reports. A Run enters and Markdown leaves, or the other way round; nothing here reads a
// disk or a clock, and nothing is decided: a report says what the record says.
export { type ActionCounts, countActions, overallOf } from './overall.js';
export type * from './record.js';
