// How to write a plan, as a text for a model: made from the grammar's own table, examples written as any plan is, and
// rules. Tests read all of it back through the parser, and break each rule.

import { fenceFor } from '../markdown/lines.js';
import { ACTION_TYPES, ACTIONS, hasEffect, type Slot, slotOf } from './actions.js';
import { HEADER_LABELS, RATIONALE_SECTIONS, SECTIONS, type SectionName } from './grammar.js';
import { ACTION_FIELDS } from './metadata.js';
import type { Action, ActionType, Plan } from './types.js';
import { writeAction, writePlan } from './write.js';

/** The same text at every call. */
export function planGuide(): string {
  const parts = [
    '# Turns and plans',
    TURNS,
    '## A whole plan',
    quoteMarkdown(writePlan(EXAMPLE_PLAN)),
    '## Rules',
    'A plan that breaks them can be refused; it comes back with the errors.',
    listRules(RULES.shape),
    'Each action:',
    listRules(RULES.actions),
    'Paths:',
    listRules(RULES.paths),
    'Edits:',
    listRules(RULES.edits),
    '## The actions and their labels',
    describeActions(),
  ];
  return `${parts.join('\n\n')}\n`;
}

const TURNS = `You work in turns: you get an input, you answer with one plan, teddy runs it, and the next input has the report.

- The user decides on each action, and may skip or change it. The report says why, and what really happened. Rely on it, not on the plan.
- You see what you READ, what a command prints and what the user replies in the next turn. Plan only what you can base on what you see now; end the plan where you need to look.
- Keep plans small: one step that the user can judge. Actions after a failure may be skipped.
- You remember only what the input contains. Put what must last into a memo (a fact, in one sentence) or a file.`;

function listRules(rules: Readonly<Record<string, string>>): string {
  return Object.values(rules)
    .map((rule) => `- ${rule}`)
    .join('\n');
}

const HEADER_NOTES: Record<(typeof HEADER_LABELS)[number], string> = {
  Status: 'the state of the work: Green 🟢, Yellow 🟡 or Red 🔴',
  'Plan Type': 'a word or two',
  Agent: 'your name',
};

const RATIONALE_NOTES: Record<(typeof RATIONALE_SECTIONS)[number], string> = {
  Synthesis: 'what the last report means',
  Justification: 'why this is the next step',
  'Expected Outcome': 'what comes next if it works, and if it fails',
  'State Dashboard': 'the state of the whole task',
};

const section = (name: SectionName) => `\`## ${name}\``;
const header = HEADER_LABELS.map((label) => `\`${label}\` (${HEADER_NOTES[label]})`).join(', ');
const thoughts = RATIONALE_SECTIONS.map((name, i) => `\`### ${i + 1}. ${name}\` (${RATIONALE_NOTES[name]})`);
const endings = ACTION_TYPES.filter((type) => hasEffect({ type }, 'hands-over')).map((type) => `\`${type}\``);

/** A sentence each for the model. The tests have plans that break them. */
export const RULES = {
  shape: {
    answer: 'Answer with the plan alone: no greeting, remark or fence around it.',
    title: 'Start with the title, the only `#` heading outside the blocks.',
    header: `Under the title: ${header}.`,
    sections: `Then ${SECTIONS.map(section).join(', ')}, in this order, each once. ${section('Active Context')} and ${section('Memos')} appear only if they change something.`,
    rationale: `${section('Rationale')} is one fenced block with, in this order, ${thoughts.join(', ')}.`,
    changes: `${section('Active Context')} (what your next input shows) and ${section('Memos')} are one fenced block each, one change per line: \`[+]\` adds, \`[-]\` removes; \` # \` starts a comment.`,
    memos: 'Remove a memo by its exact words. Do not add one twice.',
    actionPlan: `${section('Action Plan')} contains one or more actions, each under a \`###\` heading with its name in capitals between backticks. Nothing else is between them.`,
  },
  actions: {
    metadata:
      'First the metadata, each as `- **Label:** value`, with only the labels below. Never leave out a `Description`, which says why, or an `Expected Outcome`.',
    bodies: 'Then its blocks or message: none missing or empty, nothing else, no prompt before a command.',
    fences:
      'Open and close each block with more backticks than any run inside it: normally four, five around four.',
    endings: `${endings.join(' and ')} end the turn: nothing follows them. Invoke only agents that you know of, and conclude only if one invoked you.`,
  },
  paths: {
    paths:
      'Write a path only as a link from the project root, the same on both sides: `[src/limit.ts](/src/limit.ts)`. A web page is `[URL](URL)`.',
    places:
      'No path leads out of the root. Nothing is written under `.git`, `.teddy` or `.ultraplan`. A `File Path` is neither a folder nor a URL.',
    targets:
      '`CREATE` needs a path where nothing exists, unless `Overwrite` is `true`. `EDIT` and `READ` need a text file, `cwd` a folder. The effects of earlier actions count.',
  },
  edits: {
    pairs:
      'Each FIND is followed by a REPLACE that differs; an empty one deletes. Prefer small pairs; never a diff.',
    find: 'Copy FIND from the file as the input shows it: every character and line, no half words at its ends, never from memory.',
    whole: 'Write every line of a REPLACE and of a new file: "..." would be written as it is.',
    unique:
      'FIND is in the file exactly once: add neighbouring lines until it is. It is never the whole file.',
    masks: '`[masked:…]` in what you see stands for a secret. Never write it: change the lines around it.',
  },
};

