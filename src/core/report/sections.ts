import type { Issue, Severity } from '../issue.js';
import { isRepair } from '../plan/issues.js';
import { quoteShort, type ReportEntry, type ReportReader } from './reader.js';
import type { StateChangeRecord } from './record.js';
import {
  readBlockText,
  readTextValue,
  readWord,
  writeBlock,
  writeLinesBlock,
  writeLineValue,
  writeListItem,
  writeTextValue,
} from './values.js';

// The sections that both Markdown forms have, written and read back.

const VALIDATION_ERRORS = '## Validation Errors';
/** How the plan was changed before it was read. */
const REPAIRS = '## Repairs';
const SEVERITIES: readonly string[] = ['error', 'warning', 'info'] satisfies Severity[];

/** Why a plan was refused: every issue, for the person and for the model that fixes it. Else its repairs alone. */
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

/** Several lines stand in a block: they show a place in a file as often as not, and fences with it. */
function writeWords(label: string, words: string): string {
  return /[\r\n]/.test(words)
    ? `${writeListItem(label, '')}\n${writeBlock(words, 4)}`
    : writeListItem(label, writeLineValue(words));
}

/** Undefined when there is no such section. */
export function readIssues(reader: ReportReader): { refused: boolean; issues: Issue[] } | undefined {
  const refused = reader.skip(VALIDATION_ERRORS);
  if (!refused && !reader.skip(REPAIRS)) return undefined;
  const issues: Issue[] = [];
  reader.skipBlank();
  for (let code = reader.after('### `'); code !== undefined; code = reader.after('### `')) {
    issues.push(readIssue(reader, code.endsWith('`') ? code.slice(0, -1) : code));
    reader.skipBlank();
  }
  return { refused, issues };
}

function readIssue(reader: ReportReader, code: string): Issue {
  const { line } = reader;
  const entries = new Map(reader.readItems().map((entry) => [entry.label, entry]));
  const severity = wordsOf(entries.get('Severity')) ?? '';
  const message = wordsOf(entries.get('Message'));
  const hint = wordsOf(entries.get('Hint'));
  if (!SEVERITIES.includes(severity) || message === undefined)
    reader.refuse(`the issue ${quoteShort(code)} has no Severity or no Message.`, line);
  return {
    code,
    severity: severity as Severity,
    message: message ?? '',
    ...numberOf('line', entries.get('Line')),
    ...numberOf('column', entries.get('Column')),
    ...numberOf('action', entries.get('Action')),
    ...(hint === undefined ? {} : { hint }),
  };
}

function wordsOf(entry: ReportEntry | undefined): string | undefined {
  if (!entry) return undefined;
  return entry.block ? readBlockText(entry.block) : readTextValue(entry.lines);
}

function numberOf(name: 'line' | 'column' | 'action', entry: ReportEntry | undefined): Partial<Issue> {
  const text = wordsOf(entry);
  return text !== undefined && /^\d{1,16}$/.test(text) ? { [name]: Number(text) } : {};
}

const STATE_CHANGES = '## Applied State Changes';

/** What a report says of a change to Active Context or Memos. */
export interface ReportedStateChange extends Omit<StateChangeRecord, 'decision'> {
  decision: ReportedDecision;
}

export function writeStateChangeRecords(changes: readonly StateChangeRecord[]): string {
  return [STATE_CHANGES, ...changes.map(writeStateChange)].join('\n\n');
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
  if (!reader.skip(STATE_CHANGES)) return changes;
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

/** What a report says of a decision: not who made it. */
export type ReportedDecision = { status: 'approved' } | { status: 'skipped'; reason: string | null };

const NO_REASON = 'No reason given.';

export function writeReason(reason: string | null): string {
  if (reason === null) return NO_REASON;
  // Someone typed these very words.
  return reason === NO_REASON ? `\`"${NO_REASON}"\`` : writeTextValue(reason);
}

export function readReason(lines: readonly string[]): string | null {
  return lines.length === 1 && lines[0] === NO_REASON ? null : readTextValue(lines);
}

/** What a report of either form says besides its actions. */
export interface Reported {
  refused: boolean;
  interrupted: string | null;
  continues?: string;
  /** Of a refused plan; a report says nothing of any other's. */
  issues: Issue[];
  stateChanges: ReportedStateChange[];
  /** It ends with the tip. */
  tip: boolean;
}

/** From when on a report is large. 0: never. */
export interface TipLimits {
  lines: number;
  characters: number;
}

export const TIP_LIMITS: TipLimits = { lines: 80, characters: 4000 };

const TIP_LABEL = '> **Tip:** ';

const TIP =
  'This execution report is large. Before proceeding, summarize the key outcomes, errors, and any new file contents into your rationale. After you have processed all necessary information, ask the user to delete the message containing this report to preserve context.';

/** The report, with the tip as its last element where it is large without it. */
export function addTip(report: string, limits: TipLimits): string {
  return isLarge(report, limits) ? `${report}\n---\n\n${TIP_LABEL}${TIP}\n` : report;
}

/** Reads behind the rule before it, if it is there. */
export function readTip(reader: ReportReader): boolean {
  reader.skipBlank();
  return reader.after(TIP_LABEL) !== undefined;
}

function isLarge(report: string, { lines, characters }: TipLimits): boolean {
  return (
    (lines > 0 && countLines(report) > lines) || (characters > 0 && countCharacters(report) > characters)
  );
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Those that a reader sees: a pair of surrogates is one. */
function countCharacters(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at++) if (text.codePointAt(at)! > 0xffff) pairs++;
  return text.length - pairs;
}
