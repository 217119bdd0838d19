// What stays from turn to turn, and how a turn comes to its plan: sessions and their turns as plain files, memos and
// context, what a model is told, and the model that is asked. Texts and data enter and leave; each refusal has its
// sentence. Nothing here carries a plan out, and no person is asked.
export { assembleInput } from './context/assemble-input.js';
export { mostCharacters } from './context/choose-resources.js';
export { bringsPath } from './context/context-file.js';
export { listProjectFiles } from './context/project-files.js';
export { countTokens } from './context/tokens.js';
export type * from './context/types.js';
export { describeCutOff, describeRefused, describeUnwanted, summarizeErrors } from './feedback.js';
export { readMemos } from './memos.js';
export * from './model/index.js';
export { projectState, sessionState } from './turn-state.js';
export * from './turns/index.js';
