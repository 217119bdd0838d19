import { UserError } from '../node/user-error.js';
import type { Happening } from './desk.js';
import type { TaskQuestion } from './events.js';

/** Somebody who can be asked. */
export interface Person {
  /** Gives `retry`, `skip`, `abort`, `done` or `fix: …`; undefined where they leave it for later, or `signal` says so. */
  ask(question: TaskQuestion, signal: AbortSignal): Promise<string | undefined>;
  /** Of what they left for later: true once they want to be asked again, false once they never will, or `signal` says so. */
  recall?(question: TaskQuestion, signal: AbortSignal): Promise<boolean>;
}

interface Open {
  question: TaskQuestion;
  /** How often a person had decided on the task when it was asked: once more answers it. */
  decisions: number;
  asking: AbortController;
  /** Nobody is waited for to answer it here. */
  left: boolean;
}

/** The questions that wait for a person, who answers in this terminal or in any other with `teddy task resolve`. */
export class TaskAsking {
  private readonly open = new Map<string, Open>();

  constructor(
    private readonly person: Person | undefined,
    private readonly emit: (event: Happening) => void,
    /** Has an answer recorded; what comes of it is found like every other answer. Throws `UserError` where it is none. */
    private readonly take: (task: string, answer: string) => Promise<void>,
    private readonly onChange: () => void,
  ) {}

  has(task: string): boolean {
    return this.open.has(task);
  }

  get questions(): TaskQuestion[] {
    return [...this.open.values()].map(({ question }) => question);
  }

  /** Somebody sits here who may answer. */
  get isPending(): boolean {
    return [...this.open.values()].some(({ left }) => !left);
  }

  decisionsAt(task: string): number | undefined {
    return this.open.get(task)?.decisions;
  }

  ask(question: TaskQuestion, decisions: number): void {
    const open = { question, decisions, asking: new AbortController(), left: this.person === undefined };
    this.open.set(question.id, open);
    this.emit({ type: 'asked', question });
    if (this.person) void this.hear(this.person, open);
  }

  /** It is answered, or there is nothing to answer any more. */
  close(task: string): void {
    this.open.get(task)?.asking.abort();
    this.open.delete(task);
  }

  /** Nobody is waited for any more. */
  stop(): void {
    for (const each of this.open.values()) {
      each.left = true;
      each.asking.abort();
    }
  }

  private async hear(person: Person, open: Open): Promise<void> {
    const { question, asking } = open;
    while (!asking.signal.aborted) {
      const answer = await person.ask(question, asking.signal);
      if (asking.signal.aborted) break;
      if (answer === undefined) {
        this.leave(open);
        if (!(await person.recall?.(question, asking.signal))) return;
        open.left = asking.signal.aborted;
        continue;
      }
      try {
        await this.take(question.id, answer);
        return;
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        this.emit({ type: 'note', message: error.message });
      }
    }
    this.leave(open);
  }

  private leave(open: Open): void {
    open.left = true;
    this.onChange();
  }
}