const SLOTS: Record<Slot, string> = {
  none: 'No body',
  one: 'One block',
  many: 'One block or more',
  pairs: 'Pairs of `FIND:` and `REPLACE:`, a block each',
  message: 'Free Markdown',
};

/** All nine, each with its labels, its body and an example; one that the whole plan already shows is not repeated. */
function describeActions(): string {
  return Object.values(ACTION_EXAMPLES).map(describeAction).join('\n\n');
}

function describeAction(example: Action): string {
  const { type } = example;
  const { does, labels, holds } = ACTIONS[type];
  const metadata = labels.map((label) => {
    const { required, note } = ACTION_FIELDS[label];
    const notes = [required === undefined ? null : 'required', note].filter(Boolean);
    return notes.length === 0 ? label : `${label} (${notes.join('; ')})`;
  });
  const lines = [
    `\`${type}\` ${does}.`,
    ...(metadata.length > 0 ? [`${metadata.join(', ')}.`] : []),
    `${SLOTS[slotOf(type)]}${holds === null ? '' : `: ${holds}`}.`,
  ];
  const shown = EXAMPLE_PLAN.actions.includes(example);
  return shown
    ? `${lines.join(' ')} See the plan above.`
    : `${lines.join(' ')}\n\n${quoteMarkdown(writeAction(example))}`;
}

/** Markdown as an example in Markdown. */
function quoteMarkdown(text: string): string {
  const fence = fenceFor(text);
  return `${fence}markdown\n${text.trimEnd()}\n${fence}`;
}

const unwritten = { line: 0, metadata: {} };

/** Each action as a guide shows it. */
export const ACTION_EXAMPLES = Object.fromEntries(
  ACTION_TYPES.map((type) => [type, { ...unwritten, type, ...ACTIONS[type].example }]),
) as unknown as { [T in ActionType]: Extract<Action, { type: T }> };

const RATIONALE: Record<(typeof RATIONALE_SECTIONS)[number], string> = {
  Synthesis: 'The new test fails as it should: five wrong passwords leave the account open.',
  Justification: 'One comparison in src/limit.ts decides it, and the input shows it.',
  'Expected Outcome':
    'All tests pass; docs/login.md is next. If one fails, the next plan looks into that one.',
  'State Dashboard': '- Failing test: done\n- Fix: this plan\n- Docs: next',
};

/** A whole plan, of a middle turn. */
export const EXAMPLE_PLAN: Plan = {
  title: 'Lock an account at the fifth wrong password',
  metadata: { Status: 'Green 🟢', 'Plan Type': 'Implementation', Agent: 'developer' },
  rationale: RATIONALE_SECTIONS.map((name, i) => `### ${i + 1}. ${name}\n${RATIONALE[name]}\n`).join('\n'),
  activeContext: [
    { op: '+', path: 'docs/login.md', comment: 'corrected next', line: 0 },
    { op: '-', path: 'README.md', comment: null, line: 0 },
  ],
  memos: [
    {
      op: '+',
      text: 'An account is locked at the fifth wrong password.',
      comment: 'the user decided',
      line: 0,
    },
    { op: '-', text: 'Accounts are never locked.', comment: null, line: 0 },
  ],
  actions: [
    ACTION_EXAMPLES.EDIT,
    {
      ...unwritten,
      type: 'EXECUTE',
      description: 'See that the new test passes, and all others.',
      expectedOutcome: 'Exit code 0, and `12 passed`.',
      cwd: null,
      env: {},
      command: 'npm test\n',
      timeout: null,
      allowFailure: false,
    },
  ],
};
