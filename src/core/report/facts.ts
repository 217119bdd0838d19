import { quoteShort, type ReportEntry, type ReportReader } from './reader.js';
import type {
  ActionRecord,
  Captured,
  DroppedHunk,
  Facts,
  KeptChanges,
  Overall,
  StateChangeRecord,
} from './record.js';
import {
  readBlockText,
  readCaptured,
  readTextValue,
  writeBlock,
  writeCaptured,
  writeLabelled,
  writeLineValue,
  writeListItem,
  writeTextValue,
} from './values.js';

// What is known of an action beyond its status, as both Markdown forms write it.

/** Labels that follow the plan's metadata in one list. */
const LIST_LABELS = [
  'Modified by user',
  'Kept',
  'Attempts',
  'Done in Run',
  'Matched',
  'Unchanged',
  'Interrupted',
  'Note',
];

export function isListLabel(label: string): boolean {
  return LIST_LABELS.includes(label);
}

/** Facts in the action's list. */
export function writeListFacts({
  ranAs,
  kept,
  attempts,
  doneIn,
  matched,
  unchanged,
  interrupted,
  notes = [],
}: Facts): string[] {
  return [
    ...(ranAs === undefined ? [] : [writeListItem('Modified by user', 'yes')]),
    ...(kept === undefined ? [] : [writeListItem('Kept', describeKept(kept))]),
    ...(attempts === undefined ? [] : [writeListItem('Attempts', String(attempts))]),
    ...(doneIn === undefined ? [] : [writeListItem('Done in Run', writeTextValue(doneIn))]),
    ...(matched === undefined ? [] : [writeListItem('Matched', writeTextValue(matched))]),
    ...(unchanged === undefined ? [] : [writeListItem('Unchanged', writeTextValue(unchanged))]),
    ...(interrupted === undefined ? [] : [writeListItem('Interrupted', writeTextValue(interrupted))]),
    ...notes.map((note) => writeListItem('Note', writeTextValue(note))),
  ];
}

/** Facts of one line, without a bullet; what an Expected Outcome lacks follows it as a list. */
export function writeShortFacts({ exitCode, ended, expectedOutcome }: Facts): string[] {
  return [
    ...(exitCode === undefined ? [] : [writeLabelled('Exit Code', String(exitCode))]),
    ...(ended === undefined ? [] : [writeLabelled('Ended', writeLineValue(ended))]),
    ...(expectedOutcome === undefined
      ? []
      : [
          [
            writeLabelled('Expected Outcome', expectedOutcome.met ? 'met' : 'not met'),
            ...expectedOutcome.missing.map((text) => writeListItem('Missing', writeTextValue(text))),
          ].join('\n'),
        ]),
  ];
}

/** Facts with a block, without a bullet. */
export function writeLongFacts({ output, error, reply, ranAs, kept }: Facts, least: number): string[] {
  const captured = (label: string, held: Captured) => {
    const [remarks, block] = writeCaptured(held, least);
    return `${writeLabelled(label, remarks)}\n${block}`;
  };
  return [
    ...(output === undefined ? [] : [captured('Output', output)]),
    ...(error === undefined ? [] : [captured('Error', error)]),
    ...(reply === undefined ? [] : [`**User Reply:**\n${writeBlock(reply, least)}`]),
    ...(ranAs === undefined ? [] : [captured('Run As', { text: ranAs })]),
    ...(kept?.dropped ?? []).map((hunk) => writeDropped(hunk, least)),
  ];
}

/** `2 of 3 changes` */
export function describeKept({ count, dropped }: KeptChanges): string {
  return `${count} of ${count + dropped.length} changes`;
}

function readKept(text: string, facts: Facts): boolean {
  const count = /^(\d{1,9}) of \d{1,9} changes$/.exec(text)?.[1];
  if (count === undefined) return false;
  facts.kept = { count: Number(count), dropped: [] };
  return true;
}

function readAttempts(text: string, facts: Facts): boolean {
  if (!/^\d{1,9}$/.test(text)) return false;
  facts.attempts = Number(text);
  return true;
}

/** `**Dropped:** 5a1c…: the reason`, and its diff. */
function writeDropped({ id, change, reason }: DroppedHunk, least: number): string {
  const [, block] = writeCaptured({ text: change, language: 'diff' }, least);
  const about = reason === null ? id : `${id}: ${writeLineValue(reason)}`;
  return `${writeLabelled('Dropped', about)}\n${block}`;
}

