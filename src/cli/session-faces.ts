// What the commands about sessions do. With all that it needs it is one part of the program, which loads it when one of
// them is called.
export { context } from './sessions/context.js';
export { diff } from './sessions/diff.js';
export { executeInSession } from './sessions/execute-turn.js';
export { getPrompt } from './sessions/get-prompt.js';
export { glanceAtSession, type SessionGlance } from './sessions/glance.js';
export { history } from './sessions/history.js';
export { memos } from './sessions/memos.js';
export { beginSession } from './sessions/new.js';
export { plan } from './sessions/plan.js';
export { resume } from './sessions/resume.js';
export { sessions } from './sessions/sessions.js';
