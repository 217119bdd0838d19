import type { Issue, Severity } from '../issue.js';
import { readActionType } from '../plan/actions.js';
import { COMMENT_LABEL, REPAIRS, STATE_CHANGES, TIP_LABEL, VALIDATION_ERRORS } from './markdown.js';
import type { Reported, ReportedStateChange } from './parsed-report.js';
import {
  Entries,
  quoteShort,
  type ReportEntry,
  type ReportReader,
  readBlockText,
  readEntryText,
  readReason,
} from './reader.js';
import type { ActionRecord, LineComment, StateChangeRecord } from './record.js';

// What both forms of a report have: issues, changes of state, comments, the tip.

/** Reads what both forms state about the whole run. */
export function readCommon(entries: Entries): Pick<Reported, 'interrupted' | 'continues'> {
  const continues = entries.text('Continues');
  return { interrupted: entries.text('Interrupted'), ...(continues === null ? {} : { continues }) };
}

export function refuseAction(reader: ReportReader, name: string): never {
  return reader.refuse(`${quoteShort(name)} is not an action.`, reader.line - 1);
}

/** What follows each heading that starts with `start`. */
export function readSections<T>(reader: ReportReader, start: string, read: (heading: string) => T): T[] {
  const sections: T[] = [];
  reader.skipBlank();
  for (let heading = reader.after(start); heading !== undefined; heading = reader.after(start)) {
    sections.push(read(heading));
    reader.skipBlank();
  }
  return sections;
}

/** Files of a changeset are deleted and renamed, too. */
export function readRecordedType(name: string): ActionRecord['type'] | undefined {
  const plain = name.replaceAll('`', '').trim().toUpperCase();
  return plain === 'DELETE' || plain === 'RENAME' ? plain : readActionType(name);
}

/** The user's comments, and the other entries. */
export function takeComments(entries: readonly ReportEntry[]) {
  const isComment = ({ label, block }: ReportEntry) => !block && COMMENT_LABEL.test(label);
  const found = entries.filter(isComment).map((entry): LineComment => {
    const line = COMMENT_LABEL.exec(entry.label)?.[1];
    return { line: line === undefined ? null : Number(line), text: readEntryText(entry) };
  });
  const comments = found.length === 0 ? {} : { comments: found };
  return { comments, rest: entries.filter((entry) => !isComment(entry)) };
}

const SEVERITIES: readonly string[] = ['error', 'warning', 'info'] satisfies Severity[];

export function readIssues(reader: ReportReader): Pick<Reported, 'refused' | 'issues'> {
  const refused = reader.skip(VALIDATION_ERRORS);
  if (!refused && !reader.skip(REPAIRS)) return { refused, issues: [] };
  return {
    refused,
    issues: readSections(reader, '### `', (code) => readIssue(reader, code.replace(/`$/, ''))),
  };
}

function readIssue(reader: ReportReader, code: string): Issue {
  const entries = new Entries(reader, `the issue ${quoteShort(code)}`);
  const severity = entries.need('Severity');
  if (!SEVERITIES.includes(readEntryText(severity)))
    reader.refuse(`Severity must be one of ${SEVERITIES.join(', ')}.`, severity.line);
  const numbers = (['line', 'column', 'action'] as const).flatMap((name) => {
    const text = entries.text(name.charAt(0).toUpperCase() + name.slice(1)) ?? '';
    return /^\d{1,16}$/.test(text) ? [[name, Number(text)] as const] : [];
  });
  const hint = entries.find('Hint');
  return {
    code,
    severity: readEntryText(severity) as Severity,
    message: readWords(entries.need('Message')),
    ...Object.fromEntries(numbers),
    ...(hint ? { hint: readWords(hint) } : {}),
  };
}

function readWords(entry: ReportEntry): string {
  return entry.block ? readBlockText(entry.block) : readEntryText(entry);
}

export function readStateChanges(reader: ReportReader): ReportedStateChange[] {
  if (!reader.skip(STATE_CHANGES)) return [];
  return readSections(reader, '### ', (heading) => {
    const section = (['Active Context', 'Memos'] as const).find((name) => heading === `\`${name}\``);
    return section
      ? readStateChange(reader, section)
      : reader.refuse(`${quoteShort(heading)} is neither Active Context nor Memos.`, reader.line - 1);
  });
}

function readStateChange(reader: ReportReader, section: StateChangeRecord['section']): ReportedStateChange {
  const { line } = reader;
  const entries = reader.readItems();
  const [status, second, ...others] = entries;
  if (status?.label !== 'Status') reader.refuse(`${section} does not start with its Status.`, line);
  const isSkipped = reader.readStatus(status, { yes: 'Skipped', no: 'Approved' }) === 'yes';
  const reason = isSkipped && second?.label === 'Reason' ? second : undefined;
  const block = entries.at(-1)?.block ?? reader.refuse(`${section} has no block with its changes.`, line);
  // The last entry of the list has the block of the changes below it.
  const { comments } = takeComments(entries.map(({ block: _, ...entry }) => entry));
  return {
    section,
    changes: block.body,
    decision: isSkipped
      ? { status: 'skipped', reason: reason ? readReason(reason) : null, ...comments }
      : { status: 'approved', ...comments },
    notApplied: (reason || !second ? others : [second, ...others])
      .filter(({ label }) => label === 'Not applied')
      .map(readEntryText),
  };
}

/** Reads what follows a rule. */
export function readTip(reader: ReportReader): boolean {
  reader.skipBlank();
  return reader.after(TIP_LABEL) !== undefined;
}
