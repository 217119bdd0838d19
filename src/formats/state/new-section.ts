import { isBlank } from '../markdown/index.js';
import { contentEnd, type Edit, insertBlock } from './edits.js';
import { type SectionKind, TITLES } from './names.js';
import { CAPTION, type Section, type StateDocument } from './sections.js';

const ORDER: readonly SectionKind[] = ['position', 'metrics', 'blockers', 'session'];
const USUAL_LEVEL = 2;

/**
 * A section that is missing goes before the first of those that come after it in our order, or before the heading that
 * holds that one; where there is none, to the end of the file.
 */
export function insertSection(document: StateDocument, kind: SectionKind, content: readonly string[]): Edit {
  const level = usualLevel(document);
  const written = [`${'#'.repeat(level)} ${TITLES[kind]}`, '', ...content];
  const later = ORDER.slice(ORDER.indexOf(kind) + 1);
  for (const other of later) {
    const section = document.sections.get(other);
    if (!section || section.level === CAPTION) continue;
    const line = outermost(document, section.heading, level);
    if (line !== undefined) return insertBlock(document, line, written);
  }
  return insertBlock(document, lastPlace(document, level), written);
}

function usualLevel({ sections }: StateDocument): number {
  const levels = ORDER.flatMap((kind) => (kind === 'blockers' ? [] : (sections.get(kind)?.level ?? [])));
  return levels.find((level) => level !== CAPTION) ?? USUAL_LEVEL;
}

/** The line of the heading of this level that holds the one at `index`, or is it. */
function outermost({ headings }: StateDocument, index: number, level: number): number | undefined {
  let top = headings[index]!;
  for (let i = index - 1; i >= 0 && top.level > level; i--) {
    const heading = headings[i]!;
    if (heading.level < level) break;
    if (heading.level < top.level) top = heading;
  }
  return top.level <= level ? top.line : undefined;
}

/** The end of the file; where a fence is open there, before the section that it stands in. */
function lastPlace(document: StateDocument, level: number): number {
  const { lines, headings, openFence } = document;
  if (openFence === lines.count) {
    let end = lines.count;
    while (end > 0 && isBlank(lines, end - 1)) end--;
    return end;
  }
  const above = headings.findLastIndex((heading) => heading.line < openFence);
  const isInSection = above !== -1 && headings[above]!.level >= level;
  return (isInSection ? outermost(document, above, level) : undefined) ?? openFence;
}

/** A group that is missing goes to the end of its section, titled like the groups that are there. */
export function insertGroup(
  document: StateDocument,
  section: Section,
  kind: SectionKind,
  content: readonly string[],
): Edit {
  const line = contentEnd(document, section.body, section.end);
  return insertBlock(document, line, groupLines(kind, content, groupLevel(document)));
}

/** Under a caption, items stand at once; a heading and a table have a blank line between. */
export function groupLines(kind: SectionKind, content: readonly string[], level = CAPTION): string[] {
  const isItems = content[0]?.startsWith('- ') ?? false;
  if (level !== CAPTION) return [`${'#'.repeat(level)} ${TITLES[kind]}`, '', ...content];
  return [`**${TITLES[kind]}:**`, ...(isItems ? [] : ['']), ...content];
}

function groupLevel({ sections }: StateDocument): number {
  const levels = (['velocity', 'byPhase', 'trend'] as const).flatMap(
    (kind) => sections.get(kind)?.level ?? [],
  );
  return levels[0] ?? CAPTION;
}

/** The first line under a section's title, past a blank one, for content of its own. */
export function insertUnderTitle(
  document: StateDocument,
  section: Section,
  content: readonly string[],
): Edit {
  const { lines } = document;
  const isSpaced = section.body < section.ownEnd && isBlank(lines, section.body);
  return insertBlock(document, section.body + (isSpaced ? 1 : 0), content);
}
