import { type ReportedDecision, readReason, writeReason } from './decisions.js';
import { writeLinesBlock } from './read/blocks.js';
import { quoteShort, type ReportReader } from './read/reader.js';
import type { StateChangeRecord } from './record.js';
import { readTextValue, readWord, writeListItem, writeTextValue } from './values.js';

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
