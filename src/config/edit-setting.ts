import { isMap, isScalar, type Pair, parseDocument, type Scalar, type YAMLMap } from 'yaml';

export type SettingValue = string | number | boolean;

/**
 * The text of a config with one setting changed, or removed where `value` is undefined; every other byte stays.
 * Undefined where the text has a form in which that cannot be done safely.
 */
export function editSetting(
  text: string,
  path: readonly [group: string, key: string],
  value: SettingValue | undefined,
): string | undefined {
  const edited = splice(text, path, value);
  return edited !== undefined && isSameElsewhere(text, edited, path, value) ? edited : undefined;
}

/** The whole text is read again: whatever the splice did, only this one setting may differ. */
function isSameElsewhere(
  text: string,
  edited: string,
  [group, key]: readonly [string, string],
  value: SettingValue | undefined,
): boolean {
  const after = parseDocument(edited);
  if (after.errors.length > 0) return false;
  const wanted = (parseDocument(text).toJS() ?? {}) as Record<string, Record<string, unknown> | null>;
  const settings = { ...wanted[group], [key]: value };
  if (value === undefined) delete settings[key];
  const isEmpty = Object.keys(settings).length === 0;
  const expected = { ...wanted, [group]: isEmpty ? null : settings };
  if (isEmpty && wanted[group] === undefined) delete expected[group];
  return JSON.stringify(sorted(after.toJS())) === JSON.stringify(sorted(expected));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

function splice(
  text: string,
  [group, key]: readonly [string, string],
  value: SettingValue | undefined,
): string | undefined {
  const document = parseDocument(text);
  const root = document.contents;
  if (document.errors.length > 0 || (root !== null && !isBlockMap(root))) return undefined;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const groupPair = root === null ? undefined : findPair(root, group);
  const line = value === undefined ? undefined : `${key}: ${writeValue(value)}`;
  if (groupPair === undefined) {
    if (line === undefined) return text;
    const start = text === '' || text.endsWith('\n') ? text : `${text}${eol}`;
    return `${start}${start === '' ? '' : eol}${group}:${eol}  ${line}${eol}`;
  }
  const settings = groupPair.value;
  if (!isMap(settings)) {
    // A group of which every line is a comment.
    if (line === undefined) return text;
    if (!isScalar(settings) || settings.value !== null || settings.range == null) return undefined;
    const at = endOfLine(text, startOf(groupPair.key));
    return insert(text, at, `${eol}  ${line}`);
  }
  const pair = findPair(settings, key);
  if (pair !== undefined && line !== undefined) return replaceScalar(text, pair.value, writeValue(value!));
  if (settings.flow) return editFlow(text, settings, pair, line);
  if (pair !== undefined) return removeLine(text, pair);
  if (line === undefined) return text;
  const last = settings.items.at(-1) as Pair;
  const first = startOf((settings.items[0] as Pair).key);
  const indent = text.slice(text.lastIndexOf('\n', first - 1) + 1, first);
  return insert(text, endOfLine(text, endOf(last.value) ?? startOf(last.key)), `${eol}${indent}${line}`);
}

function isBlockMap(node: unknown): node is YAMLMap {
  return isMap(node) && !node.flow;
}

function findPair(map: YAMLMap, name: string): Pair | undefined {
  return (map.items as Pair[]).find(({ key }) => isScalar(key) && key.value === name);
}

function replaceScalar(text: string, node: unknown, value: string): string | undefined {
  if (!isScalar(node) || node.range == null) return undefined;
  const [start, end] = (node as Scalar).range!;
  // An empty value has no place of its own: it begins right after the colon.
  const space = start === end && text[start - 1] === ':' ? ' ' : '';
  return `${text.slice(0, start)}${space}${value}${text.slice(end)}`;
}

/** `{a: 1, b: 2}`. */
function editFlow(
  text: string,
  { items, range }: YAMLMap,
  pair: Pair | undefined,
  line: string | undefined,
): string | undefined {
  if (range == null) return undefined;
  if (line !== undefined) {
    const last = items.at(-1) as Pair | undefined;
    const at = last === undefined ? range[0] + 1 : (endOf(last.value) ?? range[1] - 1);
    return insert(text, at, last === undefined ? line : `, ${line}`);
  }
  if (pair === undefined) return text;
  const index = (items as Pair[]).indexOf(pair);
  const end = endOf(pair.value);
  if (end === undefined) return undefined;
  const next = items[index + 1] as Pair | undefined;
  const before = items[index - 1] as Pair | undefined;
  if (next !== undefined) return text.slice(0, startOf(pair.key)) + text.slice(startOf(next.key));
  const from = before === undefined ? startOf(pair.key) : endOf(before.value);
  return from === undefined ? undefined : text.slice(0, from) + text.slice(end);
}

function removeLine(text: string, pair: Pair): string {
  const start = text.lastIndexOf('\n', startOf(pair.key) - 1) + 1;
  const end = endOfLine(text, endOf(pair.value) ?? startOf(pair.key));
  return text.slice(0, start) + text.slice(text.startsWith('\r\n', end) ? end + 2 : end + 1);
}

function insert(text: string, at: number, piece: string): string {
  return text.slice(0, at) + piece + text.slice(at);
}

/** Where the line that holds `at` ends, before its line break. */
function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}

function startOf(node: unknown): number {
  return (node as Scalar).range![0];
}

function endOf(node: unknown): number | undefined {
  return (node as Partial<Scalar> | null)?.range?.[1];
}

/** Plain where YAML reads that as the same text; quoted otherwise. */
function writeValue(value: SettingValue): string {
  const plain = String(value);
  return typeof value !== 'string' ||
    (parseDocument(plain).toJS() === value && !/[#:{}[\],&*!|>'"%@`\n]/.test(plain))
    ? plain
    : JSON.stringify(value);
}
