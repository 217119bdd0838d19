import { formatDuration, formatDurationWords, type WordPattern, wordPattern } from '../text.js';
import { fieldText, foldLabel, plainName } from './line.js';
import type { StateFacts } from './types.js';

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };
const PART = String.raw`\d{1,9}(?:\.\d{1,9})? ?(?:h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)(?![\p{L}])`;

/** `2h 10m`, `28 minutes`, `~5.6 hours`, as a part of a regular expression for a text in lower case. */
const DURATION = `[~≈<]?${PART}(?: ?${PART}){0,2}`;

const FIRST_DURATION = wordPattern(`(?<![\\p{L}\\d.])${DURATION}`);

/** In milliseconds, the first duration in a text; null if there is none. */
export function readDuration(text: string): number | null {
  const start = text.slice(0, 200).toLowerCase();
  const found = FIRST_DURATION(start).exec(start);
  if (!found) return null;
  const parts = found[0].matchAll(/(\d+(?:\.\d+)?) ?([a-z])/g);
  return Math.round([...parts].reduce((sum, [, number, unit]) => sum + Number(number) * UNIT_MS[unit!]!, 0));
}

const CELLS = 20;

/** `[#########░░░░░░░░░░░] 45%`: 20 cells, both rounded, and full only when all is done. No tasks at all are 0%. */
export function formatProgress({ done, total }: { done: number; total: number }): string {
  const share = total > 0 ? Math.min(1, Math.max(0, done / total)) : 0;
  const known = Number.isFinite(share) ? share : 0;
  const partOf = (whole: number) => Math.min(Math.round(known * whole), known < 1 ? whole - 1 : whole);
  const cells = partOf(CELLS);
  return `[${'#'.repeat(cells)}${'░'.repeat(CELLS - cells)}] ${partOf(100)}%`;
}

// The forms of values in the template and in files that people and other tools write. A value that has one of these forms
// from end to end says no more than the template has room for. All are in lower case, as values are compared: to compile
// a pattern that ignores the case of all scripts takes several times as long.

