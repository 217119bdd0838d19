import { writeChanges } from '../core/changeset/changes-text.js';
import { decisionIds } from '../core/changeset/changeset.js';
import { sha256 } from '../node/ids.js';
import type { Reviewer } from '../review/question.js';
import { askAboutFiles, type DecidedFile } from '../runs/changeset/ask-files.js';
import { overviewOf } from '../runs/changeset/overview.js';
import type { AttemptViews, Orchestration } from './orchestration.js';

/** Asks about the changes that the question about a task shows, file by file, as a review of an agent's work does. */
export async function chooseChanges(
  id: string,
  reviewer: Reviewer,
  { journal, isolation, graph, mask, redactor }: Orchestration,
): ReturnType<AttemptViews['choose']> {
  const review = journal.of(id).asked?.review;
  if (review === undefined) return { status: 'failed', reason: GONE };
  const changes = await isolation.changeset(review.candidate);
  if (changes.status !== 'ok') return { status: 'failed', reason: changes.reason };
  const { files, base: project, target } = changes;
  if (sha256(mask(writeChanges(files))) !== review.hash) return { status: 'failed', reason: GONE };
  const rebased = { project, target, files, conflicts: new Map(), refused: [], settled: [] };
  const task = graph.tasks.get(id)?.task;
  const taskFiles = task && task.files.length > 0 ? task.files.map(({ path }) => path) : null;
  const { view, overview } = overviewOf({ id, title: `Changes for ${id}` }, rebased, [], {
    redactor,
    verify: task?.verify?.command ?? null,
    taskFiles,
    isWithoutBytes: true,
  });
  reviewer.begin?.(overview);
  const asked = await askAboutFiles(view, reviewer, {});
  return asked.isQuit ? { status: 'quit' } : { status: 'chosen', answer: answerOf(asked.files) };
}

const GONE = 'These changes are no longer there. Start teddy orchestrate again.';

/** In the words of `teddy task resolve`. */
function answerOf(files: readonly DecidedFile[]): string {
  const dropped = files.flatMap((each) => {
    const reasons = reasonsOf(each);
    const ids = [...decisionIds(each.file)].filter((id) => !each.kept.has(id));
    return ids.map((id) => `${id} ${(reasons(id) ?? '').replaceAll(/[\s;]+/g, ' ')}`.trim());
  });
  return dropped.length === 0 ? 'land' : `drop: ${dropped.join('; ')}`;
}

/** Of one change, or of the whole file. */
function reasonsOf({ decision, done }: DecidedFile): (id: string) => string | null | undefined {
  if (decision.status === 'skipped') return () => decision.reason;
  const dropped = done && 'kept' in done ? (done.kept?.dropped ?? []) : [];
  return (id) => dropped.find((each) => each.id === id)?.reason;
}
