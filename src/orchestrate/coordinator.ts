import { monotonicMs } from '../node/clock.js';
import { type AttemptEnding, finishAttempt, giveToPerson, runAttempt } from './attempt/attempt.js';
import type { NeedsHuman } from './attempt/claim.js';
import { putAway, type RecordedAttempt, recordLate, tellFinished } from './attempt/record.js';
import { type FailureKind, type Finished, nameOf, type Summary, type TaskQuestion } from './events.js';
import type { ExecutorEnd } from './executors/types.js';
import { ExternalChanges } from './external-changes.js';
import type { GraphTask } from './graph/types.js';
import { countedFailures } from './journal.js';
import { type Attempt, CANCELLED, crashed, type Orchestration, Running } from './orchestration.js';
import { decideFollowing, describeExhaustion, People } from './questions.js';
import type { QueueEvent } from './queue/types.js';

/**
 * Drives the tasks of a graph to their ends: begins what is ready, follows what came of it, tries again and asks. All
 * that it has to remember is in the journal, the plans and the queue.
 */
export class Coordinator {
  private readonly people: People;
  private readonly changes: ExternalChanges;
  private readonly began = monotonicMs();
  private readonly doneBefore: number;
  /** The task that a person is asked about because its executor cannot be used: until they decide, no machine begins. */
  private halted: GraphTask | undefined;
  private stopped: Summary['stopped'] = null;

  constructor(private readonly o: Orchestration) {
    this.doneBefore = [...o.graph.tasks.values()].filter(({ status }) => status === 'completed').length;
    this.people = new People(o, () => this.sync());
    this.changes = new ExternalChanges(o, this.people);
  }

