import { readActionType } from '../../plan/actions.js';
import type { ActionType, Metadata } from '../../plan/types.js';
import type { ActionCounts } from '../facts.js';
import { isListLabel, type ReportedDecision, readFact, readReason, readTip } from '../facts.js';
import { DECISION, EXECUTION, OVERALL, readStateChanges, UNREADABLE } from '../mirrored.js';
import type { Facts } from '../record.js';
import { readIssues } from '../validation-errors.js';
import { readMetadata, readPath, readTextValue } from '../values.js';
import type { MirroredAction, MirroredReport } from './parsed.js';
import { quoteShort, type ReportEntry, type ReportReader } from './reader.js';

/** Reads behind `# Execution Report: `; `heading` is the rest of that line. */
export function readMirrored(reader: ReportReader, heading: string): MirroredReport {
  const header = readHeader(reader, heading);
  reader.skipBlank();
  const validation = readIssues(reader);
  const stateChanges = readStateChanges(reader);
  reader.need('## Action Log');
  const actions = readActions(reader);
  const tip = reader.skip('---') && readTip(reader);
  reader.needEnd();
  return {
    status: 'mirrored',
    ...header,
    refused: validation?.refused ?? false,
    issues: validation?.issues ?? [],
    stateChanges,
    actions,
    tip,
  };
}

type Header = Pick<MirroredReport, 'plan' | 'overall' | 'counts' | 'interrupted'>;

function readHeader(reader: ReportReader, heading: string): Header {
  const { line } = reader;
  const written = new Map(reader.readItems().map((entry) => [entry.label, entry]));
  const textOf = (label: string) =>
    written.has(label) ? readTextValue(written.get(label)!.lines) : undefined;
  const status = written.get('Overall Status');
  if (!status) reader.refuse('the header has no Overall Status.', line);
  const overall = reader.readStatus(status, OVERALL);
  const original = written.get('Original Plan');
  const path = readPath(original?.lines[0] ?? '');
  if (!original) reader.refuse('the header has no Original Plan.', line);
  else if (path === undefined) reader.refuse('the Original Plan is not a link from the root.', original.line);
  const counts = readCounts(textOf('Actions') ?? '', textOf('Outcomes') ?? '');
  return {
    plan: { title: textOf('Title') ?? (heading === UNREADABLE ? null : heading), path: path ?? '' },
    overall: overall ?? 'Failed',
    ...(counts ? { counts } : {}),
    interrupted: textOf('Interrupted') ?? null,
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

function readActions(reader: ReportReader): MirroredAction[] {
  const actions: MirroredAction[] = [];
  reader.skipBlank();
  for (let heading = reader.after('### '); heading !== undefined; heading = reader.after('### ')) {
    const type = readActionType(heading);
    if (type) actions.push(readAction(reader, type));
    else reader.refuse(`${quoteShort(heading)} is not an action.`, reader.line - 1);
    reader.skipBlank();
  }
  return actions;
}

function readAction(reader: ReportReader, type: ActionType): MirroredAction {
  const { line } = reader;
  const [status, second, ...others] = reader.readItems();
  const { metadata, ours } = splitEntries(others);
  if (status?.label !== 'Status') reader.refuse(`the ${type} does not begin with its Status.`, line);
  const decided = reader.readStatus(status, DECISION);
  const label = decided === 'skipped' ? 'Reason' : 'Execution';
  if (second?.label !== label)
    reader.refuse(`the ${type} is ${decided} and has no ${label} after its Status.`, second?.line ?? line);
  if (decided === 'skipped') {
    const decision: ReportedDecision = { status: 'skipped', reason: readReason(second?.lines ?? []) };
    return readNotRun(reader, { type, metadata, decision, outcome: { status: 'not-run' } }, ours);
  }
  const decision: ReportedDecision = { status: 'approved' };
  const execution = reader.readStatus(second, EXECUTION);
  if (execution === 'not-run')
    return readNotRun(reader, { type, metadata, decision, outcome: { status: 'not-run' } }, ours);
  const facts: Facts = {};
  for (const entry of ours) readFact(reader, entry, facts);
  readDetails(reader, facts);
  return { type, metadata, decision, outcome: { status: execution, ...facts } };
}

function readNotRun(
  reader: ReportReader,
  action: MirroredAction,
  ours: readonly ReportEntry[],
): MirroredAction {
  if (ours.length > 0)
    reader.refuse(
      `the ${action.type} was not run, so it has no ${quoteShort(ours[0]!.label)}.`,
      ours[0]!.line,
    );
  return action;
}

/** The plan's metadata, and behind it what is ours. */
function splitEntries(entries: readonly ReportEntry[]): { metadata: Metadata; ours: ReportEntry[] } {
  let end = entries.length;
  while (end > 0 && !entries[end - 1]!.foreign && isListLabel(entries[end - 1]!.label)) end--;
  const written = entries.slice(0, end).map(({ label, lines }) => [label, readMetadata(lines)] as const);
  return { metadata: Object.fromEntries(written), ours: entries.slice(end) };
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