const NUMBER = String.raw`\d{1,9}(?:\.\d{1,9}){0,4}[a-z]?(?![\p{L}\d])`;
const BLANK = String.raw`(?:[-–—?…]|tbd|\[[^[\]]{0,40}\])`;
const OF = String.raw`(?: of | ?/ ?)(?:\d{1,9}|${BLANK})`;
const NAME = String.raw`\((?:[^()]|\([^()]{0,80}\)){1,200}\)`;
const SLUG = String.raw`\d{1,9}-[\p{L}][\p{L}\p{N}_-]{0,80}`;
const DAY = String.raw`\d{4}-\d{2}-\d{2}`;
const TIME = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?: ?(?:z|utc|[+-]\d{2}:?\d{2}))?`;
const MOMENT = `${DAY}(?:(?:t|,? )${TIME})?`;
const BAR = String.raw`(?:\[[^\]\p{L}\d]{0,120}\]|[\u2580-\u25ff#=>·.-]{1,120})`;
const STATUS = [
  'ready(?: to (?:plan|execute|start|begin)| for (?:planning|execution|verification))?',
  '(?:planning|phase|milestone|project) completed?',
  'in[ _-]progress|not[ _-]started|on hold',
  'planned|planning|executing|active|verifying|blocked|completed?|done|paused|pending|waiting|failed|skipped',
].join('|');

const EMPTY = whole(
  String.raw`|-{1,3}|[–—…]|\.{3}|\?{1,3}|n/a|tbd|todo|unknown|never|\[[^[\]]{0,200}\]`,
  String.raw`(?:none|nothing|not (?:yet )?(?:started|planned))(?: yet)?\.?`,
);

/** Nothing, or a placeholder such as `-`, `TBD`, `None yet`, `[X]`. */
export function isEmpty(value: string): boolean {
  return value.length < 250 && matches(EMPTY, toLowerAscii(value));
}

/** Whether a value has the form from end to end. */
export type Form = (value: string) => boolean;

export const FORMS = {
  phase: form(
    `(?:phase )?(?:\\d{1,9}-)?${NUMBER}(?:${OF})?(?: ${NAME})?`,
    `${BLANK}(?:${OF})?(?: \\(${BLANK}\\))?`,
    SLUG,
  ),
  plan: form(`(?:plan )?(?:\\d{1,9}-)?(?:${NUMBER}|${BLANK})(?:${OF})?(?: in current phase)?`),
  status: form(`(?:[\\p{So}\\ufe0f]{1,4} ?)?(?:${STATUS})\\.?`),
  progress: form(`(?:${BAR} ?)?\\d{1,3}(?:\\.\\d{1,2})? ?%`),
  number: form('\\d{1,9}'),
  /** `3/5`, `3 of 5`, `3/?`, `3` */
  share: form(`\\d{1,9}(?:${OF})?`),
  duration: form(`${DURATION}(?: ?/ ?plan| per plan)?`, `${BLANK} (?:min|minutes|hours)`),
  durations: form(`${DURATION}(?:, ?${DURATION}){0,9}`),
  trend: form('improving|declining|stable|not enough data|degrading|worsening|slowing|steady'),
  moment: form(MOMENT),
} as const;

function form(...patterns: string[]): Form {
  const shape = whole(...patterns);
  return (value) =>
    isEmpty(value) || (value.length < 500 && matches(shape, toLowerAscii(withoutEmphasis(value))));
}

function withoutEmphasis(value: string): string {
  return value.replace(/[*`]/g, '');
}

function whole(...patterns: string[]): WordPattern {
  return wordPattern(`^(?:${patterns.join('|')})$`);
}

function matches(pattern: WordPattern, text: string): boolean {
  return pattern(text).test(text);
}

/** Each letter stays where it is. */
function toLowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** A phase or a plan: `3 of 8`, `3/8`, `Phase 3`, whatever follows. */
export interface Count {
  number: string;
  /** Null if the text does not say it. */
  of: number | null;
  /** `(Name)`, as written; empty if there is none. */
  name: string;
}

const COUNT = wordPattern(
  `^(?:(?:phase|plan) |#)?((?:\\d{1,9}-)?${NUMBER}|\\?)(?:(?: of | ?/ ?)(?:(\\d{1,9})(?![\\p{L}\\d])|${BLANK}))?(?: (${NAME}))?`,
  'd',
);
const COUNT_SLUG = wordPattern(String.raw`^(\d{1,9})-([\p{L}][\p{L}\p{N}_-]{0,80})`);

export function readCountText(value: string): Count | undefined {
  const text = withoutEmphasis(value.slice(0, 500));
  const slug = COUNT_SLUG(text).exec(text);
  if (slug) return { number: slug[1]!, of: null, name: `(${slug[2]})` };
  const read = COUNT(text).exec(toLowerAscii(text));
  if (!read) return undefined;
  const [, number = '', of, name = ''] = read.indices!.map((span) => span && text.slice(...span));
  return { number, of: of === undefined ? null : Number(of), name };
}

/** `03` and `3` are the same, as are `3.1` and `03.01`. */
function isSameNumber(one: string, other: string): boolean {
  const plain = (number: string) => number.replace(/\d+/g, (digits) => digits.replace(/^0+(?=\d)/, ''));
  return plain(one) === plain(other);
}

const EVENT = new RegExp(`^(?:${MOMENT}(?: ?(?:[–—:-]|--) |$))?`, 'u');

/** `2026-01-26 - **Completed** Task 2` → `Completed Task 2`; empty for a day alone. */
function eventOf(value: string): string {
  const plain = withoutEmphasis(value);
  return plain.slice(EVENT.exec(toLowerAscii(plain))![0].length);
}

/**
 * Whether a value is only the outcome of a task. `Last activity` and `Stopped at` are written in the same words, so a
 * word that only one of them has is not ours.
 */
function isOwnEvent(value: string, twin: string | undefined): boolean {
  const event = eventOf(value);
  if (isEmpty(event)) return true;
  if (!/^(?:Completed|Failed|Blocked) \S/.test(event)) return false;
  return twin === undefined || isEmpty(eventOf(twin)) || eventOf(twin).startsWith(event);
}

// The template's sections and fields.

export type SectionKind = 'position' | 'metrics' | 'velocity' | 'byPhase' | 'trend' | 'blockers' | 'session';

/** The heading that a missing section or group gets. */
export const TITLES: Readonly<Record<SectionKind, string>> = {
  position: 'Current Position',
  metrics: 'Performance Metrics',
  velocity: 'Velocity',
  byPhase: 'By Phase',
  trend: 'Recent Trend',
  blockers: 'Blockers/Concerns',
  session: 'Session Continuity',
};

const SPELLINGS: Readonly<Partial<Record<SectionKind, readonly string[]>>> = {
  position: ['position', 'current state', 'current status'],
  metrics: ['performance', 'metrics'],
  trend: ['recent trends'],
  session: ['session', 'continuity'],
};

const KINDS = new Map(
  (Object.keys(TITLES) as SectionKind[]).flatMap((kind) =>
    [foldLabel(TITLES[kind]), ...(SPELLINGS[kind] ?? [])].map((title) => [title, kind] as const),
  ),
);

/** The meaning of a heading or caption, ignoring numbers, emoji, emphasis and a colon. */
export function sectionKindOf(title: string): SectionKind | undefined {
  if (title.length > 80) return undefined;
  const folded = foldLabel(title.replace(/[*_`]/g, ' '));
  const words = /^[a-z](?:[ /a-z]*[a-z])?$/.test(folded) ? folded : trimToWords(folded);
  return KINDS.get(words) ?? (isBlockersTitle(words) ? 'blockers' : undefined);
}

const BEFORE_WORDS = wordPattern(String.raw`^[^\p{L}]+`);
const AFTER_WORDS = wordPattern(String.raw`[^\p{L}\p{N})]+$`);

function trimToWords(title: string): string {
  return title.replace(BEFORE_WORDS(title), '').replace(AFTER_WORDS(title), '');
}

/** `Blockers`, `Open blockers & risks`, `Concerns / Blockers`; not `Blockers resolved in May`. */
function isBlockersTitle(words: string): boolean {
  return (
    /^(?:(?:current|open|known|active) )?blockers?(?: ?[/&,+(]| and | or |$)/.test(words) ||
    /^[a-z]+ ?(?:[/&]|and|or) ?blockers?$/.test(words)
  );
}

/** The label of the line that an old value stays in. */
export const EARLIER = 'Earlier';

/** The values of the fields before an update, by their names. */
export type OldValues = Readonly<Partial<Record<string, string>>>;

/** Where a field belongs: a section, or a group in it. */
export type FieldHome =
  | { section: 'position' | 'session'; group?: undefined }
  | { section: 'metrics'; group: 'velocity' | 'trend' };

type FieldMeaning = FieldHome & {
  /** As the template has it. */
  label: string;
  /** Its value in a new STATE.md. */
  initial: string;
  /** In the template it is a paragraph of its own. */
  isApart?: true;
  /** Other names of it, in lower case. */
  spellings?: readonly string[];
  /** It is this field in any section. */
  isUnmistakable?: true;
  /** Whether a value has nothing beyond the template. Any other value is kept when it is replaced. */
  isPlain: (value: string, old: OldValues) => boolean;
  /** The value in the template's form: `-` if it is not known, undefined if the facts do not speak of it. */
  write: (facts: StateFacts, old: string) => string | undefined;
};

/** In the template's order. */
const TABLE = {
  phase: {
    label: 'Phase',
    initial: '-',
    spellings: ['current phase'],
    section: 'position',
    isPlain: FORMS.phase,
    write: ({ phase }, old) => phase && `${countText(phase)}${nameFor(phase.number, old)}`,
  },
  plan: {
    label: 'Plan',
    initial: '-',
    spellings: ['current plan'],
    section: 'position',
    isPlain: FORMS.plan,
    write: ({ plan }) => plan && `${countText(plan)} in current phase`,
  },
  status: {
    label: 'Status',
    initial: 'Ready to execute',
    spellings: ['current status'],
    section: 'position',
    isPlain: FORMS.status,
    write: ({ status }) => status && fieldText(status),
  },
  lastActivity: {
    label: 'Last activity',
    initial: '-',
    section: 'position',
    isUnmistakable: true,
    isPlain: (value, { stoppedAt }) => isOwnEvent(value, stoppedAt),
    write: ({ lastActivity: said }) =>
      said && (fieldText(said.text === '' ? said.date : `${said.date} - ${said.text}`) || '-'),
  },
  progress: {
    label: 'Progress',
    initial: formatProgress({ done: 0, total: 0 }),
    isApart: true,
    spellings: ['overall progress'],
    section: 'position',
    isPlain: FORMS.progress,
    write: ({ progress }) => progress && formatProgress(progress),
  },
  totalPlansCompleted: {
    label: 'Total plans completed',
    initial: '0',
    spellings: ['plans completed'],
    section: 'metrics',
    group: 'velocity',
    isUnmistakable: true,
    isPlain: FORMS.number,
    write: ({ velocity }) => velocity && readWholeNumber(velocity.plansCompleted),
  },
  averageDuration: {
    label: 'Average duration',
    initial: '-',
    spellings: ['avg duration', 'avg. duration', 'average plan duration'],
    section: 'metrics',
    group: 'velocity',
    isUnmistakable: true,
    isPlain: FORMS.duration,
    write: ({ velocity }) => velocity && formatDurationWords(velocity.averageMs),
  },
  totalExecutionTime: {
    label: 'Total execution time',
    initial: '0m',
    spellings: ['total time'],
    section: 'metrics',
    group: 'velocity',
    isUnmistakable: true,
    isPlain: FORMS.duration,
    write: ({ velocity }) => velocity && (velocity.totalMs > 0 ? formatDuration(velocity.totalMs) : '0m'),
  },
  lastPlans: {
    label: 'Last 5 plans',
    initial: '-',
    spellings: ['last five plans'],
    section: 'metrics',
    group: 'trend',
    isUnmistakable: true,
    isPlain: FORMS.durations,
    write: ({ recentPlans }) =>
      recentPlans && (recentPlans.durationsMs.slice(0, 5).map(formatDuration).join(', ') || '-'),
  },
  trend: {
    label: 'Trend',
    initial: 'Not enough data',
    section: 'metrics',
    group: 'trend',
    isPlain: FORMS.trend,
    write: ({ recentPlans }) => recentPlans && fieldText(recentPlans.trend),
  },
  lastSession: {
    label: 'Last session',
    initial: '-',
    section: 'session',
    isUnmistakable: true,
    isPlain: FORMS.moment,
    write: ({ session }) => session && sessionTime(session.at),
  },
  stoppedAt: {
    label: 'Stopped at',
    initial: '-',
    section: 'session',
    isUnmistakable: true,
    isPlain: (value, { lastActivity }) => isOwnEvent(value, lastActivity),
    write: ({ session }) => session && (fieldText(session.stoppedAt) || '-'),
  },
} as const satisfies Readonly<Record<string, FieldMeaning>>;

export type FieldName = keyof typeof TABLE;

export const FIELDS: Readonly<Record<FieldName, FieldMeaning>> = TABLE;

const FIELD_NAMES = Object.keys(TABLE) as FieldName[];

/** The fields of one section without groups, or of one group. */
export function fieldsIn({ section, group }: FieldHome): FieldName[] {
  return FIELD_NAMES.filter((name) => FIELDS[name].section === section && FIELDS[name].group === group);
}

const NAME_OF = new Map(
  FIELD_NAMES.flatMap((name) =>
    [FIELDS[name].label.toLowerCase(), ...(FIELDS[name].spellings ?? [])].map((key) => [key, name] as const),
  ),
);

/** `key` as `readLabel` gives it. */
export function fieldNameOf(key: string): FieldName | undefined {
  return /^last \d{1,3} plans?$/.test(key) ? 'lastPlans' : NAME_OF.get(key);
}

/** The name in parentheses stays as long as the number does: after another number it would be false. */
function nameFor(number: string, old: string): string {
  const was = readCountText(old);
  return was && was.name !== '' && isSameNumber(was.number, number) ? ` ${was.name}` : '';
}

function countText({ number, of }: { number: string; of: number }): string {
  return `${readCountText(number)?.number ?? '?'} of ${readWholeNumber(of)}`;
}

export function readWholeNumber(value: number): string {
  return String(Math.min(999_999_999, Math.max(0, Math.round(value) || 0)));
}

/** `2026-01-26 14:32`, in UTC; a time without a zone is in UTC already, and one that cannot be read is a name. */
function sessionTime(at: string): string {
  const ms = Date.parse(/^\d{4}-\d{2}-\d{2}T[\d:.]{1,20}$/.test(at) ? `${at}Z` : at);
  if (Number.isNaN(ms)) return plainName(at.replaceAll('_', ' '));
  return new Date(ms).toISOString().slice(0, 'YYYY-MM-DD HH:MM'.length).replace('T', ' ');
}
