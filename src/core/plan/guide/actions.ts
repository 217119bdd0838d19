import { fenceFor } from '../../markdown/fence.js';
import { ACTIONS, type Slot } from '../grammar.js';
import type { Action, ActionType } from '../types.js';
import { writeAction } from '../write.js';
import { ACTION_EXAMPLES, EXAMPLE_PLAN } from './examples.js';

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
export function describeActions(): string {
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
export function quoteMarkdown(text: string): string {
  const fence = fenceFor(text);
  return `${fence}markdown\n${text.trimEnd()}\n${fence}`;
}
