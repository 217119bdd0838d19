// Sessions and their turns on disk. Texts and data enter and become files, each change as one commit; what is read was
// perhaps written by a stranger, and each refusal has its sentence. What the next turn begins with is worked out here,
// from what happened and nothing else. No model is asked, and no action carried out.
export { joinMessages } from './join-messages.js';
export { readSessionName, readTurnRef, turnFolder, turnId, turnName } from './names.js';
export { parseMeta } from './parse-meta.js';
export { openSessions, type Sessions } from './sessions.js';
export { type Spent, sumUp } from './spent.js';
export { startAfter } from './start-after.js';
export type { FullStart, KeptAnswer } from './turn-changes.js';
export type * from './types.js';
export { writeMeta } from './write-meta.js';
