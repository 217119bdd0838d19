import { foldLabel } from './label.js';

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

function trimToWords(title: string): string {
  return title.replace(/^[^\p{L}]+/u, '').replace(/[^\p{L}\p{N})]+$/u, '');
}

/** `Blockers`, `Open blockers & risks`, `Concerns / Blockers`; not `Blockers resolved in May`. */
function isBlockersTitle(words: string): boolean {
  return (
    /^(?:(?:current|open|known|active) )?blockers?(?: ?[/&,+(]| and | or |$)/.test(words) ||
    /^[a-z]+ ?(?:[/&]|and|or) ?blockers?$/.test(words)
  );
}

/** A heading with all that is under it, or a caption such as `**Velocity:**` with the lines up to the next one. */
export interface Section {
  kind: SectionKind | undefined;
  /** 1 to 6 for a heading, 7 for a caption. */
  level: number;
  line: number;
  /** The first line after its title. */
  body: number;
  /** The line after its last. */
  end: number;
  /** Where the first section in it begins, or `end`. */
  ownEnd: number;
  parent: Section | undefined;
}
