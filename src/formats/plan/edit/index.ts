// One matcher for checks and runs alike. Enters: a file's text, a FIND and a REPLACE. Leaves: one place, or
// why there is none. Nothing is ever applied by similarity, and bytes outside the place never change.
export { type AppliedEdit, applyEdit } from './apply.js';
export { FileText, FileTexts } from './file-text.js';
export { type EditMatch, type EditTier, type FoundEdit, findEdit, findEditIn, isWholeFile } from './match.js';
export { describeMiss, type EditMiss } from './miss.js';
