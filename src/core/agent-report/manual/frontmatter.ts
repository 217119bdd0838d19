import type { JsonValue } from '../../json/values.js';
import { findFrontmatter } from '../../markdown/lines.js';
import { nearestWord, quoteExcerpt } from '../../text.js';
import { isMapping, parseYaml } from '../../yaml.js';
import { foldAgentName } from '../fields.js';
import { describeValue, manualIssue } from '../issue.js';
import { type BriefingField, type Manual, type ManualIssue, VERBOSITIES, type Verbosity } from '../types.js';

/** More than any manual has, but quick to parse. */
const MOST_TOKENS = 20_000;

export type FrontmatterRead =
  | {
      status: 'read';
      /** Without a prototype. */
      keys: Readonly<Record<string, unknown>>;
      /** The 1-based line of a key or of a value below it. */
      lineOf(path: readonly (string | number)[]): number;
      /** The text after the frontmatter. */
      body: string;
      /** How many lines are before the body. */
      linesBefore: number;
    }
  | { status: 'refused'; issue: ManualIssue };

const SAMPLE =
  'Start the file with a line ---, then kind: subagent and the other keys, one per line, then a line --- again.';

export function readFrontmatter(text: string): FrontmatterRead {
  const found = findFrontmatter(text);
  if (found === 'none') return refuse(1, 'The file has no frontmatter.');
  if (found === 'unclosed') return refuse(1, 'The frontmatter has no end: the second line --- is missing.');
  const read = parseYaml(text.slice(found.from, found.to), { mostTokens: MOST_TOKENS });
  if (read.status === 'refused') {
    const hint = 'Put a string that contains ": " or " #" in quotes.';
    return refuse(found.linesBefore + read.line, `The frontmatter ${read.reason}.`, hint);
  }
  const { value } = read;
  if (value === null) return refuse(found.linesBefore, 'The frontmatter is empty.');
  if (typeof value !== 'object' || Array.isArray(value))
    return refuse(
      found.linesBefore + 1,
      `The frontmatter is ${describeValue(value as JsonValue)}, not a mapping.`,
    );
  return {
    status: 'read',
    keys: value as Record<string, unknown>,
    lineOf: (path) => found.linesBefore + read.lineOf(path),
    body: text.slice(found.next),
    linesBefore: countLines(text, found.next),
  };
}

function refuse(line: number, message: string, hint = SAMPLE): FrontmatterRead {
  return { status: 'refused', issue: manualIssue('manual-frontmatter', line, message, hint) };
}

function countLines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

type Frontmatter = Extract<FrontmatterRead, { status: 'read' }>;

export type ManualFields = Pick<Manual, 'purpose' | 'whenToUse' | 'briefing' | 'levels' | 'summaryBudget'>;

const KEYS = ['kind', 'name', 'purpose', 'when_to_use', 'briefing', 'verbosity', 'summary_budget'];

const DEFAULT_BUDGET = 4000;
/** A smaller budget could not fit the contract's own fields. */
const LEAST_BUDGET = 500;
const LARGEST_BUDGET = 1_000_000;

const HOLDS: Readonly<Record<Verbosity, string>> = {
  summary: 'The outcome, and what is needed to decide the next step.',
  detailed: 'The findings, with their evidence and its places.',
  comprehensive: 'Everything, with logs, file contents and all details of each step.',
};

const GOAL: BriefingField = { name: 'goal', about: 'What the task must achieve.', required: true };

/** The fields of a manual in its frontmatter; for a wrong value there is an issue, and the default applies. */
export function readManualFields(name: string, front: Frontmatter, issues: ManualIssue[]): ManualFields {
  const refuse: Refuse = (path, message, hint) => {
    if (issues.length < MOST_ISSUES)
      issues.push(manualIssue('manual-field', front.lineOf(path), message, hint));
  };
  const { keys } = front;
  checkName(name, keys.name, refuse);
  const fields: ManualFields = {
    purpose: readText('purpose', keys.purpose, refuse),
    whenToUse: readText('when_to_use', keys.when_to_use, refuse),
    briefing: readBriefing(keys.briefing, refuse),
    levels: readLevels(keys.verbosity, refuse),
    summaryBudget: readBudget(keys.summary_budget, refuse),
  };
  reportMissingPurpose(fields, front, issues);
  reportUnknownKeys(front, issues);
  return fields;
}

