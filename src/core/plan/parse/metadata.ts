import {
  type Fence,
  type List,
  type ListItem,
  lazyFrom,
  scanItem,
  type Text,
} from '../../markdown/blocks.js';
import { type Lines, lineText } from '../../markdown/lines.js';
import type { MetadataEntry } from '../fields.js';
import { type MetadataLabel, readMetadataLabel } from '../grammar.js';
import { type PlanIssueLog, planLine } from '../issues.js';
import type { Metadata } from '../types.js';

export interface MetadataRead {
  entries: MetadataEntry[];
  /** Fenced blocks that stand inside the list, indented under an entry. */
  fences: Fence[];
  /** The lines of items that are no metadata. */
  others: number[];
  /** Text that follows an entry without an indent: no part of its value. */
  lazy: Text[];
}

export function parseMetadata(
  lines: Lines,
  lists: readonly List[],
  nameOf: (label: string) => string | undefined,
  log: PlanIssueLog,
): MetadataRead {
  const read: MetadataRead = { entries: [], fences: [], others: [], lazy: [] };
  for (const list of lists) for (const item of list.items) parseItem(lines, item, nameOf, read, log);
  return read;
}

/** Label to value, as written and in order; of two equal labels the first stands. */
export function toMetadata(entries: readonly MetadataEntry[]): Metadata {
  const written = new Map<string, string>();
  for (const entry of entries) if (!written.has(entry.label)) written.set(entry.label, entry.written);
  return Object.fromEntries(written);
}

function parseItem(
  lines: Lines,
  whole: ListItem,
  nameOf: (label: string) => string | undefined,
  read: MetadataRead,
  log: PlanIssueLog,
): void {
  const item = { ...whole, end: lazyFrom(lines, whole) };
  if (item.end < whole.end) read.lazy.push({ type: 'text', at: item.end, end: whole.end });
  const first = lines.text.slice(item.offset, lines.ends[item.at]).trimEnd();
  const label = readMetadataLabel(first);
  const blocks = scanItem(lines, item);
  const fences = blocks.filter((block) => block.type === 'fence');
  for (const fence of fences) read.fences.push(fence);
  const end = fences[0]?.at ?? item.end;
  if (!label) {
    read.others.push(item.at);
    return;
  }
  const name = nameOf(label.label);
  const entry: MetadataEntry = {
    name,
    label: label.label,
    written: [first.slice(label.valueAt), ...linesOf(lines, item.at + 1, end)].join('\n').trimEnd(),
    value: '',
    items: [],
    line: planLine(item.at),
  };
  const own = blocks[0]?.type === 'text' ? Math.min(blocks[0].end, end) : item.at + 1;
  const continued = linesOf(lines, item.at + 1, own)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  entry.value = [first.slice(label.valueAt), ...continued].join('\n').trim();
  for (const block of blocks) {
    if (block.type === 'list') for (const inner of block.items) entry.items.push(itemText(lines, inner));
  }
  reportStyle(entry, label, read, log);
  read.entries.push(entry);
}

function reportStyle(
  entry: MetadataEntry,
  { strict, optional: marked }: MetadataLabel,
  read: MetadataRead,
  log: PlanIssueLog,
): void {
  const { line, label, name } = entry;
  const optional = /^\(optional\)\s*/i.exec(entry.value);
  if (optional || marked) {
    entry.value = entry.value.slice(optional?.[0].length ?? 0);
    log.add('optional-marker', `"${label}" still says "(Optional)"; it was left out of the value.`, { line });
  }
  if (name === undefined) {
    log.add('metadata-unknown', `"${label}" is not known here; it is kept and has no effect.`, { line });
    return;
  }
  if ((!strict && !marked) || label !== name) {
    log.add('metadata-style', `Read "${label}" as metadata; the format writes "- **${name}:** …".`, { line });
  }
  if (read.entries.some((other) => other.name === name)) {
    log.add('metadata-repeated', `"${name}" stands twice; the first one stands.`, { line });
  }
}

function itemText(lines: Lines, item: ListItem): string {
  const rest = linesOf(lines, item.at + 1, item.end).map((line) => line.trim());
  return [lines.text.slice(item.offset, lines.ends[item.at]), ...rest].join(' ').trim();
}

function linesOf(lines: Lines, from: number, to: number): string[] {
  const texts: string[] = [];
  for (let line = from; line < to; line++) texts.push(lineText(lines, line));
  return texts;
}
