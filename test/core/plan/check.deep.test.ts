import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkPlan } from '../../../src/core/plan/check.js';
import { applyEdit } from '../../../src/core/plan/edit/apply.js';
import { findEdit, isWholeFile } from '../../../src/core/plan/edit/match.js';
import type { Action, CreateAction, EditAction, Plan, ReadAction } from '../../../src/core/plan/types.js';
import { MemoryTree } from '../../../src/core/tree.js';
import { SOAK } from '../../workspace/faults/random.js';

type Files = Record<string, string>;

const path = fc.constantFrom('a', 'b', 'd/a', 'd/e/b');
const word = fc.constantFrom('a', 'b', 'ab', 'x = 1', 'max = 1', '', ' a', 'a ');
const lines = fc.array(word, { maxLength: 4 });
const content = lines.map((all) => all.map((line) => `${line}\n`).join(''));
const common = { metadata: fc.constant({}), description: fc.constant('d'), line: fc.constant(1) };

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record<CreateAction>({ ...common, type: fc.constant('CREATE'), path, content, overwrite: fc.boolean() }),
  fc.record<EditAction>({
    ...common,
    type: fc.constant('EDIT'),
    path,
    edits: fc.array(
      fc.record({
        find: lines.map((all) => all.join('\n')).filter((text) => text !== ''),
        replace: lines.map((all) => all.join('\n')),
        line: fc.constant(1),
      }),
      { minLength: 1, maxLength: 2 },
    ),
  }),
  fc.record<ReadAction>({
    ...common,
    type: fc.constant('READ'),
    resource: path.map((target) => ({ kind: 'file' as const, target })),
    lines: fc.constant(null),
  }),
);
const files = fc.dictionary(fc.constantFrom('a', 'b', 'd/a'), content);

test('predicts the first action that really fails, and nothing when none does', () => {
  let failed = 0;
  let passed = 0;
  fc.assert(
    fc.property(fc.array(action, { minLength: 1, maxLength: 6 }), files, (actions, before) => {
      const first = carryOut(actions, before);
      const errors = checkPlan(planOf(actions), new MemoryTree(before)).filter(
        ({ severity }) => severity === 'error',
      );
      const predicted = Math.min(...errors.map((issue) => issue.action!));
      expect(predicted).toBe(first ?? Number.POSITIVE_INFINITY);
      if (first === undefined) passed++;
      else failed++;
    }),
    { numRuns: SOAK ? 20_000 : 1000 },
  );
  expect(Math.min(failed, passed)).toBeGreaterThan(100);
});

test('after an EXECUTE nothing but a warning, until the plan itself says what a file holds', () => {
  const execute: Action = {
    type: 'EXECUTE',
    line: 1,
    metadata: {},
    description: 'd',
    expectedOutcome: 'o',
    cwd: null,
    env: {},
    command: 'ls\n',
    timeout: null,
    allowFailure: false,
  };
  fc.assert(
    fc.property(fc.array(action, { minLength: 1, maxLength: 5 }), files, (actions, before) => {
      const written = new Set<string>();
      const known = actions.map((step) => {
        const target = step.type === 'READ' ? step.resource.target : 'path' in step ? step.path : '';
        const isKnown = written.has(target);
        if (step.type === 'CREATE' || step.type === 'EDIT') written.add(target);
        return isKnown;
      });
      for (const issue of checkPlan(planOf([execute, ...actions]), new MemoryTree(before))) {
        if (!known[issue.action! - 2]) expect(issue.severity).toBe('warning');
      }
    }),
    { numRuns: SOAK ? 5000 : 400 },
  );
});

function planOf(actions: Action[]): Plan {
  return { title: 't', metadata: {}, rationale: 'r\n', activeContext: [], memos: [], actions };
}

/** Does what the actions say, and gives the number of the first that cannot be done. */
function carryOut(actions: Action[], before: Files): number | undefined {
  const tree: Files = { ...before };
  for (const [i, step] of actions.entries()) {
    if (!carryOutOne(step, tree)) return i + 1;
  }
  return undefined;
}

function carryOutOne(step: Action, tree: Files): boolean {
  const isFolder = (target: string) => Object.keys(tree).some((held) => held.startsWith(`${target}/`));
  switch (step.type) {
    case 'CREATE': {
      const parents = step.path.split('/').map((_, i, parts) => parts.slice(0, i).join('/'));
      if (parents.some((parent) => parent in tree) || isFolder(step.path)) return false;
      if (step.path in tree && !step.overwrite && tree[step.path] !== step.content) return false;
      tree[step.path] = step.content;
      return true;
    }
    case 'READ':
      return step.resource.target in tree;
    case 'EDIT': {
      const text = editText(step, tree[step.path]);
      if (text === undefined) return false;
      tree[step.path] = text;
      return true;
    }
    default:
      return true;
  }
}

function editText({ edits }: EditAction, before: string | undefined): string | undefined {
  let text = before;
  for (const { find, replace } of edits) {
    if (text === undefined || isWholeFile(text, find)) return undefined;
    const match = findEdit(text, find, replace);
    if (match.status !== 'found') return undefined;
    const applied = applyEdit(text, match, find, replace);
    text = applied.status === 'applied' ? applied.text : undefined;
  }
  return text;
}
