import type { Issue } from '../issue.js';
import { readLink, writePathLink } from '../markdown/inline.js';
import { fenceFor } from '../markdown/lines.js';
import { isRepair } from '../plan/issues.js';
import { countUnits } from '../text.js';
import type {
  Captured,
  ChangedPath,
  Decision,
  DroppedHunk,
  Facts,
  KeptChanges,
  MovedRef,
  StateChangeRecord,
  UnrestorableFile,
} from './record.js';

// What both Markdown forms write alike. A value is written so that it reads as it is and can be read back exactly: one
// that would break out of its list, or has a carriage return, becomes a JSON string in a code span.

/** `- **Label:** value`, the value as one of the functions below returns it. */
export function writeListItem(label: string, value: string): string {
  return `- ${writeLabelled(label, value)}`;
}

function writeLabelled(label: string, value: string): string {
  return `**${label}:**${value === '' || value.startsWith('\n') ? '' : ' '}${value}`;
}

/** A value of one line. */
export function writeLineValue(value: string): string {
  return /[\r\n]/.test(value) || isQuoted(value) ? quote(value) : value;
}

/** A value of a list item, each further line indented by two. */
export function writeTextValue(value: string): string {
  return endsInLine(value) ? value.replace(/\n(?!\n)/g, '\n  ') : quote(value);
}

/** Metadata of a plan, its lines as they are: they were indented under their item in the plan, too. */
export function writeMetadata(value: string): string {
  const [, ...others] = value.split('\n');
  const isPlain = endsInLine(value) && others.every((line) => line === '' || isIndented(line));
  return isPlain ? value : quote(value);
}

/** Whether a line continues the item of a list. */
export function isIndented(line: string): boolean {
  return line.startsWith('  ') || line.startsWith('\t') || line.startsWith(' \t');
}

/** A path from the root, as a link. */
export function writePathValue(path: string): string {
  const link = writePathLink(path);
  return !/[\r\n]/.test(path) && readPath(link) === path ? link : quote(path);
}

export function readPath(value: string): string | undefined {
  const link = readLink(value);
  if (link === undefined) return unquote(value);
  return link.rest === '' && link.destination.startsWith('/') ? link.destination.slice(1) : undefined;
}

/** Whether the last of several lines has text: an empty one would be lost between this item and the next. */
function endsInLine(value: string): boolean {
  return !value.includes('\r') && !value.endsWith('\n') && !isQuoted(value);
}

function isQuoted(value: string): boolean {
  return value.startsWith('`"') && value.endsWith('"`');
}

function quote(value: string): string {
  return `\`${JSON.stringify(value).replaceAll('`', '\\u0060')}\``;
}

export function unquote(value: string): string | undefined {
  if (!isQuoted(value)) return undefined;
  try {
    const read: unknown = JSON.parse(value.slice(1, -1));
    return typeof read === 'string' ? read : undefined;
  } catch {
    return undefined;
  }
}

/** Text as a block; the newline before its closing fence is not part of it, as in FIND and REPLACE. */
function writeBlock(text: string, least: number): string {
  return fenced(text === '' ? '' : `${text}\n`, '', least);
}

function fenced(body: string, info: string, least: number): string {
  const fence = fenceFor(body, '`', least);
  return `${fence}${info}\n${body}${fence}`;
}

