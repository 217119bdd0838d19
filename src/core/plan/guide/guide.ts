// How to write a plan, as a text for a model. It is made of the grammar's own table, of examples that are written as any
// plan is, and of rules that each come with plans that break them. Tests read all of it back through the parser.

import { fenceFor } from '../../markdown/lines.js';
import { ACTIONS, type Slot, slotOf } from '../actions.js';
import { ACTION_FIELDS } from '../fields.js';
import type { Action } from '../types.js';
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

const SLOTS: Record<Slot, string> = {
  none: 'No body',
  one: 'One block',
  many: 'One block or more',
  pairs: 'Pairs of `FIND:` and `REPLACE:`, a block each',
  message: 'Free Markdown',
};

/** All nine, each with its labels, its body and an example; one that the whole plan shows already is not shown again. */
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
