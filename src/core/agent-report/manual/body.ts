import { writePath } from '../../json/path.js';
import { readJson } from '../../json/read.js';
import { compileSchema } from '../../json/schema/compile.js';
import { mapSubschemas } from '../../json/schema/keywords.js';
import type { JsonObject, JsonRead, JsonValue } from '../../json/values.js';
import { isJsonObject } from '../../json/values.js';
import { type Block, type Fence, fenceText, scanBlocks } from '../../markdown/blocks.js';
import { contentText, type Lines, splitLines } from '../../markdown/lines.js';
import { CONTEXT_MAP_SCHEMA, pickAnnotations, replaceContextMap } from '../context-map/forms.js';
import { describeValue, manualIssue, nameKey } from '../issue.js';
import { findingsAt, hasLevelMarks, LEVEL_MARK, readLevelMark } from '../levels.js';
import { type Manual, type ManualIssue, VERBOSITIES } from '../types.js';

/** The blocks of a manual's body, and those among them that hold JSON. */
export interface ManualBody {
  lines: Lines;
  blocks: readonly Block[];
  json: readonly JsonBlock[];
}

export interface JsonBlock {
  fence: Fence;
  /** The 1-based line of the opening fence, in the manual's own text. */
  line: number;
  text: string;
  /** Of the heading that it is under. */
  heading: string;
  read: JsonRead;
  role: 'example' | 'schema';
}

const JSON_NAMES = new Set(['json', 'jsonc', 'json5', 'jsonschema', 'json-schema']);

/** The JSON blocks by their content: a report has `report_metadata`, any other object may be a schema. */
export function readBody(body: string, linesBefore: number): ManualBody {
  const lines = splitLines(body);
  const blocks = scanBlocks(lines);
  const json: JsonBlock[] = [];
  let heading = '';
  for (const block of blocks) {
    if (block.type === 'heading') heading = block.text;
    if (block.type !== 'fence') continue;
    const text = fenceText(lines, block);
    if (!isJson(block, text)) continue;
    const read = readJson(text);
    const role = roleOf(read, text);
    if (role) json.push({ fence: block, line: linesBefore + block.at + 1, text, heading, read, role });
  }
  return { lines, blocks, json };
}

