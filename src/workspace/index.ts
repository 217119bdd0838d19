// The user's tree. A folder enters; its root, a read-only `Tree` over it and its memos leave. No path
// is followed out of the root, through whatever link, and nothing here writes.

export { readMemos } from './memos.js';
export { findRoot } from './root.js';
export { openTree } from './tree.js';
