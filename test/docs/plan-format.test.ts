import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkPlan } from '../../src/core/plan/check.js';
import { PLAN_ISSUES } from '../../src/core/plan/issues.js';
import { readPlan } from '../../src/core/plan/read.js';
import { MemoryTree } from '../../src/core/tree.js';
import { type Example, readExamples } from './page.js';
import { makeReadersFolder, runScript } from './shell.js';

// What is behind the opening fence of an example says how it is tested:
//
//   markdown                      a plan, or a part of one, without an issue
//   markdown expect: CODE CODE    with these issues, in this order; "warning CODE" where it is mostly an error
//   markdown whole …              tested as it is; any other is completed with the parts that it lacks
//   LANGUAGE file: PATH           a file of the project that the plans are checked against
//   js                            run; "// → text" stands behind what prints that text
const PAGE = 'docs/formats/plan.md';
const examples = readExamples(PAGE);

const files = examples.filter(({ note }) => note.startsWith('file: '));
const tree = new MemoryTree({
  'README.md': '# The shop\n',
  ...Object.fromEntries(files.map(({ note, text }) => [note.slice('file: '.length), text])),
});
const memos = parse(files.find(({ note }) => note.endsWith('memos.yaml'))!.text) as string[];

const plans = examples.filter(({ language }) => language === 'markdown');
describe.each(plans)('the plan at line $line', ({ text, note, lead }) => {
  const expected = /expect: (.+)/.exec(note)?.[1] ?? '';

  test(expected === '' ? 'has no issue' : `gives ${expected}`, () => {
    expect(issuesOf(note.startsWith('whole') ? text : complete(text))).toBe(expected);
  });

  test('gives only what the text before it says', () => {
    const codes = expected.split(' ').filter((word) => word in PLAN_ISSUES);
    expect(codes.filter((code) => !lead.includes(`\`${code}\``))).toEqual([]);
  });
});

test('every script prints what its comments say', () => {
  for (const { text, line } of examples.filter(isScript)) {
    const said = [...text.matchAll(/\/\/ → (.*)/g)].map((match) => `${match[1]}\n`).join('');
    expect(runScript(text, makeReadersFolder()), `line ${line}`).toBe(said);
  }
});

test('no example is left untested', () => {
  const tested = new Set([...plans, ...files, ...examples.filter(isScript)]);
  const others = examples.filter((example) => !tested.has(example));
  expect(others.map(({ line }) => line)).toEqual([]);
});

function isScript({ language, note }: Example): boolean {
  return language === 'js' && note === '';
}

/** The issues that `teddy validate` gives, as the page writes them. */
function issuesOf(text: string): string {
  const { plan, issues } = readPlan(text, tree);
  const found = plan === null ? issues : [...issues, ...checkPlan(plan, tree, { memos })];
  return found
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
    .map(({ code, severity }) => (severity === PLAN_ISSUES[code].severity ? code : `${severity} ${code}`))
    .join(' ');
}

const HEADER = `# An example
- **Status:** Green 🟢
- **Plan Type:** Example
- **Agent:** Writer
`;

const RATIONALE = `## Rationale
\`\`\`\`text
### 1. Synthesis
### 2. Justification
### 3. Expected Outcome
### 4. State Dashboard
\`\`\`\`
`;

/** A part of a plan, with what it needs around it to be a whole one. */
function complete(part: string): string {
  const [, title = HEADER, rest = ''] = /^(#\s?\w.*\n(?:- .*\n)*)?([\s\S]*)$/.exec(part)!;
  const rationale = rest.includes('## Rationale\n') ? '' : RATIONALE;
  const actions = rest.includes('## Action Plan\n') ? '' : '## Action Plan\n';
  const isAction = rest.trimStart().startsWith('### ');
  const body = isAction
    ? [actions, rest]
    : [rest, actions && `${actions}\n### \`CHAT_WITH_USER\`\nAgreed?\n`];
  return [title, rationale, ...body].filter((text) => text.trim() !== '').join('\n');
}
