import type { Issue, Severity } from '../issue.js';
import { readActionType } from '../plan/actions.js';
import type { Metadata } from '../plan/types.js';
import { APPROVED_NOT_RUN, type ContractStatus } from './contract.js';
import {
  COMMENT_LABEL,
  isListLabel,
  REPAIRS,
  STATE_CHANGES,
  TIP_LABEL,
  VALIDATION_ERRORS,
} from './markdown.js';
import { DECISION, EXECUTION, OVERALL, UNREADABLE } from './mirrored.js';
import { readFact } from './read-facts.js';
import {
  Entries,
  quoteShort,
  type ReportEntry,
  ReportProblem,
  ReportReader,
  readBlockText,
  readEntryText,
  readMetadata,
  readReason,
} from './reader.js';
import type {
  ActionCounts,
  ActionRecord,
  Facts,
  LineComment,
  Outcome,
  Overall,
  Run,
  RunPlan,
  StateChangeRecord,
} from './record.js';

/** What a report says, as far as its form goes: a Run without what the form has no place for. */
export type ParsedReport =
  | MirroredReport
  | ContractReport
  /** Not a report. `reason` is a sentence that starts with the line. */
  | { status: 'refused'; reason: string };

/** What a report of either form says besides its actions. */
interface Reported {
  refused: boolean;
  interrupted: string | null;
  continues?: string;
  /** All issues of a refused plan, or the repairs of another one. */
  issues: Issue[];
  stateChanges: ReportedStateChange[];
  /** It ends with the tip. */
  tip: boolean;
}

/** A decision as a report shows it, without its decider. */
export type ReportedDecision = { comments?: LineComment[] } & (
  | { status: 'approved' }
  | { status: 'skipped'; reason: string | null }
);

export interface ReportedStateChange extends Omit<StateChangeRecord, 'decision'> {
  decision: ReportedDecision;
}

export interface MirroredReport extends Reported {
  status: 'mirrored';
  plan: RunPlan;
  overall: Overall;
  /** As the header has them. */
  counts?: ActionCounts;
  actions: MirroredAction[];
}

export interface MirroredAction {
  type: ActionRecord['type'];
  metadata: Metadata;
  decision: ReportedDecision;
  outcome: { status: 'not-run' } | ({ status: 'success' | 'failure' } & Facts);
}

export interface ContractReport extends Reported, Pick<Run, 'startedAt' | 'endedAt' | 'environment'> {
  status: 'contract';
  /** Null if another program wrote the report: the contract does not ask for it. */
  id: string | null;
  /** `path` is null for the same reason. */
  plan: { title: string | null; path: string | null };
  overall: ContractStatus;
  /** To ten milliseconds. */
  durationMs: number;
  actions: ContractAction[];
}

export interface ContractAction {
  type: ActionRecord['type'];
  decision: ReportedDecision;
  outcome: Outcome;
}

