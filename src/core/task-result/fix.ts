import { splitLines } from '../markdown/lines.js';
import { isMapping, type Mapping, parseYaml, type YamlRead } from '../yaml.js';
import { isNullWord, readBooleanWord, readNumberText, readStatusSynonym } from './fields.js';
import { editEntries, isTextField, listEntries, readResult, restoreTexts } from './read.js';
import { writeResultFields } from './write.js';

/**
 * Rewrites the result in a text where its meaning is certain: texts in quotes, numbers and booleans without, the schema's own
 * words. Everything outside of fields, such as comments and surrounding words, becomes comments above it. Nothing is invented:
 * missing fields stay missing, except for the `error: null` that a success must have. Undefined if no
 * fields can be made out.
 */
export function fixResult(text: string): string | undefined {
  const { yaml, firstLine } = readResult(text);
  const remarks = wordsAround(text, firstLine, yaml);
  const read = parseYaml(quoteBroken(yaml), { onUnread: (words) => void remarks.push(words.text) });
  if (read.status === 'refused' || !isMapping(read.value)) return undefined;
  const comments = remarks.map((remark) => (/^\s*#/.test(remark) ? remark.trim() : `# ${remark}`));
  return [...comments.map((line) => `${line}\n`), writeResultFields(fixFields(read.value))].join('');
}

function wordsAround(text: string, firstLine: number, yaml: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const last = firstLine - 1 + yaml.replace(/\n$/, '').split('\n').length;
  const isMark = /^\s*(?:`{3,}\w*|~{3,}\w*|---|\.\.\.)?\s*$/;
  return [...lines.slice(0, firstLine - 1), ...lines.slice(last)].filter((line) => !isMark.test(line));
}

/** Quotes each value that YAML cannot read, or would not read as the text that it is. */
function quoteBroken(yaml: string): string {
  const lines = splitLines(restoreTexts(yaml).yaml.replace(/^\t+/gm, (tabs) => '  '.repeat(tabs.length)));
  return editEntries(lines, listEntries(lines), ({ path, from, to }, written) => {
    const alone = readAlone(parseYaml(`x:${lines.text.slice(from, to)}\n`));
    if (alone === undefined) return bareText(written);
    if (alone === null || typeof alone === 'string') return undefined;
    if (typeof alone === 'object') return isTextField(path) ? written : undefined;
    return String(alone) === written ? undefined : written;
  });
}

/** Undefined if it is unreadable or more than one value. */
function readAlone(read: YamlRead): unknown {
  const isOne = read.status === 'value' && isMapping(read.value) && Object.keys(read.value).length === 1;
  return isOne ? (read.value as Mapping).x : undefined;
}

/** Without the quotes that were to hold it, be one of them missing, and without the mark of a block. */
function bareText(written: string): string {
  const quote = /^["']/.exec(written)?.[0];
  if (quote) return written.slice(1, written.length > 1 && written.endsWith(quote) ? -1 : undefined);
  return written.replace(/^[|>][-+\d]{0,2}(?:\s+|$)/, '');
}

type Fix = (value: unknown) => unknown;

/** The fields that are there, each fixed: in the schema's order, the others last and as they are. */
function fixFields(fields: Mapping): Mapping {
  const status =
    typeof fields.status === 'string' ? (readStatusSynonym(fields.status) ?? fields.status) : fields.status;
  const isSuccess = status === 'success';
  const orNull: Fix = (value) => (status === 'blocked' && isNullWord(value) ? null : value);
  const number: Fix = (value) => readNumberText(value) ?? value;
  const within =
    (fixes: Readonly<Record<string, Fix>>): Fix =>
    (value) =>
      isMapping(value) ? fixEach(value, fixes) : value;
  return fixEach(isSuccess && fields.error === undefined ? { ...fields, error: null } : fields, {
    status: () => status,
    task_name: asText,
    files_modified: asList,
    verification: within({
      command: (value) => asText(orNull(value)),
      exit_code: (value) => readNumberText(value) ?? orNull(value),
      output_summary: (value) => asText(orNull(value)),
    }),
    done_criteria_met: (value) => readBooleanWord(value) ?? value,
    evidence: asText,
    error: (value) => (isSuccess && isNullWord(value) ? null : asText(value)),
    metadata: within({ duration_ms: number, attempt: number, executor_id: asText }),
  });
}

function fixEach(fields: Mapping, fixes: Readonly<Record<string, Fix>>): Mapping {
  const keys = [...new Set([...Object.keys(fixes), ...Object.keys(fields)])].filter(
    (key) => fields[key] !== undefined,
  );
  const fixOf = (key: string): Fix => (Object.hasOwn(fixes, key) ? fixes[key]! : (value) => value);
  return Object.fromEntries(keys.map((key) => [key, fixOf(key)(fields[key])]));
}

function asText(value: unknown): unknown {
  if (value === null || typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join('\n');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function asList(value: unknown): unknown {
  if (value === null || isNullWord(value)) return [];
  if (typeof value === 'string')
    return value
      .split(/[,\n]/)
      .map((path) => path.replace(/^\s*-?\s+|\s+$/g, ''))
      .filter(Boolean);
  return Array.isArray(value) ? value.map(asText) : value;
}
