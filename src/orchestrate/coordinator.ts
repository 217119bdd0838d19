import { monotonicMs } from '../node/clock.js';
import { type AttemptEnding, finishAttempt, giveToPerson, runAttempt } from './attempt/attempt.js';
import type { NeedsHuman } from './attempt/claim.js';
import { putAway, type RecordedAttempt, recordLate, reportFinished } from './attempt/record.js';
import { type FailureKind, type Finished, nameOf, type Summary, type TaskQuestion } from './events.js';
import { nextAttemptNumber } from './executors/prompt.js';
import type { ExecutorEnd } from './executors/types.js';
import { ExternalChanges } from './external-changes.js';
import type { GraphTask } from './graph/types.js';
import { countedFailures } from './journal.js';
import { type Attempt, CANCELLED, crashed, type Orchestration, Running } from './orchestration.js';
import { decideFollowing, describeExhaustion, People } from './questions.js';
import type { QueueEvent } from './queue/types.js';

/**
 * Drives the tasks of a graph to their ends: starts what is ready, acts on outcomes, retries and asks. All state that
 * must survive is in the journal, the task files and the queue.
 */
export class Coordinator {
  private readonly people: People;
  private readonly changes: ExternalChanges;
  private readonly startedAt = monotonicMs();
  private readonly doneBefore: number;
  /** The task whose executor turned out to be unusable: no executor starts until the user decides. */
  private halted: GraphTask | undefined;
  private stopped: Summary['stopped'] = null;
  /** Ends the wait for a higher budget, during which nothing new starts. */
  private raising: AbortController | undefined;

  constructor(private readonly o: Orchestration) {
    this.doneBefore = [...o.graph.tasks.values()].filter(({ status }) => status === 'completed').length;
    this.people = new People(o, () => this.sync());
    this.changes = new ExternalChanges(o, this.people);
  }

