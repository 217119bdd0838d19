import type { ActionType } from '../plan/index.js';
import { ACTION_TYPES } from './action-types.js';
import { APPROVED_NOT_RUN } from './contract.js';
import { readFact } from './facts.js';
import type { ContractAction, ContractReport, ContractStatus } from './parsed.js';
import type { Entry, ReportReader } from './reader.js';
import type { Facts } from './record.js';
import { readStateChanges } from './state-changes.js';
import { TIP } from './tip.js';
import { readIssues } from './validation-errors.js';
import { readPath, readText } from './values.js';

/** Reads behind `# Execution Report`. */
export function readContract(reader: ReportReader): ContractReport {
  const summary = readSummary(reader);
  const environment = readEnvironment(reader);
  readRule(reader);
  const issues = readIssues(reader);
  if (issues) readRule(reader);
  const stateChanges = readStateChanges(reader);
  if (stateChanges.length > 0) readRule(reader);
  reader.need('## Action Log');
  const { actions, tip } = readActions(reader);
  reader.needEnd();
  return {
    status: 'contract',
    ...summary,
    environment,
    refused: issues !== undefined,
    issues: issues ?? [],
    stateChanges,
    actions,
    tip,
  };
}

function readRule(reader: ReportReader): void {
  reader.skipBlank();
  reader.need('---');
  reader.skipBlank();
}

type Summary = Pick<
  ContractReport,
  'overall' | 'startedAt' | 'endedAt' | 'durationMs' | 'id' | 'plan' | 'interrupted'
>;

function readSummary(reader: ReportReader): Summary {
  const entries = readEntries(reader, '**Run Summary:**');
  const values = textsOf(entries);
  const overall = ['SUCCESS', 'FAILURE', 'PARTIAL_SUCCESS'].find((word) => word === values.get('Status'));
  const duration = /^(\d{1,13})\.(\d\d) seconds$/.exec(values.get('Duration') ?? '');
  const path = readPath(entries.find(({ label }) => label === 'Plan File')?.lines[0] ?? '');
  if (!overall || !duration || path === undefined)
    reader.refuse('the Run Summary lacks a Status, a Duration or a Plan File.');
  return {
    overall: (overall ?? 'FAILURE') as ContractStatus,
    startedAt: values.get('Start Time') ?? '',
    endedAt: values.get('End Time') ?? '',
    durationMs: duration ? (Number(duration[1]) * 100 + Number(duration[2])) * 10 : 0,
    id: values.get('Run') ?? '',
    plan: { title: values.get('Plan') ?? null, path: path ?? '' },
    interrupted: values.get('Interrupted') ?? null,
  };
}

function readEnvironment(reader: ReportReader): ContractReport['environment'] {
  const values = textsOf(readEntries(reader, '**Environment:**'));
  return { os: values.get('Operating System') ?? '', cwd: values.get('Working Directory') ?? '' };
}

function readEntries(reader: ReportReader, title: string): Entry[] {
  reader.skipBlank();
  reader.need(title);
  return reader.readItems();
}

function textsOf(entries: readonly Entry[]): Map<string, string> {
  return new Map(entries.map(({ label, lines }) => [label, readText(lines)]));
}

function readActions(reader: ReportReader): { actions: ContractAction[]; tip: boolean } {
  const actions: ContractAction[] = [];
  for (;;) {
    reader.skipBlank();
    const heading = reader.after(`### Action ${actions.length + 1}: `);
    if (heading !== undefined) {
      const type = ACTION_TYPES.find((name) => name.toLowerCase() === heading);
      if (type) actions.push(readAction(reader, type));
      else reader.refuse('the heading before this names no action.');
      reader.skipBlank();
    } else if (actions.length > 0) {
      reader.refuse(`expected "### Action ${actions.length + 1}: …", or the tip.`);
    }
    if (!reader.skip('---')) return { actions, tip: false };
    reader.skipBlank();
    if (reader.skip(TIP)) return { actions, tip: true };
  }
}

function readAction(reader: ReportReader, type: ActionType): ContractAction {
  reader.skipBlank();
  const [status, details, ...others] = reader.readItems();
  const word = status?.label === 'Status' ? readText(status.lines) : '';
  if (details?.label === 'Details') {
    if (word === 'SKIPPED') return readSkip(reader, type, details, others);
    if (word === 'SUCCESS' || word === 'FAILURE') {
      const facts: Facts = {};
      for (const entry of others) readFact(reader, entry, facts);
      const summary = readText(details.lines);
      const outcome = { status: word === 'SUCCESS' ? 'success' : 'failure', summary, ...facts } as const;
      return { type, decision: { status: 'approved' }, outcome };
    }
  }
  reader.refuse('the action before this lacks its Status or its Details.');
  return { type, decision: { status: 'approved' }, outcome: { status: 'not-run' } };
}

function readSkip(
  reader: ReportReader,
  type: ActionType,
  details: Entry,
  others: readonly Entry[],
): ContractAction {
  const outcome = { status: 'not-run' } as const;
  if (readText(details.lines) === APPROVED_NOT_RUN)
    return { type, decision: { status: 'approved' }, outcome };
  const [reason, ...more] = others;
  if (more.length > 0 || (reason && reason.label !== 'Reason'))
    reader.refuse('the action before this was not run, and yet more is said of it.');
  const quoted = reason ? readText(reason.lines) : null;
  return { type, decision: { status: 'skipped', reason: quoted?.slice(1, -1) ?? null }, outcome };
}
