import {
  addTip,
  isListLabel,
  TIP_LIMITS,
  type TipLimits,
  writeComments,
  writeDetails,
  writeIssues,
  writeListFacts,
  writeListItem,
  writeMetadata,
  writePathValue,
  writeReason,
  writeStateChangeRecords,
  writeTextValue,
} from './markdown.js';
import { type ActionRecord, countActions, type Overall, type Run } from './record.js';

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
    ...writeStateChangeRecords(run.stateChanges),
    ['## Action Log', ...run.actions.map(writeAction)].join('\n\n'),
  ];
  return addTip(`${sections.join('\n\n')}\n`, tip);
}

/** Whether a text is meant as a report of either form, though it may be damaged further down. */
export function isReport(text: string): boolean {
  return /^\ufeff?\s*# Execution Report(?:\s+\*\*Run Summary:\*\*|: [^\n]*\s+- \*\*Overall Status:\*\*)/.test(
    text,
  );
}

function writeHeader({ plan: { title, path }, overall, actions, interrupted, continues }: Run): string {
  const { total, approved, skipped, succeeded, failed } = countActions(actions);
  const heading = title === null ? UNREADABLE : foldTitle(title);
  return [
    `# Execution Report: ${heading}`,
    writeListItem('Overall Status', OVERALL[overall]),
    writeListItem('Original Plan', writePathValue(path)),
    writeListItem('Actions', `${total} Total / ${approved} Approved / ${skipped} Skipped`),
    writeListItem('Outcomes', `${succeeded} Succeeded / ${failed} Failed`),
    ...(interrupted === null ? [] : [writeListItem('Interrupted', writeTextValue(interrupted))]),
    ...(continues === undefined ? [] : [writeListItem('Continues', writeTextValue(continues))]),
    // Where the heading does not have it exactly.
    ...(title !== null && (title !== heading || title === UNREADABLE)
      ? [writeListItem('Title', writeTextValue(title))]
      : []),
  ].join('\n');
}

/** On one line; hashes at its end would be read as the end of the heading. */
function foldTitle(title: string): string {
  const folded = title.replace(/[\r\n]+/g, ' ').trim();
  return folded.endsWith('#') ? `${folded} #` : folded;
}

function writeAction(action: ActionRecord): string {
  const { decision, outcome, metadata } = action;
  const own = Object.entries(metadata).map(([label, value]) =>
    writeListItem(writeOwnLabel(label), writeMetadata(value)),
  );
  const list = [`### \`${action.type}\``, ...writeStatus(action), ...own, ...writeComments(decision)];
  if (decision.status === 'skipped' || outcome.status === 'not-run') return list.join('\n');
  list.push(...writeListFacts(outcome));
  const details = writeDetails(outcome, 4);
  if (details.length === 0) return list.join('\n');
  return `${list.join('\n')}\n\n#### Execution Details\n${details.join('\n\n')}`;
}

function writeStatus({ decision, outcome }: ActionRecord): string[] {
  return decision.status === 'approved'
    ? [writeListItem('Status', DECISION.approved), writeListItem('Execution', EXECUTION[outcome.status])]
    : [writeListItem('Status', DECISION.skipped), writeListItem('Reason', writeReason(decision.reason))];
}

/**
 * Only their names distinguish our facts from the metadata before them: a label of the plan that has such a name gets a
 * backslash before its colon, which no preview shows.
 */
function writeOwnLabel(label: string): string {
  const plain = label.replace(/[\r\n]+/g, ' ').replaceAll(':**', ':');
  return isListLabel(plain) || plain.endsWith('\\') ? `${plain}\\` : plain;
}
