import type { ActionType, Metadata } from '../plan/index.js';
import { ACTION_TYPES } from './action-types.js';
import { type ReportedDecision, readReason } from './decisions.js';
import { isListLabel, readFact } from './facts.js';
import { EXECUTION, OVERALL, UNREADABLE } from './mirrored.js';
import type { ActionCounts } from './overall.js';
import type { MirroredAction, MirroredReport } from './parsed.js';
import type { Entry, ReportReader } from './reader.js';
import type { Facts } from './record.js';
import { readStateChanges } from './state-changes.js';
import { TIP } from './tip.js';

import { readIssues } from './validation-errors.js';
import { readMetadata, readPath, readText } from './values.js';

/** Reads behind `# Execution Report: `; `heading` is the rest of that line. */
export function readMirrored(reader: ReportReader, heading: string): MirroredReport {
  const header = readHeader(reader, heading);
  reader.skipBlank();
  const issues = readIssues(reader);
  const stateChanges = readStateChanges(reader);
  reader.need('## Action Log');
  const actions = readActions(reader);
  const tip = reader.skip('---');
  if (tip) {
    reader.skipBlank();
    reader.need(TIP);
  }
  reader.needEnd();
  return {
    status: 'mirrored',
    ...header,
    refused: issues !== undefined,
    issues: issues ?? [],
    stateChanges,
    actions,
    tip,
  };
}

type Header = Pick<MirroredReport, 'plan' | 'overall' | 'counts' | 'interrupted'>;

function readHeader(reader: ReportReader, heading: string): Header {
  const written = new Map(reader.readItems().map(({ label, lines }) => [label, lines]));
  const textOf = (label: string) => (written.has(label) ? readText(written.get(label)!) : undefined);
  const overall = keyOf(OVERALL, textOf('Overall Status'));
  const path = readPath(written.get('Original Plan')?.[0] ?? '');
  if (overall === undefined) reader.refuse('the header lacks an Overall Status.');
  if (path === undefined) reader.refuse('the header lacks the link to its Original Plan.');
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
    const type = ACTION_TYPES.find((name) => heading === `\`${name}\``);
    if (type) actions.push(readAction(reader, type));
    else reader.refuse('the heading before this names no action.');
    reader.skipBlank();
  }
  return actions;
}

function readAction(reader: ReportReader, type: ActionType): MirroredAction {
  const [status, second, ...others] = reader.readItems();
  const decision = readDecision(status, second);
  const execution =
    decision?.status === 'approved' ? keyOf(EXECUTION, second && readText(second.lines)) : 'not-run';
  if (!decision || !execution) {
    reader.refuse(`the ${type} before this lacks its Status, or its Execution or Reason.`);
    return { type, metadata: {}, decision: { status: 'approved' }, outcome: { status: 'not-run' } };
  }
  const { metadata, ours } = splitEntries(others);
  if (execution === 'not-run') {
    if (ours.length > 0) reader.refuse(`the ${type} before this was not run, and yet more is said of it.`);
    return { type, metadata, decision, outcome: { status: 'not-run' } };
  }
  const facts: Facts = {};
  for (const entry of ours) readFact(reader, entry, facts);
  readDetails(reader, facts);
  return { type, metadata, decision, outcome: { status: execution, ...facts } };
}

function readDecision(status: Entry | undefined, second: Entry | undefined): ReportedDecision | undefined {
  if (status?.label !== 'Status') return undefined;
  const word = readText(status.lines);
  if (word === 'Approved ✅' && second?.label === 'Execution') return { status: 'approved' };
  if (word === 'Skipped 🟡' && second?.label === 'Reason')
    return { status: 'skipped', reason: readReason(second.lines) };
  return undefined;
}

/** The plan's metadata, and behind it what is ours. */
function splitEntries(entries: readonly Entry[]): { metadata: Metadata; ours: Entry[] } {
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

function keyOf<Key extends string>(words: Record<Key, string>, word: string | undefined): Key | undefined {
  return (Object.keys(words) as Key[]).find((key) => words[key] === word);
}
