import type { Task } from '../core/task-plan/types.js';
import { UserError } from '../node/errors.js';
import { completeTask, requireSuccess, resolveTask } from '../tasks/plans/change-task.js';
import { showTask } from '../tasks/plans/tasks.js';
import type { NeedsHuman } from './attempt/claim.js';
import {
  answersTo,
  type FailureKind,
  type NamedTask,
  nameOf,
  type TaskQuestion,
  type UntimedEvent,
} from './events.js';
import type { GraphTask } from './graph/types.js';
import { timestamp } from './journal.js';
import type { Orchestration, Person } from './orchestration.js';
import { readReview } from './review-files.js';
import { outputFile } from './state-files.js';

/** The questions to the user, and what they mean for the rest of a wave. */
export class People {
  private readonly asking: TaskAsking;
  /** By wave: its tasks with exhausted attempts. With too many of them the wave stops. */
  private readonly exhausted = new Map<string, Map<string, NamedTask>>();
  /** Hashes of the verifications that questions show, by task. */
  private readonly shown = new Map<string, string>();

  /** `sync`: called after a decision was recorded in the project. */
  constructor(
    private readonly o: Orchestration,
    sync: () => void,
  ) {
    const decide = async (task: string, answer: string) => {
      await recordAnswer(task, answer, o, this.asking.decisionsAt(task), this.shownCommand(task));
      sync();
    };
    this.asking = new TaskAsking(o.options.person, o.emit, decide, () => o.background.wake());
  }

  /** In the order of their tasks. */
  get questions(): TaskQuestion[] {
    const places = new Map([...this.o.graph.tasks.keys()].map((id, place) => [id, place]));
    return this.asking.questions.toSorted((one, other) => places.get(one.id)! - places.get(other.id)!);
  }

  /** The user at this terminal may still answer. */
  get isPending(): boolean {
    return this.asking.isPending;
  }

  isAsked({ id }: Pick<GraphTask, 'id'>): boolean {
    return this.asking.has(id);
  }

  isStopped(task: GraphTask): boolean {
    return (this.exhausted.get(waveOf(task))?.size ?? 0) >= EXHAUSTED_STOP;
  }

  async ask(
    task: GraphTask,
    why: TaskQuestion['why'],
    message: string,
    { shown, review }: Pick<NeedsHuman, 'shown' | 'review'> = {},
  ): Promise<void> {
    const { id, name } = task;
    const decisions = this.o.state.decisions(id);
    await this.o.journal.write({
      type: 'asked',
      at: timestamp(),
      task: id,
      name,
      why,
      message,
      decisions,
      ...(review && { review }),
    });
    if (shown !== undefined) this.shown.set(id, shown);
    this.askAgain(task, why, message);
  }

  /** Without a journal entry: it has one already, or is found again with every start. */
  askAgain(task: GraphTask, why: TaskQuestion['why'], message: string): void {
    if (why === 'attempts-exhausted') this.exhaust(task);
    const question = describeQuestion(task, why, message, this.o);
    this.asking.ask(question, this.o.state.decisions(task.id));
  }

  /** A `UserError` becomes a question; anything else is a bug. */
  async askAbout(task: GraphTask, error: unknown): Promise<void> {
    if (!(error instanceof UserError)) throw error;
    await this.ask(task, 'unusable', error.message);
  }

  /** The tasks that the user decided since the question, with the decision. */
  takeAnswers(): { task: GraphTask; decision: string }[] {
    const { graph, state, approvals } = this.o;
    return this.questions.flatMap(({ id }) => {
      if (state.decisions(id) <= this.asking.decisionsAt(id)!) return [];
      const task = graph.tasks.get(id)!;
      const decision = state.lastDecision(id) ?? 'retry';
      const shown = this.shown.get(id);
      this.shown.delete(id);
      // The command shown is what runs from now on, whatever the task file says by then.
      if (shown !== undefined && decision !== 'abort') approvals.set(id, shown);
      this.close(task);
      if (decision !== 'skip') this.reportAnswer(task, decision);
      return [{ task, decision }];
    });
  }

  reportAnswer(task: GraphTask, answer: string): void {
    const { graph, emit } = this.o;
    const as = answer === 'skip' ? 'skipped' : answer === 'abort' ? 'failed' : undefined;
    const blocks = as ? graph.leaves(task.id, as) : [];
    emit({ type: 'answered', task: nameOf(task), answer, blocks });
  }

  /** Checkpoints whose tasks are open again are asked once those are completed. */
  withdrawCheckpoints(): void {
    const ready = new Set(this.o.graph.ready().map(({ id }) => id));
    for (const { id, why } of this.questions) {
      if (why !== 'checkpoint' || ready.has(id)) continue;
      const task = this.o.graph.tasks.get(id)!;
      this.close(task);
      this.reportAnswer(task, 'back');
    }
  }

  /** The question is no longer open. */
  close(task: GraphTask): void {
    this.asking.close(task.id);
    this.exhausted.get(waveOf(task))?.delete(task.id);
  }

  /** Stops waiting for answers. */
  stop(): void {
    this.asking.stop();
  }

  /** The verify command in the question about a task. */
  private shownCommand(id: string): string | null {
    const task = this.o.graph.tasks.get(id)!;
    const why = this.questions.find((question) => question.id === id)?.why;
    return shownTask(task, why, this.o).verify?.command ?? null;
  }

