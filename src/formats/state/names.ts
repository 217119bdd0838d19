// How people spell the names of fields and sections, and what they mean by them.

export type SectionKind = 'position' | 'metrics' | 'velocity' | 'byPhase' | 'trend' | 'blockers' | 'session';

export type FieldName =
  | 'phase'
  | 'plan'
  | 'status'
  | 'lastActivity'
  | 'progress'
  | 'totalPlansCompleted'
  | 'averageDuration'
  | 'totalExecutionTime'
  | 'lastPlans'
  | 'trend'
  | 'lastSession'
  | 'stoppedAt';

interface FieldMeaning {
  /** As we write it. */
  label: string;
  /** As it is read, in any case; `_` is a space. */
  spellings: readonly string[];
  section: SectionKind;
  /** The group of its section. */
  group?: SectionKind;
  /** Nobody writes it for anything else: it is this field in any section. */
  isUnmistakable: boolean;
  /** It says `3 of 8`; with another value the line is a sentence, and no field. */
  isCounted?: boolean;
}

export const FIELDS: Readonly<Record<FieldName, FieldMeaning>> = {
  phase: { ...position('Phase', ['phase', 'current phase']), isCounted: true },
  plan: { ...position('Plan', ['plan', 'current plan']), isCounted: true },
  status: position('Status', ['status', 'current status']),
  lastActivity: { ...position('Last activity', ['last activity']), isUnmistakable: true },
  progress: position('Progress', ['progress', 'overall progress']),
  totalPlansCompleted: velocity('Total plans completed', ['plans completed']),
  averageDuration: velocity('Average duration', ['avg duration', 'avg. duration', 'average plan duration']),
  totalExecutionTime: velocity('Total execution time', ['total time']),
  lastPlans: { ...trend('Last 5 plans', ['last five plans']), isUnmistakable: true },
  trend: trend('Trend', []),
  lastSession: session('Last session'),
  stoppedAt: session('Stopped at'),
};

export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

function position(label: string, spellings: string[]): FieldMeaning {
  return { label, spellings, section: 'position', isUnmistakable: false };
}

function velocity(label: string, others: string[]): FieldMeaning {
  const spellings = [label.toLowerCase(), ...others];
  return { label, spellings, section: 'metrics', group: 'velocity', isUnmistakable: true };
}

function trend(label: string, others: string[]): FieldMeaning {
  const spellings = [label.toLowerCase(), ...others];
  return { label, spellings, section: 'metrics', group: 'trend', isUnmistakable: false };
}

function session(label: string): FieldMeaning {
  return { label, spellings: [label.toLowerCase()], section: 'session', isUnmistakable: true };
}

const NAME_OF = new Map(FIELD_NAMES.flatMap((name) => FIELDS[name].spellings.map((said) => [said, name])));

/** `label` as `foldLabel` gives it. */
export function fieldNameOf(label: string): FieldName | undefined {
  if (/^last \d{1,3} plans?$/.test(label)) return 'lastPlans';
  return NAME_OF.get(label);
}

export function foldLabel(label: string): string {
  return label
    .toLowerCase()
    .replace(/[\s_]+/g, ' ')
    .trim();
}

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

const KIND_OF = new Map<string, SectionKind>([
  ['current position', 'position'],
  ['position', 'position'],
  ['current state', 'position'],
  ['current status', 'position'],
  ['performance metrics', 'metrics'],
  ['performance', 'metrics'],
  ['metrics', 'metrics'],
  ['velocity', 'velocity'],
  ['by phase', 'byPhase'],
  ['recent trend', 'trend'],
  ['recent trends', 'trend'],
  ['session continuity', 'session'],
  ['session', 'session'],
  ['continuity', 'session'],
]);

const LONGEST_TITLE = 80;

/** What a heading or a label over a group stands for; numbers, emoji, emphasis and a note in parentheses aside. */
export function sectionKindOf(title: string): SectionKind | undefined {
  if (title.length > LONGEST_TITLE) return undefined;
  const plain = title.replace(/[*_`]/g, ' ').replace(/\([^()]*\)\s?$/, ' ');
  const words = plain
    .toLowerCase()
    .replace(/^[^\p{L}]+/u, '')
    .replace(/[^\p{L}\p{N})]+$/u, '')
    .replace(/\s+/g, ' ');
  return KIND_OF.get(words) ?? (isBlockersTitle(words) ? 'blockers' : undefined);
}

/** `Blockers`, `Blockers/Concerns`, `Open blockers & risks`, `Concerns / Blockers`; not `Blockers resolved in May`. */
function isBlockersTitle(words: string): boolean {
  return (
    /^(?:(?:current|open|known|active) )?blockers?(?: ?[/&,+(]| and | or |$)/.test(words) ||
    /^[a-z]+ ?(?:[/&]|and|or) ?blockers?$/.test(words)
  );
}
