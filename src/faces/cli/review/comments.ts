import type { LineComment } from '../../../core/report/record.js';
import type { Answer, Question } from '../../../review/question.js';

/** The user's remarks on files of a changeset, until the decision that they go with. */
export class Comments {
  readonly #written = new Map<string, LineComment[]>();

  /** `12: text` is about line 12 of the new text. Returns how many there are on the question. */
  add({ hash }: Question, typed: string): number {
    const [, line, text = typed] = /^(\d{1,7}):\s*(\S.*)$/s.exec(typed) ?? [];
    const all = [
      ...(this.#written.get(hash) ?? []),
      { line: line === undefined ? null : Number(line), text },
    ];
    this.#written.set(hash, all);
    return all.length;
  }

  attach(answer: Answer, { hash }: Question): Answer {
    const comments = this.#written.get(hash);
    const isDecision = answer.decision === 'approve' || answer.decision === 'skip';
    return comments && isDecision ? { ...answer, comments } : answer;
  }
}