export const NO_NEWLINE = 'no newline at its end';
const LANGUAGE = /^[A-Za-z0-9_+#.-]{1,40}$/;

/** Captured text mostly ends in a newline; where it does not, the label says so. */
function writeCaptured(label: string, { text, language = '', whole }: Captured, least: number): string {
  const isCut = text !== '' && !text.endsWith('\n');
  const remarks = [...(isCut ? [NO_NEWLINE] : []), ...(whole ? [writeWhole(whole)] : [])];
  const info = LANGUAGE.test(language) ? language : '';
  return `${writeLabelled(label, remarks.join('; '))}\n${fenced(isCut ? `${text}\n` : text, info, least)}`;
}

function writeWhole({ file, bytes, lines }: NonNullable<Captured['whole']>): string {
  const size = `${countUnits(lines, 'line')}, ${countUnits(bytes, 'byte')} in all`;
  return `in part; ${size}, ${file === null ? 'not kept' : `kept in ${writePathValue(file)}`}`;
}

/** Labels of teddy's own that follow the plan's metadata in one list. */
const LIST_LABELS = [
  'Modified by user',
  'Kept',
  'Attempts',
  'Done in Run',
  'Matched',
  'Unchanged',
  'Interrupted',
  'Note',
];

export function isListLabel(label: string): boolean {
  return LIST_LABELS.includes(label) || COMMENT_LABEL.test(label);
}

/** `Comment`, or `Comment on line 12`. */
export const COMMENT_LABEL = /^Comment(?: on line ([1-9]\d{0,14}))?$/;

/** The user's comments with a decision. */
export function writeComments({ comments = [] }: Decision): string[] {
  return comments.map(({ line, text }) =>
    writeListItem(line === null ? 'Comment' : `Comment on line ${line}`, writeTextValue(text)),
  );
}

/** Facts in the action's list. */
export function writeListFacts(facts: Facts): string[] {
  const { ranAs, kept, attempts, doneIn, matched, unchanged, interrupted, notes = [] } = facts;
  return [
    ...(ranAs === undefined ? [] : [writeListItem('Modified by user', 'yes')]),
    ...(kept === undefined ? [] : [writeListItem('Kept', describeKept(kept))]),
    ...(attempts === undefined ? [] : [writeListItem('Attempts', String(attempts))]),
    ...(doneIn === undefined ? [] : [writeListItem('Done in Run', writeTextValue(doneIn))]),
    ...(matched === undefined ? [] : [writeListItem('Matched', writeTextValue(matched))]),
    ...(unchanged === undefined ? [] : [writeListItem('Unchanged', writeTextValue(unchanged))]),
    ...(interrupted === undefined ? [] : [writeListItem('Interrupted', writeTextValue(interrupted))]),
    ...notes.map((note) => writeListItem('Note', writeTextValue(note))),
  ];
}

/** Facts outside the list, without a bullet: those of one line, then those with a block. */
export function writeDetails(facts: Facts, least: number): string[] {
  const { exitCode, ended, expectedOutcome, output, error, reply, ranAs, kept } = facts;
  const { changed = [], unrestorable = [], moved = [] } = facts;
  return [
    ...(exitCode === undefined ? [] : [writeLabelled('Exit Code', String(exitCode))]),
    ...(ended === undefined ? [] : [writeLabelled('Ended', writeLineValue(ended))]),
    ...(expectedOutcome === undefined ? [] : [writeExpected(expectedOutcome)]),
    ...(changed.length === 0 ? [] : [writeChanged(changed)]),
    ...unrestorable.slice(0, MOST_LISTED).map(writeUnrestorable),
    ...moved.slice(0, MOST_LISTED).map(writeMoved),
    ...(output === undefined ? [] : [writeCaptured('Output', output, least)]),
    ...(error === undefined ? [] : [writeCaptured('Error', error, least)]),
    ...(reply === undefined ? [] : [`**User Reply:**\n${writeBlock(reply, least)}`]),
    ...(ranAs === undefined ? [] : [writeCaptured('Run As', { text: ranAs }, least)]),
    ...(kept?.dropped ?? []).map((hunk) => writeDropped(hunk, least)),
  ];
}

function writeExpected({ met, missing }: NonNullable<Facts['expectedOutcome']>): string {
  const items = missing.map((text) => writeListItem('Missing', writeTextValue(text)));
  return [writeLabelled('Expected Outcome', met ? 'met' : 'not met'), ...items].join('\n');
}

/** Of each kind; `run.json` has them all. */
const MOST_LISTED = 100;

export const CHANGE_LABELS: Record<ChangedPath['change'], string> = {
  created: 'Created',
  edited: 'Edited',
  deleted: 'Deleted',
};

function writeChanged(changed: readonly ChangedPath[]): string {
  const items = changed
    .slice(0, MOST_LISTED)
    .map(({ path, change }) => writeListItem(CHANGE_LABELS[change], writePathValue(path)));
  const more = changed.length - items.length;
  if (more > 0) items.push(writeListItem('More', String(more)));
  return [writeLabelled('Changed Files', String(changed.length)), ...items].join('\n');
}

function writeUnrestorable({ path, reason }: UnrestorableFile): string {
  const because = writeListItem('Because', writeTextValue(`it ${reason}`));
  return `${writeLabelled('Not Restorable', writePathValue(path))}\n${because}`;
}

/** `main from 1f0c… to 9a3b…; to move it back: …` */
function writeMoved({ name, from, to, revert }: MovedRef): string {
  return writeLabelled(
    'Moved',
    `${name} from ${from ?? NOWHERE} to ${to ?? NOWHERE}; to move it back: ${revert}`,
  );
}

export const NOWHERE = 'nothing';

/** `2 of 3 changes` */
export function describeKept({ count, dropped }: KeptChanges): string {
  return `${count} of ${count + dropped.length} changes`;
}

/** `**Dropped:** 5a1c…: the reason`, and its diff. */
function writeDropped({ id, change, reason }: DroppedHunk, least: number): string {
  const about = reason === null ? id : `${id}: ${writeLineValue(reason)}`;
  const body = change === '' || change.endsWith('\n') ? change : `${change}\n`;
  return `${writeLabelled('Dropped', about)}\n${fenced(body, 'diff', least)}`;
}

export const VALIDATION_ERRORS = '## Validation Errors';
export const REPAIRS = '## Repairs';

/** Why a plan was refused: every issue, for the user and for the model that fixes it. Otherwise only its repairs. */
export function writeIssues({ refused, issues }: { refused: boolean; issues: readonly Issue[] }): string[] {
  const shown = refused ? issues : issues.filter(isRepair);
  if (!refused && shown.length === 0) return [];
  return [[refused ? VALIDATION_ERRORS : REPAIRS, ...shown.map(writeIssue)].join('\n\n')];
}

function writeIssue({ code, severity, line, column, action, message, hint }: Issue): string {
  const numbers = { Line: line, Column: column, Action: action };
  return [
    `### \`${code.replace(/[\r\n`]+/g, ' ')}\``,
    writeListItem('Severity', severity),
    ...Object.entries(numbers).flatMap(([label, number]) =>
      number === undefined ? [] : [writeListItem(label, String(number))],
    ),
    writeWords('Message', message),
    ...(hint === undefined ? [] : [writeWords('Hint', hint)]),
  ].join('\n');
}

