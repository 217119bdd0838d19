import { needsLink, unwrapValue, writePathLink } from '../markdown/inline.js';
import type { PlanIssueLog } from './issues.js';
import { listValues, type MetadataEntry } from './metadata.js';
import type { PathReader } from './parse/path-reader.js';
import type { Action, ActionType, Resource } from './types.js';

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
  /** Null where nothing has to be written. */
  write(value: Value): string | null;
}

type AnyField = Field<string, unknown>;

function define<Key extends string>(field: Field<Key>): AnyField {
  return field as unknown as AnyField;
}

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
      const resource = entry?.value ? paths.resource(entry.value, { label, line: entry.line }) : undefined;
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
      const [, count = '0', unit = 's'] = /^(\d{1,9})\s?(s|m|h)?$/.exec(unwrapValue(entry.value)) ?? [];
      const seconds = Number(count) * { s: 1, m: 60, h: 3600 }[unit as 's' | 'm' | 'h'];
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
