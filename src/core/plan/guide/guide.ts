// How to write a plan, as a text for a model. It is made of the grammar's own table, of examples that are written as any
// plan is, and of rules that each come with plans that break them. Tests read all of it back through the parser.
import { writePlan } from '../write.js';
import { describeActions, quoteMarkdown } from './actions.js';
import { EXAMPLE_PLAN } from './examples.js';
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
