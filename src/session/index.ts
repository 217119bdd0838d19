// What stays from turn to turn: memos and context, as plain files in the user's project. Changes enter and are
// committed with the run that made them; what cannot be applied is told, and no model is asked here yet.
export { readMemos } from './memos.js';
export { projectState } from './turn-state.js';