function isJson({ mark: { info } }: Fence, text: string): boolean {
  const [name = ''] = info.toLowerCase().split(/[\s{,]/, 1);
  return JSON_NAMES.has(name) || (info === '' && text.trimStart().startsWith('{'));
}

function roleOf(read: JsonRead, text: string): JsonBlock['role'] | undefined {
  if (read.status === 'refused') return text.includes('"report_metadata"') ? 'example' : 'schema';
  if (!isJsonObject(read.value)) return undefined;
  return Object.hasOwn(read.value, 'report_metadata') ? 'example' : 'schema';
}

/** The body as Markdown without some of its blocks, without its title, and without headings that nothing is under. */
export function proseOf({ lines, blocks }: ManualBody, without: ReadonlySet<Block>): string {
  const kept = new Set(dropEmptyHeadings(blocks.filter((block) => !without.has(block))));
  const [title] = kept;
  if (title && rankOf(title) === 1) kept.delete(title);
  const pieces: string[] = [];
  let from = 0;
  for (const block of blocks) {
    if (kept.has(block)) continue;
    pieces.push(contentText(lines, from, block.at));
    from = block.end;
  }
  pieces.push(contentText(lines, from, lines.count));
  const prose = pieces.map(trimBlankLines).filter((piece) => piece !== '');
  return closeLastFence(prose.join('\n\n'));
}

function trimBlankLines(text: string): string {
  const ink = text.search(/\S/);
  return ink === -1 ? '' : text.slice(text.lastIndexOf('\n', ink) + 1).trimEnd();
}

/** Closes an unclosed fence, so that it does not swallow the text after it. */
export function closeLastFence(markdown: string): string {
  const last = scanBlocks(splitLines(markdown)).at(-1);
  if (last?.type !== 'fence' || last.closed) return markdown;
  return `${markdown.replace(/\n$/, '')}\n${last.mark.char.repeat(last.mark.length)}`;
}

/** From the end: a heading that meets the end, or one of its own rank or above, holds nothing. */
function dropEmptyHeadings(blocks: readonly Block[]): Block[] {
  const kept: Block[] = [];
  for (const block of blocks.toReversed()) {
    const next = kept.at(-1);
    const rank = rankOf(block);
    if (rank === undefined || (next && (rankOf(next) ?? 7) > rank)) kept.push(block);
  }
  return kept.reverse();
}

/** Of a heading; `#tag` is none. */
function rankOf(block: Block): number | undefined {
  return block.type === 'heading' && block.spaced ? block.level : undefined;
}

/** Problems reported for one schema. */
const MOST_PROBLEMS = 10;

const OBJECT_SAMPLE =
  'Write an object schema: {"type": "object", "properties": {…}, "required": […], "additionalProperties": false}.';

/** The one block that is the schema of the findings; undefined if there is none or more than one. */
export function chooseSchema(blocks: readonly JsonBlock[], issues: ManualIssue[]): JsonBlock | undefined {
  const all = blocks.filter(({ role }) => role === 'schema');
  const named = all.filter(({ heading }) => /findings|schema/i.test(heading));
  const likely = named.length > 0 ? named : all;
  const readable = likely.filter(({ read }) => read.status === 'value');
  const left = readable.length > 0 ? readable : likely;
  const [first, second] = left;
  if (!first) {
    const hint = `Add a fenced block that starts with \`\`\`json. ${OBJECT_SAMPLE}`;
    const message = 'The manual has no fenced JSON block with the schema of the findings.';
    issues.push(manualIssue('manual-schema-missing', undefined, message, hint));
  } else if (second) {
    const message = `The JSON blocks of the lines ${left
      .map(({ line }) => line)
      .slice(0, 5)
      .join(', ')} could each be the schema of the findings.`;
    const hint =
      'Put the schema under a heading such as "Findings schema", and give other blocks another language than json.';
    issues.push(manualIssue('manual-schema-ambiguous', second.line, message, hint));
  }
  return second ? undefined : first;
}

/** The schema as it is used: with the standard context map in it. Undefined if it cannot be used. */
export function readFindings(block: JsonBlock, issues: ManualIssue[]): JsonObject | undefined {
  const { read, line } = block;
  if (read.status === 'refused') {
    const { problem } = read;
    const message = `The schema of the findings cannot be read: ${problem.message}`;
    issues.push(manualIssue('manual-schema-invalid', line + problem.line, message, problem.hint));
    return undefined;
  }
  const schema = read.value;
  const isObject =
    isJsonObject(schema) &&
    (Object.hasOwn(schema, 'type') ? schema.type === 'object' : isJsonObject(schema.properties));
  if (!isObject) {
    const message = 'The schema of the findings must be the schema of an object.';
    issues.push(manualIssue('manual-schema-invalid', line, message, OBJECT_SAMPLE));
    return undefined;
  }
  checkMarks(schema, block, issues);
  return withStandardMap(schema);
}

/** Whether the schema can be used at each level. A problem of several levels is reported once. */
export function checkSchema(manual: Manual, block: JsonBlock, issues: ManualIssue[]): void {
  const reported = new Set<string>();
  for (const level of hasLevelMarks(manual) ? VERBOSITIES : VERBOSITIES.slice(-1)) {
    const read = compileSchema(findingsAt(manual, level));
    if (read.status === 'compiled') continue;
    for (const { message, path } of read.problems) {
      const where = path.length === 0 ? '' : ` (at ${writePath(path)})`;
      const whole = `The schema of the findings cannot be used: ${message.replace(/\.$/, '')}${where}.`;
      if (reported.size < MOST_PROBLEMS && !reported.has(whole))
        issues.push(manualIssue('manual-schema-invalid', block.line, whole));
      reported.add(whole);
    }
  }
}

function checkMarks(root: JsonObject, block: JsonBlock, issues: ManualIssue[]): void {
  const refuse = (mark: JsonValue, message: string, hint: string) => {
    issues.push(manualIssue('manual-mark-unknown', lineOfMark(block, mark), message, hint));
  };
  if (Object.hasOwn(root, LEVEL_MARK)) {
    const hint = 'Mark single properties: "properties": {"logs": {"x-verbosity": "comprehensive", …}}.';
    refuse(root[LEVEL_MARK]!, `\`${LEVEL_MARK}\` at the top of the schema would omit all findings.`, hint);
  }
  let wrong = 0;
  const look = (schema: JsonObject): JsonObject =>
    mapSubschemas(schema, (inner, keyword) => {
      if (wrong < MOST_PROBLEMS && Object.hasOwn(inner, LEVEL_MARK) && readLevelMark(inner) === null) {
        wrong++;
        const holder = schema[keyword];
        const name = isJsonObject(holder) && Object.keys(holder).find((key) => holder[key] === inner);
        const message = `\`${LEVEL_MARK}\` of ${nameKey(name || keyword)} is ${describeValue(inner[LEVEL_MARK]!)}, which is not a level.`;
        refuse(inner[LEVEL_MARK]!, message, `The levels are ${VERBOSITIES.join(', ')}.`);
      }
      return look(inner);
    });
  look(root);
}

function lineOfMark({ text, line }: JsonBlock, mark: JsonValue): number {
  const lines = text.split('\n');
  const at = lines.findIndex(
    (each) => each.includes(`"${LEVEL_MARK}"`) && (typeof mark !== 'string' || each.includes(mark)),
  );
  return line + at + 1;
}

const MAP_WORDS = ['title', 'description', 'minItems', 'maxItems', LEVEL_MARK];

function withStandardMap(schema: JsonObject): JsonObject {
  return replaceContextMap(schema, (own) => ({
    ...CONTEXT_MAP_SCHEMA,
    ...pickAnnotations(own, MAP_WORDS),
  }));
}
