import type { Tree } from '../../core/tree.js';
import { renderExecutorPrompt } from '../executors/prompt.js';
import type { GraphTask } from '../graph/types.js';
import { type AttemptJournal, countedFailures } from '../journal.js';
import type { ProjectState } from '../project-state.js';

/** What the prompt of an attempt depends on, beside the attempt itself. */
export interface PromptContext {
  journal: Pick<AttemptJournal, 'of'>;
  state: ProjectState;
  limits: { maxAttempts: number };
  isolation: { kind: 'worktree' | 'none' };
  mask(text: string): string;
}

/** The prompt of one attempt: what the executor gets, and what `teddy task brief` shows. `tree`: where the work is done. */
export function writePrompt(
  { task, number, decisions }: { task: GraphTask; number: number; decisions: number },
  tree: Tree,
  { journal, state, limits, isolation, mask }: PromptContext,
): string {
  const history = journal.of(task.id);
  const failures = history.ended.flatMap(({ failure }) => failure ?? []);
  const plan = state.planOf(task)?.plan;
  return renderExecutorPrompt({
    task,
    ...(plan && { plan }),
    failures: failures.length > 0 ? failures : state.earlierFailure(task),
    fix: state.instruction(task.id),
    attempt: number,
    attemptsLeft: limits.maxAttempts - countedFailures(history, decisions).length - 1,
    isolation: isolation.kind,
    tree,
    mask,
  });
}

/** One above every attempt that counted. */
export function nextAttemptNumber(
  { id }: GraphTask,
  { journal, state }: Pick<PromptContext, 'journal' | 'state'>,
): number {
  const ended = journal.of(id).ended.filter(({ outcome }) => outcome !== 'cut-off');
  return Math.max(state.lastAttempt(id), 0, ...ended.map(({ attempt }) => attempt)) + 1;
}
