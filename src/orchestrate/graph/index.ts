// Tasks in their order. The facts of a project enter; a graph leaves that says what can begin, what waits for what and
// what is left behind, or the problems because of which there is no order. Nothing is read or written here.
export { buildGraph } from './build-graph.js';
export { type GraphUpdate, TaskGraph } from './task-graph.js';
export type * from './types.js';
