import { nameOf, type TaskQuestion } from './events.js';
import type { GraphTask } from './graph/types.js';
import type { Parts } from './parts.js';
import { outputFile } from './state-files.js';

/** What a person is asked about a task, with all that they need to decide. */
export function describeQuestion(
  task: GraphTask,
  why: TaskQuestion['why'],
  message: string,
  { graph, state, desk }: Pick<Parts, 'graph' | 'state' | 'desk'>,
): TaskQuestion {
  const answers: TaskQuestion['answers'] =
    why === 'checkpoint' ? ['done', 'skip', 'abort'] : ['retry', 'fix', 'done', 'skip', 'abort'];
  const written = state.planOf(task)?.plan.tasks[task.task.index - 1];
  const detail = (why === 'verify-changed' ? written?.source : undefined) ?? task.task.source;
  const outputs = desk.journal.of(task.id).ended.map(({ attempt }) => outputFile(task.id, attempt));
  const blocks = graph.leaves(task.id);
  return { ...nameOf(task), why, message, detail, answers, blocks, outputs: [...new Set(outputs)] };
}

/** In the order of their tasks. */
export function sortQuestions(
  questions: readonly TaskQuestion[],
  { graph }: Pick<Parts, 'graph'>,
): TaskQuestion[] {
  const places = new Map([...graph.tasks.keys()].map((id, place) => [id, place]));
  return questions.toSorted((one, other) => places.get(one.id)! - places.get(other.id)!);
}

/** Why a person is asked after so many attempts. */
export function describeExhaustion(why: TaskQuestion['why'], attempts: number, reason: string): string {
  if (why === 'budget') return `What one task may cost is used up. The last attempt: ${reason}`;
  return attempts === 1 ? reason : `${attempts} attempts failed. The last: ${reason}`;
}
