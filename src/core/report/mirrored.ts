import {
  addTip,
  countActions,
  isListLabel,
  type ReportedDecision,
  readReason,
  TIP_LIMITS,
  type TipLimits,
  writeListFacts,
  writeLongFacts,
  writeReason,
  writeShortFacts,
} from './facts.js';
import { writeLinesBlock } from './read/blocks.js';
import { quoteShort, type ReportReader } from './read/reader.js';
import type { ActionRecord, Overall, Run, StateChangeRecord } from './record.js';
import { writeIssues } from './validation-errors.js';
import {
  foldLines,
  readTextValue,
  readWord,
  writeListItem,
  writeMetadata,
  writePathValue,
  writeTextValue,
} from './values.js';

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

const HEADING = '## Applied State Changes';

/** What a report says of a change to Active Context or Memos. */
export interface ReportedStateChange extends Omit<StateChangeRecord, 'decision'> {
  decision: ReportedDecision;
}

export function renderStateChanges(changes: readonly StateChangeRecord[]): string {
  return [HEADING, ...changes.map(writeStateChange)].join('\n\n');
}

function writeStateChange({ section, changes, decision, notApplied }: StateChangeRecord): string {
  return [
    `### \`${section}\``,
    ...(decision.status === 'approved'
      ? [writeListItem('Status', 'Approved')]
      : [writeListItem('Status', 'Skipped'), writeListItem('Reason', writeReason(decision.reason))]),
    ...notApplied.map((line) => writeListItem('Not applied', writeTextValue(line))),
    writeLinesBlock(changes, 4),
  ].join('\n');
}

/** None when there is no such section. */
export function readStateChanges(reader: ReportReader): ReportedStateChange[] {
  const changes: ReportedStateChange[] = [];
  if (!reader.skip(HEADING)) return changes;
  reader.skipBlank();
  for (let section = reader.after('### '); section !== undefined; section = reader.after('### ')) {
    if (section === '`Active Context`') changes.push(readStateChange(reader, 'Active Context'));
    else if (section === '`Memos`') changes.push(readStateChange(reader, 'Memos'));
    else reader.refuse(`${quoteShort(section)} is neither Active Context nor Memos.`, reader.line - 1);
    reader.skipBlank();
  }
  return changes;
}

function readStateChange(reader: ReportReader, section: StateChangeRecord['section']): ReportedStateChange {
  const { line } = reader;
  const [status, ...others] = reader.readItems();
  const word = status?.label === 'Status' ? readWord(readTextValue(status.lines)) : '';
  const reason = word === 'Skipped' && others[0]?.label === 'Reason' ? others.shift() : undefined;
  const block = (others.at(-1) ?? reason ?? status)?.block;
  if (word !== 'Approved' && word !== 'Skipped')
    reader.refuse(`the Status of ${section} must be Approved or Skipped.`, status?.line ?? line);
  else if (!block) reader.refuse(`${section} has no block with its changes.`, line);
  return {
    section,
    changes: block?.body ?? '',
    decision:
      word === 'Skipped'
        ? { status: 'skipped', reason: reason ? readReason(reason.lines) : null }
        : { status: 'approved' },
    notApplied: others
      .filter(({ label }) => label === 'Not applied')
      .map(({ lines }) => readTextValue(lines)),
  };
}