  /** Until nothing more can be done here. Throws what is wrong with the machine. */
  async run(signal: AbortSignal): Promise<Summary> {
    const { background, queue } = this.o;
    const onAbort = () => this.stop('interrupted');
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
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
      stopListening();
      this.people.stop();
    }
  }

  /** The project may have been changed. */
  sync(): void {
    this.changes.sync();
  }

  /** An attempt of an orchestrator that died, whose end is in the queue. */
  adopt(attempt: Attempt): void {
    const { task, number, decisions } = attempt;
    const running = this.register(task, number, decisions, 'earlier-run');
    running.attempt = attempt;
    this.o.background.track(this.finish(running, attempt));
  }

  /** A question that was asked before, and has no answer yet. */
  askAgain(task: GraphTask, why: TaskQuestion['why'], message: string): void {
    this.people.askAgain(task, why, message);
  }

  /** Nobody works any more: what nobody began with, or brought back, does not count. */
  async abandon(): Promise<void> {
    const { running } = this.o;
    await areHandedOut(running);
    const begun = [...running.values()].filter(({ by }) => by === 'worker');
    await Promise.all(begun.map(({ recorded }) => recorded.reached));
    for (const each of running.values()) if (!each.isBack && each.attempt) each.bring(CANCELLED);
  }

  // What is begun

  /** `machines`: no person is asked to do what waits for something that is not recorded yet. */
  private dispatch(to: 'all' | 'machines' = 'all'): void {
    const { graph, limits, executor, background } = this.o;
    this.checkLimits();
    if (this.stopped) return;
    for (const task of graph.ready()) {
      if (!this.isFree(task) || (task.isCheckpoint && to === 'machines')) continue;
      if (task.isCheckpoint)
        this.people.askAgain(task, 'checkpoint', 'This is for a person to do or to look at.');
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
    // From the moment on at which it came back: the question is asked a little later.
    return halted !== undefined && (this.people.isAsked(halted) || this.o.running.has(halted.id));
  }

  /** Whatever the plans say of their order: nobody writes a file that another is writing. */
  private sharesFiles({ files }: GraphTask): boolean {
    for (const { task, isDone } of this.o.running.values())
      if (!isDone && writeTheSame(task.files, files)) return true;
    return false;
  }

  private register(task: GraphTask, number: number, decisions: number, by: Running['by']): Running {
    const running = new Running(task, number, decisions, by, () => this.beginNext(task));
    this.o.running.set(task.id, running);
    return running;
  }

  private unregister(running: Running): void {
    const { running: all } = this.o;
    if (all.get(running.task.id) === running) all.delete(running.task.id);
  }

  private async attempt(task: GraphTask): Promise<void> {
    const running = this.register(task, this.nextNumber(task), this.decisionsOn(task), 'worker');
    await this.conclude(running, runAttempt(running, this.o));
  }

  /** Writing blocks this process, and what it has begun goes on meanwhile; a worktree takes longer than that. */
  private async beginNext(done: GraphTask): Promise<void> {
    const { isolation, graph, running, background } = this.o;
    if (isolation.kind !== 'none') return background.wake();
    graph.settle(done.id, 'completed');
    this.dispatch('machines');
    await areHandedOut(running);
  }

  private async give(task: GraphTask): Promise<void> {
    const running = this.register(task, this.nextNumber(task), this.decisionsOn(task), 'person');
    try {
      const { attempt, recorded } = await giveToPerson(running, this.o);
      this.sync();
      await this.follow(task, recorded, tellFinished(attempt, recorded, this.o));
    } catch (error) {
      await this.people.askAbout(task, error);
    } finally {
      this.unregister(running);
    }
  }

  /** Above all that counted, here or by people. */
  private nextNumber({ id }: GraphTask): number {
    const ended = this.o.journal.of(id).ended.filter(({ outcome }) => outcome !== 'cut-off');
    return Math.max(this.o.state.lastAttempt(id), 0, ...ended.map(({ attempt }) => attempt)) + 1;
  }

  private checkLimits(): void {
    const { budgetUsd, timeMs } = this.o.limits;
    if (this.stopped) return;
    if (budgetUsd !== null && this.o.tally.costUsd >= budgetUsd) this.stop('budget');
    if (timeMs !== null && monotonicMs() - this.began >= timeMs) this.stop('time');
  }

  /** Nothing more is begun. What runs is ended only where a person wants everything to end. */
  private stop(why: NonNullable<Summary['stopped']>): void {
    this.stopped = why;
    this.people.stop();
    if (why === 'interrupted')
      for (const { by, cancelling } of this.o.running.values()) if (by === 'person') cancelling.abort();
    this.o.background.wake();
  }

  // What comes back

  private async take(event: QueueEvent<ExecutorEnd>): Promise<void> {
    const { graph, running: all, tally, queue, emit } = this.o;
    const task = graph.tasks.get(event.task);
    if (!task || event.type === 'expired') return;
    const running = all.get(event.task);
    if (!event.superseded && running?.number === event.attempt && running.by !== 'person') {
      // It may have been told before.
      if (running.isBack) return;
      const end = event.type === 'completed' ? event.result : crashed(event.reason);
      tally.spend(task.id, end.usage);
      return running.bring(end);
    }
    const logged = await recordLate(task, event, this.o);
    // It would be told again with every start.
    if (!all.has(task.id)) await queue.cancel(task.id);
    if (logged !== null) emit({ type: 'late', task: nameOf(task), attempt: event.attempt, logged });
  }

  /** From where its executor has ended. */
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
        await this.people.ask(running.task, ended.needsHuman.why, ended.needsHuman.message);
      }
    } catch (error) {
      if (running.isBack) await this.followUnrecorded(running, error);
      else await this.followUnbegun(running, error);
    } finally {
      // Only now: until it is decided what follows, nobody begins it again.
      this.unregister(running);
    }
  }

  /** It is done, and is finished again once a person has seen to what is in its way. */
  private keep(running: Running, { isIn }: { isIn: boolean }): void {
    const attempt = running.attempt!;
    const finish = () => this.finish(running, attempt);
    this.o.unrecorded.set(running.task.id, { attempt, isIn, finish });
  }

  private async followUnrecorded(running: Running, error: unknown): Promise<void> {
    // What is done already is not done again because it could not be recorded.
    if (running.isDone) this.keep(running, { isIn: true });
    else await putAway(running.attempt!, this.o);
    await this.people.askAbout(running.task, error);
  }

  private async followUnbegun(running: Running, error: unknown): Promise<void> {
    const { task, handedOut, recorded } = running;
    // Nobody is to wait for it.
    for (const milestone of [handedOut, recorded]) milestone.reach();
    // Somebody may have decided on it in the meantime.
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
    const kept = patch === null ? '' : `What was done is kept in ${patch}. `;
    const rest = needsHuman.everywhere ? ' Until this is decided, no other task is started.' : '';
    await this.people.ask(task, needsHuman.why, `${kept}${needsHuman.message}${rest}`, needsHuman.shown);
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
    emit({
      ...{ type: 'retry', task: nameOf(task), attempt: attempt + 1, waitMs, why: kind },
      reason: reason ?? '',
    });
  }

  private decisionsOn({ id }: GraphTask): number {
    return this.o.state.decisions(id);
  }

  // The end

  /** Whether a last look at the project brings nothing new. */
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
      elapsedMs: monotonicMs() - this.began,
      criticalPathMs: graph.criticalPath(tally.workOf),
    });
  }

  private waitsOn(task: GraphTask): string[] {
    const { graph, state } = this.o;
    if (state.isElsewhere(task.id)) return ['whoever began it'];
    if (this.people.isStopped(task)) return ['a person: its wave is stopped'];
    if (this.isHalted && !task.isCheckpoint && graph.waitsOn(task.id).length === 0)
      return [`a person: the executor cannot be used (${this.halted!.id})`];
    return graph.waitsOn(task.id);
  }
}

/** Whether the failures of a task leave no further attempt. */
export function isExhausted({ id }: GraphTask, { journal, state, limits }: Orchestration): boolean {
  return countedFailures(journal.of(id), state.decisions(id)).length >= limits.maxAttempts;
}

async function areHandedOut(running: Orchestration['running']): Promise<void> {
  const begun = [...running.values()].filter(({ by }) => by === 'worker');
  await Promise.all(begun.map(({ handedOut }) => handedOut.reached));
}

/** Whether two tasks write the same, by what their `<files>` say. A folder holds what is below it. */
function writeTheSame(one: readonly string[], other: readonly string[]): boolean {
  const holds = (folder: string, path: string) => folder === '.' || path.startsWith(`${folder}/`);
  return one.some((path) => other.some((each) => path === each || holds(path, each) || holds(each, path)));
}
