// A model is asked here: a system prompt and messages enter, the answer leaves as it comes, with what it cost and how
// it ended. Only this folder knows the AI SDK. Nothing is kept, and no key leaves but to the service that it is for.
export { withoutThought } from './answer-text.js';
export { createModelClient } from './client.js';
export { costOf, worstCostOf } from './cost.js';
export { modelSettings } from './settings.js';
export type { ModelAnswer, ModelClient, ModelMessage, ModelRequest, ModelSettings } from './types.js';