/** Several lines are a block: they often show part of a file, and its fences. */
function writeWords(label: string, words: string): string {
  return /[\r\n]/.test(words)
    ? `${writeListItem(label, '')}\n${writeBlock(words, 4)}`
    : writeListItem(label, writeLineValue(words));
}

export const STATE_CHANGES = '## Applied State Changes';

export function writeStateChangeRecords(changes: readonly StateChangeRecord[]): string[] {
  return changes.length === 0 ? [] : [[STATE_CHANGES, ...changes.map(writeStateChange)].join('\n\n')];
}

function writeStateChange({ section, changes, decision, notApplied }: StateChangeRecord): string {
  return [
    `### \`${section}\``,
    ...(decision.status === 'approved'
      ? [writeListItem('Status', 'Approved')]
      : [writeListItem('Status', 'Skipped'), writeListItem('Reason', writeReason(decision.reason))]),
    ...writeComments(decision),
    ...notApplied.map((line) => writeListItem('Not applied', writeTextValue(line))),
    fenced(changes, '', 4),
  ].join('\n');
}

export const NO_REASON = 'No reason given.';

export function writeReason(reason: string | null): string {
  if (reason === null) return NO_REASON;
  // The user typed these very words.
  return reason === NO_REASON ? quote(NO_REASON) : writeTextValue(reason);
}

/** How large a report is with a tip at its end; 0: never. */
export interface TipLimits {
  lines: number;
  characters: number;
}

export const TIP_LIMITS: TipLimits = { lines: 80, characters: 4000 };
export const TIP_LABEL = '> **Tip:** ';

const TIP =
  'This execution report is large. Before proceeding, summarize the key outcomes, errors, and any new file contents into your rationale. After you have processed all necessary information, ask the user to delete the message containing this report to preserve context.';

/** The report, with the tip as its last element if it is large without it. */
export function addTip(report: string, { lines, characters }: TipLimits): string {
  const isLong = lines > 0 && report.split('\n').length - 1 > lines;
  const isLarge = isLong || (characters > 0 && countCharacters(report) > characters);
  return isLarge ? `${report}\n---\n\n${TIP_LABEL}${TIP}\n` : report;
}

/** As a reader sees them: a pair of surrogates is one. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