type Refuse = (path: (string | number)[], message: string, hint: string) => void;

function checkName(name: string, value: unknown, refuse: Refuse): void {
  if (value === undefined || value === null) return;
  if (typeof value === 'string' && foldAgentName(value.trim()) === foldAgentName(name)) return;
  const message = `\`name\` is ${describe(value)}, but the file is called ${quoteExcerpt(name)}.`;
  refuse(['name'], message, `Write name: ${name}, or leave it out.`);
}

function readText(key: string, value: unknown, refuse: Refuse): string | null {
  if (value === undefined || value === null) return null;
  const text =
    isList(value) && value.every(isText) ? value.map((item) => `- ${item.trim()}`).join('\n') : value;
  if (isText(text)) return text.trim();
  refuse([key], `\`${key}\` is ${describe(value)}, not a string.`, `Write ${key}: and one or two sentences.`);
  return null;
}

const BRIEFING_SAMPLE =
  'Write a list of names (briefing: [goal, questions]), or a description for each name (questions: What to answer.).';

/** `[goal, questions]`, `{questions: text}` or `{questions: {about: text, required: true}}` */
function readBriefing(value: unknown, refuse: Refuse): BriefingField[] {
  const fields = new Map([[GOAL.name, GOAL]]);
  const seen = new Set<string>();
  for (const { name, about, path } of briefingEntries(value, refuse)) {
    const field = readField(name, about, path, refuse);
    if (!field) continue;
    if (seen.has(field.name))
      refuse(path, `The briefing field ${quoteExcerpt(field.name)} occurs twice.`, 'Remove one of them.');
    else if (field.name !== GOAL.name) fields.set(field.name, field);
    else if (field.about !== '') fields.set(GOAL.name, { ...GOAL, about: field.about });
    seen.add(field.name);
  }
  return [...fields.values()];
}

interface BriefingEntry {
  name: string;
  about: unknown;
  path: (string | number)[];
}

function briefingEntries(value: unknown, refuse: Refuse): BriefingEntry[] {
  if (value === undefined || value === null) return [];
  const entriesOf = (mapping: Record<string, unknown>, path: (string | number)[]) =>
    Object.entries(mapping).map(([name, about]) => ({ name, about, path: [...path, name] }));
  if (isMapping(value)) return entriesOf(value, ['briefing']);
  if (isList(value))
    return value.flatMap((item, at): BriefingEntry[] => {
      if (isMapping(item)) return entriesOf(item, ['briefing', at]);
      if (isText(item)) return [{ name: item, about: null, path: ['briefing', at] }];
      refuse(['briefing', at], `A briefing field is ${describe(item)}, not a name.`, BRIEFING_SAMPLE);
      return [];
    });
  refuse(['briefing'], `\`briefing\` is ${describe(value)}, neither a list nor a mapping.`, BRIEFING_SAMPLE);
  return [];
}

const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,59}$/;

function readField(
  written: string,
  value: unknown,
  path: (string | number)[],
  refuse: Refuse,
): BriefingField | undefined {
  const name = written.trim();
  if (!FIELD_NAME.test(name)) {
    const hint = 'Write one word of letters, digits, _ or -, such as acceptance_criteria.';
    refuse(
      path,
      `The briefing field ${quoteExcerpt(written)} has a name that cannot be used with --field.`,
      hint,
    );
    return undefined;
  }
  if (value === null || value === '') return { name, about: '', required: false };
  if (isText(value)) return { name, about: value.trim(), required: false };
  if (isMapping(value)) {
    const { about = null, required = null, ...others } = value;
    const other = Object.keys(others)[0];
    const right = (about === null || isText(about)) && (required === null || typeof required === 'boolean');
    if (right && other === undefined)
      return { name, about: about === null ? '' : about.trim(), required: required === true };
  }
  const hint = `Write ${name}: and a text, or under it about: and a text, required: and true or false.`;
  refuse(path, `The value of the briefing field \`${name}\` cannot be read.`, hint);
  return undefined;
}

