import type { OpenQuestion } from '../../../../orchestrate/attempt-records.js';
import type { NextTasks, TaskRef } from '../../../../tasks/types.js';

/** What can begin, what a person is asked about, and what waits for something else. */
export interface Outlook extends NextTasks {
  asking: (TaskRef & { question: OpenQuestion })[];
}

/** What a person is asked about begins once they have answered. */
export function setAskedAside(
  { next, waiting }: NextTasks,
  questions: ReadonlyMap<string, OpenQuestion>,
): Outlook {
  const isFree = ({ id }: TaskRef) => !questions.has(id);
  const asking = [...next, ...waiting].flatMap(({ id, name }) => {
    const question = questions.get(id);
    return question ? [{ id, name, question }] : [];
  });
  return { next: next.filter(isFree), asking, waiting: waiting.filter(isFree) };
}

/** For programs. */
export function questionJson(question: OpenQuestion | undefined | null) {
  return question ? { why: question.why, message: question.message } : null;
}
