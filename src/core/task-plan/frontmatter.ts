import { findFrontmatter } from '../markdown/lines.js';
import { type WordPattern, wordPattern } from '../text.js';
import { parseYaml } from '../yaml.js';
import { type Frontmatter, type TaskPlan, type TaskPlanIssue, taskPlanIssue } from './types.js';

const known = new WeakMap<TaskPlan, Frontmatter>();
/** The newest, with all that comes before its end: after an edit of its tasks a plan has the same. */
let newest: { head: string; frontmatter: Frontmatter } | undefined;

/** Reads the YAML once for each plan. Unreadable parts are issues, and count as missing. */
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
  if (range === 'none') return new Fields([], 0).read();
  if (range === 'unclosed') {
    const unclosed = taskPlanIssue(
      'frontmatter-unclosed',
      'The frontmatter starts with "---" and has no second one.',
      { line: 1, hint: 'Write a line "---" after its last key.' },
    );
    return { ...new Fields([], 0).read(), issues: [unclosed], orderIssues: [unclosed] };
  }
  return new Fields(splitKeys(text.slice(range.from, range.to)), range.linesBefore).read();
}

/** A key that starts a line, with the lines up to the next one; what is before the first key has none. */
interface Entry {
  key: string | undefined;
  /** Lines of the frontmatter before it. */
  linesBefore: number;
  text: string;
}

const KEY = /^(?:"([^"]+)"|'([^']+)'|([A-Za-z_][\w-]*))[ \t]*:(?:\s|$)/;

