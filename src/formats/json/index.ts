// JSON, strictly: text in, plain values out, or one problem with its place; and JSON Schema 2020-12, which a value keeps or
// not. A schema may come from a stranger as well as a text may: no code is made of it, its patterns take linear time.
// Nothing here throws, whatever the bytes.
export { findJson } from './find.js';
export { writePath } from './path.js';
export { readJson } from './read.js';
export { compileSchema } from './schema/compile.js';
export { describeFault } from './schema/describe.js';
export type * from './schema/types.js';
export type * from './types.js';
export { isJsonObject, jsonEquals } from './values.js';
