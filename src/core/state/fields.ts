import { wordPattern } from '../text.js';
import {
  FORMS,
  formatDuration,
  formatDurationWords,
  formatProgress,
  isOwnEvent,
  isSameNumber,
  readCountText,
} from './forms.js';
import { fieldText, foldLabel, plainName } from './line.js';
import type { StateFacts } from './types.js';

// The words of the template: its sections, and its fields with all there is to know about them.

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

/** What a heading or caption means; numbers and emoji before it, emphasis and a colon aside. */
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

/** What the fields say before an update, by their names. */
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
  /** There it is a paragraph of its own. */
  isApart?: true;
  /** Other names of it, in lower case. */
  spellings?: readonly string[];
  /** It is this field in any section. */
  isUnmistakable?: true;
  /** Whether a value says no more than the template has room for. Any other value is kept when it is replaced. */
  isPlain: (value: string, old: OldValues) => boolean;
  /** The value in the template's form: `-` where it is not known, undefined where the facts do not speak of it. */
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
