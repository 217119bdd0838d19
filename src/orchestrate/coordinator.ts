import { monotonicMs, sleep } from '../platform/index.js';
import { Asking } from './asking.js';
import type { Attempt } from './attempt.js';
import { decideFollowing } from './escalation.js';
import type { FailureKind, Finished, Question, Summary } from './events.js';
import type { ExecutorEnd } from './executors/types.js';
import { describeFinished } from './finished.js';
import type { GraphTask } from './graph/index.js';
import { countedFailures, timestamp } from './journal.js';
import type { Back, Parts } from './parts.js';
import { PlanWatch } from './plan-watch.js';
import { describeExhaustion, describeQuestion, sortQuestions } from './question.js';
import type { QueueEvent } from './queue/types.js';
import { CANCELLED, crashed, type Running } from './running.js';
import { type Settled, settleAttempt } from './settle-attempt.js';
import { writeTheSame } from './shared-files.js';
import { Tally } from './tally.js';
import { nameOf } from './task-name.js';
import { Waves } from './waves.js';

/**
 * Drives the tasks of a graph to their ends: begins what is ready, settles what comes back, tries again, puts behind
 * others and asks. All that it has to remember is in the journal, the plans and the queue.
 */
export class Coordinator {
  private readonly tally = new Tally();
  private readonly running = new Map<string, Running>();
  private readonly retryAt = new Map<string, number>();
  /** Never begun again in this run. */
  private readonly doneHere = new Set<string>();
  private readonly waves: Waves;
  /** What is about to be handed out. */
  private readonly beginning = new Set<Promise<void>>();
  private readonly plans: PlanWatch;
  /** Attempts that are done and could not be captured, by their tasks. */
  private readonly unrecorded = new Map<
    string,
    { attempt: Attempt; isIn: boolean; settle(): Promise<void> }
  >();
  /** What stands for the verifications that questions show, by their tasks. */
  private readonly shown = new Map<string, string>();
  /** What goes on besides. */
  private readonly background = new Set<Promise<unknown>>();
  private readonly asking: Asking;
  private readonly began = monotonicMs();
  private readonly doneBefore: number;
  private stopped: Summary['stopped'] = null;
  private failure: unknown;
  private wake: () => void = () => {};

  constructor(private readonly parts: Parts) {
    this.doneBefore = [...parts.graph.tasks.values()].filter(({ status }) => status === 'completed').length;
    this.plans = new PlanWatch(parts);
    this.waves = new Waves((stopped) => parts.desk.emit({ type: 'wave-stopped', ...stopped }));
    this.asking = new Asking(
      parts.person,
      parts.desk.emit,
      (id, answer) => this.decide(id, answer),
      () => this.wake(),
    );
  }

