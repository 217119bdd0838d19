import { UserError } from '../node/errors.js';
import { completeTask, resolveTask } from '../tasks/plans/change-task.js';
import { type FailureKind, type NamedTask, nameOf, type TaskQuestion, type UntimedEvent } from './events.js';
import type { GraphTask } from './graph/types.js';
import { timestamp } from './journal.js';
import type { Orchestration, Person } from './orchestration.js';
import { outputFile } from './state-files.js';

/** What people are asked, and what follows for the others of a wave. */
export class People {
  private readonly asking: TaskAsking;
  /** By wave: its tasks that wait for a person because nothing helped. With too many of them it goes on no more. */
  private readonly exhausted = new Map<string, Map<string, NamedTask>>();
  /** What stands for the verifications that questions show, by their tasks. */
  private readonly shown = new Map<string, string>();

  /** `sync`: what was decided is to be found in the project. */
  constructor(
    private readonly o: Orchestration,
    sync: () => void,
  ) {
    const decide = async (task: string, answer: string) => {
      await recordAnswer(task, answer, o);
      sync();
    };
    this.asking = new TaskAsking(o.options.person, o.emit, decide, () => o.background.wake());
  }

  /** In the order of their tasks. */
  get questions(): TaskQuestion[] {
    const places = new Map([...this.o.graph.tasks.keys()].map((id, place) => [id, place]));
    return this.asking.questions.toSorted((one, other) => places.get(one.id)! - places.get(other.id)!);
  }

  /** Somebody sits here who may answer. */
  get isPending(): boolean {
    return this.asking.isPending;
  }

  isAsked({ id }: Pick<GraphTask, 'id'>): boolean {
    return this.asking.has(id);
  }

  isStopped(task: GraphTask): boolean {
    return (this.exhausted.get(waveOf(task))?.size ?? 0) >= EXHAUSTED_STOP;
  }

  async ask(task: GraphTask, why: TaskQuestion['why'], message: string, shown?: string): Promise<void> {
    const { id, name } = task;
    const decisions = this.o.state.decisions(id);
    await this.o.journal.write({ type: 'asked', at: timestamp(), task: id, name, why, message, decisions });
    if (shown !== undefined) this.shown.set(id, shown);
    this.askAgain(task, why, message);
  }

  /** What the journal has already, or what is found with every start. */
  askAgain(task: GraphTask, why: TaskQuestion['why'], message: string): void {
    if (why === 'attempts-exhausted') this.exhaust(task);
    const question = describeQuestion(task, why, message, this.o);
    this.asking.ask(question, this.o.state.decisions(task.id));
  }

  /** What cannot be used is for a person to see to; all else is a bug. */
  async askAbout(task: GraphTask, error: unknown): Promise<void> {
    if (!(error instanceof UserError)) throw error;
    await this.ask(task, 'unusable', error.message);
  }

  /** The tasks on which a person has decided since they were asked, with what they decided. */
  takeAnswers(): { task: GraphTask; decision: string }[] {
    const { graph, state, approvals } = this.o;
    return this.questions.flatMap(({ id }) => {
      if (state.decisions(id) <= this.asking.decisionsAt(id)!) return [];
      const task = graph.tasks.get(id)!;
      const decision = state.lastDecision(id) ?? 'retry';
      const shown = this.shown.get(id);
      this.shown.delete(id);
      // What the person was shown is what is run from now on, whatever the plan says by then.
      if (shown !== undefined && decision !== 'abort') approvals.set(id, shown);
      this.close(task);
      if (decision !== 'skip') this.tellAnswer(task, decision);
      return [{ task, decision }];
    });
  }

  tellAnswer(task: GraphTask, answer: string): void {
    const { graph, emit } = this.o;
    const as = answer === 'skip' ? 'skipped' : answer === 'abort' ? 'failed' : undefined;
    const blocks = as ? graph.leaves(task.id, as) : [];
    emit({ type: 'answered', task: nameOf(task), answer, blocks });
  }

  /** There is nothing to answer any more. */
  close(task: GraphTask): void {
    this.asking.close(task.id);
    this.exhausted.get(waveOf(task))?.delete(task.id);
  }

