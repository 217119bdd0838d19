import { join } from 'node:path';
import type { ShownCall } from '../../core/acp/agent-messages.js';
import { fenceFor } from '../../core/markdown/lines.js';
import { labelAction } from '../../core/plan/actions.js';
import { findLookalikes } from '../../core/plan/lookalikes.js';
import type { Action } from '../../core/plan/types.js';
import type { ActionRecord, Captured } from '../../core/report/record.js';
import { shortenCounted, visibleLine } from '../../core/text.js';
import {
  type ActionQuestion,
  describeRecipient,
  type FileQuestion,
  proposedText,
  type Question,
} from '../../review/question.js';
import { visible } from '../cli/output.js';

// Questions and outcomes as an editor shows them. What others wrote is fenced: it stays text, and is shown to the end.

const KINDS: Record<Action['type'], ShownCall['kind']> = {
  CREATE: 'edit',
  EDIT: 'edit',
  READ: 'read',
  PRUNE: 'other',
  EXECUTE: 'execute',
  RESEARCH: 'fetch',
  CHAT_WITH_USER: 'other',
  INVOKE: 'other',
  CONCLUDE: 'other',
};

/** `id` is the same for as long as it is the same action. */
export function callOf(question: Question, id: string, root: string): ShownCall {
  const base = { id, status: 'pending' as const };
  if (question.kind === 'state') {
    const { section, changes } = question;
    return { ...base, kind: 'other', title: section, files: [], diff: null, text: fenced(changes) };
  }
  const proposed = proposedText(question);
  const diff = proposed && {
    path: join(root, proposed.path),
    before: proposed.before === null ? null : visible(proposed.before),
    after: visible(proposed.after),
  };
  const isUnchanged = proposed !== undefined && proposed.before === proposed.after;
  const isDeleted = question.kind === 'file' && question.type === 'DELETE';
  return {
    ...base,
    kind: question.kind === 'file' ? (isDeleted ? 'delete' : 'edit') : KINDS[question.action.type],
    title: titleOf(question),
    files: filesOf(question).map((path) => join(root, path)),
    diff: diff && !isUnchanged ? diff : null,
    text: (question.kind === 'file' ? fileFacts(question) : actionFacts(question, isUnchanged)).join('\n\n'),
  };
}

function titleOf(question: ActionQuestion | FileQuestion): string {
  const { modified } = question;
  const what =
    question.kind === 'file'
      ? `${question.type} ${question.path}`
      : `${question.action.type} ${labelAction(question.action)}`;
  return `${visibleLine(what)}${modified ? ' (as you edited it)' : ''}`;
}

function filesOf(question: ActionQuestion | FileQuestion): string[] {
  if (question.kind === 'file') return [question.path];
  const { action } = question;
  if ('path' in action) return [action.path];
  return 'resource' in action && action.resource.kind === 'file' ? [action.resource.target] : [];
}

function actionFacts(question: ActionQuestion, isUnchanged: boolean): string[] {
  const { action, preview, risks } = question;
  const facts: string[] = [];
  if (preview.kind === 'will-fail') facts.push(`**Will fail:**\n${fenced(preview.reasons.join('\n\n'))}`);
  for (const message of [...risks.map((risk) => risk.message), ...findLookalikes(action)])
    facts.push(`**Note:** ${code(message)}`);
  if (isUnchanged) facts.push('Nothing would change.');
  if (preview.kind === 'write' && preview.matched !== null) facts.push(`Found: ${code(preview.matched)}`);
  if ('description' in action && action.description !== null) facts.push(fenced(action.description));
  if ('command' in action) {
    if (action.cwd !== null) facts.push(`In the folder ${code(action.cwd)}`);
    for (const [name, value] of Object.entries(action.env)) facts.push(`With ${code(`${name}=${value}`)}`);
    if (action.allowFailure) facts.push('Its failure does not stop the run.');
    if (action.expectedOutcome !== null) facts.push(`It expects:\n${fenced(action.expectedOutcome)}`);
    facts.push(fenced(action.command, 'sh'));
  }
  if ('queries' in action) facts.push(fenced(action.queries.join('\n')));
  if ('resource' in action) facts.push(code(action.resource.target));
  if (preview.kind === 'hands-back') facts.push(`To: ${code(describeRecipient(preview))}`);
  if ('handoffResources' in action && action.handoffResources.length > 0)
    facts.push(`With: ${action.handoffResources.map(({ target }) => code(target)).join(', ')}`);
  if (preview.kind === 'will-fail' && 'edits' in action)
    for (const { find, replace } of action.edits) facts.push(`${fenced(find)}\nbecomes\n${fenced(replace)}`);
  if (preview.kind === 'will-fail' && 'content' in action) facts.push(fenced(action.content));
  if ('message' in action) facts.push(fenced(action.message));
  if (action.type === 'CREATE' && action.cutOff) facts.push('**The answer was cut off at its end.**');
  return facts;
}

function fileFacts({ from, facts, conflict, risks }: FileQuestion): string[] {
  return [
    ...(from === undefined ? [] : [`Renamed from ${code(from)}`]),
    ...(conflict === null ? [] : [`**Conflict:** ${code(conflict.reason)}`]),
    ...facts.map(code),
    ...risks.map(({ message }) => `**Note:** ${code(message)}`),
  ];
}

const LONGEST_OUTPUT = 10_000;

/** How an action ended, under what was shown of it. */
export function endCall(call: ShownCall, { decision, outcome }: ActionRecord): ShownCall {
  if (decision.status === 'skipped')
    return { ...call, status: 'failed', text: `**Skipped.** ${explainSkip(decision.reason)}` };
  if (outcome.status === 'not-run') return { ...call, status: 'failed', text: '**Not run.**' };
  const { summary, exitCode, output, error } = outcome;
  const text = [
    summary,
    ...(exitCode === undefined ? [] : [`Exit code: ${exitCode}`]),
    ...[error, output].flatMap((captured) => (captured ? [fenced(textOf(captured))] : [])),
  ].join('\n\n');
  return { ...call, status: outcome.status === 'success' ? 'completed' : 'failed', text: visible(text) };
}

function explainSkip(reason: string | null): string {
  return reason === null ? 'No reason given.' : `\n${fenced(reason)}`;
}

function textOf({ text }: Captured): string {
  return shortenCounted(text, LONGEST_OUTPUT);
}

/** Several lines of text as a block. */
export function fenced(text: string, language = ''): string {
  const shown = visible(text).replace(/\n+$/, '');
  const fence = fenceFor(shown, '`', 3);
  return `${fence}${language}\n${shown}\n${fence}`;
}

/** One line of text as it is. */
export function code(text: string): string {
  const shown = visibleLine(text.trim());
  const fence = fenceFor(shown, '`', 1);
  const pad = /^`|`$/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}
