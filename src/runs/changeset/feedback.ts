import { readLink } from '../../core/markdown/inline.js';
import type { ActionRecord, Run } from '../../core/report/record.js';

/** The message to an agent after a review: what was dropped and why, and the comments. Undefined if there are none. */
export function feedbackOf(run: Run): string | undefined {
  const verification = run.actions.find(
    ({ verification, outcome }) => verification && outcome.status === 'failure',
  );
  const parts = run.actions.flatMap((action) => describeAction(action, verification));
  if (parts.length === 0) return undefined;
  const lead = verification
    ? 'The command that verifies your changes failed, so none of them landed.'
    : 'Your changes were reviewed. What is listed here did not land as you wrote it; everything else did.';
  return [lead, ...parts, ''].join('\n\n');
}

/** A failed verification is why nothing landed; that is not said of each file again. */
function describeAction(action: ActionRecord, verification: ActionRecord | undefined): string[] {
  const { type, metadata, decision, outcome } = action;
  const written = metadata['File Path'] ?? metadata.Description ?? '';
  const path = readLink(written)?.text ?? written;
  const lines: string[] = [];
  if (decision.status === 'skipped') lines.push(`Dropped: ${decision.reason ?? 'no reason given'}`);
  if (outcome.status === 'failure' && (verification === undefined || verification === action)) {
    lines.push(`Failed: ${outcome.summary}`);
    for (const each of [outcome.output, outcome.error])
      if (each && action.verification) lines.push(fence(each.text));
  }
  if (outcome.status !== 'not-run')
    for (const { change, reason } of outcome.kept?.dropped ?? [])
      lines.push(`Dropped: ${reason ?? 'no reason given'}\n${fence(change)}`);
  for (const { line, text } of decision.comments ?? [])
    lines.push(line === null ? `Comment: ${text}` : `Comment on line ${line}: ${text}`);
  if (lines.length === 0) return [];
  return [action.verification ? lines.join('\n') : `${type} ${path}\n${lines.join('\n')}`];
}

function fence(text: string): string {
  const ticks = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${ticks}\n${text}${text.endsWith('\n') ? '' : '\n'}${ticks}`;
}
