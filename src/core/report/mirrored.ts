import { writeReason } from './decisions.js';
import { isListLabel, writeListFacts, writeLongFacts, writeShortFacts } from './facts.js';
import { countActions } from './overall.js';
import type { ActionRecord, Overall, Run } from './record.js';
import { renderStateChanges } from './state-changes.js';
import { addTip, TIP_LIMITS, type TipLimits } from './tip.js';
import { writeIssues } from './validation-errors.js';
import { foldLines, writeListItem, writeMetadata, writePathValue, writeTextValue } from './values.js';

export const UNREADABLE = 'Unreadable plan';

export const OVERALL: Record<Overall, string> = {
  Completed: 'Completed 🟢',
  Partial: 'Partial 🟡',
  Failed: 'Failed 🔴',
  Skipped: 'Skipped 🟡',
};

export const EXECUTION = {
  success: 'Success 🟢',
  failure: 'Failure 🔴',
  'not-run': 'Not run 🟡',
} as const;

export const DECISION = { approved: 'Approved ✅', skipped: 'Skipped 🟡' } as const;

/** `report.md`: what happened, in the plan's own order and words. */
export function renderMirrored(run: Run, tip: TipLimits = TIP_LIMITS): string {
  const sections = [
    writeHeader(run),
    ...writeIssues(run),
    ...(run.stateChanges.length > 0 ? [renderStateChanges(run.stateChanges)] : []),
    ['## Action Log', ...run.actions.map(writeAction)].join('\n\n'),
  ];
  return addTip(`${sections.join('\n\n')}\n`, tip);
}

function writeHeader({ plan: { title, path }, overall, actions, interrupted }: Run): string {
  const { total, approved, skipped, succeeded, failed } = countActions(actions);
  const heading = title === null ? UNREADABLE : foldLines(title);
  return [
    `# Execution Report: ${heading}`,
    writeListItem('Overall Status', OVERALL[overall]),
    writeListItem('Original Plan', writePathValue(path)),
    writeListItem('Actions', `${total} Total / ${approved} Approved / ${skipped} Skipped`),
    writeListItem('Outcomes', `${succeeded} Succeeded / ${failed} Failed`),
    ...(interrupted === null ? [] : [writeListItem('Interrupted', writeTextValue(interrupted))]),
    // Where the heading does not say it to the letter.
    ...(title !== null && (title !== heading || title === UNREADABLE)
      ? [writeListItem('Title', writeTextValue(title))]
      : []),
  ].join('\n');
}

function writeAction(action: ActionRecord): string {
  const list = [`### \`${action.type}\``, ...writeStatus(action), ...writeOwnMetadata(action)];
  const { decision, outcome } = action;
  if (decision.status === 'skipped' || outcome.status === 'not-run') return list.join('\n');
  list.push(...writeListFacts(outcome));
  const details = [...writeShortFacts(outcome), ...writeLongFacts(outcome, 4)];
  if (details.length === 0) return list.join('\n');
  return `${list.join('\n')}\n\n#### Execution Details\n${details.join('\n\n')}`;
}

function writeStatus({ decision, outcome }: ActionRecord): string[] {
  return decision.status === 'approved'
    ? [writeListItem('Status', DECISION.approved), writeListItem('Execution', EXECUTION[outcome.status])]
    : [writeListItem('Status', DECISION.skipped), writeListItem('Reason', writeReason(decision.reason))];
}

function writeOwnMetadata({ metadata }: ActionRecord): string[] {
  return Object.entries(metadata).map(([label, value]) =>
    writeListItem(writeOwnLabel(label), writeMetadata(value)),
  );
}

/**
 * Status and Reason are told by where they stand. Facts of ours follow the metadata, and only their names tell them
 * apart: a label of the plan that has such a name gets a backslash before its colon, which no preview shows.
 */
function writeOwnLabel(label: string): string {
  const plain = label.replace(/[\r\n]+/g, ' ').replaceAll(':**', ':');
  return isListLabel(plain) || plain.endsWith('\\') ? `${plain}\\` : plain;
}
