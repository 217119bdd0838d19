import { type Fence, type List, type ListItem, lazyFrom, scanItem, type Text } from '../markdown/blocks.js';
import { needsLink, unwrapValue, writePathLink } from '../markdown/inline.js';
import { firstInk, type Lines, lineText } from '../markdown/lines.js';
import { type PlanIssueLog, planLine } from './issues.js';
import type { PathReader } from './parse/path-reader.js';
import type { Action, ActionType, Metadata, Resource } from './types.js';

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
  /^(?:\*\*|__)?([A-Za-z][A-Za-z0-9 _-]{0,40}?)(\s{0,3}\(optional\))?(?:[:：](?:\*\*|__)\s*|(?:\*\*|__)[:：]\s*|[:：](?:\s+|$))/i;

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
  const labels: MetadataLabel[] = [];
  for (const { items } of lists) {
    for (const item of items) {
      const label = parseItem(lines, item, nameOf, read);
      if (label) labels.push(label);
    }
  }
  dropOtherLabels(read.entries);
  const seen = new Set<string>();
  for (let i = 0; i < labels.length; i++) reportStyle(read.entries[i]!, labels[i]!, seen, log);
  return read;
}

/** A label that is written instead of the format's own has no effect beside it. */
function dropOtherLabels(entries: readonly MetadataEntry[]): void {
  const others = new Set(entries.filter(isOtherLabel));
  if (others.size === 0) return;
  const own = new Set(entries.filter((entry) => !others.has(entry)).map(({ name }) => name));
  for (const entry of others) if (own.has(entry.name)) entry.name = undefined;
}

/** Whether the format spells the label in another way. */
export function isOtherLabel({ label, name }: MetadataEntry): boolean {
  return name !== undefined && name !== label && knownLabel(label, [name]) === undefined;
}

