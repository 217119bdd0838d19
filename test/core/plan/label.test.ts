import { expect, test } from 'vitest';
import { labelAction } from '../../../src/core/plan/actions.js';
import type { Action } from '../../../src/core/plan/types.js';

const base = { line: 1, metadata: {} };

test.each<[string, Action, string]>([
  [
    'a message in a fence: its first line, not the fence',
    { ...base, type: 'CHAT_WITH_USER', message: '```text\nWhich one?\n\n1. this\n```' },
    'Which one? (2 more lines)',
  ],
  [
    'queries that share a block: the first one',
    { ...base, type: 'RESEARCH', description: null, queries: ['sum of floats\nrounding\n', 'cents'] },
    'sum of floats (2 more queries)',
  ],
  ['a message of one line', { ...base, type: 'CHAT_WITH_USER', message: 'Done.' }, 'Done.'],
])('%s', (_, action, label) => {
  expect(labelAction(action)).toBe(label);
});
