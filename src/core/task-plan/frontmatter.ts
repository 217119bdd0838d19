import { type FrontmatterRange, findFrontmatter } from '../markdown/frontmatter.js';
import { parseYaml, type YamlRead } from '../yaml.js';
import { taskPlanIssue } from './issue-codes.js';
import type { Frontmatter, TaskPlan, TaskPlanIssue } from './types.js';

const known = new WeakMap<TaskPlan, Frontmatter>();
/** The newest, with all that comes before its end: after an edit of its tasks a plan has the same. */
let newest: { head: string; frontmatter: Frontmatter } | undefined;

/** Reads the YAML once for each plan. What cannot be read is an issue, and as if it were not there. */
export function readPlanFrontmatter(plan: TaskPlan): Frontmatter {
  const before = known.get(plan);
  if (before) return before;
  const range = findFrontmatter(plan.text);
  const head = typeof range === 'object' ? plan.text.slice(0, range.next) : undefined;
  const isSame = head !== undefined && newest?.head === head;
  const frontmatter = isSame ? newest!.frontmatter : read(plan.text, range);
  if (head !== undefined) newest = { head, frontmatter };
  known.set(plan, frontmatter);
  return frontmatter;
}

function read(text: string, range: ReturnType<typeof findFrontmatter>): Frontmatter {
  if (range === 'none') return empty([]);
  if (range === 'unclosed') {
    return empty([
      taskPlanIssue('frontmatter-unclosed', 'The frontmatter begins with "---" and has no second one.', {
        line: 1,
        hint: 'Write a line "---" behind its last key.',
      }),
    ]);
  }
  const source = text.slice(range.from, range.to);
  const whole = parseYaml(source);
  if (whole.status === 'value' && whole.value === null) return empty([]);
  if (whole.status === 'value' && isMapping(whole.value))
    return new Fields(whole.value, source, range, whole.lineOf).read();
  return readKeyByKey(source, range, whole);
}

type LineOf = (path: readonly (string | number)[]) => number;

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Where the whole is not YAML, each key with the lines below it is read on its own, and only what is not YAML is lost. */
function readKeyByKey(source: string, range: FrontmatterRange, whole: YamlRead): Frontmatter {
  const values: Record<string, unknown> = Object.create(null);
  const places = new Map<string, { line: number; lineOf: LineOf }>();
  const unread: string[] = [];
  for (const { key, line, text } of splitKeys(source)) {
    const yaml = parseYaml(text);
    const isTwice = key in values || unread.includes(key);
    if (isTwice || yaml.status !== 'value' || !isMapping(yaml.value)) {
      delete values[key];
      unread.push(key);
    } else {
      values[key] = yaml.value[key] ?? null;
      places.set(key, { line, lineOf: yaml.lineOf });
    }
  }
  // What comes first may be named in lines that belong to no key.
  for (const key of ['wave', 'depends_on'])
    if (source.includes(key) && !(key in values) && !unread.includes(key)) unread.push(key);
  const lineOf: LineOf = (path) => {
    const place = places.get(`${path[0]}`);
    return place ? place.line + place.lineOf(path) : 1;
  };
  const frontmatter = new Fields(values, source, range, lineOf).read();
  const [reason, line] =
    whole.status === 'refused' ? [whole.reason, whole.line] : ['is not a list of "key: value" lines', 1];
  const lost = unread.length === 0 ? '' : ` Not read: ${[...new Set(unread)].slice(0, 8).join(', ')}.`;
  const issue = taskPlanIssue('frontmatter-invalid', `The frontmatter ${reason}.${lost}`, {
    line: range.linesBefore + line,
    hint: 'Quote values that hold ": " or begin with a special character.',
  });
  return {
    ...frontmatter,
    unread: [...unread, ...frontmatter.unread],
    issues: [issue, ...frontmatter.issues],
  };
}

const KEY = /^(?:"([^"]+)"|'([^']+)'|([A-Za-z_][\w-]*))[ \t]*:(?:\s|$)/;

/** Each key that begins a line, with the lines up to the next one. */
function splitKeys(source: string): { key: string; line: number; text: string }[] {
  const keys: { key: string; line: number; text: string }[] = [];
  source.split('\n').forEach((text, line) => {
    const found = KEY.exec(text);
    if (found) keys.push({ key: (found[1] ?? found[2] ?? found[3])!, line, text });
    else if (keys.length > 0) keys.at(-1)!.text += `\n${text}`;
  });
  return keys;
}

function empty(issues: TaskPlanIssue[]): Frontmatter {
  return {
    phase: null,
    plan: null,
    type: null,
    wave: null,
    dependsOn: [],
    filesModified: [],
    autonomous: null,
    parallel: false,
    mustHaves: null,
    other: Object.create(null) as Record<string, unknown>,
    unread: [],
    issues,
  };
}

class Fields {
  private readonly issues: TaskPlanIssue[] = [];
  private readonly unread: string[] = [];
  private readonly lines: string[];