  private exhaust(task: GraphTask): void {
    const { phase, wave } = task.plan;
    const tasks = this.exhausted.get(waveOf(task)) ?? new Map<string, NamedTask>();
    this.exhausted.set(waveOf(task), tasks.set(task.id, nameOf(task)));
    if (tasks.size === EXHAUSTED_STOP)
      this.o.emit({ type: 'wave-stopped', phase, wave, tasks: [...tasks.values()] });
  }
}

/** Records an answer. Throws `UserError` if it is not valid or not true, so that the user is asked again. */
async function recordAnswer(
  task: string,
  answer: string,
  o: Orchestration,
  decisions: number | undefined,
  shownCommand: string | null,
): Promise<void> {
  const isOpen = () => showTask(o.project, task).resolutions.length === decisions;
  const done = /^\s{0,20}done(?::(.*))?$/is.exec(answer);
  if (!done) {
    await resolveTask(o.project, task, answer, { mask: o.mask, isOpen });
    return;
  }
  await o.state.vouching(task, async () => {
    const words = done[1]?.trim() || null;
    const { captured } = await completeTask({ ...o.options, task, words, isOpen, shownCommand });
    requireSuccess(task, captured);
  });
}

/** A question about a task, with everything needed to decide. */
function describeQuestion(
  task: GraphTask,
  why: TaskQuestion['why'],
  message: string,
  o: Orchestration,
): TaskQuestion {
  const { graph, journal } = o;
  const { asked } = journal.of(task.id);
  const review = why === 'review' ? asked?.review : undefined;
  const detail = review ? readReview(o.options.workspace, review) : shownTask(task, why, o).source;
  const checked = task.needs.filter((id) => !graph.tasks.get(id)!.isCheckpoint);
  const outputs = journal.of(task.id).ended.map(({ attempt }) => outputFile(task.id, attempt));
  const blocks = graph.leaves(task.id);
  return {
    ...nameOf(task),
    why,
    message,
    detail,
    answers: answersTo(why, checked.length),
    blocks,
    outputs: [...new Set(outputs)],
  };
}

/** As it was at the start; one whose verification changed is shown as it is now. */
function shownTask(task: GraphTask, why: TaskQuestion['why'] | undefined, { state }: Orchestration): Task {
  const written = state.planOf(task)?.plan.tasks[task.task.index - 1];
  return (why === 'verify-changed' ? written : undefined) ?? task.task;
}

/** The message of a question after failed attempts. */
export function describeExhaustion(why: TaskQuestion['why'], attempts: number, reason: string): string {
  if (why === 'budget') return `The budget of this task is used up. The last attempt: ${reason}`;
  return attempts === 1 ? reason : `${attempts} attempts failed. The last: ${reason}`;
}

/** This many exhausted tasks in one wave are a sign of a common problem. */
const EXHAUSTED_STOP = 3;

function waveOf({ plan }: GraphTask): string {
  return `${plan.phase ?? ''}/${plan.wave ?? ''}`;
}

interface Open {
  question: TaskQuestion;
  /** The number of decisions on the task when it was asked: one more answers it. */
  decisions: number;
  asking: AbortController;
  /** No answer is expected at this terminal. */
  left: boolean;
}

/** The open questions. They are answered at this terminal, or anywhere with `teddy task resolve`. */
export class TaskAsking {
  private readonly open = new Map<string, Open>();

  constructor(
    private readonly person: Person | undefined,
    private readonly emit: (event: UntimedEvent) => void,
    /** Records an answer; its effect is found like that of every other answer. Throws `UserError` if it is not valid. */
    private readonly take: (task: string, answer: string) => Promise<void>,
    private readonly onChange: () => void,
  ) {}

  has(task: string): boolean {
    return this.open.has(task);
  }

  get questions(): TaskQuestion[] {
    return [...this.open.values()].map(({ question }) => question);
  }

  /** The user at this terminal may still answer. */
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
    if (this.person) void this.awaitAnswer(this.person, open);
  }

  /** It is answered or obsolete. */
  close(task: string): void {
    this.open.get(task)?.asking.abort();
    this.open.delete(task);
  }

  /** Stops waiting for answers. */
  stop(): void {
    for (const each of this.open.values()) {
      each.left = true;
      each.asking.abort();
    }
  }

  private async awaitAnswer(person: Person, open: Open): Promise<void> {
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

/** What follows a failed attempt. */
export type Following =
  | { next: 'retry'; waitMs: number }
  /** The user must decide. */
  | { next: 'ask'; why: TaskQuestion['why'] };

export interface Standstill {
  why: FailureKind;
  /** The failures since the last decision on the task, including this one. */
  failures: readonly FailureKind[];
  maxAttempts: number;
  costUsd: number;
  /** What one task may cost; null is no limit. */
  taskBudgetUsd: number | null;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

/** Retrying these at once is pointless. */
const WAITED_OUT = new Set<FailureKind>(['crash', 'rate-limit', 'time-out']);

/** Retry with feedback while attempts and budget last; then ask. */
export function decideFollowing({
  why,
  failures,
  maxAttempts,
  costUsd,
  taskBudgetUsd,
}: Standstill): Following {
  if (taskBudgetUsd !== null && costUsd >= taskBudgetUsd) return { next: 'ask', why: 'budget' };
  if (failures.length >= maxAttempts) return { next: 'ask', why: 'attempts-exhausted' };
  return { next: 'retry', waitMs: WAITED_OUT.has(why) ? waitAfter(failures) : 0 };
}

/** 1, 2, 4 s …, by the number of such failures in a row. */
function waitAfter(failures: readonly FailureKind[]): number {
  const last = failures.findLastIndex((kind) => !WAITED_OUT.has(kind));
  const inARow = failures.length - 1 - last;
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (inARow - 1));
}