/** Reads a report of either Markdown form back, in every form that the formats show. Never throws. */
export function parseReport(text: string): ParsedReport {
  if (!/^\ufeff?# Execution Report/.test(text))
    return { status: 'refused', reason: 'Line 1: a report starts with "# Execution Report".' };
  const reader = new ReportReader(text);
  try {
    const heading = reader.after('# Execution Report: ');
    return heading === undefined ? readContract(reader) : readMirrored(reader, heading);
  } catch (error) {
    if (error instanceof ReportProblem) return { status: 'refused', reason: error.message };
    throw error;
  }
}

/** Files of a changeset are deleted and renamed, too. */
function readRecordedType(name: string): ActionRecord['type'] | undefined {
  const plain = name.replaceAll('`', '').trim().toUpperCase();
  return plain === 'DELETE' || plain === 'RENAME' ? plain : readActionType(name);
}

function readMirrored(reader: ReportReader, heading: string): MirroredReport {
  const header = new Entries(reader, 'the header');
  const overall = reader.readStatus(header.need('Overall Status'), OVERALL);
  header.need('Original Plan');
  const title = header.text('Title') ?? (heading === UNREADABLE ? null : heading);
  const counts = readCounts(header.text('Actions') ?? '', header.text('Outcomes') ?? '');
  reader.skipBlank();
  const validation = readIssues(reader);
  const stateChanges = readStateChanges(reader);
  reader.need('## Action Log');
  const actions = readSections(reader, '### ', (name) => {
    const type = readRecordedType(name);
    return type ? readMirroredAction(reader, type) : refuseAction(reader, name);
  });
  const tip = reader.skip('---') && readTip(reader);
  reader.needEnd();
  return {
    status: 'mirrored',
    plan: { title, path: header.path('Original Plan')! },
    overall,
    ...(counts ? { counts } : {}),
    ...readCommon(header),
    ...validation,
    stateChanges,
    actions,
    tip,
  };
}

/** Reads what both forms state about the whole run. */
function readCommon(entries: Entries): Pick<Reported, 'interrupted' | 'continues'> {
  const continues = entries.text('Continues');
  return { interrupted: entries.text('Interrupted'), ...(continues === null ? {} : { continues }) };
}

function refuseAction(reader: ReportReader, name: string): never {
  return reader.refuse(`${quoteShort(name)} is not an action.`, reader.line - 1);
}

/** What follows each heading that starts with `start`. */
function readSections<T>(reader: ReportReader, start: string, read: (heading: string) => T): T[] {
  const sections: T[] = [];
  reader.skipBlank();
  for (let heading = reader.after(start); heading !== undefined; heading = reader.after(start)) {
    sections.push(read(heading));
    reader.skipBlank();
  }
  return sections;
}

function readCounts(actions: string, outcomes: string): ActionCounts | undefined {
  const decided = /^(\d{1,9}) Total \/ (\d{1,9}) Approved \/ (\d{1,9}) Skipped$/.exec(actions);
  const ended = /^(\d{1,9}) Succeeded \/ (\d{1,9}) Failed$/.exec(outcomes);
  if (!decided || !ended) return undefined;
  const [total, approved, skipped] = decided.slice(1).map(Number) as [number, number, number];
  const [succeeded, failed] = ended.slice(1).map(Number) as [number, number];
  return { total, approved, skipped, succeeded, failed };
}

function readMirroredAction(reader: ReportReader, type: ActionRecord['type']): MirroredAction {
  const { line } = reader;
  const [status, second, ...others] = reader.readItems();
  if (status?.label !== 'Status') reader.refuse(`the ${type} does not start with its Status.`, line);
  const decided = reader.readStatus(status, DECISION);
  const label = decided === 'skipped' ? 'Reason' : 'Execution';
  if (second?.label !== label)
    reader.refuse(`the ${type} is ${decided} and has no ${label} after its Status.`, second?.line ?? line);
  const { metadata, ours: written } = splitEntries(others);
  const { comments, rest: ours } = takeComments(written);
  const decision: ReportedDecision =
    decided === 'skipped'
      ? { status: decided, reason: readReason(second), ...comments }
      : { status: decided, ...comments };
  const execution = decided === 'skipped' ? 'not-run' : reader.readStatus(second, EXECUTION);
  if (execution === 'not-run') {
    if (ours[0])
      reader.refuse(`the ${type} was not run, so it has no ${quoteShort(ours[0].label)}.`, ours[0].line);
    return { type, metadata, decision, outcome: { status: execution } };
  }
  const facts: Facts = {};
  for (const entry of ours) readFact(reader, entry, facts);
  readDetails(reader, facts);
  return { type, metadata, decision, outcome: { status: execution, ...facts } };
}

/** The user's comments, and the other entries. */
function takeComments(entries: readonly ReportEntry[]) {
  const isComment = ({ label, block }: ReportEntry) => !block && COMMENT_LABEL.test(label);
  const found = entries.filter(isComment).map((entry): LineComment => {
    const line = COMMENT_LABEL.exec(entry.label)?.[1];
    return { line: line === undefined ? null : Number(line), text: readEntryText(entry) };
  });
  const comments = found.length === 0 ? {} : { comments: found };
  return { comments, rest: entries.filter((entry) => !isComment(entry)) };
}

/** The plan's metadata, and after it what is ours. */
function splitEntries(entries: readonly ReportEntry[]): { metadata: Metadata; ours: ReportEntry[] } {
  const last = entries.findLastIndex(({ foreign, label }) => foreign || !isListLabel(label));
  const written = entries.slice(0, last + 1).map((entry) => [entry.label, readMetadata(entry)] as const);
  return { metadata: Object.fromEntries(written), ours: entries.slice(last + 1) };
}

function readDetails(reader: ReportReader, facts: Facts): void {
  reader.skipBlank();
  if (!reader.skip('#### Execution Details')) return;
  for (;;) {
    reader.skipBlank();
    const entry = reader.readEntry('**') ?? reader.readEntry('- **');
    if (!entry) return;
    readFact(reader, entry, facts);
  }
}

const SUMMARY_STATUS = {
  SUCCESS: 'SUCCESS',
  FAILURE: 'FAILURE',
  PARTIAL_SUCCESS: 'PARTIAL_SUCCESS',
} as const;
const ACTION_STATUS = { SUCCESS: 'success', FAILURE: 'failure', SKIPPED: 'not-run' } as const;

function readContract(reader: ReportReader): ContractReport {
  reader.need('# Execution Report');
  const summary = readList(reader, 'Run Summary');
  for (const label of ['Status', 'Start Time', 'End Time', 'Duration']) summary.need(label);
  const environment = readList(reader, 'Environment');
  readRule(reader);
  const validation = readIssues(reader);
  readRule(reader);
  const stateChanges = readStateChanges(reader);
  readRule(reader);
  reader.need('## Action Log');
  const { actions, tip } = readContractActions(reader);
  reader.needEnd();
  return {
    status: 'contract',
    overall: reader.readStatus(summary.need('Status'), SUMMARY_STATUS),
    startedAt: summary.text('Start Time')!,
    endedAt: summary.text('End Time')!,
    durationMs: readDuration(reader, summary.need('Duration')),
    id: summary.text('Run'),
    plan: { title: summary.text('Plan'), path: summary.path('Plan File') },
    ...readCommon(summary),
    environment: {
      os: environment.text('Operating System') ?? '',
      cwd: environment.text('Working Directory') ?? '',
    },
    ...validation,
    stateChanges,
    actions,
    tip,
  };
}

function readList(reader: ReportReader, title: string): Entries {
  reader.skipBlank();
  const { line } = reader;
  reader.need(`**${title}:**`);
  return new Entries(reader, `the ${title}`, line);
}

function readRule(reader: ReportReader): void {
  reader.skipBlank();
  reader.skip('---');
  reader.skipBlank();
}

function readDuration(reader: ReportReader, entry: ReportEntry): number {
  const text = readEntryText(entry);
  const [, whole, part = 0] = /^(\d{1,13})(\.\d{1,9})? ?s(?:ec(?:ond)?s?)?$/.exec(text) ?? [];
  if (whole === undefined)
    reader.refuse(
      `Duration is ${quoteShort(text)}; it must be in seconds, such as "5.23 seconds".`,
      entry.line,
    );
  return Number(whole) * 1000 + Math.round(Number(part) * 1000);
}

function readContractActions(reader: ReportReader): { actions: ContractAction[]; tip: boolean } {
  const actions: ContractAction[] = [];
  for (;;) {
    readRule(reader);
    if (readTip(reader)) return { actions, tip: true };
    const heading = reader.after('### Action ');
    if (heading !== undefined) actions.push(readContractAction(reader, heading, actions.length + 1));
    else if (reader.peek() !== '---') return { actions, tip: false };
  }
}

function readContractAction(reader: ReportReader, heading: string, number: number): ContractAction {
  const line = reader.line - 1;
  const [, at, name = ''] = /^(\d{1,9}): (.*)$/.exec(heading) ?? [];
  if (Number(at) !== number) reader.refuse(`expected "### Action ${number}: …".`, line);
  const type = readRecordedType(name) ?? refuseAction(reader, name);
  reader.skipBlank();
  const [status, details, ...others] = reader.readItems();
  if (status?.label !== 'Status') reader.refuse(`action ${number} does not start with its Status.`, line);
  const outcome = ACTION_STATUS[reader.readStatus(status, WORDS)];
  if (details?.label !== 'Details') reader.refuse(`action ${number} has no Details after its Status.`, line);
  const summary = readEntryText(details);
  const { comments, rest } = takeComments(others);
  if (outcome === 'not-run') {
    const decision = { ...readSkip(reader, summary, rest), ...comments };
    return { type, decision, outcome: { status: outcome } };
  }
  const facts: Facts = {};
  for (const entry of rest) readFact(reader, entry, facts);
  const decision = { status: 'approved', ...comments } as const;
  return { type, decision, outcome: { status: outcome, summary, ...facts } };
}

const WORDS = { SUCCESS: 'SUCCESS', FAILURE: 'FAILURE', SKIPPED: 'SKIPPED' } as const;

function readSkip(
  reader: ReportReader,
  details: string,
  [reason, ...more]: readonly ReportEntry[],
): ReportedDecision {
  if (details === APPROVED_NOT_RUN && !reason) return { status: 'approved' };
  const other = reason && reason.label !== 'Reason' ? reason : more[0];
  if (other) reader.refuse(`this action was not run, so it has no ${quoteShort(other.label)}.`, other.line);
  const given = reason ? readEntryText(reason) : null;
  return { status: 'skipped', reason: given && /^".*"$/s.test(given) ? given.slice(1, -1) : given };
}

const SEVERITIES: readonly string[] = ['error', 'warning', 'info'] satisfies Severity[];

function readIssues(reader: ReportReader): Pick<Reported, 'refused' | 'issues'> {
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

function readStateChanges(reader: ReportReader): ReportedStateChange[] {
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
function readTip(reader: ReportReader): boolean {
  reader.skipBlank();
  return reader.after(TIP_LABEL) !== undefined;
}