  constructor(
    private readonly values: Record<string, unknown>,
    source: string,
    private readonly range: FrontmatterRange,
    private readonly lineOf: LineOf,
  ) {
    this.lines = source.split('\n');
  }

  read(): Frontmatter {
    const {
      phase,
      plan,
      type,
      wave,
      depends_on,
      files_modified,
      autonomous,
      parallel,
      must_haves,
      ...other
    } = this.values;
    return {
      phase: this.text('phase', phase),
      plan: this.text('plan', plan),
      type: this.text('type', type),
      wave: this.number('wave', wave),
      dependsOn: this.texts('depends_on', depends_on),
      filesModified: this.texts('files_modified', files_modified),
      autonomous: this.boolean('autonomous', autonomous),
      parallel: this.boolean('parallel', parallel) ?? false,
      mustHaves: must_haves ?? null,
      other: Object.assign(Object.create(null), other),
      unread: this.unread,
      issues: this.issues,
    };
  }

  private text(key: string, value: unknown): string | null {
    if (value === undefined || value === null || value === '') return null;
    return this.scalar([key], value) ?? this.refuse(key, 'a text or a number');
  }

  /** A number as it is written: `01`, not `1`. */
  private scalar(path: readonly (string | number)[], value: unknown): string | undefined {
    if (typeof value === 'string') return value.trim();
    if (typeof value !== 'number') return undefined;
    const line = this.lines[this.lineOf(path) - 1] ?? '';
    const written = line.match(/\d[\d.]*/g)?.find((digits) => Number(digits) === value);
    return written ?? String(value);
  }

  private number(key: string, value: unknown): number | null {
    if (value === undefined || value === null || value === '') return null;
    const number = typeof value === 'string' ? Number(value) : value;
    if (typeof number === 'number' && Number.isFinite(number)) return number;
    return this.refuse(key, 'a number');
  }

  private boolean(key: string, value: unknown): boolean | null {
    if (value === undefined || value === null || value === '') return null;
    if (typeof value === 'boolean') return value;
    const word = String(value).toLowerCase();
    if (word === 'true' || word === 'yes') return true;
    if (word === 'false' || word === 'no') return false;
    return this.refuse(key, 'true or false');
  }

  /** A list, or one text with commas. */
  private texts(key: string, value: unknown): string[] {
    if (value === undefined || value === null) return [];
    if (typeof value === 'string')
      return value
        .split(',')
        .map((part) => part.trim())
        .filter(isNamed);
    if (!Array.isArray(value)) {
      const one = this.scalar([key], value);
      if (one === undefined) this.refuse(key, 'a list');
      return one === undefined ? [] : [one];
    }
    const texts = value.map((item, i) => this.scalar([key, i], item));
    if (texts.includes(undefined)) this.refuse(key, 'a list of texts');
    return texts.filter((text) => text !== undefined).filter(isNamed);
  }

  private refuse(key: string, wanted: string): null {
    this.unread.push(key);
    const line = this.range.linesBefore + this.lineOf([key]);
    this.issues.push(
      taskPlanIssue('frontmatter-type', `"${key}" of the frontmatter is not ${wanted}.`, { line }),
    );
    return null;
  }
}

function isNamed(text: string): boolean {
  return text !== '' && text.toLowerCase() !== 'none';
}

const IN_FILE_NAME = /^(\d{1,3}(?:\.\d{1,3})*-\d{1,3})(?![\p{L}\p{N}])/u;
const LEADING = /^(?:phase\s*)?(\d{1,9}(?:\.\d{1,9})*)(?![\p{L}\p{N}])/iu;

/** `03-01` of `03-01-PLAN.md`; else phase and plan of the frontmatter; else the file's name without its extension. */
export function planIdOf(path: string, plan: TaskPlan): string {
  const file = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const inName = IN_FILE_NAME.exec(file)?.[1];
  if (inName !== undefined) return inName;
  const frontmatter = readPlanFrontmatter(plan);
  const whole = IN_FILE_NAME.exec(frontmatter.plan ?? '')?.[1];
  if (whole !== undefined) return whole;
  const phase = LEADING.exec(frontmatter.phase ?? '')?.[1];
  const number = /^\d{1,9}$/.exec(frontmatter.plan ?? '')?.[0];
  if (phase !== undefined && number !== undefined) return `${phase}-${number}`;
  const dot = file.lastIndexOf('.');
  return dot > 0 ? file.slice(0, dot) : file;
}

/** The phase as a number without leading zeros: `3`, `2.1`. */
export function phaseOf(planId: string, plan: TaskPlan): string | null {
  const inId = /^(\d{1,9}(?:\.\d{1,9})*)-\d{1,9}$/.exec(planId)?.[1];
  const phase = inId ?? LEADING.exec(readPlanFrontmatter(plan).phase ?? '')?.[1];
  return phase === undefined ? null : phase.replace(/^0+(?=\d)/, '');
}
