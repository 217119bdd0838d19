import { writeChanges } from '../../core/changeset/changes-text.js';
import { decisionIds } from '../../core/changeset/changeset.js';
import type { TreeChangeset } from '../../node/git/changed-entries.js';
import { sha256 } from '../../node/ids.js';
import { risksOfPath } from '../../review/risks.js';
import type { Candidate, Narrowed } from '../isolation/types.js';
import { type Attempt, isLandingReviewed, type Orchestration } from '../orchestration.js';
import { keepReview } from '../review-files.js';
import type { NeedsHuman } from './claim.js';

/** What the user wants of a verified attempt. */
export type Reviewed =
  | { status: 'all' }
  /** Only these files land, once they are verified. `dropped`: what the executor is told if they cannot. */
  | { status: 'some'; candidate: Candidate; files: string[]; dropped: string }
  | { status: 'none'; dropped: string }
  | ({ status: 'needs-human' } & NeedsHuman);

/** With `--landing review`, nothing lands that the user has not seen: the answer counts only for the very same changes. */
export async function reviewCandidate(
  { task, number, place }: Attempt,
  candidate: Candidate,
  o: Orchestration,
): Promise<Reviewed> {
  if (!isLandingReviewed(o.options) || candidate === null) return { status: 'all' };
  const changes = await o.isolation.changeset(candidate);
  if (changes.status !== 'ok') return { status: 'needs-human', why: 'unusable', message: changes.reason };
  if (changes.files.length === 0) return { status: 'all' };
  const text = o.mask(writeChanges(changes.files));
  const ask = async (message: string): Promise<Reviewed> => {
    const review = await keepReview(o.options.workspace, task.id, number, candidate, text);
    const outside = listOutside(
      changes.files,
      task.task.files.map(({ path }) => path),
    );
    return { status: 'needs-human', why: 'review', message: `${message}${outside}`, review };
  };
  const { asked } = o.journal.of(task.id);
  const isAnswered = asked?.review !== undefined && o.state.decisions(task.id) > asked.decisions;
  if (!isAnswered) return ask(ASK);
  if (asked.review?.hash !== sha256(text)) return ask(`The changes differ from those that you saw. ${ASK}`);
  const decision = o.state.lastDecision(task.id);
  if (decision === 'land') return { status: 'all' };
  if (decision !== 'drop') return ask(ASK);
  const dropped = readDropped(o.state.instruction(task.id) ?? '');
  const ids = new Set(changes.files.flatMap((file) => [...decisionIds(file)]));
  const unknown = [...dropped.keys()].filter((id) => !ids.has(id));
  if (unknown.length > 0) return ask(`${unknown.join(', ')} is not the id of a change. ${ASK}`);
  return keepRest(changes, dropped, (tree) => place.narrow(candidate, tree));
}

const ASK = 'It is verified. Look at its changes: nothing lands until you decide.';

function listOutside(changed: TreeChangeset['files'], taskFiles: readonly string[]): string {
  const files = taskFiles.length === 0 ? null : taskFiles;
  const isOutside = (path: string) => risksOfPath(path, files).some(({ kind }) => kind === 'outside-task');
  const outside = changed.map(({ path }) => path).filter(isOutside);
  return outside.length === 0 ? '' : ` Outside the task: ${outside.join(', ')}.`;
}

async function keepRest(
  { files, keep }: TreeChangeset,
  dropped: ReadonlyMap<string, string>,
  narrow: (tree: string) => Promise<Narrowed>,
): Promise<Reviewed> {
  const kept = new Set(files.flatMap((file) => [...decisionIds(file)]).filter((id) => !dropped.has(id)));
  const words = describeDropped(files, dropped);
  if (kept.size === 0) return { status: 'none', dropped: words };
  const failed = (reason: string) =>
    ({
      status: 'needs-human',
      why: 'unusable',
      message: `git cannot keep a part of it: ${reason}.`,
    }) as const;
  const tree = await keep(kept);
  if (tree.status !== 'ok') return failed(tree.reason);
  const narrowed = await narrow(tree.tree);
  if (narrowed.status !== 'ok') return failed(narrowed.reason);
  return { status: 'some', candidate: narrowed.candidate, files: narrowed.files, dropped: words };
}

/** One a line: its id, and why. */
function readDropped(words: string): Map<string, string> {
  const lines = words.split(/\n|;/).map((line) => line.trim());
  return new Map(
    lines.flatMap((line) => {
      const [, id, why = ''] = /^([^\s:,]+)[\s:,]*(.*)$/s.exec(line) ?? [];
      return id === undefined ? [] : [[id, why]];
    }),
  );
}

function describeDropped(files: TreeChangeset['files'], dropped: ReadonlyMap<string, string>): string {
  const parts = files.flatMap((file) => {
    const ids = [...decisionIds(file)].filter((id) => dropped.has(id));
    return ids.map((id) => {
      const rows = file.hunks.find((hunk) => hunk.id === id)?.lines.join('') ?? '';
      return `${file.path}: ${dropped.get(id) || 'no reason was given'}\n${rows}`;
    });
  });
  return `The user dropped these changes:\n${parts.join('\n')}`;
}
