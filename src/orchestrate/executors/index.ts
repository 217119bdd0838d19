// Whoever works on tasks. A prompt and a folder enter; how the attempt ended leaves, with the text that may be a result.
// Nothing here judges what an executor claims, and none of them throws.
export { chooseExecutorName, createExecutor, requireUsable } from './create-executor.js';
