import { writePath } from '../../json/path.js';
import { compileSchema } from '../../json/schema/compile.js';
import { mapSubschemas } from '../../json/schema/subschemas.js';
import type { JsonObject, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';
import { CONTEXT_MAP_SCHEMA, keepOwnWords, replaceContextMap } from '../context-map/schema.js';
import { manualIssue } from '../issue.js';
import { findingsAt, hasLevelMarks, LEVEL_MARK, readLevelMark } from '../levels.js';
import { type Manual, type ManualIssue, VERBOSITIES } from '../types.js';
import { describeValue, nameKey } from '../wording.js';
import type { JsonBlock } from './body.js';

/** Of one schema; whoever wrote it corrects those first. */
const MOST_PROBLEMS = 10;

const OBJECT_SAMPLE =
  'Write an object schema: {"type": "object", "properties": {…}, "required": […], "additionalProperties": false}.';

/** The one block that is the schema of the findings; undefined where there is none or more than one. */
export function chooseSchema(blocks: readonly JsonBlock[], issues: ManualIssue[]): JsonBlock | undefined {
  const all = blocks.filter(({ role }) => role === 'schema');
  const named = all.filter(({ heading }) => /findings|schema/i.test(heading));
  const likely = named.length > 0 ? named : all;
  const readable = likely.filter(({ read }) => read.status === 'value');
  const left = readable.length > 0 ? readable : likely;
  const [first, second] = left;
  if (!first) {
    const hint = `Add a fenced block that begins with \`\`\`json. ${OBJECT_SAMPLE}`;
    const message = 'No fenced JSON block says what the findings of this agent are.';
    issues.push(manualIssue('manual-schema-missing', undefined, message, hint));
  } else if (second) {
    const message = `The JSON blocks of the lines ${left
      .map(({ line }) => line)
      .slice(0, 5)
      .join(', ')} could each be the schema of the findings.`;
    const hint =
      'Put the schema under a heading such as "Findings schema", and give blocks that are only shown another language than json.';
    issues.push(manualIssue('manual-schema-ambiguous', second.line, message, hint));
  }
  return second ? undefined : first;
}

/** The schema as it is used: with the standard context map in it. Undefined where it cannot be used. */
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
    const message = 'The schema of the findings is no schema of an object, and findings are one.';
    issues.push(manualIssue('manual-schema-invalid', line, message, OBJECT_SAMPLE));
    return undefined;
  }
  checkMarks(schema, block, issues);
  return withStandardMap(schema);
}

/** Whether the schema can be used at each level. What is wrong at all of them is told once. */
export function checkSchema(manual: Manual, block: JsonBlock, issues: ManualIssue[]): void {
  const told = new Set<string>();
  for (const level of hasLevelMarks(manual) ? VERBOSITIES : VERBOSITIES.slice(-1)) {
    const read = compileSchema(findingsAt(manual, level));
    if (read.status === 'compiled') continue;
    for (const { message, path } of read.problems) {
      const where = path.length === 0 ? '' : ` (at ${writePath(path)})`;
      const whole = `The schema of the findings cannot be used: ${message.replace(/\.$/, '')}${where}.`;
      if (told.size < MOST_PROBLEMS && !told.has(whole))
        issues.push(manualIssue('manual-schema-invalid', block.line, whole));
      told.add(whole);
    }
  }
}

function checkMarks(root: JsonObject, block: JsonBlock, issues: ManualIssue[]): void {
  const refuse = (mark: JsonValue, message: string, hint: string) => {
    issues.push(manualIssue('manual-mark-unknown', lineOfMark(block, mark), message, hint));
  };
  if (Object.hasOwn(root, LEVEL_MARK)) {
    const hint = 'Mark single properties: "properties": {"logs": {"x-verbosity": "comprehensive", …}}.';
    refuse(
      root[LEVEL_MARK]!,
      `\`${LEVEL_MARK}\` at the top of the schema would leave out all findings.`,
      hint,
    );
  }
  let wrong = 0;
  const look = (schema: JsonObject): JsonObject =>
    mapSubschemas(schema, (inner, keyword) => {
      if (wrong < MOST_PROBLEMS && Object.hasOwn(inner, LEVEL_MARK) && readLevelMark(inner) === null) {
        wrong++;
        const holder = schema[keyword];
        const name = isJsonObject(holder) && Object.keys(holder).find((key) => holder[key] === inner);
        const message = `\`${LEVEL_MARK}\` of ${nameKey(name || keyword)} is ${describeValue(inner[LEVEL_MARK]!)}, which is no level.`;
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
  return replaceContextMap(schema, (own) => {
    const said = keepOwnWords(own, MAP_WORDS);
    return {
      ...CONTEXT_MAP_SCHEMA,
      ...said,
      // An entry is an entry, in a list as in a map.
      ...(said.minItems !== undefined && { minProperties: said.minItems }),
      ...(said.maxItems !== undefined && { maxProperties: said.maxItems }),
    };
  });
}
