import { APPROVED_NOT_RUN } from './contract.js';
import {
  readCommon,
  readIssues,
  readRecordedType,
  readStateChanges,
  readTip,
  refuseAction,
  takeComments,
} from './parse-sections.js';
import type { ContractAction, ContractReport, ReportedDecision } from './parsed-report.js';
import { readFact } from './read-facts.js';
import { Entries, quoteShort, type ReportEntry, type ReportReader, readEntryText } from './reader.js';
import type { Facts } from './record.js';

const SUMMARY_STATUS = {
  SUCCESS: 'SUCCESS',
  FAILURE: 'FAILURE',
  PARTIAL_SUCCESS: 'PARTIAL_SUCCESS',
} as const;
const ACTION_STATUS = { success: 'SUCCESS', failure: 'FAILURE', 'not-run': 'SKIPPED' } as const;

/** Reads what `renderContract` writes, and what the contract shows. Throws `ReportProblem`. */
export function parseContract(reader: ReportReader): ContractReport {
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
