import { readActionType } from '../../plan/actions.js';
import { APPROVED_NOT_RUN } from '../contract.js';
import { readFact, readTip } from '../facts.js';
import { readStateChanges } from '../mirrored.js';
import type { Facts } from '../record.js';
import { readIssues } from '../validation-errors.js';
import { readPath, readTextValue } from '../values.js';
import type { ContractAction, ContractReport } from './parsed.js';
import { quoteShort, type ReportEntry, type ReportReader } from './reader.js';

const SUMMARY_STATUS = {
  SUCCESS: 'SUCCESS',
  FAILURE: 'FAILURE',
  PARTIAL_SUCCESS: 'PARTIAL_SUCCESS',
} as const;
const ACTION_STATUS = { SUCCESS: 'SUCCESS', FAILURE: 'FAILURE', SKIPPED: 'SKIPPED' } as const;

/** Reads behind `# Execution Report`. */
export function readContract(reader: ReportReader): ContractReport {
  const summary = readSummary(reader);
  const environment = readEnvironment(reader);
  readRule(reader);
  const validation = readIssues(reader);
  if (validation) readRule(reader);
  const stateChanges = readStateChanges(reader);
  if (stateChanges.length > 0) readRule(reader);
  reader.need('## Action Log');
  const { actions, tip } = readActions(reader);
  reader.needEnd();
  return {
    status: 'contract',
    ...summary,
    environment,
    refused: validation?.refused ?? false,
    issues: validation?.issues ?? [],
    stateChanges,
    actions,
    tip,
  };
}

function readRule(reader: ReportReader): void {
  reader.skipBlank();
  reader.skip('---');
  reader.skipBlank();
}

type Summary = Pick<
  ContractReport,
  'overall' | 'startedAt' | 'endedAt' | 'durationMs' | 'id' | 'plan' | 'interrupted'
>;

function readSummary(reader: ReportReader): Summary {
  reader.skipBlank();
  const { line } = reader;
  const entries = new Map(readEntries(reader, '**Run Summary:**').map((entry) => [entry.label, entry]));
  for (const label of ['Status', 'Start Time', 'End Time', 'Duration'])
    if (!entries.has(label)) reader.refuse(`the Run Summary has no ${label}.`, line);
  const textOf = (label: string) => (entries.has(label) ? readTextValue(entries.get(label)!.lines) : null);
  return {
    overall: reader.readStatus(entries.get('Status'), SUMMARY_STATUS),
    startedAt: textOf('Start Time') ?? '',
    endedAt: textOf('End Time') ?? '',
    durationMs: readDuration(reader, entries.get('Duration')),
    id: textOf('Run'),
    plan: { title: textOf('Plan'), path: readPlanFile(reader, entries.get('Plan File')) },
    interrupted: textOf('Interrupted'),
  };
}

function readDuration(reader: ReportReader, entry: ReportEntry | undefined): number {
  const text = readTextValue(entry?.lines ?? []);
  const [, whole, part] = /^(\d{1,13})(\.\d{1,9})? ?s(?:ec(?:ond)?s?)?$/.exec(text) ?? [];
  if (entry && whole === undefined)
    reader.refuse(
      `Duration is ${quoteShort(text)}; it must be in seconds, such as "5.23 seconds".`,
      entry.line,
    );
  return Number(whole ?? 0) * 1000 + Math.round(Number(part ?? 0) * 1000);
}

function readPlanFile(reader: ReportReader, entry: ReportEntry | undefined): string | null {
  const path = entry && readPath(entry.lines[0] ?? '');
  if (entry && path === undefined) reader.refuse('the Plan File is not a link from the root.', entry.line);
  return path ?? null;
}

function readEnvironment(reader: ReportReader): ContractReport['environment'] {
  const entries = readEntries(reader, '**Environment:**');
  const values = new Map(entries.map(({ label, lines }) => [label, readTextValue(lines)]));
  return { os: values.get('Operating System') ?? '', cwd: values.get('Working Directory') ?? '' };
}

function readEntries(reader: ReportReader, title: string): ReportEntry[] {
  reader.skipBlank();
  reader.need(title);
  return reader.readItems();
}

function readActions(reader: ReportReader): { actions: ContractAction[]; tip: boolean } {
  const actions: ContractAction[] = [];
  for (;;) {
    readRule(reader);
    if (readTip(reader)) return { actions, tip: true };
    const heading = reader.after('### Action ');
    if (heading !== undefined) actions.push(readAction(reader, heading, actions.length + 1));
    else if (reader.peek() !== '---') return { actions, tip: false };
  }
}

function readAction(reader: ReportReader, heading: string, number: number): ContractAction {
  const line = reader.line - 1;
  const [, at, name = ''] = /^(\d{1,9}): (.*)$/.exec(heading) ?? [];
  const type = readActionType(name);
  if (Number(at) !== number) reader.refuse(`expected "### Action ${number}: …".`, line);
  else if (!type) reader.refuse(`${quoteShort(name)} is not an action.`, line);
  reader.skipBlank();
  const [status, details, ...others] = reader.readItems();
  if (status?.label !== 'Status') reader.refuse(`action ${number} does not begin with its Status.`, line);
  const word = reader.readStatus(status, ACTION_STATUS);
  if (details?.label !== 'Details') reader.refuse(`action ${number} has no Details after its Status.`, line);
  const summary = readTextValue(details?.lines ?? []);
  const known = { type: type ?? 'READ' };
  if (word === 'SKIPPED') return { ...known, ...readSkip(reader, summary, others) };
  const facts: Facts = {};
  for (const entry of others) readFact(reader, entry, facts);
  const outcome = { status: word === 'SUCCESS' ? 'success' : 'failure', summary, ...facts } as const;
  return { ...known, decision: { status: 'approved' }, outcome };
}

function readSkip(
  reader: ReportReader,
  details: string,
  [reason, ...more]: readonly ReportEntry[],
): Pick<ContractAction, 'decision' | 'outcome'> {
  const outcome = { status: 'not-run' } as const;
  if (details === APPROVED_NOT_RUN && !reason) return { decision: { status: 'approved' }, outcome };
  const other = reason && reason.label !== 'Reason' ? reason : more[0];
  if (other) reader.refuse(`this action was not run, so it has no ${quoteShort(other.label)}.`, other.line);
  const given = reason ? readTextValue(reason.lines) : null;
  return { decision: { status: 'skipped', reason: given === null ? null : unquoteReason(given) }, outcome };
}

function unquoteReason(given: string): string {
  return /^".*"$/s.test(given) ? given.slice(1, -1) : given;
}
