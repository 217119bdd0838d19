import { foldName } from './label.js';

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
    [foldName(TITLES[kind]), ...(SPELLINGS[kind] ?? [])].map((title) => [title, kind] as const),
  ),
);

/** What a heading or caption means; numbers and emoji before it, emphasis and a colon aside. */
export function sectionKindOf(title: string): SectionKind | undefined {
  if (title.length > 80) return undefined;
  const words = foldName(title.replace(/[*_`]/g, ' '))
    .replace(/^[^\p{L}]+/u, '')
    .replace(/[^\p{L}\p{N})]+$/u, '');
  return KINDS.get(words) ?? (isBlockersTitle(words) ? 'blockers' : undefined);
}

/** `Blockers`, `Open blockers & risks`, `Concerns / Blockers`; not `Blockers resolved in May`. */
function isBlockersTitle(words: string): boolean {
  return (
    /^(?:(?:current|open|known|active) )?blockers?(?: ?[/&,+(]| and | or |$)/.test(words) ||
    /^[a-z]+ ?(?:[/&]|and|or) ?blockers?$/.test(words)
  );
}
