// How to write a plan, as a text for a model. It is made of the grammar's own table, of examples that are written as any
// plan is, and of rules that each come with plans that break them. Tests read all of it back through the parser.

import { fenceFor } from '../../markdown/lines.js';
import { ACTIONS, type Slot } from '../grammar.js';
import type { Action, ActionType } from '../types.js';
import { writeAction, writePlan } from '../write.js';
import { ACTION_EXAMPLES, EXAMPLE_PLAN } from './examples.js';
import { RULES, type RulePart } from './rules.js';

/** The same text at every call. */
export function planGuide(): string {
  const parts = [
    '# Turns and plans',
    TURNS,
    '## A whole plan',
    quoteMarkdown(writePlan(EXAMPLE_PLAN)),
    '## Rules',
    'A plan that breaks them can be refused as a whole; then it comes back to you with what is wrong.',
    listRules('shape'),
    'Each action:',
    listRules('actions'),
    'Paths:',
    listRules('paths'),
    'Edits:',
    listRules('edits'),
    '## The actions and their labels',
    describeActions(),
  ];
  return `${parts.join('\n\n')}\n`;
}

const TURNS = `You work in turns: you get an input, you answer with one plan, it is carried out, and the next input has the report.

- A person decides on each action, and may skip or change it. The report gives the reason, and what really happened. Go by it, not by your plan.
- What you READ, what a command prints and what a person replies you see in the next turn. Plan only what rests on what you see now, and end the plan where you have to look.
- Keep plans small: one step that a person can judge. What follows a failed action may not run.
- You remember only what the input holds. What must last goes into a memo (a fact, in one sentence) or a file.`;

function listRules(part: RulePart): string {
  return RULES.flatMap((each) => (each.part === part ? [`- ${each.rule}`] : [])).join('\n');
}

/** What an action does, and what its blocks or its message hold. */
const MEANINGS: Record<ActionType, { does: string; body: string | null }> = {
  CREATE: { does: 'makes a new file, and the folders above it', body: 'the whole file' },
  READ: { does: 'brings a file or a web page into your next input', body: null },
  EDIT: {
    does: 'changes places in a file',
    body: 'the text to look for, and what takes its place',
  },
  EXECUTE: { does: 'runs a shell command; the report has its output', body: 'the command' },
  RESEARCH: { does: 'searches the web; the report has what was found', body: 'a query each' },
  CHAT_WITH_USER: { does: 'says or asks something; the report has the reply', body: 'the message' },
  INVOKE: {
    does: 'hands the work to another agent, which sees your message and these resources, but not your context',
    body: 'what it is to do',
  },
  CONCLUDE: {
    does: 'hands the work back to the agent that invoked you, with your message and these resources',
    body: 'what came of it',
  },
  PRUNE: { does: 'takes a file or a web page out of your next inputs', body: null },
};

const SLOTS: Record<Slot, string> = {
  none: 'No body',
  one: 'One block',
  many: 'One block or more',
  pairs: 'Pairs of `FIND:` and `REPLACE:`, a block each',
  message: 'Free Markdown',
};

/** What each label stands for; null where its name says it. */
export const LABEL_NOTES: Readonly<Record<string, string | null>> = {
  'File Path': null,
  Resource: null,
  Description: null,
  Overwrite: '`true` replaces a file',
  Lines: 'such as `10-40`',
  'Expected Outcome': 'code spans in it are looked for in the output',
  cwd: 'a folder, no link',
  env: null,
  Timeout: '`90s` or `5m`',
  'Allow Failure': '`true` goes on if it fails',
  Agent: null,
  'Handoff Resources': null,
};

/** All nine, each with its labels, its body and an example; one that the whole plan shows already is not shown again. */
function describeActions(): string {
  return Object.values(ACTION_EXAMPLES).map(describeAction).join('\n\n');
}

function describeAction(example: Action): string {
  const { type } = example;
  const { does, body } = MEANINGS[type];
  const { labels, required, slot } = ACTIONS[type];
  const metadata = labels.map((label) => {
    const notes = [required.includes(label) ? 'required' : null, LABEL_NOTES[label] ?? null].filter(Boolean);
    return notes.length === 0 ? label : `${label} (${notes.join('; ')})`;
  });
  const lines = [
    `\`${type}\` ${does}.`,
    ...(metadata.length > 0 ? [`${metadata.join(', ')}.`] : []),
    `${SLOTS[slot]}${body === null ? '' : `: ${body}`}.`,
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
