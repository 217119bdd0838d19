import type { Metadata } from '../plan/types.js';
import { APPROVED_NOT_RUN } from './contract.js';
import { isListLabel } from './markdown.js';
import { DECISION, EXECUTION, OVERALL, UNREADABLE } from './mirrored.js';
import {
  readCommon,
  readIssues,
  readRecordedType,
  readSections,
  readStateChanges,
  readTip,
  refuseAction,
  takeComments,
} from './parse-sections.js';
import type {
  ContractAction,
  ContractReport,
  MirroredAction,
  MirroredReport,
  ParsedReport,
  ReportedDecision,
} from './parsed-report.js';
import { readFact } from './read-facts.js';
import {
  Entries,
  quoteShort,
  type ReportEntry,
  ReportProblem,
  ReportReader,
  readEntryText,
  readMetadata,
  readReason,
} from './reader.js';
import type { ActionCounts, ActionRecord, Facts } from './record.js';

/** Reads a report of either Markdown form back, in every form that the formats show. Never throws. */
export function parseReport(text: string): ParsedReport {
  if (!/^\ufeff?# Execution Report/.test(text))
    return { status: 'refused', reason: 'Line 1: a report starts with "# Execution Report".' };
  const reader = new ReportReader(text);
  try {
    const heading = reader.after('# Execution Report: ');
    return heading === undefined ? parseContract(reader) : parseMirrored(reader, heading);
  } catch (error) {
    if (error instanceof ReportProblem) return { status: 'refused', reason: error.message };
    throw error;
  }
}

/** Reads what `renderMirrored` writes. Throws `ReportProblem`. */
function parseMirrored(reader: ReportReader, heading: string): MirroredReport {
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
const ACTION_STATUS = { success: 'SUCCESS', failure: 'FAILURE', 'not-run': 'SKIPPED' } as const;

/** Reads what `renderContract` writes, and what the contract shows. Throws `ReportProblem`. */
function parseContract(reader: ReportReader): ContractReport {
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
  const outcome = reader.readStatus(status, ACTION_STATUS);
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
