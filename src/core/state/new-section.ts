import type { StateDraft } from './draft.js';
import { type Section, type SectionKind, TITLES } from './names.js';
import { CAPTION, isRule } from './outline.js';

const ORDER: readonly SectionKind[] = ['position', 'metrics', 'blockers', 'session'];

/** Before the first section that comes after it in the template, outside of the heading that holds that one; else last. */
export function addSection(draft: StateDraft, kind: SectionKind, content: readonly string[]): void {
  const { outline } = draft;
  const known = ORDER.flatMap((each) => outline.known.get(each) ?? []).filter(
    ({ level }) => level !== CAPTION,
  );
  const level = known.find((section) => section.kind !== 'blockers')?.level ?? 2;
  const later = ORDER.slice(ORDER.indexOf(kind) + 1);
  const next = known
    .filter((section) => later.includes(section.kind!))
    .map((section) => ancestorAt(section, level))
    .find((section) => section !== undefined);
  draft.insertBlock(next?.line ?? lastLine(draft, level), [
    `${'#'.repeat(level)} ${TITLES[kind]}`,
    '',
    ...content,
  ]);
}

/** At the end of the metrics, titled like the groups that are there. */
export function addGroup(draft: StateDraft, kind: SectionKind, content: readonly string[]): void {
  const { outline } = draft;
  const groups = (['velocity', 'byPhase', 'trend'] as const).flatMap((each) => outline.known.get(each) ?? []);
  const level = groups[0]?.level ?? CAPTION;
  const isItems = content[0]!.startsWith('- ');
  const title = level === CAPTION ? `**${TITLES[kind]}:**` : `${'#'.repeat(level)} ${TITLES[kind]}`;
  const lines = [title, ...(isItems && level === CAPTION ? [] : ['']), ...content];
  const metrics = outline.known.get('metrics');
  if (!metrics) addSection(draft, 'metrics', lines);
  else draft.insertBlock(contentEnd(draft, metrics.body, metrics.end), lines);
}

/** The heading of this level or above that holds a section, or is it. */
function ancestorAt(section: Section, level: number): Section | undefined {
  let top: Section | undefined = section;
  while (top && top.level > level) top = top.parent;
  return top && top.level < level && top !== section ? undefined : top;
}

/** The end of the file; where a fence is open there, before the section that it is in. */
function lastLine(draft: StateDraft, level: number): number {
  const { openFence, sections } = draft.outline;
  let end = draft.lines.length;
  while (end > 0 && draft.isBlank(end - 1)) end--;
  if (openFence === draft.lines.length) return end;
  const around = sections.findLast(({ line }) => line < openFence);
  return (around && ancestorAt(around, level)?.line) ?? openFence;
}

/** The line after the last one that holds something; rules that separate it from what follows do not count. */
export function contentEnd(draft: StateDraft, from: number, end: number): number {
  let at = end;
  for (;;) {
    while (at > from && draft.isBlank(at - 1)) at--;
    const isSeparator =
      at - 1 > from && draft.isBlank(at - 2) && !draft.outline.hidden[at - 1] && isRule(draft.lines[at - 1]!);
    if (!isSeparator) return at;
    at--;
  }
}
