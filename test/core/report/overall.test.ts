import { expect, test } from 'vitest';
import type { ActionRecord, StateChangeRecord } from '../../../src/core/report/record.js';
import { overallOf } from '../../../src/core/report/record.js';

type Word = 'success' | 'failure' | 'not-run' | 'skipped';

const decision = (word: string) =>
  word === 'skipped'
    ? ({ status: 'skipped', by: 'person', reason: null } as const)
    : ({ status: 'approved', by: 'person' } as const);

const action = (word: Word): ActionRecord => ({
  type: 'READ',
  line: 1,
  metadata: {},
  decision: decision(word),
  outcome: word === 'success' || word === 'failure' ? { status: word, summary: 's' } : { status: 'not-run' },
});

const memos = (word: 'applied' | 'not applied' | 'skipped'): StateChangeRecord => ({
  section: 'Memos',
  changes: '[+] a\n',
  decision: decision(word),
  notApplied: word === 'not applied' ? ['There is no such memo.'] : [],
});

test.each<[string, Word[], Parameters<typeof memos>[0][], string]>([
  ['all of it succeeded', ['success', 'success'], ['applied'], 'Completed'],
  ['a skipped memo beside actions that succeeded', ['success', 'success'], ['skipped'], 'Partial'],
  ['a memo that failed beside actions that succeeded', ['success'], ['not applied'], 'Partial'],
  ['an applied memo, and nothing else', ['skipped'], ['applied'], 'Partial'],
  ['an action that was approved, and not reached', ['success', 'not-run'], [], 'Partial'],
  ['nothing succeeded', ['failure', 'skipped'], ['skipped'], 'Failed'],
  ['nothing approved', ['skipped'], ['skipped'], 'Skipped'],
])('%s', (_, actions, changes, overall) => {
  const run = { refused: false, stateChanges: changes.map(memos), actions: actions.map(action) };
  expect(overallOf(run)).toBe(overall);
  expect(overallOf({ ...run, refused: true })).toBe('Failed');
});