function readDropped({ label, lines, block }: ReportEntry, facts: Facts): boolean {
  const about = label === 'Dropped' && lines.length === 1 ? lines[0]! : '';
  const [head, id] = /^([0-9a-f]{16}(?:-\d{1,9})?)(?:: |$)/.exec(about) ?? [];
  if (head === undefined || id === undefined || !block || !facts.kept) return false;
  const reason = head === id ? null : readTextValue([about.slice(head.length)]);
  facts.kept.dropped.push({ id, change: block.body, reason });
  return true;
}

/** Puts the fact that an entry holds among `facts`; an entry that is none ends the reading. */
export function readFact(reader: ReportReader, entry: ReportEntry, facts: Facts): void {
  const readers = [readListFact, readShortFact, readDropped, readLongFact];
  if (!readers.some((read) => read(entry, facts))) reader.refuse(describeProblem(entry, facts), entry.line);
}

function describeProblem({ label, block }: ReportEntry, facts: Facts): string {
  const name = BLOCKS.get(label);
  if (name === undefined) return `${quoteShort(label)} is not a fact of an action, or not in this form.`;
  if (!block) return `${label} has no fenced block.`;
  return facts[name] === undefined ? `what follows ${label} is not known.` : `${label} is given twice.`;
}

function readListFact({ label, lines, block }: ReportEntry, facts: Facts): boolean {
  if (block || !isListLabel(label)) return false;
  const text = readTextValue(lines);
  if (label === 'Matched') facts.matched = text;
  else if (label === 'Done in Run') facts.doneIn = text;
  else if (label === 'Unchanged') facts.unchanged = text;
  else if (label === 'Interrupted') facts.interrupted = text;
  else if (label === 'Kept') return readKept(text, facts);
  else if (label === 'Attempts') return readAttempts(text, facts);
  else if (label === 'Note') {
    facts.notes ??= [];
    facts.notes.push(text);
  }
  // "Modified by user" follows from what was run instead.
  return true;
}

function readShortFact({ label, lines, block }: ReportEntry, facts: Facts): boolean {
  const text = readTextValue(lines);
  if (block) return false;
  if (label === 'Exit Code' && /^-?\d{1,16}$/.test(text)) facts.exitCode = Number(text);
  else if (label === 'Ended') facts.ended = text;
  else if (label === 'Expected Outcome' && (text === 'met' || text === 'not met'))
    facts.expectedOutcome = { met: text === 'met', missing: [] };
  else if (label === 'Missing' && facts.expectedOutcome) facts.expectedOutcome.missing.push(text);
  else return false;
  return true;
}

/** Labels of blocks: what we write, and what else the formats call the same. */
const BLOCKS = new Map<string, 'output' | 'error' | 'reply' | 'ranAs'>([
  ['Output', 'output'],
  ['Standard Output', 'output'],
  ['API Response', 'output'],
  ['Error', 'error'],
  ['Error Output', 'error'],
  ['Standard Error', 'error'],
  ['User Reply', 'reply'],
  ['Run As', 'ranAs'],
]);

function readLongFact({ label, lines, block }: ReportEntry, facts: Facts): boolean {
  const name = BLOCKS.get(label);
  const captured = block && readCaptured(lines.join('\n'), block);
  if (!captured || name === undefined || facts[name] !== undefined) return false;
  if (name === 'reply') facts.reply = readBlockText(block);
  else if (name === 'ranAs') facts.ranAs = captured.text;
  else facts[name] = captured;
  return true;
}

interface Counted {
  refused: boolean;
  stateChanges: readonly StateChangeRecord[];
  actions: readonly ActionRecord[];
}

/** The overall status. A state change counts like an action; one that was not wholly applied is a failure. */
export function overallOf({ refused, stateChanges, actions }: Counted): Overall {
  const decided = [...actions, ...stateChanges];
  const changed = stateChanges.filter(
    ({ decision, notApplied }) => decision.status === 'approved' && notApplied.length === 0,
  );
  const succeeded = countActions(actions).succeeded + changed.length;
  if (refused) return 'Failed';
  if (decided.every(({ decision }) => decision.status === 'skipped')) return 'Skipped';
  if (succeeded === 0) return 'Failed';
  return succeeded < decided.length ? 'Partial' : 'Completed';
}

export interface ActionCounts {
  total: number;
  approved: number;
  skipped: number;
  succeeded: number;
  failed: number;
}

type Decided = { decision: { status: string }; outcome: { status: string } };

export function countActions(actions: readonly Decided[]): ActionCounts {
  const approved = actions.filter(({ decision }) => decision.status === 'approved').length;
  const ended = (status: string) => actions.filter(({ outcome }) => outcome.status === status).length;
  return {
    total: actions.length,
    approved,
    skipped: actions.length - approved,
    succeeded: ended('success'),
    failed: ended('failure'),
  };
}
