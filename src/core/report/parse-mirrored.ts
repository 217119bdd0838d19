import type { Metadata } from '../plan/types.js';
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
import type { MirroredAction, MirroredReport, ReportedDecision } from './parsed-report.js';
import { readFact } from './read-facts.js';
import {
  Entries,
  quoteShort,
  type ReportEntry,
  type ReportReader,
  readMetadata,
  readReason,
} from './reader.js';
import type { ActionCounts, ActionRecord, Facts } from './record.js';

/** Reads what `renderMirrored` writes. Throws `ReportProblem`. */
export function parseMirrored(reader: ReportReader, heading: string): MirroredReport {
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
