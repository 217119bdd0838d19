import type { DiffedFile } from '../../../core/changeset/diff-rows.js';
import type { Hunk } from '../../../core/changeset/hunks.js';
import { applyHunks } from '../../../core/changeset/hunks.js';
import type { ActionQuestion, FileQuestion, HunkChoice } from '../../../review/question.js';
import { foreignLine, type Line, prose, ruleLine, say } from '../terminal/line.js';
import { Panel } from '../terminal/panel.js';
import type { Screen } from '../terminal/screen.js';
import { diffLines, findHunks, hunkLines } from './diff-lines.js';
import { partHunks } from './file-lines.js';

/** The hunks of a change to an existing file; undefined if it can only be decided as a whole. */
export function severalHunks(
  question: ActionQuestion | FileQuestion,
): { change: DiffedFile; hunks: Hunk[] } | undefined {
  if (question.kind === 'file') {
    const hunks = partHunks(question);
    const { path, texts } = question;
    return hunks && { change: { path, before: texts.before ?? '', after: texts.after ?? '' }, hunks };
  }
  const { preview } = question;
  if (preview.kind !== 'write' || preview.before === null) return undefined;
  const change = { path: preview.path, before: preview.before, after: preview.after };
  const hunks = findHunks(change);
  return hunks.length > 1 ? { change, hunks } : undefined;
}

type HunkAnswer =
  | { status: 'chosen'; keep: HunkChoice }
  | { status: 'back' }
  /** A key that ends the review. */
  | { status: 'break'; key: string };

/** Returns the reason, undefined if the user went back, or the key that ends the review. */
type AskReason = (panel: Panel, name: string) => Promise<string | { key: string } | undefined>;

/** Asks about each hunk, then shows the result once more before it is approved. */
export async function chooseHunks(
  screen: Screen,
  question: ActionQuestion | FileQuestion,
  { change, hunks }: { change: DiffedFile; hunks: readonly Hunk[] },
  askReason: AskReason,
): Promise<HunkAnswer> {
  const kept = new Set<string>();
  const reasons: Record<string, string> = {};
  for (let at = 0; at <= hunks.length; ) {
    const hunk = hunks[at];
    const panel = hunk
      ? hunkPanel(screen, change, hunks, at)
      : resultPanel(screen, { change, hunks, kept }, question.kind);
    const key = await panel.ask();
    if (key === 'b') {
      if (at === 0) return { status: 'back' };
      at--;
    } else if (key === 'y') {
      if (!hunk) return { status: 'chosen', keep: { ids: [...kept], reasons } };
      kept.add(hunk.id);
      delete reasons[hunk.id];
      at++;
    } else if (key === 'n' && hunk) {
      const reason = await askReason(panel, `reason-${question.number}-${at + 1}`);
      if (typeof reason === 'object') return { status: 'break', key: reason.key };
      if (reason === undefined) continue;
      kept.delete(hunk.id);
      if (reason !== '') reasons[hunk.id] = reason;
      at++;
    } else return { status: 'break', key };
  }
  return { status: 'back' };
}

function hunkPanel(screen: Screen, change: DiffedFile, hunks: readonly Hunk[], at: number): Panel {
  const { look } = screen;
  return new Panel(screen, {
    build: (width) => [
      ruleLine(`Change ${at + 1} of ${hunks.length}`, look, width),
      pathLine(change, screen),
      ...hunkLines([hunks[at]!], change, look, width),
    ],
    choices: [
      { key: 'y', label: 'keep', consents: true },
      { key: 'n', label: 'drop' },
      { key: 'b', label: at === 0 ? 'back to all of it' : 'previous change', also: ['escape'] },
    ],
  });
}

function resultPanel(
  screen: Screen,
  { change, hunks, kept }: { change: DiffedFile; hunks: readonly Hunk[]; kept: ReadonlySet<string> },
  kind: 'action' | 'file',
): Panel {
  const { look } = screen;
  const ofText = hunks.slice(0, findHunks(change).length);
  const written = { ...change, after: applyHunks(change.before, ofText, kept) };
  return new Panel(screen, {
    build: (width) => [
      ruleLine(`Kept: ${kept.size} of ${hunks.length} changes`, look, width),
      pathLine(change, screen),
      ...(kept.size === 0
        ? [say(`No change is kept: all of it is ${kind === 'file' ? 'dropped' : 'skipped'}.`)]
        : diffLines(written, look, width)),
    ],
    choices: [
      { key: 'y', label: YES[kind][kept.size === 0 ? 'none' : 'some'], consents: true },
      { key: 'b', label: 'previous change', also: ['escape'] },
    ],
  });
}

const YES = {
  action: { none: 'skip it', some: 'approve' },
  file: { none: 'drop it', some: 'keep this' },
};

function pathLine({ path }: DiffedFile, { look }: Screen): Line {
  return prose(foreignLine(path, look, 'strong'), 2, 4);
}