  /** Runs until nothing more can be done. Throws what is wrong with the machine. */
  async run(signal: AbortSignal): Promise<Summary> {
    const { background, queue } = this.o;
    const { drain } = this.o.options;
    const onAbort = () => this.stop('interrupted', { isEnding: true });
    const onDrain = () => this.stop('interrupted');
    signal.addEventListener('abort', onAbort, { once: true });
    drain?.addEventListener('abort', onDrain, { once: true });
    if (signal.aborted) onAbort();
    else if (drain?.aborted) onDrain();
    const stopListening = queue.listen((event) => background.track(this.take(event)));
    try {
      for (;;) {
        const changed = background.nextChange();
        this.dispatch();
        if (background.failure !== undefined) throw background.failure;
        if (this.isAtRest && this.isSettled()) return this.summarize();
        await changed;
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      drain?.removeEventListener('abort', onDrain);
      stopListening();
      this.people.stop();
    }
  }

  /** The project may have been changed. */
  sync(): void {
    this.changes.sync();
  }

  /** An attempt of an orchestrator that died, with its end in the queue. */
  adopt(attempt: Attempt): void {
    const { task, number, decisions } = attempt;
    const running = this.register(task, number, decisions, 'earlier-run');
    running.attempt = attempt;
    this.o.background.track(this.finish(running, attempt));
  }

  /** A question of an earlier run without an answer. */
  askAgain(task: GraphTask, why: TaskQuestion['why'], message: string): void {
    this.people.askAgain(task, why, message);
  }

  /** The workers have stopped: attempts without an end do not count. */
  async abandon(): Promise<void> {
    const { running } = this.o;
    await allAssigned(running);
    const started = [...running.values()].filter(({ by }) => by === 'worker');
    await Promise.all(started.map(({ recorded }) => recorded.reached));
    for (const each of running.values()) if (!each.isBack && each.attempt) each.bring(CANCELLED);
  }

  // Starting

  /** `machines`: checkpoints are left out, because what they wait for is not recorded yet. */
  private dispatch(to: 'all' | 'machines' = 'all'): void {
    const { graph, limits, executor, background } = this.o;
    this.checkLimits();
    // With nothing left to start, no one needs a higher budget.
    if (graph.open().length === 0) this.raising?.abort();
    if (this.stopped || this.raising) return;
    for (const task of graph.ready()) {
      if (!this.isFree(task) || (task.isCheckpoint && to === 'machines')) continue;
      if (task.isCheckpoint) this.people.askAgain(task, 'checkpoint', 'Checkpoint: this one is yours.');
      else if (executor.kind === 'person') background.track(this.give(task));
      else if (this.busy < limits.jobs) background.track(this.attempt(task));
      else if (!graph.ready().some(({ isCheckpoint }) => isCheckpoint)) return;
    }
  }

  private get busy(): number {
    let count = 0;
    for (const { isBusy } of this.o.running.values()) if (isBusy) count++;
    return count;
  }

  private isFree(task: GraphTask): boolean {
    const { id } = task;
    const { running, done, unrecorded, examined, state, retryAt } = this.o;
    if (running.has(id) || this.people.isAsked(task) || done.has(id)) return false;
    if (unrecorded.has(id) || examined.has(id)) return false;
    if (this.isHalted && !task.isCheckpoint) return false;
    if (state.isAborted(id) || state.isElsewhere(id) || this.people.isStopped(task)) return false;
    return (retryAt.get(id) ?? 0) <= monotonicMs() && !this.sharesFiles(task);
  }

  private get isHalted(): boolean {
    const { halted } = this;
    // From the moment it came back: the question is asked a little later.
    return halted !== undefined && (this.people.isAsked(halted) || this.o.running.has(halted.id));
  }

  /** No two tasks write the same file at once. */
  private sharesFiles(task: GraphTask): boolean {
    const { running, graph } = this.o;
    return [...running.values()].some((other) => !other.isDone && graph.shareFiles(other.task, task));
  }

  private register(task: GraphTask, number: number, decisions: number, by: Running['by']): Running {
    const running = new Running(task, number, decisions, by, () => this.startNext(task));
    this.o.running.set(task.id, running);
    return running;
  }

  private unregister(running: Running): void {
    const { running: all } = this.o;
    if (all.get(running.task.id) === running) all.delete(running.task.id);
  }

  private async attempt(task: GraphTask): Promise<void> {
    const running = this.register(task, nextAttemptNumber(task, this.o), this.decisionsOn(task), 'worker');
    await this.conclude(running, runAttempt(running, this.o));
  }

  /** Recording blocks this process, so the next attempt starts before it; with worktrees that would take longer. */
  private async startNext(done: GraphTask): Promise<void> {
    const { isolation, graph, running, background } = this.o;
    if (isolation.kind !== 'none') return background.wake();
    graph.settle(done.id, 'completed');
    this.dispatch('machines');
    await allAssigned(running);
  }

  private async give(task: GraphTask): Promise<void> {
    const running = this.register(task, nextAttemptNumber(task, this.o), this.decisionsOn(task), 'person');
    try {
      const { attempt, recorded } = await giveToPerson(running, this.o);
      this.sync();
      await this.follow(task, recorded, reportFinished(attempt, recorded, this.o));
    } catch (error) {
      await this.people.askAbout(task, error);
    } finally {
      this.unregister(running);
    }
  }

  private checkLimits(): void {
    const { budgetUsd, timeMs } = this.o.limits;
    if (this.stopped) return;
    if (budgetUsd !== null && this.o.tally.costUsd >= budgetUsd && !this.raising) this.endBudget(budgetUsd);
    if (timeMs !== null && monotonicMs() - this.startedAt >= timeMs) this.stop('time');
  }

  /** Asks for a higher budget, if there is more to do and someone to ask; otherwise stops. */
  private endBudget(budgetUsd: number): void {
    const { options, limits, tally, background, graph } = this.o;
    const raise = options.person?.raiseBudget?.bind(options.person);
    if (!raise || graph.open().length === 0) {
      this.stop('budget');
      return;
    }
    this.raising = new AbortController();
    const { signal } = this.raising;
    const ask = async () => {
      const raised = await raise(tally.costUsd, budgetUsd, signal);
      this.raising = undefined;
      if (raised !== null) limits.budgetUsd = raised;
      else if (!this.stopped) this.stop('budget');
      background.wake();
    };
    background.track(ask());
  }

  /** Nothing new starts. Running attempts finish, unless the workers end them (`isEnding`). */
  private stop(why: NonNullable<Summary['stopped']>, { isEnding = false } = {}): void {
    const { running, background, emit } = this.o;
    this.stopped = why;
    this.raising?.abort();
    this.people.stop();
    const left = [...running.values()].filter(({ by }) => by !== 'person');
    if (left.length > 0)
      emit({ type: 'stopping', why, tasks: left.map(({ task }) => nameOf(task)), ending: isEnding });
    // A person may take days: their task stays theirs, without anyone waiting here.
    if (why === 'interrupted')
      for (const { by, cancelling } of running.values()) if (by === 'person') cancelling.abort();
    background.wake();
  }

  // Outcomes

  private async take(event: QueueEvent<ExecutorEnd>): Promise<void> {
    const { graph, running: all, tally, queue, emit } = this.o;
    const task = graph.tasks.get(event.task);
    if (!task) return;
    const running = all.get(event.task);
    if (!event.superseded && running?.number === event.attempt && running.by !== 'person') {
      // The event may come twice.
      if (running.isBack) return;
      const end = event.type === 'completed' ? event.result : crashed(event.reason);
      tally.spend(task.id, end.usage);
      return running.bring(end);
    }
    const logged = await recordLate(task, event, this.o);
    // Otherwise it would come again with every start.
    if (!all.has(task.id)) await queue.cancel(task.id);
    if (logged !== null) emit({ type: 'late', task: nameOf(task), attempt: event.attempt, logged });
  }

  /** From the end of its executor. */
  private async finish(running: Running, attempt: Attempt): Promise<void> {
    this.o.running.set(attempt.task.id, running);
    const end = await running.end.reached;
    await this.conclude(running, finishAttempt(attempt, end, running, this.o));
  }

  private async conclude(running: Running, outcome: Promise<AttemptEnding>): Promise<void> {
    try {
      const ended = await outcome;
      if (ended.status === 'recorded') await this.follow(running.task, ended.recorded, ended.finished);
      if (ended.status === 'pending') {
        this.keep(running, { isIn: false });
        await this.people.ask(running.task, ended.needsHuman.why, ended.needsHuman.message, ended.needsHuman);
      }
    } catch (error) {
      if (running.isBack) await this.followUnrecorded(running, error);
      else await this.followFailedStart(running, error);
    } finally {
      // Only now: it must not start again before it is decided what follows.
      this.unregister(running);
    }
  }

  /** It is done, and is finished again once the user has removed the obstacle. */
  private keep(running: Running, { isIn }: { isIn: boolean }): void {
    const attempt = running.attempt!;
    const finish = () => this.finish(running, attempt);
    this.o.unrecorded.set(running.task.id, { attempt, isIn, finish });
  }

  private async followUnrecorded(running: Running, error: unknown): Promise<void> {
    // Finished work is not repeated because it could not be recorded.
    if (running.isDone) this.keep(running, { isIn: true });
    else await putAway(running.attempt!, this.o);
    await this.people.askAbout(running.task, error);
  }

  private async followFailedStart(running: Running, error: unknown): Promise<void> {
    const { task, assigned, recorded } = running;
    // Nothing must wait for it.
    for (const milestone of [assigned, recorded]) milestone.reach();
    // The user may have decided in the meantime.
    this.sync();
    this.unregister(running);
    const isWanted = this.stopped !== 'interrupted' && this.o.graph.ready().includes(task);
    if (!isWanted || !this.isFree(task)) return;
    this.o.running.set(task.id, running);
    await this.people.askAbout(task, error);
  }

  private async follow(
    task: GraphTask,
    { line, needsHuman, patch }: RecordedAttempt,
    finished: Finished | null,
  ): Promise<void> {
    if (!finished) await this.followCutOff(task, needsHuman, patch);
    else if (line.outcome === 'done') return;
    else if (needsHuman) await this.people.ask(task, needsHuman.why, needsHuman.message);
    else if (line.outcome === 'blocked')
      this.o.emit({ type: 'state', task: nameOf(task), state: 'blocked', waitsOn: line.behind });
    else await this.followFailure(task, finished);
  }

  private async followCutOff(
    task: GraphTask,
    needsHuman: NeedsHuman | null,
    patch: string | null,
  ): Promise<void> {
    if (!needsHuman || (needsHuman.everywhere && this.isHalted)) return;
    if (needsHuman.everywhere) this.halted = task;
    const kept = patch === null ? '' : `The work is saved in ${patch}. `;
    const { why, message, everywhere } = needsHuman;
    // Quoted output ends without a full stop.
    const gap = message.includes('\n') ? '\n' : ' ';
    const rest = everywhere ? `${gap}No other task starts until you decide.` : '';
    await this.people.ask(task, why, `${kept}${message}${rest}`, needsHuman);
  }

  private async followFailure(task: GraphTask, { why, reason, attempt }: Finished): Promise<void> {
    const { journal, limits, tally, retryAt, background, emit } = this.o;
    const failures = countedFailures(journal.of(task.id), this.decisionsOn(task));
    const kind: FailureKind = why ?? 'reported';
    const following = decideFollowing({
      why: kind,
      failures,
      maxAttempts: limits.maxAttempts,
      costUsd: tally.costOf(task.id),
      taskBudgetUsd: limits.taskBudgetUsd,
    });
    if (following.next === 'ask') {
      const message = describeExhaustion(following.why, failures.length, reason ?? '');
      return this.people.ask(task, following.why, message);
    }
    const { waitMs } = following;
    if (waitMs > 0) {
      retryAt.set(task.id, monotonicMs() + waitMs);
      setTimeout(() => background.wake(), waitMs + 1);
    }
    if (this.stopped) return;
    const lastAttempt = attempt + limits.maxAttempts - failures.length;
    emit({
      type: 'retry',
      task: nameOf(task),
      attempt: attempt + 1,
      lastAttempt,
      waitMs,
      why: kind,
      reason: reason ?? '',
    });
  }

  private decisionsOn({ id }: GraphTask): number {
    return this.o.state.decisions(id);
  }

  // The end

  /** Whether a last refresh brings nothing new. */
  private isSettled(): boolean {
    this.sync();
    return this.isAtRest;
  }

  private get isAtRest(): boolean {
    const { running, background, retryAt, graph } = this.o;
    if (running.size > 0 || !background.isIdle) return false;
    if (this.stopped) return true;
    const now = monotonicMs();
    const waits = [...retryAt].some(([id, at]) => at > now && !this.people.isAsked({ id }));
    return !waits && !this.people.isPending && !graph.ready().some((task) => this.isFree(task));
  }

  private summarize(): Summary {
    const { graph, state, tally } = this.o;
    const left = graph.open().filter((task) => !this.people.isAsked(task));
    const open = left.filter(({ id }) => !state.isAborted(id));
    return tally.summarize({
      stopped: this.stopped,
      doneBefore: this.doneBefore,
      total: graph.tasks.size,
      failed: left.length - open.length,
      skipped: graph.skipped().length,
      open: open.map((task) => ({ task: nameOf(task), waitsOn: this.waitsOn(task) })),
      questions: this.people.questions,
      elapsedMs: monotonicMs() - this.startedAt,
      criticalPathMs: graph.criticalPath(tally.workOf),
    });
  }

  private waitsOn(task: GraphTask): string[] {
    const { graph, state } = this.o;
    if (state.isElsewhere(task.id)) return ['the worker that started it'];
    if (this.people.isStopped(task)) return ['your answer: its wave is stopped'];
    if (this.isHalted && !task.isCheckpoint && graph.waitsOn(task.id).length === 0)
      return [`your answer: the executor cannot be used (${this.halted!.id})`];
    return graph.waitsOn(task.id);
  }
}

/** Whether the failures of a task leave no further attempt. */
export function isExhausted({ id }: GraphTask, { journal, state, limits }: Orchestration): boolean {
  return countedFailures(journal.of(id), state.decisions(id)).length >= limits.maxAttempts;
}

async function allAssigned(running: Orchestration['running']): Promise<void> {
  const started = [...running.values()].filter(({ by }) => by === 'worker');
  await Promise.all(started.map(({ assigned }) => assigned.reached));
}
