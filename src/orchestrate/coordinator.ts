import { monotonicMs } from '../node/clock.js';
import type { Attempt } from './attempt.js';
import { verifyClaim } from './claims.js';
import { decideFollowing } from './escalation.js';
import { type FailureKind, type Finished, nameOf, type Summary, type TaskQuestion } from './events.js';
import type { ExecutorEnd } from './executors/types.js';
import { describeFinished } from './finished.js';
import type { GraphTask } from './graph/types.js';
import { countedFailures } from './journal.js';
import type { Back, Parts } from './parts.js';
import { People } from './people.js';
import { PlanWatch } from './plan-watch.js';
import { describeExhaustion } from './question.js';
import type { QueueEvent } from './queue/types.js';
import { CANCELLED, crashed, type Running } from './running.js';
import { type AttemptVerdict, judgeAttempt, recordAttempt, type Settled } from './settle-attempt.js';
import { writeTheSame } from './shared-files.js';
import { Tally } from './tally.js';

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
  /** What others say is done, as long as that is verified. */
  private readonly examined = new Set<string>();
  /** What is about to be handed out. */
  private readonly beginning = new Set<Promise<void>>();
  private readonly plans: PlanWatch;
  /** Attempts that are done and could not be captured, by their tasks. */
  private readonly unrecorded = new Map<
    string,
    { attempt: Attempt; isIn: boolean; settle(): Promise<void> }
  >();
  /** What goes on besides. */
  private readonly background = new Set<Promise<unknown>>();
  private readonly people: People;
  private readonly began = monotonicMs();
  private readonly doneBefore: number;
  /** The task that a person is asked about because its executor cannot be used: until they decide, no machine begins. */
  private halted: GraphTask | undefined;
  private stopped: Summary['stopped'] = null;
  private failure: unknown;
  private wake: () => void = () => {};

  constructor(private readonly parts: Parts) {
    this.doneBefore = [...parts.graph.tasks.values()].filter(({ status }) => status === 'completed').length;
    this.plans = new PlanWatch(parts);
    this.people = new People(parts, { look: () => this.look(), wake: () => this.wake() });
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
      this.people.stop();
    }
  }

  /** An attempt of an orchestrator that died, whose end is in the queue. */
  adopt(attempt: Attempt): void {
    const { task, number, decisions } = attempt;
    this.running.set(task.id, { task, number, decisions, attempt, busy: false });
  }

  /** A question that was asked before, and has no answer yet. */
  askAgain(task: GraphTask, why: TaskQuestion['why'], message: string): void {
    this.people.askAgain(task, why, message);
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
    const { completed, skipped, reopened, changed, unfounded, claimed } = state.refresh(graph);
    for (const id of claimed) this.examine(graph.tasks.get(id)!);
    this.plans.tellChanged(changed);
    const suspects = this.plans.findNew(unfounded);
    if (suspects.length > 0) this.track(this.plans.unmark(suspects));
    for (const task of completed) this.tellDone(task);
    for (const task of [...completed, ...skipped]) this.overtake(task);
    for (const task of skipped) this.people.tellAnswer(task, 'skip');
    for (const task of reopened) this.retryAt.delete(task.id);
    this.plans.requireForward(reopened, this.doneHere);
    for (const { task, decision } of this.people.hear())
      this.recordAgain(task, decision === 'abort' || decision === 'fix');
    for (const running of this.running.values()) this.interfere(running);
  }

  /** Somebody else says that it is done: until that is verified it is neither done nor begun here. */
  private examine(task: GraphTask): void {
    if (this.examined.has(task.id) || this.running.get(task.id)?.giving) return;
    this.examined.add(task.id);
    const verify = async () => {
      try {
        const checked = await verifyClaim(task, this.parts.desk, this.parts.state);
        if (checked.status === 'failed') this.plans.tellFalse(task, checked.reason);
        if (checked.status === 'stuck')
          await this.people.ask(task, checked.why, checked.message, checked.shown);
      } catch (error) {
        await this.people.askOn(task, error);
      } finally {
        this.examined.delete(task.id);
        this.look();
      }
    };
    this.track(verify());
  }

  // What is begun

  /** Writing blocks this process, and what it has begun goes on meanwhile. */
  private async beginBeforeRecording(done: GraphTask): Promise<void> {
    if (!this.parts.beginsAtOnce) return this.wake();
    this.parts.graph.settle(done.id, 'completed');
    this.dispatch('machines');
    await Promise.allSettled(this.beginning);
  }

  /** `machines`: no person is asked to do what waits for something that is not recorded yet. */
  private dispatch(to: 'all' | 'machines' = 'all'): void {
    this.checkLimits();
    if (this.stopped) return;
    for (const task of this.parts.graph.ready()) {
      if (!this.isFree(task) || (task.isCheckpoint && to === 'machines')) continue;
      if (task.isCheckpoint)
        this.people.askAgain(task, 'checkpoint', 'This is for a person to do or to look at.');
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
    if (this.running.has(id) || this.people.isAsked(task) || this.doneHere.has(id)) return false;
    if (this.unrecorded.has(id) || this.examined.has(id)) return false;
    if (this.isHalted && !task.isCheckpoint) return false;
    if (this.parts.state.isAborted(id) || this.parts.state.isElsewhere(id) || this.people.isStopped(task))
      return false;
    return (this.retryAt.get(id) ?? 0) <= monotonicMs() && !this.sharesFiles(task);
  }

  private get isHalted(): boolean {
    const { halted } = this;
    // From the moment on at which it came back: the question is asked a little later.
    return halted !== undefined && (this.people.isAsked(halted) || this.running.has(halted.id));
  }

  /** Whatever the plans say of their order: nobody writes a file that another is writing. */
  private sharesFiles({ files }: GraphTask): boolean {
    for (const { task, isDone } of this.running.values())
      if (!isDone && writeTheSame(task.files, files)) return true;
    return false;
  }

  private async begin(task: GraphTask): Promise<void> {
    const number = this.nextNumber(task);
    const running: Running = { task, number, decisions: this.decisionsOn(task), busy: true };
    this.running.set(task.id, running);
    const begun = this.start(running);
    this.beginning.add(begun);
    try {
      await begun.finally(() => this.beginning.delete(begun));
      await running.recorded;
    } catch (error) {
      // Somebody may have decided on it in the meantime.
      this.look();
      this.running.delete(task.id);
      const isWanted = this.stopped !== 'interrupted' && this.parts.graph.ready().includes(task);
      if (isWanted && this.isFree(task)) await this.people.askOn(task, error);
    }
  }

  private async start(running: Running): Promise<void> {
    const { attempt, recorded } = await this.parts.hands.start(running.task, running.number);
    Object.assign(running, { attempt, recorded });
    // Whoever began it waits for that.
    recorded.catch(() => {});
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
      await this.people.askOn(task, error);
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
    this.people.stop();
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
    // It was told before.
    if (running.isBack) return;
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
    try {
      const verdict = await judgeAttempt(attempt, end, this.parts.desk);
      // It waits where it is for the next start.
      if (verdict === 'interrupted') return;
      if ('pending' in verdict) {
        this.unrecorded.set(task.id, { attempt, isIn: false, settle: again });
        await this.people.ask(task, verdict.pending.why, verdict.pending.message);
        return;
      }
      if (verdict.outcome === 'done') await this.recordDone(running, attempt, end, verdict);
      else {
        const settled = await recordAttempt(attempt, end, verdict, this.parts.desk);
        await this.follow(attempt, settled, await this.putAway(attempt));
      }
    } catch (error) {
      // What is done already is not done again because it could not be recorded.
      if (running.isDone) this.unrecorded.set(task.id, { attempt, isIn: true, settle: again });
      else await this.putAway(attempt);
      await this.people.askOn(task, error);
    } finally {
      // Only now: until it is decided what follows, nobody begins it again.
      this.running.delete(task.id);
    }
  }

  /** What may begin by it begins at once, and is recorded after it. */
  private async recordDone(
    running: Running,
    attempt: Attempt,
    end: ExecutorEnd,
    verdict: AttemptVerdict,
  ): Promise<void> {
    const { desk, graph } = this.parts;
    running.isDone = true;
    running.busy = false;
    this.parts.state.vouch(attempt.task.id);
    await desk.records.run(async () => {
      try {
        await this.beginBeforeRecording(attempt.task);
        await this.follow(attempt, await recordAttempt(attempt, end, verdict, desk));
      } catch (error) {
        graph.settle(attempt.task.id, 'open');
        throw error;
      }
    });
    await this.putAway(attempt);
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
    await Promise.allSettled([...this.running.values()].map(({ recorded }) => recorded));
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
      if (!stuck || (stuck.everywhere && this.isHalted)) return;
      if (stuck.everywhere) this.halted = task;
      const rest = stuck.everywhere ? ' Until this is decided, no other task is started.' : '';
      await this.people.ask(task, stuck.why, `${kept}${stuck.message}${rest}`, stuck.shown);
      return;
    }
    const finished = describeFinished(attempt, settled);
    this.tally.count(finished, attempt.number > 1);
    this.parts.desk.emit({ type: 'finished', ...finished });
    if (line.outcome === 'done') {
      this.doneHere.add(task.id);
      this.parts.graph.settle(task.id, 'completed');
    } else if (stuck) await this.people.ask(task, stuck.why, stuck.message);
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
      return this.people.ask(
        task,
        following.why,
        describeExhaustion(following.why, failures.length, reason ?? ''),
      );
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
    this.people.tellAnswer(task, decision ?? 'retry');
  }

  /** Somebody did it, be it that it was being done here as well. */
  private tellDone(task: GraphTask): void {
    const running = this.running.get(task.id);
    if (running?.isBack || running?.giving || this.doneHere.has(task.id)) return;
    this.doneHere.add(task.id);
    this.tally.countOther();
    this.people.tellAnswer(task, 'done');
  }

  /** Somebody else ended it: what runs of it here has nothing more to say. */
  private overtake(task: GraphTask): void {
    this.recordAgain(task, true);
    this.people.close(task);
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
    const waits = [...this.retryAt].some(([id, at]) => at > now && !this.people.isAsked({ id }));
    return !waits && !this.people.isPending && !this.parts.graph.ready().some((task) => this.isFree(task));
  }

  private summarize(): Summary {
    const { graph } = this.parts;
    const isAborted = ({ id }: GraphTask) => this.parts.state.isAborted(id);
    const left = graph.open().filter((task) => !this.people.isAsked(task));
    const open = left.filter((task) => !isAborted(task));
    return this.tally.summarize({
      stopped: this.stopped,
      doneBefore: this.doneBefore,
      total: graph.tasks.size,
      failed: left.length - open.length,
      skipped: graph.skipped().length,
      open: open.map((task) => ({ task: nameOf(task), waitsOn: this.waitsOn(task) })),
      questions: this.people.questions,
      elapsedMs: monotonicMs() - this.began,
      criticalPathMs: graph.criticalPath(this.tally.workOf),
    });
  }

  private waitsOn(task: GraphTask): string[] {
    if (this.parts.state.isElsewhere(task.id)) return ['whoever began it'];
    if (this.people.isStopped(task)) return ['a person: its wave is stopped'];
    if (this.isHalted && !task.isCheckpoint && this.parts.graph.waitsOn(task.id).length === 0)
      return [`a person: the executor cannot be used (${this.halted!.id})`];
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
