// Text in, the same text out with every secret replaced by `[masked:xxxxxxxx]`: whole, in pieces, or in a value.
// Secrets are known by their shape, by the name they are given, or literally. Nothing here reads an environment,
// and nothing throws.
export { secretValues } from './environment.js';
export { createRedactor, type Redactor } from './redactor.js';
export { findSentinel } from './sentinel.js';
