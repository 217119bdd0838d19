import { expect, test } from 'vitest';
import { MemoryTree } from '../../src/core/tree.js';
import { perform } from '../../src/runs/actions.js';
import type { NextTurn } from '../../src/runs/turn-state.js';
import { makeRunContext } from './run-context.js';

const action = {
  type: 'READ' as const,
  line: 1,
  metadata: {},
  resource: { kind: 'file' as const, target: 'a.md' },
  description: null,
  lines: null,
};

const nextTurn: NextTurn = {
  caller: null,
  refuseAgent: () => undefined,
  isInContext: () => false,
  mostCharacters: 1000,
  isModelInformed: true,
  keepPage: async () => undefined,
};

const read = (handsOver: boolean) =>
  perform(action, {
    number: 1,
    attempt: 1,
    reply: undefined,
    tree: new MemoryTree({ 'a.md': 'Honey\n' }),
    context: makeRunContext({ files: { 'a.md': 'Honey\n' } }),
    nextTurn,
    handsOver,
    isInContext: () => false,
    onProcess: () => {},
  });

test('what the next turn shows is not in the report', async () => {
  const done = await read(false);
  expect(done).toMatchObject({
    status: 'success',
    notes: ["The content is in the next turn's context, as far as its budget allows."],
  });
  expect(done.output).toBeUndefined();
});

test('where the plan hands over, the next turn has another context: the report has the content', async () => {
  const done = await read(true);
  expect(done).toMatchObject({ status: 'success', output: { text: 'Honey\n' } });
  expect(done.notes).toBeUndefined();
});