function splitKeys(source: string): Entry[] {
  const entries: Entry[] = [];
  const lines = source.split(/\r?\n/);
  const indent = /^ */.exec(lines.find((line) => /^ *[^\s#]/.test(line)) ?? '')![0];
  lines.forEach((line, linesBefore) => {
    const text = line.startsWith(indent) ? line.slice(indent.length) : line;
    const found = KEY.exec(text);
    const key = found?.[1] ?? found?.[2] ?? found?.[3];
    if (key !== undefined || entries.length === 0) entries.push({ key, linesBefore, text });
    else entries.at(-1)!.text += `\n${text}`;
  });
  return entries;
}

/** The keys that determine when a plan can start. */
const ORDER = ['wave', 'depends_on'];
const ORDER_IN_ENTRY = /\n[ \t]*["']?(?:wave|depends_on)["']?[ \t]*:/;

/** Each key is read on its own, and only those that count: a mistake in one leaves all others readable. */
class Fields {
  private readonly issues: TaskPlanIssue[] = [];
  private readonly orderIssues: TaskPlanIssue[] = [];

  constructor(
    private readonly entries: readonly Entry[],
    private readonly linesBefore: number,
  ) {}

  read(): Frontmatter {
    this.refuseWordsBeforeKeys();
    this.refuseHiddenOrder();
    return {
      phase: this.text('phase'),
      plan: this.text('plan'),
      type: this.text('type'),
      wave: this.number('wave'),
      dependsOn: this.texts('depends_on'),
      filesModified: this.texts('files_modified'),
      autonomous: this.boolean('autonomous'),
      parallel: this.boolean('parallel') ?? false,
      issues: this.issues,
      orderIssues: this.orderIssues,
    };
  }

  private refuseWordsBeforeKeys(): void {
    const first = this.entries[0];
    if (!first || first.key !== undefined || !/^\s*[^\s#]/m.test(first.text)) return;
    const blank = /^(?:\s*(?:#.*)?\n)*/.exec(first.text)![0];
    this.report(
      first.linesBefore + blank.split('\n').length - 1,
      'The frontmatter is not a list of "key: value" lines.',
      ORDER.some((key) => first.text.includes(key)),
    );
  }

  /** `wave` and `depends_on` below another key are that key's own, unless that is not YAML: `wave:2`, or too much indent. */
  private refuseHiddenOrder(): void {
    for (const { key, text, linesBefore } of this.entries) {
      if (key === undefined || !ORDER_IN_ENTRY.test(text)) continue;
      const yaml = parseYaml(text);
      if (yaml.status === 'refused')
        this.report(linesBefore, `"${key}" of the frontmatter ${yaml.reason}.`, true);
    }
  }

  private text(key: string): string | null {
    const read = this.value(key);
    if (read === undefined || read.value === '') return null;
    return scalar(read, []) ?? this.refuse(key, 'a string or a number');
  }

  private number(key: string): number | null {
    const value = this.value(key)?.value;
    if (value === undefined || value === '') return null;
    const number = typeof value === 'string' ? Number(value) : value;
    if (typeof number === 'number' && Number.isFinite(number)) return number;
    return this.refuse(key, 'a number');
  }

  private boolean(key: string): boolean | null {
    const value = this.value(key)?.value;
    if (value === undefined || value === '') return null;
    if (typeof value === 'boolean') return value;
    const word = String(value).toLowerCase();
    if (word === 'true' || word === 'yes') return true;
    if (word === 'false' || word === 'no') return false;
    return this.refuse(key, 'true or false');
  }

  /** A list, or one text with commas. */
  private texts(key: string): string[] {
    const read = this.value(key);
    if (read === undefined) return [];
    const { value } = read;
    if (typeof value === 'string')
      return value
        .split(',')
        .map((part) => part.trim())
        .filter(isNamed);
    if (!Array.isArray(value)) {
      const one = scalar(read, []);
      if (one === undefined) this.refuse(key, 'a list');
      return one === undefined ? [] : [one];
    }
    const texts = value.map((item, i) => scalar({ ...read, value: item }, [i]));
    if (texts.includes(undefined)) this.refuse(key, 'a list of strings');
    return texts.filter((text) => text !== undefined).filter(isNamed);
  }

  /** Undefined if it is missing or unreadable. */
  private value(key: string): Read | undefined {
    const [entry, second] = this.entries.filter((each) => each.key === key);
    if (!entry) return undefined;
    if (second) {
      this.report(second.linesBefore, `"${key}" occurs twice in the frontmatter.`, ORDER.includes(key));
      return undefined;
    }
    const yaml = parseYaml(entry.text);
    if (yaml.status === 'refused') {
      const line = entry.linesBefore + yaml.line - 1;
      this.report(line, `"${key}" of the frontmatter ${yaml.reason}.`, ORDER.includes(key));
      return undefined;
    }
    const value = (yaml.value as Record<string, unknown>)[key] ?? undefined;
    return value === undefined ? undefined : { key, value, text: entry.text, lineOf: yaml.lineOf };
  }

  private report(linesBefore: number, message: string, isOrder: boolean): void {
    const issue = taskPlanIssue('frontmatter-invalid', message, {
      line: this.linesBefore + linesBefore + 1,
      hint: 'Write one "key: value" per line, and quote values that contain ": " or start with a special character.',
    });
    this.issues.push(issue);
    if (isOrder) this.orderIssues.push(issue);
  }

  private refuse(key: string, wanted: string): null {
    const { linesBefore } = this.entries.find((entry) => entry.key === key)!;
    const line = this.linesBefore + linesBefore + 1;
    const issue = taskPlanIssue('frontmatter-type', `"${key}" of the frontmatter is not ${wanted}.`, {
      line,
    });
    this.issues.push(issue);
    if (ORDER.includes(key)) this.orderIssues.push(issue);
    return null;
  }
}

interface Read {
  key: string;
  value: unknown;
  text: string;
  lineOf(path: readonly (string | number)[]): number;
}

/** A number as written: `01`, not `1`. */
function scalar({ key, value, text, lineOf }: Read, path: readonly number[]): string | undefined {
  if (typeof value === 'string') return value.trim();
  if (typeof value !== 'number') return undefined;
  const line = text.split('\n')[lineOf([key, ...path]) - 1] ?? '';
  const written = line.match(/\d[\d.]*/g)?.find((digits) => Number(digits) === value);
  return written ?? String(value);
}

function isNamed(text: string): boolean {
  return text !== '' && text.toLowerCase() !== 'none';
}

const IN_FILE_NAME = wordPattern(String.raw`^(\d{1,3}(?:\.\d{1,3})*-\d{1,3})(?![\p{L}\p{N}])`);
const LEADING_NUMBER = wordPattern(String.raw`^(?:phase\s*)?(\d{1,9}(?:\.\d{1,9})*)(?![\p{L}\p{N}])`, 'i');

function firstGroup(pattern: WordPattern, text: string): string | undefined {
  return pattern(text).exec(text)?.[1];
}

/** `03-01` of `03-01-PLAN.md`; else phase and plan of the frontmatter; else the file's name without its extension. */
export function planIdOf(path: string, plan?: TaskPlan): string {
  const file = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const inName = firstGroup(IN_FILE_NAME, file);
  if (inName !== undefined) return inName;
  const frontmatter = plan && readPlanFrontmatter(plan);
  const whole = firstGroup(IN_FILE_NAME, frontmatter?.plan ?? '');
  if (whole !== undefined) return whole;
  const phase = firstGroup(LEADING_NUMBER, frontmatter?.phase ?? '');
  const number = /^\d{1,9}$/.exec(frontmatter?.plan ?? '')?.[0];
  if (phase !== undefined && number !== undefined) return `${phase}-${number}`;
  const dot = file.lastIndexOf('.');
  return dot > 0 ? file.slice(0, dot) : file;
}

/** The phase as a number without leading zeros: `3`, `2.1`. */
export function phaseOf(planId: string, plan?: TaskPlan): string | null {
  const inId = /^(\d{1,9}(?:\.\d{1,9})*)-\d{1,9}$/.exec(planId)?.[1];
  const phase = inId ?? (plan && firstGroup(LEADING_NUMBER, readPlanFrontmatter(plan).phase ?? ''));
  return phase === undefined ? null : phase.replace(/^0+(?=\d)/, '');
}
