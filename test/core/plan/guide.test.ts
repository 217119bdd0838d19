import { describe, expect, test } from 'vitest';
import { fenceText, scanBlocks } from '../../../src/core/markdown/blocks.js';
import { splitLines } from '../../../src/core/markdown/lines.js';
import { ACTIONS } from '../../../src/core/plan/actions.js';
import { checkPlan } from '../../../src/core/plan/check.js';
import { HEADER_LABELS, RATIONALE_SECTIONS, SECTIONS } from '../../../src/core/plan/grammar.js';
import { ACTION_EXAMPLES, EXAMPLE_PLAN, planGuide, RULES } from '../../../src/core/plan/guide.js';
import { PLAN_ISSUES, type PlanIssueCode } from '../../../src/core/plan/issues.js';
import { ACTION_FIELDS, type FieldLabel } from '../../../src/core/plan/metadata.js';
import { parsePlan } from '../../../src/core/plan/parse/parse.js';
import { readAction, readPlan } from '../../../src/core/plan/read.js';
import type { Action, ActionType, Plan, PlanIssue } from '../../../src/core/plan/types.js';
import { writeAction, writePlan } from '../../../src/core/plan/write.js';
import { MemoryTree } from '../../../src/core/tree.js';
import { meaningOf } from './arbitrary-plan.js';
import { BREACHES, EXAMPLE_FILES, EXAMPLE_MEMOS } from './guide-breaches.js';

// What a model is told, held against the parser: whoever changes one of them without the other fails here.

const guide = planGuide();
const lines = splitLines(guide);
const blocks = scanBlocks(lines);
const [wholePlan = '', ...actionTexts] = blocks.flatMap((block) =>
  block.type === 'fence' ? [fenceText(lines, block)] : [],
);
/** The guide without its examples. */
const prose = blocks.flatMap((block) =>
  block.type === 'fence' ? [] : [guide.slice(lines.starts[block.at], lines.ends[block.end - 1])],
);

const TYPES = Object.keys(ACTIONS) as ActionType[];
const LABELS = [...new Set(Object.values(ACTIONS).flatMap(({ labels }) => labels))];

function isRequired(label: FieldLabel): boolean {
  return ACTION_FIELDS[label].required !== undefined;
}

function predict(plan: Plan | null, caller: string | null): PlanIssue[] {
  const refuseAgent = (name: string) =>
    name === ACTION_EXAMPLES.INVOKE.agent ? undefined : `There is no ${name}.`;
  const facts = { memos: EXAMPLE_MEMOS, session: { refuseAgent, caller } };
  return plan ? checkPlan(plan, new MemoryTree(EXAMPLE_FILES), facts) : [];
}

