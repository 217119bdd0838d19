import { readActionType } from '../plan/actions.js';
import type { ActionType, Metadata } from '../plan/types.js';
import {
  type ActionCounts,
  countActions,
  isListLabel,
  readFact,
  writeListFacts,
  writeLongFacts,
  writeShortFacts,
} from './facts.js';
import { quoteShort, type ReportEntry, type ReportReader } from './reader.js';
import type { ActionRecord, Facts, Overall, Run, RunPlan } from './record.js';
import {
  addTip,
  type Reported,
  type ReportedDecision,
  readIssues,
  readReason,
  readStateChanges,
  readTip,
  TIP_LIMITS,
  type TipLimits,
  writeIssues,
  writeReason,
  writeStateChangeRecords,
} from './sections.js';
import {
  foldLines,
  readMetadata,
  readPath,
  readTextValue,
  writeListItem,
  writeMetadata,
  writePathValue,
  writeTextValue,
} from './values.js';

const UNREADABLE = 'Unreadable plan';

const OVERALL: Record<Overall, string> = {
  Completed: 'Completed 🟢',
  Partial: 'Partial 🟡',
  Failed: 'Failed 🔴',
  Skipped: 'Skipped 🟡',
};

const EXECUTION = {
  success: 'Success 🟢',
  failure: 'Failure 🔴',
  'not-run': 'Not run 🟡',
} as const;

const DECISION = { approved: 'Approved ✅', skipped: 'Skipped 🟡' } as const;

/** `report.md`: what happened, in the plan's own order and words. */
export function renderMirrored(run: Run, tip: TipLimits = TIP_LIMITS): string {
  const sections = [
    writeHeader(run),
    ...writeIssues(run),
    ...(run.stateChanges.length > 0 ? [writeStateChangeRecords(run.stateChanges)] : []),
    ['## Action Log', ...run.actions.map(writeAction)].join('\n\n'),
  ];
  return addTip(`${sections.join('\n\n')}\n`, tip);
}

function writeHeader({ plan: { title, path }, overall, actions, interrupted, continues }: Run): string {
  const { total, approved, skipped, succeeded, failed } = countActions(actions);
  const heading = title === null ? UNREADABLE : foldLines(title);
  return [
    `# Execution Report: ${heading}`,
    writeListItem('Overall Status', OVERALL[overall]),
    writeListItem('Original Plan', writePathValue(path)),
    writeListItem('Actions', `${total} Total / ${approved} Approved / ${skipped} Skipped`),
    writeListItem('Outcomes', `${succeeded} Succeeded / ${failed} Failed`),
    ...(interrupted === null ? [] : [writeListItem('Interrupted', writeTextValue(interrupted))]),
    ...(continues === undefined ? [] : [writeListItem('Continues', writeTextValue(continues))]),
    // Where the heading does not say it to the letter.
    ...(title !== null && (title !== heading || title === UNREADABLE)
      ? [writeListItem('Title', writeTextValue(title))]
      : []),
  ].join('\n');
}

function writeAction(action: ActionRecord): string {
  const list = [`### \`${action.type}\``, ...writeStatus(action), ...writeOwnMetadata(action)];
  const { decision, outcome } = action;
  if (decision.status === 'skipped' || outcome.status === 'not-run') return list.join('\n');
  list.push(...writeListFacts(outcome));
  const details = [...writeShortFacts(outcome), ...writeLongFacts(outcome, 4)];
  if (details.length === 0) return list.join('\n');
  return `${list.join('\n')}\n\n#### Execution Details\n${details.join('\n\n')}`;
}

function writeStatus({ decision, outcome }: ActionRecord): string[] {
  return decision.status === 'approved'
    ? [writeListItem('Status', DECISION.approved), writeListItem('Execution', EXECUTION[outcome.status])]
    : [writeListItem('Status', DECISION.skipped), writeListItem('Reason', writeReason(decision.reason))];
}

function writeOwnMetadata({ metadata }: ActionRecord): string[] {
  return Object.entries(metadata).map(([label, value]) =>
    writeListItem(writeOwnLabel(label), writeMetadata(value)),
  );
}

/**
 * Status and Reason are recognised by their position. Facts of ours follow the metadata, and only their names distinguish them
 * apart: a label of the plan that has such a name gets a backslash before its colon, which no preview shows.
 */
function writeOwnLabel(label: string): string {
  const plain = label.replace(/[\r\n]+/g, ' ').replaceAll(':**', ':');
  return isListLabel(plain) || plain.endsWith('\\') ? `${plain}\\` : plain;
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
  type: ActionType;
  metadata: Metadata;
  decision: ReportedDecision;
  outcome: { status: 'not-run' } | ({ status: 'success' | 'failure' } & Facts);
}

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

type Header = Pick<MirroredReport, 'plan' | 'overall' | 'counts' | 'interrupted' | 'continues'>;

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
  const continues = textOf('Continues');
  const counts = readCounts(textOf('Actions') ?? '', textOf('Outcomes') ?? '');
  return {
    plan: { title: textOf('Title') ?? (heading === UNREADABLE ? null : heading), path: path ?? '' },
    overall: overall ?? 'Failed',
    ...(counts ? { counts } : {}),
    interrupted: textOf('Interrupted') ?? null,
    ...(continues === undefined ? {} : { continues }),
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
    if (type) actions.push(readMirroredAction(reader, type));
    else reader.refuse(`${quoteShort(heading)} is not an action.`, reader.line - 1);
    reader.skipBlank();
  }
  return actions;
}

function readMirroredAction(reader: ReportReader, type: ActionType): MirroredAction {
  const { line } = reader;
  const [status, second, ...others] = reader.readItems();
  const { metadata, ours } = splitEntries(others);
  if (status?.label !== 'Status') reader.refuse(`the ${type} does not start with its Status.`, line);
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
