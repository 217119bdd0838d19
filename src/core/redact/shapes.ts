import { addressMatchers } from './addresses.js';
import { assignmentMatchers } from './assignments.js';
import { commandMatchers } from './commands.js';
import type { Matcher } from './piece.js';
import { privateKeyMatcher } from './private-keys.js';
import { recordMatchers } from './records.js';
import { sentinelMatcher } from './sentinel.js';
import { tokenMatchers } from './tokens.js';

/** Everything that is known without being told. A sentinel comes before all. */
export const shapeMatchers: readonly Matcher[] = [
  sentinelMatcher,
  privateKeyMatcher,
  ...tokenMatchers,
  ...addressMatchers,
  ...recordMatchers,
  ...commandMatchers,
  ...assignmentMatchers,
];
