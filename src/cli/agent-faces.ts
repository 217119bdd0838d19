// What the commands about agents do. With all that it needs it is one part of the programs, which load it when one of
// them is called.
export { brief } from './agents/brief.js';
export { check } from './agents/check.js';
export { contextMap } from './agents/context-map.js';
export { decide } from './agents/decide.js';
export { listAgents } from './agents/list.js';
export { merge } from './agents/merge.js';
export { reduce } from './agents/reduce.js';
export { schema } from './agents/schema.js';
export { stats } from './agents/stats.js';