describe('the examples', () => {
  test('the whole plan is one, strictly, and would succeed', () => {
    expect(readPlan(wholePlan)).toMatchObject({ repairs: [], issues: [] });
    const { plan, issues } = parsePlan(wholePlan);
    expect(issues).toEqual([]);
    expect(meaningOf(plan)).toEqual(meaningOf(EXAMPLE_PLAN));
    expect(plan!.metadata).toEqual(EXAMPLE_PLAN.metadata);
    expect(writePlan(plan!)).toBe(wholePlan);
    expect(predict(plan, 'architect')).toEqual([]);
  });

  test('the whole plan has every section', () => {
    for (const section of SECTIONS) expect(wholePlan).toContain(`\n## ${section}\n`);
  });

  test.each(TYPES)('%s is shown, strictly, and would succeed', (type) => {
    const shown = [...readPlan(wholePlan).plan!.actions, ...actionTexts.map(actionOf)];
    const meanings = shown.map((action) => JSON.stringify(meaningOf({ ...EXAMPLE_PLAN, actions: [action] })));
    const plan = { ...EXAMPLE_PLAN, actions: [ACTION_EXAMPLES[type]] };
    expect(meanings).toContain(JSON.stringify(meaningOf(plan)));
    expect(predict(plan, 'architect')).toEqual([]);
  });

  test('every fence is longer than what it holds', () => {
    for (const block of blocks) {
      if (block.type !== 'fence') continue;
      const longest = Math.max(...[...fenceText(lines, block).matchAll(/`+/g)].map(([run]) => run.length));
      expect(block.mark.length).toBeGreaterThan(longest);
    }
  });

  function actionOf(text: string): Action {
    const { action, issues } = readAction(text);
    expect(issues).toEqual([]);
    return action!;
  }
});

const SENTENCES: Record<string, string> = {
  ...RULES.shape,
  ...RULES.actions,
  ...RULES.paths,
  ...RULES.edits,
};

describe.each(Object.entries(BREACHES))('%s', (name, breaches) => {
  test.each(Object.entries(breaches) as [PlanIssueCode, (plan: string) => string][])(
    'else: %s',
    (code, breach) => {
      const example = writePlan(EXAMPLE_PLAN);
      expect(breach(example)).not.toBe(example);
      const { plan, issues } = readPlan(breach(example), new MemoryTree(EXAMPLE_FILES));
      const found = [...issues, ...predict(plan, null)];
      // A breach of a rule that only warns is no error of another kind.
      const errors = found.filter(({ severity }) => severity === 'error');
      const codes = (PLAN_ISSUES[code].severity === 'error' ? errors : found).map((issue) => issue.code);
      // Without its link a path has these issues in addition to the one that it is about.
      expect(codes.filter((each) => each === code || each !== 'path-style')[0]).toBe(code);
      expect(errors.length === 0).toBe(PLAN_ISSUES[code].severity !== 'error');
    },
  );

  test('stands in the guide', () => {
    expect(guide).toContain(`\n- ${SENTENCES[name]}\n`);
  });
});

test('no error is left out that a plan can have', () => {
  const told = new Set(Object.values(BREACHES).flatMap((breaches) => Object.keys(breaches)));
  const errors = Object.entries(PLAN_ISSUES).filter(([, { severity }]) => severity === 'error');
  // Repair closes every block, or calls it ambiguous.
  expect(errors.map(([code]) => code).filter((code) => !told.has(code))).toEqual(['fence-unclosed']);
});

describe('the grammar', () => {
  test.each(TYPES)('%s is described with its labels, and with those that it needs', (type) => {
    const described = prose.filter((text) => text.startsWith(`\`${type}\` `));
    expect(described).toHaveLength(1);
    const { labels } = ACTIONS[type];
    const required = labels.filter(isRequired);
    for (const label of labels) expect(described[0]).toMatch(new RegExp(`(?:\\. |, )${label}(?= \\(|[,.])`));
    for (const label of LABELS.filter((each) => !labels.includes(each)))
      expect(described[0]).not.toMatch(new RegExp(`(?:\\. |, )${label}(?= \\(|[,.])`));
    expect(labels.filter((label) => described[0]!.includes(`${label} (required`))).toEqual(required);
  });

  const shownLabels = TYPES.flatMap((type) =>
    ACTIONS[type].labels
      .filter((label) => writeAction(ACTION_EXAMPLES[type]).includes(`- **${label}:**`))
      .map((label): [ActionType, FieldLabel] => [type, label]),
  );
  test.each(shownLabels)('%s without its %s is an error exactly if the guide says so', (type, label) => {
    // With the nested list that belongs to it.
    const line = new RegExp(`- \\*\\*${label}:.*\\n(?: +- .*\\n)*`);
    const { issues } = readAction(writeAction(ACTION_EXAMPLES[type]).replace(line, ''));
    const errors = issues.flatMap(({ severity, code }) => (severity === 'error' ? [code] : []));
    expect(errors).toEqual(isRequired(label) ? ['metadata-missing'] : []);
  });

  test('nothing of it is without its words', () => {
    expect(guide).not.toContain('undefined');
  });

  test('every label is one of an action', () => {
    expect(Object.keys(ACTION_FIELDS).sort()).toEqual(LABELS.toSorted());
  });

  test.each([...SECTIONS.map((name) => `\`## ${name}\``), ...HEADER_LABELS.map((label) => `\`${label}\` (`)])(
    '%s is told of',
    (name) => {
      expect(prose.join('\n')).toContain(name);
    },
  );

  test.each(RATIONALE_SECTIONS.map((name, i) => `### ${i + 1}. ${name}`))('%s is told of', (heading) => {
    expect(prose.join('\n')).toContain(`\`${heading}\` (`);
    expect(wholePlan).toContain(`\n${heading}\n`);
  });

  test('nothing else is named', () => {
    const known = new Set<string>([
      ...[...TYPES, ...LABELS, ...HEADER_LABELS, 'FIND:', 'REPLACE:'],
      ...SECTIONS.map((name) => `## ${name}`),
      ...RATIONALE_SECTIONS.map((name, i) => `### ${i + 1}. ${name}`),
    ]);
    // How things are written, and no names of anything.
    const forms = ['#', '###', ' # ', '[+]', '[-]', '- **Label:** value', '[URL](URL)', '[masked:…]'];
    const values = ['true', '10-40', '90s', '5m', '[src/limit.ts](/src/limit.ts)'];
    const places = ['.git', '.teddy', '.ultraplan'];
    const spans = [...prose.join('\n').matchAll(/`([^`\n]+)`/g)].map((match) => match[1]!);
    expect(
      spans.filter((span) => !known.has(span) && ![...forms, ...values, ...places].includes(span)),
    ).toEqual([]);
    const capitals = [...prose.join('\n').matchAll(/\b[A-Z][A-Z_]{2,}\b/g)].map(([word]) => word);
    expect(capitals.filter((word) => !known.has(word) && !['FIND', 'REPLACE', 'URL'].includes(word))).toEqual(
      [],
    );
    const described = prose.flatMap((text) => /^`([A-Z_]+)` /.exec(text)?.[1] ?? []);
    expect(described).toEqual(TYPES);
  });
});

test('the guide is short, and the same every time', () => {
  expect(Math.ceil(guide.length / 4)).toBeGreaterThan(1200);
  expect(Math.ceil(guide.length / 4)).toBeLessThanOrEqual(1800);
  expect(planGuide()).toBe(guide);
});