const LEVELS_SAMPLE =
  'Write a list (verbosity: [summary, detailed]), or a description for each level (summary: The outcome.).';

function readLevels(value: unknown, refuse: Refuse): Manual['levels'] {
  const all = VERBOSITIES.map((level) => ({ level, holds: HOLDS[level] }));
  if (value === undefined || value === null) return all;
  const isLevels = isMapping(value) || (isList(value) && value.every((item) => typeof item === 'string'));
  if (!isLevels) {
    refuse(['verbosity'], `\`verbosity\` is ${describe(value)}, not a list of levels.`, LEVELS_SAMPLE);
    return all;
  }
  const said = new Map<string, string>();
  const entries = isMapping(value)
    ? Object.entries(value).map(([level, holds]) => ({ level, holds, at: level }))
    : value.map((level, at) => ({ level: String(level), holds: null, at }));
  for (const { level, holds, at } of entries) {
    if (!(VERBOSITIES as readonly string[]).includes(level))
      refuse(
        ['verbosity', at],
        `${quoteExcerpt(level)} is not a verbosity level.`,
        `The levels are ${VERBOSITIES.join(', ')}.`,
      );
    else if (holds !== null && !isText(holds))
      refuse(
        ['verbosity', at],
        `The description of \`${level}\` is ${describe(holds)}, not a string.`,
        LEVELS_SAMPLE,
      );
    else said.set(level, isText(holds) ? holds.trim() : '');
  }
  if (entries.length === 0) refuse(['verbosity'], '`verbosity` offers no level.', LEVELS_SAMPLE);
  return all
    .filter(({ level }) => said.has(level))
    .map(({ level, holds }) => ({ level, holds: said.get(level) || holds }));
}

function readBudget(value: unknown, refuse: Refuse): number {
  if (value === undefined || value === null) return DEFAULT_BUDGET;
  if (Number.isInteger(value) && (value as number) >= LEAST_BUDGET && (value as number) <= LARGEST_BUDGET)
    return value as number;
  const message = `\`summary_budget\` is ${describe(value)}; it must be a whole number of characters from ${LEAST_BUDGET} to ${LARGEST_BUDGET}.`;
  refuse(['summary_budget'], message, `Write summary_budget: ${DEFAULT_BUDGET}, or leave it out.`);
  return DEFAULT_BUDGET;
}

function reportMissingPurpose(
  { purpose, whenToUse }: ManualFields,
  front: Frontmatter,
  issues: ManualIssue[],
): void {
  const isThere = (key: string) => (front.keys[key] ?? null) !== null;
  const missing = [
    ...(purpose === null && !isThere('purpose') ? ['`purpose`'] : []),
    ...(whenToUse === null && !isThere('when_to_use') ? ['`when_to_use`'] : []),
  ];
  if (missing.length === 0) return;
  const message = `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing, so no one knows when to use this agent.`;
  issues.push(manualIssue('manual-purpose-missing', front.lineOf([]), message, 'Add one sentence for each.'));
}

function reportUnknownKeys({ keys, lineOf }: Frontmatter, issues: ManualIssue[]): void {
  for (const key of Object.keys(keys)) {
    if (KEYS.includes(key)) continue;
    const meant = nearestWord(key, KEYS);
    const isFree = meant !== undefined && !Object.hasOwn(keys, meant);
    const hint = isFree ? `Did you mean \`${meant}\`?` : `The keys of a manual: ${KEYS.join(', ')}.`;
    const message = `${quoteExcerpt(key)} is not a key of a manual; it is ignored.`;
    issues.push(manualIssue('manual-key-unknown', lineOf([key]), message, hint));
    if (issues.length >= MOST_ISSUES) return;
  }
}

const MOST_ISSUES = 100;

/** Describes a YAML value, to complete the sentence "… is …". */
function describe(value: unknown): string {
  return isText(value) || typeof value !== 'string' ? describeValue(value as JsonValue) : 'an empty string';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}
