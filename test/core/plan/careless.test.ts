import { readdirSync, readFileSync } from 'node:fs';
import { diffLines } from 'diff';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { labelAction, simulateAction } from '../../../src/core/plan/actions.js';
import { checkPlan } from '../../../src/core/plan/check.js';
import { readPlan, repairPlan } from '../../../src/core/plan/read.js';
import type { Plan } from '../../../src/core/plan/types.js';
import { MemoryTree, Overlay } from '../../../src/core/tree.js';

// Plans as models write them when they do not keep to the format. Each is either understood, and then does exactly what
// is written here, or refused with the true reason in its first error.

const FOLDER = new URL('./careless/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

/** Understood: what it does, and the warnings. Refused: the first error. */
type Expected = { does: string; warns?: string[] } | { refused: string };

const PROJECT: Record<string, string> = parse(read('project.yaml'));
const EXPECTED: Record<string, Expected> = parse(read('expected.yaml'));
const NAMES = readdirSync(FOLDER).flatMap((name) => (name.endsWith('.md') ? [name.slice(0, -3)] : []));

/** What `teddy validate` makes of a plan. */
function judge(text: string): Expected {
  const tree = new MemoryTree(PROJECT);
  const { plan, issues } = readPlan(text, tree);
  const all = [...issues, ...(plan ? checkPlan(plan, tree) : [])].sort(
    (a, b) => (a.line ?? 0) - (b.line ?? 0),
  );
  const error = all.find(({ severity }) => severity === 'error');
  if (error || !plan) return { refused: `line ${error?.line}: ${error?.message}` };
  const warns = all.map(({ code }) => code);
  return { does: describePlan(plan, tree), ...(warns.length > 0 && { warns }) };
}

function describePlan(plan: Plan, tree: MemoryTree): string {
  const overlay = new Overlay(tree);
  const changes = [
    `Rationale … ${lastLine(plan.rationale)}`,
    ...plan.activeContext.map(({ op, path }) => `Context [${op}] ${path}`),
    ...plan.memos.map(({ op, text }) => `Memo [${op}] ${text}`),
  ];
  const actions = plan.actions.flatMap((action) => {
    const result = simulateAction(action, overlay);
    const label = action.type === 'RESEARCH' ? action.queries.join(' | ') : labelAction(action);
    const cwd = action.type === 'EXECUTE' && action.cwd !== null ? ` (in ${action.cwd})` : '';
    const lines =
      action.type === 'READ' && action.lines ? ` lines ${action.lines.from}-${action.lines.to}` : '';
    if (result?.status !== 'written') return [`${action.type} ${label}${cwd}${lines}`];
    overlay.write(result.path, result.after);
    return [`${action.type} ${label}`, ...changedLines(result.before ?? '', result.after)];
  });
  return `${[...changes, ...actions].join('\n')}\n`;
}

/** The last line of the reasoning, to see that all of it was read. */
function lastLine(rationale: string): string {
  return rationale.trimEnd().split('\n').at(-1)!;
}

function changedLines(before: string, after: string): string[] {
  return diffLines(before, after).flatMap(({ added, removed, value }) => {
    if (!added && !removed) return [];
    const sign = added ? '+' : '-';
    return value
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => sign + line);
  });
}

test('every plan has its expectation, and there are sixty at the least', () => {
  expect(Object.keys(EXPECTED).sort()).toEqual(NAMES.toSorted());
  expect(NAMES.length).toBeGreaterThanOrEqual(60);
});

describe.each(NAMES)('%s', (name) => {
  const text = read(`${name}.md`);

  test('is understood, or refused with the true reason', () => {
    expect(judge(text)).toEqual(EXPECTED[name]);
  });

  test('is repaired once at the most', () => {
    const once = repairPlan(text);
    expect(repairPlan(once.text).text).toBe(once.text);
  });
});
