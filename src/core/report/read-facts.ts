import { CHANGE_LABELS, NOWHERE, readPath } from './markdown.js';
import {
  quoteShort,
  type ReportEntry,
  type ReportReader,
  readBlockText,
  readCaptured,
  readEntryText,
} from './reader.js';
import type { ChangedPath, Facts } from './record.js';

// The facts about an action that ran, as entries of a report of either form.

const TEXT_FACTS = new Map<string, 'doneIn' | 'matched' | 'unchanged' | 'interrupted' | 'ended'>([
  ['Done in Run', 'doneIn'],
  ['Matched', 'matched'],
  ['Unchanged', 'unchanged'],
  ['Interrupted', 'interrupted'],
  ['Ended', 'ended'],
]);

const NUMBER_FACTS = new Map<string, 'attempts' | 'exitCode'>([
  ['Attempts', 'attempts'],
  ['Exit Code', 'exitCode'],
]);

/** Labels of blocks: what teddy writes, and what else the formats call the same. */
const BLOCK_FACTS = new Map<string, 'output' | 'error' | 'reply' | 'ranAs'>([
  ['Output', 'output'],
  ['Standard Output', 'output'],
  ['API Response', 'output'],
  ['Error', 'error'],
  ['Error Output', 'error'],
  ['Standard Error', 'error'],
  ['User Reply', 'reply'],
  ['Run As', 'ranAs'],
]);

/** Adds the fact that an entry has to `facts`. */
export function readFact(reader: ReportReader, entry: ReportEntry, facts: Facts): void {
  const isRead = entry.block ? readBlockFact(reader, entry, facts) : readLineFact(entry, facts);
  if (!isRead)
    reader.refuse(`${quoteShort(entry.label)} is not a fact of an action, or not in this form.`, entry.line);
}

function readLineFact(entry: ReportEntry, facts: Facts): boolean {
  const { label } = entry;
  const text = readEntryText(entry);
  const textFact = TEXT_FACTS.get(label);
  const numberFact = NUMBER_FACTS.get(label);
  if (textFact) facts[textFact] = text;
  else if (numberFact && /^-?\d{1,16}$/.test(text)) facts[numberFact] = Number(text);
  else if (label === 'Note') {
    facts.notes ??= [];
    facts.notes.push(text);
  } else if (label === 'Expected Outcome' && /^(?:not )?met$/.test(text))
    facts.expectedOutcome = { met: text === 'met', missing: [] };
  else if (label === 'Missing' && facts.expectedOutcome) facts.expectedOutcome.missing.push(text);
  else if (label === 'Changed Files' && /^\d{1,9}$/.test(text)) facts.changed = [];
  else if (facts.changed && label === 'More' && /^\d{1,9}$/.test(text)) return true;
  else if (facts.changed && CHANGES.has(label)) return readChanged(entry, facts.changed);
  else if (label === 'Not Restorable') return readUnrestorable(entry, facts);
  else if (label === 'Because' && facts.unrestorable && text.startsWith('it '))
    facts.unrestorable.at(-1)!.reason = text.slice('it '.length);
  else if (label === 'Moved') return readMoved(text, facts);
  else if (label === 'Kept' && /^\d{1,9} of \d{1,9} changes$/.test(text))
    facts.kept = { count: Number.parseInt(text, 10), dropped: [] };
  // "Modified by user" follows from what was run instead.
  else return label === 'Modified by user';
  return true;
}

const CHANGES = new Map(
  Object.entries(CHANGE_LABELS).map(([change, label]) => [label, change as ChangedPath['change']]),
);

function readChanged({ label, lines }: ReportEntry, changed: ChangedPath[]): boolean {
  const path = readPath(lines[0]!);
  if (path === undefined) return false;
  changed.push({ path, change: CHANGES.get(label)! });
  return true;
}

function readUnrestorable({ lines }: ReportEntry, facts: Facts): boolean {
  const path = readPath(lines[0]!);
  if (path === undefined) return false;
  facts.unrestorable ??= [];
  facts.unrestorable.push({ path, reason: '' });
  return true;
}

const MOVED = /^(\S+) from (\S+) to (\S+); to move it back: (.+)$/;

function readMoved(text: string, facts: Facts): boolean {
  const [, name, from, to, revert] = MOVED.exec(text) ?? [];
  if (name === undefined) return false;
  const place = (written: string) => (written === NOWHERE ? null : written);
  facts.moved ??= [];
  facts.moved.push({ name, from: place(from!), to: place(to!), revert: revert! });
  return true;
}

function readBlockFact(reader: ReportReader, entry: ReportEntry, facts: Facts): boolean {
  const { label, lines, line } = entry;
  const block = entry.block!;
  if (label === 'Dropped') return readDropped(lines, block.body, facts);
  const name = BLOCK_FACTS.get(label);
  const captured = readCaptured(lines, block);
  if (!captured || name === undefined) return false;
  if (facts[name] !== undefined) reader.refuse(`${label} is given twice.`, line);
  if (name === 'reply') facts.reply = readBlockText(block);
  else if (name === 'ranAs') facts.ranAs = captured.text;
  else facts[name] = captured;
  return true;
}

function readDropped(lines: readonly string[], change: string, facts: Facts): boolean {
  const [, id, reason] = /^([0-9a-f]{16}(?:-\d{1,9})?)(?:: (.*))?$/s.exec(lines.join('\n')) ?? [];
  if (id === undefined || !facts.kept) return false;
  const given = reason === undefined ? null : readEntryText({ lines: [reason] });
  facts.kept.dropped.push({ id, change, reason: given });
  return true;
}
