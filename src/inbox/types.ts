import type { LineComment } from '../core/report/record.js';
import type { TaskQuestion } from '../orchestrate/events.js';
import type { StateQuestion } from '../review/question.js';

export type InboxQuestion = InboxBase &
  (
    | { kind: 'action' | 'file'; run: string; number: number; total: number }
    | { kind: 'state'; run: string; section: StateQuestion['section'] }
    /** A command failed: `approve` runs it again, `skip` continues, `quit` stops. */
    | { kind: 'rerun'; run: string; number: number; total: number }
    /** `reply` with the words of `teddy task resolve`: `retry`, `skip`, `fix: …`. */
    | { kind: 'task'; question: TaskQuestion }
    /** `approve` accepts the agent report, `skip` rejects it. */
    | { kind: 'report'; taskId: string; agent: string; confidence: number; why: string; summary: string }
    /** An agent has asked something in a session: `reply` with the next message. */
    | { kind: 'message'; session: string; turn: string; asked: string }
    /** A plan of a session waits: `approve` starts its review, `reply` asks for another plan. */
    | { kind: 'plan'; session: string; turn: string }
    /** An agent has changed files in a copy of the project: `approve` starts their review. */
    | { kind: 'changes'; work: string }
    /** `approve` asks the model beyond the budget, for this turn; `skip` leaves the message unsent. */
    | { kind: 'budget'; session: string; turn: string; message: string }
    /** An agent submitted a plan: `approve` starts its review, `skip` refuses all of it. */
    | { kind: 'proposal'; client: string }
    /**
     * An agent claims that a task is done: `approve` runs the command, confined, and records the outcome; the command is
     * approved from then on. Without one, `approve` accepts the claim. `skip` refuses it.
     */
    | { kind: 'claim'; client: string; task: string; command: string | null; text: string }
    /** An agent asks something: `reply` with a text, or `skip`. */
    | { kind: 'question'; client: string; question: string; options: string[] }
  );

interface InboxBase {
  id: string;
  /** An answer carries it: only what was shown is answered. */
  hash: string;
  askedAt: string;
  /** One line: the plan's title, the task's name. */
  title: string;
  /** One line: `EDIT src/a.ts`, `npm test`. */
  subject: string;
}

/** POST /api/questions/ID. The first answer of any face wins; a later one gets 409. */
export interface PostedAnswer {
  hash: string;
  decision: 'approve' | 'skip' | 'rest' | 'quit' | 'edit' | 'reply';
  reason?: string;
  /** `reply`: the text. `edit`: the action in the plan's format, or the resulting file with `edits: 'result'`. */
  text?: string;
  edits?: 'action' | 'result';
  comments?: LineComment[];
  /** The ids of the hunks to write, and why others were dropped. */
  keep?: string[];
  dropReasons?: Record<string, string>;
}
