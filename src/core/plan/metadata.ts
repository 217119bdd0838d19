import { type Fence, type List, type ListItem, lazyFrom, scanItem, type Text } from '../markdown/blocks.js';
import { firstInk, type Lines, lineText } from '../markdown/lines.js';
import { type PlanIssueLog, planLine } from './issues.js';
import type { Metadata } from './types.js';

// Metadata: how `- **Label:** value` is read.

/** One item of an action's metadata. */
export interface MetadataEntry {
  /** The label as the format spells it; undefined when the format has none such here. */
  name: string | undefined;
  /** Label and value as written. */
  label: string;
  written: string;
  /** The value of the entry's own lines, without `(Optional)`. */
  value: string;
  /** The items of a list under the entry. */
  items: string[];
  line: number;
}

/** The value of an entry's own line, and the items of the list under it. */
export function listValues(entry: MetadataEntry | undefined): string[] {
  if (!entry) return [];
  return entry.value === '' ? entry.items : [entry.value, ...entry.items];
}

/** `- **Label:** value`, and how models write it instead. Groups: label, value. */
const METADATA =
  /^(?:\*\*|__)?([A-Za-z][A-Za-z0-9 _-]{0,40}?)(\s{0,3}\(optional\))?(?::(?:\*\*|__)\s*|(?:\*\*|__):\s*|:(?:\s+|$))/i;

interface MetadataLabel {
  label: string;
  /** Offset of the value in the text. */
  valueAt: number;
  strict: boolean;
  /** `(Optional)` was left in the label. */
  optional: boolean;
}

/** The label that a list item's text starts with. */
export function readMetadataLabel(text: string): MetadataLabel | undefined {
  const match = METADATA.exec(text.slice(0, 80));
  if (!match) return undefined;
  return {
    label: match[1]!,
    valueAt: match[0].length,
    strict: text.startsWith(`**${match[1]}:**`),
    optional: match[2] !== undefined,
  };
}

/** The label as the format spells it, where it is one of `known` in other case. */
export function knownLabel(label: string, known: readonly string[]): string | undefined {
  if (known.includes(label)) return label;
  const wanted = label.toLowerCase().replace(/[ _-]/g, '');
  return known.find((name) => name.toLowerCase().replace(/[ _-]/g, '') === wanted);
}

interface MetadataRead {
  entries: MetadataEntry[];
  /** Fenced blocks inside the list, indented under an entry. */
  fences: Fence[];
  /** The lines of items that are not metadata. */
  others: number[];
  /** Text that follows an entry without an indent: not part of its value. */
  lazy: Text[];
}

export function parseMetadata(
  lines: Lines,
  lists: readonly List[],
  nameOf: (label: string) => string | undefined,
  log: PlanIssueLog,
): MetadataRead {
  const read: MetadataRead = { entries: [], fences: [], others: [], lazy: [] };
  const labels = lists.flatMap((list) =>
    list.items.flatMap((item) => parseItem(lines, item, nameOf, read) ?? []),
  );
  dropOtherLabels(read.entries);
  const seen = new Set<string>();
  for (const [i, entry] of read.entries.entries()) reportStyle(entry, labels[i]!, seen, log);
  return read;
}

/** A label that is written instead of the format's own has no effect beside it. */
function dropOtherLabels(entries: readonly MetadataEntry[]): void {
  const own = new Set(entries.filter((entry) => !isOtherLabel(entry)).map(({ name }) => name));
  for (const entry of entries) if (isOtherLabel(entry) && own.has(entry.name)) entry.name = undefined;
}

/** Whether the format spells the label in another way. */
export function isOtherLabel({ label, name }: MetadataEntry): boolean {
  return name !== undefined && knownLabel(label, [name]) === undefined;
}

/** Label to value, as written and in order; of two equal labels the first one counts. */
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
): MetadataLabel | undefined {
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
    return undefined;
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
  read.entries.push(entry);
  const hasBullet = item.offset > firstInk(lines, item.at);
  return { ...label, strict: label.strict && hasBullet };
}

function reportStyle(
  entry: MetadataEntry,
  { strict, optional: marked }: MetadataLabel,
  seen: Set<string>,
  log: PlanIssueLog,
): void {
  const { line, label, name } = entry;
  const optional = /^\(optional\)\s*/i.exec(entry.value);
  if (optional || marked) {
    entry.value = entry.value.slice(optional?.[0].length ?? 0);
    log.add('optional-marker', `"${label}" still says "(Optional)"; ignored.`, { line });
  }
  if (name === undefined) {
    log.add('metadata-unknown', `Unknown label "${label}": it is kept and has no effect.`, { line });
    return;
  }
  // What is written instead of a block is reported with the block.
  const isBody = name === 'Command' || name === 'Query';
  if (!isBody && ((!strict && !marked) || label !== name)) {
    const meaning = label === name ? 'metadata' : name;
    log.add('metadata-style', `Read "${label}" as ${meaning}; the format writes "- **${name}:** …".`, {
      line,
    });
  }
  if (seen.has(name)) log.add('metadata-repeated', `"${name}" occurs twice; the first one counts.`, { line });
  seen.add(name);
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