  /** Until nothing more can be done here. Throws what is wrong with the machine. */
  async run(signal: AbortSignal): Promise<Summary> {
    const onAbort = () => this.stop('interrupted');
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const stopListening = this.parts.queue.listen((event) => this.track(this.take(event)));
    try {
      for (;;) {
        const changed = this.nextChange();
        this.dispatch();
        if (this.failure !== undefined) throw this.failure;
        if (this.isAtRest && this.isSettled()) return this.summarize();
        await changed;
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      stopListening();
      this.asking.stop();
    }
  }

  /** An attempt of an orchestrator that died, whose end is in the queue. */
  adopt(attempt: Attempt): void {
    const { task, number, decisions } = attempt;
    this.running.set(task.id, { task, number, decisions, attempt, busy: false });
  }

  /** A question that was asked before, and has no answer yet. */
  askAgain(task: GraphTask, why: Question['why'], message: string): void {
    if (why === 'attempts-exhausted') this.waves.exhaust(task);
    this.asking.ask(describeQuestion(task, why, message, this.parts), this.decisionsOn(task));
  }

  /** Whether its failures leave no further attempt. */
  isExhausted(task: GraphTask): boolean {
    const { desk, limits } = this.parts;
    return countedFailures(desk.journal.of(task.id), this.decisionsOn(task)).length >= limits.maxAttempts;
  }

  /** The project was read again. */
  look(): void {
    try {
      this.takeOver();
    } catch (error) {
      this.failure ??= error;
    }
    this.wake();
  }

  private takeOver(): void {
    const { graph, state } = this.parts;
    const { completed, skipped, reopened, changed, unfounded } = state.refresh(graph);
    this.plans.tellChanged(changed);
    const suspects = this.plans.findNew(unfounded);
    if (suspects.length > 0) this.track(this.plans.unmark(suspects));
    for (const task of completed) this.tellDone(task);
    for (const task of [...completed, ...skipped]) this.overtake(task);
    for (const task of skipped) this.tellAnswer(task, 'skip');
    for (const task of reopened) this.retryAt.delete(task.id);
    this.plans.requireForward(reopened, this.doneHere);
    for (const { id } of this.asking.questions) this.hear(graph.tasks.get(id)!);
    for (const running of this.running.values()) this.interfere(running);
  }

  // What is begun

  /** Writing blocks this process, and what it has begun goes on meanwhile. */
  private async beginBeforeRecording(): Promise<void> {
    this.dispatch();
    await Promise.allSettled(this.beginning);
    await sleep(0);
  }

  private dispatch(): void {
    this.checkLimits();
    if (this.stopped) return;
    for (const task of this.parts.graph.ready()) {
      if (!this.isFree(task)) continue;
      if (task.isCheckpoint) this.askAgain(task, 'checkpoint', 'This is for a person to do or to look at.');
      else if (this.parts.byPeople) this.track(this.give(task));
      else if (this.busy < this.parts.limits.jobs) this.track(this.begin(task));
      else if (!this.hasCheckpoints) return;
    }
  }

  private get busy(): number {
    let count = 0;
    for (const { busy } of this.running.values()) if (busy) count++;
    return count;
  }

  private get hasCheckpoints(): boolean {
    return this.parts.graph.ready().some(({ isCheckpoint }) => isCheckpoint);
  }

  private isFree(task: GraphTask): boolean {
    const { id } = task;
    if (this.running.has(id) || this.asking.has(id) || this.doneHere.has(id)) return false;
    if (this.unrecorded.has(id)) return false;
    if (this.parts.state.isAborted(id) || this.parts.state.isElsewhere(id) || this.waves.isStopped(task))
      return false;
    return (this.retryAt.get(id) ?? 0) <= monotonicMs() && !this.sharesFiles(task);
  }

  /** Whatever the plans say of their order: nobody writes a file that another is writing. */
  private sharesFiles({ files }: GraphTask): boolean {
    for (const { task } of this.running.values()) if (writeTheSame(task.files, files)) return true;
    return false;
  }

  private begin(task: GraphTask): Promise<void> {
    const begun = this.start(task);
    this.beginning.add(begun);
    return begun.finally(() => this.beginning.delete(begun));
  }

  private async start(task: GraphTask): Promise<void> {
    const number = this.nextNumber(task);
    const running: Running = { task, number, decisions: this.decisionsOn(task), busy: true };
    this.running.set(task.id, running);
    try {
      running.attempt = await this.parts.hands.start(task, number);
    } catch (error) {
      // Somebody may have decided on it in the meantime.
      this.look();
      this.running.delete(task.id);
      if (this.stopped !== 'interrupted' && this.isFree(task)) await this.askOn(task, error);
    }
  }

  private async give(task: GraphTask): Promise<void> {
    const number = this.nextNumber(task);
    const giving = new AbortController();
    const decisions = this.decisionsOn(task);
    this.running.set(task.id, { task, number, decisions, busy: false, giving });
    try {
      const { attempt, settled } = await this.parts.hands.give(task, number, giving.signal);
      this.look();
      await this.follow(attempt, settled);
    } catch (error) {
      await this.askOn(task, error);
    } finally {
      this.running.delete(task.id);
    }
  }

  /** Above all that counted, here or by people. */
  private nextNumber({ id }: GraphTask): number {
    const ended = this.parts.desk.journal.of(id).ended.filter(({ outcome }) => outcome !== 'cut-off');
    return Math.max(this.parts.state.lastAttempt(id), 0, ...ended.map(({ attempt }) => attempt)) + 1;
  }

  private checkLimits(): void {
    const { budgetUsd, timeMs } = this.parts.limits;
    if (this.stopped) return;
    if (budgetUsd !== null && this.tally.costUsd >= budgetUsd) this.stop('budget');
    if (timeMs !== null && monotonicMs() - this.began >= timeMs) this.stop('time');
  }

  /** Nothing more is begun. What runs is ended only where a person wants everything to end. */
  private stop(why: NonNullable<Summary['stopped']>): void {
    this.stopped = why;
    this.asking.stop();
    if (why === 'interrupted') for (const { giving } of this.running.values()) giving?.abort();
    this.wake();
  }

  // What comes back

  private async take(event: QueueEvent<ExecutorEnd>): Promise<void> {
    const task = this.parts.graph.tasks.get(event.task);
    if (!task || event.type === 'expired') return;
    // An executor may be back before we know that it has begun.
    if (!this.running.get(event.task)?.attempt) await Promise.allSettled(this.beginning);
    const running = this.running.get(event.task);
    if (event.superseded || running?.number !== event.attempt || !running.attempt) {
      return this.recordLate(task, event);
    }
    const end: ExecutorEnd = event.type === 'completed' ? event.result : crashed(event.reason);
    this.tally.spend(task.id, end.usage);
    await this.settle(running, running.attempt, end);
  }

  private async recordLate(task: GraphTask, event: Back): Promise<void> {
    const logged = await this.parts.hands.recordLate(task, event);
    // It would be told again with every start.
    if (!this.running.has(task.id)) await this.parts.queue.cancel(task.id);
    if (logged === null) return;
    this.parts.desk.emit({ type: 'late', task: nameOf(task), attempt: event.attempt, logged });
  }

  private async settle(running: Running, attempt: Attempt, end: ExecutorEnd): Promise<void> {
    const { task } = attempt;
    running.isBack = true;
    running.decisions = this.decisionsOn(task);
    this.running.set(task.id, running);
    const again = () => this.settle(running, attempt, end);
    let isDone = false;
    try {
      const settled = await settleAttempt(attempt, end, this.parts.desk, async () => {
        isDone = true;
        running.busy = false;
        if (this.parts.beginsAtOnce) await this.beginBeforeRecording();
        else this.wake();
      });
      // It waits where it is for the next start.
      if (settled === 'interrupted') return;
      if ('pending' in settled) {
        this.unrecorded.set(task.id, { attempt, isIn: false, settle: again });
        await this.ask(task, settled.pending.why, settled.pending.message);
        return;
      }
      await this.follow(attempt, settled, await this.putAway(attempt));
    } catch (error) {
      // What is done already is not done again because it could not be recorded.
      if (isDone) this.unrecorded.set(task.id, { attempt, isIn: true, settle: again });
      else await this.putAway(attempt);
      await this.askOn(task, error);
    } finally {
      // Only now: until it is decided what follows, nobody begins it again.
      this.running.delete(task.id);
    }
  }

  /** Gives where what it changed is kept, if that was not taken in. */
  private async putAway({ task, place }: Attempt): Promise<string | null> {
    const { patch } = await place.close();
    await this.parts.queue.cancel(task.id);
    return patch;
  }

  /** Nobody works any more: what nobody began with, or brought back, does not count. */
  async abandon(): Promise<void> {
    await Promise.allSettled(this.beginning);
    const left = [...this.running.values()].filter(({ isBack }) => !isBack);
    for (const running of left) {
      const { attempt } = running;
      if (attempt) this.track(this.settle(running, attempt, CANCELLED));
    }
  }

  private async follow(attempt: Attempt, settled: Settled, patch: string | null = null): Promise<void> {
    const { task } = attempt;
    const { line, stuck } = settled;
    if (line.outcome === 'cut-off') {
      const kept = patch === null ? '' : `What was done is kept in ${patch}. `;
      if (stuck) await this.ask(task, stuck.why, `${kept}${stuck.message}`, stuck.shown);
      return;
    }
    const finished = describeFinished(attempt, settled);
    this.tally.count(finished, attempt.number > 1);
    this.parts.desk.emit({ type: 'finished', ...finished });
    if (line.outcome === 'done') {
      this.doneHere.add(task.id);
      this.parts.graph.settle(task.id, 'completed');
    } else if (stuck) await this.ask(task, stuck.why, stuck.message);
    else if (line.outcome === 'blocked') {
      this.parts.desk.emit({ type: 'state', task: nameOf(task), state: 'blocked', waitsOn: line.behind });
    } else await this.followFailure(task, finished);
  }

  private async followFailure(task: GraphTask, { why, reason, attempt }: Finished): Promise<void> {
    const { desk, limits } = this.parts;
    const failures = countedFailures(desk.journal.of(task.id), this.decisionsOn(task));
    const kind: FailureKind = why ?? 'reported';
    const following = decideFollowing({
      why: kind,
      failures,
      maxAttempts: limits.maxAttempts,
      costUsd: this.tally.costOf(task.id),
      taskBudgetUsd: limits.taskBudgetUsd,
    });
    if (following.next === 'ask') {
      if (following.why === 'attempts-exhausted') this.waves.exhaust(task);
      return this.ask(task, following.why, describeExhaustion(following.why, failures.length, reason ?? ''));
    }
    const { waitMs } = following;
    if (waitMs > 0) {
      this.retryAt.set(task.id, monotonicMs() + waitMs);
      setTimeout(() => this.wake(), waitMs + 1);
    }
    if (this.stopped) return;
    desk.emit({
      ...{ type: 'retry', task: nameOf(task), attempt: attempt + 1, waitMs, why: kind },
      reason: reason ?? '',
    });
  }

  // People

  private async ask(task: GraphTask, why: Question['why'], message: string, shown?: string): Promise<void> {
    const decisions = this.decisionsOn(task);
    const { id, name } = task;
    await this.parts.desk.note({ type: 'asked', at: timestamp(), task: id, name, why, message, decisions });
    if (shown !== undefined) this.shown.set(id, shown);
    this.asking.ask(describeQuestion(task, why, message, this.parts), decisions);
  }

  /** What cannot be used is for a person to see to; all else is a bug. */
  private async askOn(task: GraphTask, error: unknown): Promise<void> {
    if (!(error instanceof Error) || error.name !== 'Unusable') throw error;
    await this.ask(task, 'unusable', error.message);
  }

  private async decide(id: string, answer: string): Promise<void> {
    await this.parts.hands.decide(this.parts.graph.tasks.get(id)!, answer);
    this.look();
  }

  /** Whether a person has decided on a task since they were asked. */
  private hear(task: GraphTask): void {
    const { state } = this.parts;
    const asked = this.asking.decisionsAt(task.id);
    if (asked === undefined || this.decisionsOn(task) <= asked) return;
    const decision = state.lastDecision(task.id);
    const shown = this.shown.get(task.id);
    this.shown.delete(task.id);
    // What the person was shown is what is run from now on, whatever the plan says by then.
    if (shown !== undefined && decision !== 'abort') this.parts.desk.approvals.set(task.id, shown);
    this.asking.close(task.id);
    this.waves.relieve(task);
    if (decision !== 'skip') this.tellAnswer(task, decision ?? 'retry');
    this.recordAgain(task, decision === 'abort' || decision === 'fix');
  }

  /** It is done, and only has to be landed or recorded still, unless a person does not want it. */
  private recordAgain({ id }: GraphTask, isUnwanted: boolean): void {
    const left = this.unrecorded.get(id);
    this.unrecorded.delete(id);
    if (!left) return;
    // What is in the project already is only to be recorded, whatever they would rather have.
    if (isUnwanted && !left.isIn) left.attempt.overtaken = true;
    this.track(left.settle());
  }

  /** A person decides on what runs: it ends, and begins again if they want it to. */
  private interfere(running: Running): void {
    const { task, decisions, attempt, giving } = running;
    const decision = this.parts.state.lastDecision(task.id);
    if (this.decisionsOn(task) <= decisions || decision === 'skip') return;
    running.decisions = this.decisionsOn(task);
    if (attempt) this.overtake(task);
    else if (decision === 'abort') giving?.abort();
    this.tellAnswer(task, decision ?? 'retry');
  }

  /** Somebody did it, be it that it was being done here as well. */
  private tellDone(task: GraphTask): void {
    const running = this.running.get(task.id);
    if (running?.isBack || running?.giving || this.doneHere.has(task.id)) return;
    this.doneHere.add(task.id);
    this.tally.countOther();
    this.tellAnswer(task, 'done');
  }

  private tellAnswer(task: GraphTask, answer: string): void {
    const blocks = answer === 'skip' || answer === 'abort' ? this.parts.graph.leaves(task.id) : [];
    this.parts.desk.emit({ type: 'answered', task: nameOf(task), answer, blocks });
  }

  /** Somebody else ended it: what runs of it here has nothing more to say. */
  private overtake(task: GraphTask): void {
    this.recordAgain(task, true);
    this.asking.close(task.id);
    this.waves.relieve(task);
    const { attempt } = this.running.get(task.id) ?? {};
    if (!attempt) return;
    attempt.overtaken = true;
    this.parts.hands.cancel(task);
  }

  private decisionsOn({ id }: GraphTask): number {
    return this.parts.state.decisions(id);
  }

  // The end

  /** Whether a last look at the project brings nothing new. */
  private isSettled(): boolean {
    this.look();
    return this.isAtRest;
  }

  private get isAtRest(): boolean {
    if (this.running.size > 0 || this.background.size > 0) return false;
    if (this.stopped) return true;
    const now = monotonicMs();
    const waits = [...this.retryAt].some(([id, at]) => at > now && !this.asking.has(id));
    return !waits && !this.asking.isPending && !this.parts.graph.ready().some((task) => this.isFree(task));
  }

  private summarize(): Summary {
    const { graph } = this.parts;
    const isAborted = ({ id }: GraphTask) => this.parts.state.isAborted(id);
    const left = graph.open().filter(({ id }) => !this.asking.has(id));
    const open = left.filter((task) => !isAborted(task));
    return this.tally.summarize({
      stopped: this.stopped,
      doneBefore: this.doneBefore,
      total: graph.tasks.size,
      failed: left.length - open.length,
      skipped: graph.skipped().length,
      open: open.map((task) => ({ task: nameOf(task), waitsOn: this.waitsOn(task) })),
      questions: sortQuestions(this.asking.questions, this.parts),
      elapsedMs: monotonicMs() - this.began,
      criticalPathMs: graph.criticalPath(this.tally.workOf),
    });
  }

  private waitsOn(task: GraphTask): string[] {
    if (this.parts.state.isElsewhere(task.id)) return ['whoever began it'];
    if (this.waves.isStopped(task)) return ['a person: its wave is stopped'];
    return this.parts.graph.waitsOn(task.id);
  }

  private nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  /** Whatever goes wrong in the background ends the run. */
  private track(work: Promise<unknown>): void {
    this.background.add(work);
    const end = (error?: unknown) => {
      this.background.delete(work);
      this.failure ??= error;
      this.wake();
    };
    work.then(() => end(), end);
  }
}