  /** Nobody is waited for any more. */
  stop(): void {
    this.asking.stop();
  }

  private exhaust(task: GraphTask): void {
    const { phase, wave } = task.plan;
    const tasks = this.exhausted.get(waveOf(task)) ?? new Map<string, NamedTask>();
    this.exhausted.set(waveOf(task), tasks.set(task.id, nameOf(task)));
    if (tasks.size === EXHAUSTED_STOP)
      this.o.emit({ type: 'wave-stopped', phase, wave, tasks: [...tasks.values()] });
  }
}

/** A person's word on a task. Throws `UserError` where it is none, or does not hold, so that they are asked again. */
async function recordAnswer(task: string, answer: string, o: Orchestration): Promise<void> {
  const done = /^\s{0,20}done(?::(.*))?$/is.exec(answer);
  if (!done) await resolveTask(o.project, task, answer, { mask: o.mask });
  else await o.state.vouching(task, () => complete(task, done[1]?.trim() || null, o));
}

async function complete(task: string, words: string | null, { options }: Orchestration): Promise<void> {
  const { captured } = await completeTask({ ...options, task, words });
  if (captured.effectiveStatus === 'success') return;
  const { command = '', exitCode = null, outputSummary = '' } = captured.verification ?? {};
  throw new UserError(
    `${task} is not done: \`${command}\` ends with ${exitCode ?? 'no exit code'}, and printed: ${outputSummary}`,
  );
}

/** What a person is asked about a task, with all that they need to decide. */
function describeQuestion(
  task: GraphTask,
  why: TaskQuestion['why'],
  message: string,
  { graph, state, journal }: Orchestration,
): TaskQuestion {
  const answers: TaskQuestion['answers'] =
    why === 'checkpoint' ? ['done', 'skip', 'abort'] : ['retry', 'fix', 'done', 'skip', 'abort'];
  const written = state.planOf(task)?.plan.tasks[task.task.index - 1];
  const detail = (why === 'verify-changed' ? written?.source : undefined) ?? task.task.source;
  const outputs = journal.of(task.id).ended.map(({ attempt }) => outputFile(task.id, attempt));
  const blocks = graph.leaves(task.id);
  return { ...nameOf(task), why, message, detail, answers, blocks, outputs: [...new Set(outputs)] };
}

/** Why a person is asked after so many attempts. */
export function describeExhaustion(why: TaskQuestion['why'], attempts: number, reason: string): string {
  if (why === 'budget') return `What one task may cost is used up. The last attempt: ${reason}`;
  return attempts === 1 ? reason : `${attempts} attempts failed. The last: ${reason}`;
}

/** So many tasks of one wave with their attempts exhausted are a sign that something is wrong with all of it. */
const EXHAUSTED_STOP = 3;

function waveOf({ plan }: GraphTask): string {
  return `${plan.phase ?? ''}/${plan.wave ?? ''}`;
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
    private readonly emit: (event: UntimedEvent) => void,
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

/** What follows an attempt that did not make its task done. */
export type Following =
  | { next: 'retry'; waitMs: number }
  /** A person has to say how it goes on. */
  | { next: 'ask'; why: TaskQuestion['why'] };

export interface Standstill {
  why: FailureKind;
  /** The failures since a person last decided on the task, this one at the end. */
  failures: readonly FailureKind[];
  maxAttempts: number;
  costUsd: number;
  /** What one task may cost; null is no limit. */
  taskBudgetUsd: number | null;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

/** Of these nothing is learnt by trying again at once. */
const WAITED_OUT = new Set<FailureKind>(['crash', 'rate-limit', 'time-out']);

/** Again with what was learnt, as long as there are attempts and money left; then a person. */
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

/** 1, 2, 4 s …, by how many in a row had to be waited out. */
function waitAfter(failures: readonly FailureKind[]): number {
  const last = failures.findLastIndex((kind) => !WAITED_OUT.has(kind));
  const inARow = failures.length - 1 - last;
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (inARow - 1));
}
