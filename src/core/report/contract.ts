import { readActionType } from '../plan/actions.js';
import type { ActionType } from '../plan/types.js';
import { readFact, writeListFacts, writeLongFacts, writeShortFacts } from './facts.js';
import { quoteShort, type ReportEntry, type ReportReader } from './reader.js';
import type { ActionRecord, Decision, Facts, Outcome, Overall, Run } from './record.js';
import {
  addTip,
  type Reported,
  type ReportedDecision,
  readIssues,
  readStateChanges,
  readTip,
  TIP_LIMITS,
  type TipLimits,
  writeIssues,
  writeStateChangeRecords,
} from './sections.js';
import {
  readPath,
  readTextValue,
  writeLineValue,
  writeListItem,
  writePathValue,
  writeTextValue,
} from './values.js';

const STATUS: Record<Overall, ContractStatus> = {
  Completed: 'SUCCESS',
  Partial: 'PARTIAL_SUCCESS',
  Failed: 'FAILURE',
  Skipped: 'FAILURE',
};

const UNCHANGED = 'These changes have not been implemented, and the previous state is still the current one.';
const REJECTED = `User rejected this action. ${UNCHANGED}`;
const NOT_RUN = `Not run. ${UNCHANGED}`;
const APPROVED_NOT_RUN = `Approved, but not run. ${UNCHANGED}`;

/** The contract report: a summary of the run, where it took place, and its actions by number. */
export function renderContract(run: Run, tip: TipLimits = TIP_LIMITS): string {
  const sections = [
    `# Execution Report\n\n${writeSummary(run)}\n\n${writeEnvironment(run)}`,
    ...writeIssues(run),
    ...(run.stateChanges.length > 0 ? [writeStateChangeRecords(run.stateChanges)] : []),
    ['## Action Log', ...run.actions.slice(0, 1).map(writeAction)].join('\n\n'),
    ...run.actions.slice(1).map((action, at) => writeAction(action, at + 1)),
  ];
  return addTip(`${sections.join('\n\n---\n\n')}\n`, tip);
}

function writeSummary({
  id,
  plan,
  overall,
  startedAt,
  endedAt,
  durationMs,
  interrupted,
  continues,
}: Run): string {
  return [
    '**Run Summary:**',
    writeListItem('Status', STATUS[overall]),
    writeListItem('Start Time', writeLineValue(startedAt)),
    writeListItem('End Time', writeLineValue(endedAt)),
    writeListItem('Duration', `${writeSeconds(durationMs)} seconds`),
    writeListItem('Run', writeLineValue(id)),
    ...(plan.title === null ? [] : [writeListItem('Plan', writeTextValue(plan.title))]),
    writeListItem('Plan File', writePathValue(plan.path)),
    ...(interrupted === null ? [] : [writeListItem('Interrupted', writeTextValue(interrupted))]),
    ...(continues === undefined ? [] : [writeListItem('Continues', writeTextValue(continues))]),
  ].join('\n');
}

function writeEnvironment({ environment: { os, cwd } }: Run): string {
  return [
    '**Environment:**',
    writeListItem('Operating System', writeLineValue(os)),
    writeListItem('Working Directory', writeLineValue(cwd)),
  ].join('\n');
}

function writeSeconds(milliseconds: number): string {
  const hundredths = Math.round(milliseconds / 10);
  return `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, '0')}`;
}

function writeAction(action: ActionRecord, at: number): string {
  const items = writeItems(action);
  return `### Action ${at + 1}: ${action.type.toLowerCase()}\n\n${items.join('\n')}`;
}

function writeItems({ decision, outcome }: ActionRecord): string[] {
  if (decision.status === 'skipped') return writeSkip(decision);
  if (outcome.status === 'not-run')
    return [writeListItem('Status', 'SKIPPED'), writeListItem('Details', APPROVED_NOT_RUN)];
  return [
    writeListItem('Status', outcome.status === 'success' ? 'SUCCESS' : 'FAILURE'),
    writeListItem('Details', writeTextValue(outcome.summary)),
    ...writeShortFacts(outcome).map((fact) => `- ${fact}`),
    ...writeListFacts(outcome),
    ...writeLongFacts(outcome, 3).map((fact) => `- ${fact}`),
  ];
}

function writeSkip({ by, reason }: Extract<Decision, { status: 'skipped' }>): string[] {
  const byPerson = by === 'person' || by === 'rest' || by === 'decisions';
  return [
    writeListItem('Status', 'SKIPPED'),
    writeListItem('Details', byPerson ? REJECTED : NOT_RUN),
    ...(reason === null ? [] : [writeListItem('Reason', writeTextValue(`"${reason}"`))]),
  ];
}

export type ContractStatus = 'SUCCESS' | 'FAILURE' | 'PARTIAL_SUCCESS';

export interface ContractReport extends Reported, Pick<Run, 'startedAt' | 'endedAt' | 'environment'> {
  status: 'contract';
  /** Null where another program wrote the report: the contract does not ask for it. */
  id: string | null;
  /** `path` is null for the same reason. */
  plan: { title: string | null; path: string | null };
  overall: ContractStatus;
  /** To ten milliseconds. */
  durationMs: number;
  actions: ContractAction[];
}

export interface ContractAction {
  type: ActionType;
  decision: ReportedDecision;
  outcome: Outcome;
}

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
  'overall' | 'startedAt' | 'endedAt' | 'durationMs' | 'id' | 'plan' | 'interrupted' | 'continues'
>;

function readSummary(reader: ReportReader): Summary {
  reader.skipBlank();
  const { line } = reader;
  const entries = new Map(readEntries(reader, '**Run Summary:**').map((entry) => [entry.label, entry]));
  for (const label of ['Status', 'Start Time', 'End Time', 'Duration'])
    if (!entries.has(label)) reader.refuse(`the Run Summary has no ${label}.`, line);
  const textOf = (label: string) => (entries.has(label) ? readTextValue(entries.get(label)!.lines) : null);
  const continues = textOf('Continues');
  return {
    overall: reader.readStatus(entries.get('Status'), SUMMARY_STATUS),
    startedAt: textOf('Start Time') ?? '',
    endedAt: textOf('End Time') ?? '',
    durationMs: readDuration(reader, entries.get('Duration')),
    id: textOf('Run'),
    plan: { title: textOf('Plan'), path: readPlanFile(reader, entries.get('Plan File')) },
    interrupted: textOf('Interrupted'),
    ...(continues === null ? {} : { continues }),
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
    if (heading !== undefined) actions.push(readContractAction(reader, heading, actions.length + 1));
    else if (reader.peek() !== '---') return { actions, tip: false };
  }
}

function readContractAction(reader: ReportReader, heading: string, number: number): ContractAction {
  const line = reader.line - 1;
  const [, at, name = ''] = /^(\d{1,9}): (.*)$/.exec(heading) ?? [];
  const type = readActionType(name);
  if (Number(at) !== number) reader.refuse(`expected "### Action ${number}: …".`, line);
  else if (!type) reader.refuse(`${quoteShort(name)} is not an action.`, line);
  reader.skipBlank();
  const [status, details, ...others] = reader.readItems();
  if (status?.label !== 'Status') reader.refuse(`action ${number} does not start with its Status.`, line);
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