/** Label to value, as written and in order; of two equal labels the first one counts. */
export function toMetadata(entries: readonly MetadataEntry[]): Metadata {
  const metadata: Metadata = {};
  for (const { label, written } of entries) if (!Object.hasOwn(metadata, label)) metadata[label] = written;
  return metadata;
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
  // A line that starts with a label is text: only more lines can hold other blocks.
  const blocks = label && item.end === item.at + 1 ? [] : scanItem(lines, item);
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

// Which field of an action each metadata label is read into and written from.

/** What a field is read with, besides the entry of its label. */
interface FieldSource {
  type: ActionType;
  label: string;
  /** Of the action's heading. */
  line: number;
  /** The action makes a file: its path need not be there. */
  isNew: boolean;
  paths: PathReader;
  log: PlanIssueLog;
}

/** `Value` is what the actions that have the field hold in it. */
interface Field<Key extends string, Value = Extract<Action, Record<Key, unknown>>[Key]> {
  key: Key;
  /** An example of its value, where an action without it is refused. */
  required?: string;
  /** For the guide, where the name of the label does not say it. */
  note?: string;
  /** Gives what holds without the label, too, and where the value cannot be understood, which is reported. */
  read(entry: MetadataEntry | undefined, source: FieldSource): Value;
  /** Null if it need not be written. */
  write(value: Value): string | null;
}

type AnyField = Field<string, unknown>;

function define<Key extends string>(field: Field<Key>): AnyField {
  return field as unknown as AnyField;
}

/** `90`, `90s`, `2 minutes`. */
const DURATION = /^(\d{1,9})\s?(?:s(?:ec(?:ond)?s?)?|(m)(?:in(?:ute)?s?)?|(h)(?:(?:ou)?rs?)?)?$/i;

export const ACTION_FIELDS = {
  'File Path': define<'path'>({
    key: 'path',
    required: '[src/app.ts](/src/app.ts)',
    read(entry, { label, isNew, paths }) {
      return (entry?.value && paths.writable(entry.value, { label, line: entry.line }, isNew)) || '';
    },
    write: writePathLink,
  }),
  Resource: define<'resource'>({
    key: 'resource',
    required: '[docs/README.md](/docs/README.md)',
    read(entry, { label, paths }) {
      const value = listValues(entry).join(', ');
      const resource = value ? paths.resource(value, { label, line: entry!.line }) : undefined;
      return resource ?? { kind: 'file', target: '' };
    },
    write: writeResource,
  }),
  Description: define<'description'>({
    key: 'description',
    read(entry, { type, line, log }) {
      if (entry?.value) return entry.value;
      log.add('description-missing', `${type} has no Description.`, {
        line,
        hint: 'Say in one line why the action is proposed: "- **Description:** …".',
      });
      return null;
    },
    write: indentLines,
  }),
  Overwrite: defineFlag('overwrite', '`true` replaces a file'),
  Lines: define<'lines'>({
    key: 'lines',
    note: 'such as `10-40`',
    read(entry, { log }) {
      if (!entry?.value) return null;
      const match = /^(\d{1,9})(?:\s?[-–]\s?(\d{1,9}))?$/.exec(unwrapValue(entry.value));
      const from = Number(match?.[1] ?? 0);
      const to = Number(match?.[2] ?? from);
      if (from >= 1 && to >= from) return { from, to };
      const hint = 'Write the first and the last line, counted from 1: 10-40.';
      reportInvalid(entry, `"${entry.value}" is not a range of lines`, hint, log);
      return null;
    },
    write: (lines) => lines && `${lines.from}-${lines.to}`,
  }),
  'Expected Outcome': define<'expectedOutcome'>({
    key: 'expectedOutcome',
    note: 'teddy searches the output for code spans in it',
    read(entry, { type, line, log }) {
      if (entry?.value) return entry.value;
      log.add('outcome-missing', `${type} has no Expected Outcome.`, {
        line,
        hint: 'Say what the output will show: "- **Expected Outcome:** …".',
      });
      return null;
    },
    write: indentLines,
  }),
  cwd: define<'cwd'>({
    key: 'cwd',
    note: 'a folder, not a link',
    read(entry, { label, paths }) {
      return (entry?.value && paths.plain(entry.value, { label, line: entry.line })) || null;
    },
    write: (path) => path && writePlainPath(path),
  }),
  env: define<'env'>({ key: 'env', read: readVariables, write: writeVariables }),
  Timeout: define<'timeout'>({
    key: 'timeout',
    note: '`90s` or `5m`',
    read(entry, { log }) {
      if (!entry?.value) return null;
      const [, count = '0', minutes, hours] = DURATION.exec(unwrapValue(entry.value)) ?? [];
      const seconds = Number(count) * (hours ? 3600 : minutes ? 60 : 1);
      if (seconds > 0) return seconds;
      const hint = 'Write seconds or minutes: 90, 90s or 5m.';
      reportInvalid(entry, `"${entry.value}" is not a duration`, hint, log);
      return null;
    },
    write: (seconds) => (seconds === null ? null : `${seconds}s`),
  }),
  'Allow Failure': defineFlag('allowFailure', '`true` continues if it fails'),
  Agent: define<'agent'>({
    key: 'agent',
    required: 'Architect',
    read: (entry) => entry?.value ?? '',
    write: indentLines,
  }),
  'Handoff Resources': define<'handoffResources'>({
    key: 'handoffResources',
    read(entry, { label, paths }) {
      return listValues(entry).flatMap((value) => paths.resource(value, { label, line: entry!.line }) ?? []);
    },
    write: (resources) => resources.map((each) => `\n  - ${writeResource(each)}`).join('') || null,
  }),
};

/** A metadata label of actions. */
export type FieldLabel = keyof typeof ACTION_FIELDS;

function defineFlag(key: 'overwrite' | 'allowFailure', note: string): AnyField {
  const field: Field<string, boolean> = {
    key,
    note,
    read(entry, { log }) {
      if (!entry?.value) return false;
      const value = unwrapValue(entry.value).toLowerCase();
      if (value === 'true' || value === 'yes') return true;
      if (value !== 'false' && value !== 'no')
        reportInvalid(entry, `"${entry.value}" is neither true nor false`, 'Write true or false.', log);
      return false;
    },
    write: (isSet) => (isSet ? 'true' : null),
  };
  return field as AnyField;
}

function readVariables(entry: MetadataEntry | undefined, { log }: FieldSource): Record<string, string> {
  const variables = new Map<string, string>();
  for (const text of listValues(entry)) {
    const variable = readVariable(text);
    if (!variable) {
      reportInvalid(entry!, `"${text}" is not a variable`, 'Write each as "- `NAME`: "value"".', log);
    } else if (variables.has(variable.name)) {
      log.add('metadata-repeated', `env: ${variable.name} occurs twice; the first one counts.`, {
        line: entry!.line,
      });
    } else {
      variables.set(variable.name, variable.value);
    }
  }
  return Object.fromEntries(variables);
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/;

/** `` `NAME`: "value" ``, `**NAME:** value`, `NAME=value`, or the latter as one code span. */
function readVariable(text: string): { name: string; value: string } | undefined {
  const isSpan = text.startsWith('`') && text.indexOf('`', 1) === text.length - 1;
  const plain = isSpan ? text.slice(1, -1) : text;
  const seam = plain.search(/[:=]/);
  if (seam === -1) return undefined;
  const name = plain.slice(0, seam).replace(/[`*\s]/g, '');
  const value = unwrapValue(
    plain
      .slice(seam + 1)
      .replace(/^[`*]{0,3}\s+|^\*\*|^`(?=\s|$)/, '')
      .trim(),
  );
  return NAME.test(name) ? { name, value } : undefined;
}

function writeVariables(env: Record<string, string>): string | null {
  const lines = Object.entries(env).map(([name, value]) => `\n    - \`${name}\`: "${value}"`);
  return lines.join('') || null;
}

function reportInvalid(entry: MetadataEntry, problem: string, hint: string, log: PlanIssueLog): void {
  log.add('metadata-invalid', `${entry.name}: ${problem}.`, { line: entry.line, hint });
}

function writeResource({ kind, target }: Resource): string {
  return kind === 'url' ? `[${target}](${target})` : writePathLink(target);
}

/** A working directory or a line of the context: plain, where that can be read back. */
export function writePlainPath(path: string): string {
  return needsLink(path) && !/^https?:\/\//i.test(path) ? writePathLink(path) : path;
}

/** The lines of a value, indented so that none of them starts a list or a heading. */
function indentLines(value: string | null): string | null {
  return value === null ? null : value.replaceAll('\n', '\n      ');
}
