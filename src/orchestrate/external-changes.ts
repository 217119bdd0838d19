import { UserError } from '../node/errors.js';
import { unmarkTask } from '../tasks/plans/change-task.js';
import { verifySubmitted } from './attempt/verify.js';
import type { GraphTask } from './graph/types.js';
import type { Orchestration, Running } from './orchestration.js';
import type { People } from './questions.js';

/** Changes that people and other programs make to the task files and records during a run. */
export class ExternalChanges {
  private readonly unmarked = new Set<string>();
  private readonly changedPlans = new Set<string>();

  constructor(
    private readonly o: Orchestration,
    private readonly people: People,
  ) {}

  /** Refreshes the project and applies what changed. A change that cannot be applied ends the run. */
  sync(): void {
    try {
      this.apply();
      this.o.background.wake();
    } catch (error) {
      this.o.background.fail(error);
    }
  }

  private apply(): void {
    const { o } = this;
    const { completed, skipped, reopened, changed, unfounded, claimed } = o.state.refresh(o.graph);
    for (const id of claimed) this.examine(o.graph.tasks.get(id)!);
    this.noteChanged(changed);
    this.unmark(unfounded);
    for (const task of completed) this.noteDone(task);
    for (const task of [...completed, ...skipped]) this.supersede(task);
    for (const task of skipped) this.people.reportAnswer(task, 'skip');
    for (const task of reopened) o.retryAt.delete(task.id);
    const returned = reopened.filter(({ id }) => o.state.lastDecision(id) === 'back');
    for (const task of returned) this.takeBack(task);
    if (returned.length > 0) this.people.withdrawCheckpoints();
    this.requireForward(reopened);
    for (const { task, decision } of this.people.takeAnswers())
      this.finishUnrecorded(task, decision === 'abort' || decision === 'fix');
    for (const running of o.running.values()) this.applyDecision(running);
  }

  /** Submitted as done by someone else: until that is verified it is neither done nor started here. */
  private examine(task: GraphTask): void {
    const { o } = this;
    if (o.examined.has(task.id) || o.running.get(task.id)?.by === 'person') return;
    o.examined.add(task.id);
    const verify = async () => {
      try {
        const checked = await verifySubmitted(task, o);
        if (checked.status === 'failed')
          this.note(`${task.id} was submitted as done, but it is not: ${checked.reason}`);
        if (checked.status === 'needs-human')
          await this.people.ask(task, checked.why, checked.message, checked);
      } catch (error) {
        await this.people.askAbout(task, error);
      } finally {
        o.examined.delete(task.id);
        this.sync();
      }
    };
    o.background.track(verify());
  }

  /** Reports each changed task file once. */
  private noteChanged(plans: readonly string[]): void {
    for (const id of plans.filter((each) => !this.changedPlans.has(each))) {
      this.changedPlans.add(id);
      this.note(`The tasks of ${id} changed during this run. The changes take effect at the next start.`);
    }
  }

  /**
   * No result supports these marks, so they are removed. Once each: a program that keeps setting them, or a file that
   * cannot be edited, must not keep us busy.
   */
  private unmark(unfounded: readonly string[]): void {
    const found = unfounded.filter((id) => !this.unmarked.has(id));
    if (found.length === 0) return;
    for (const id of found) this.unmarked.add(id);
    const unmarkAll = async () => {
      for (const id of found) {
        await unmarkTask(this.o.project, id);
        this.note(
          `${id} was marked in its task file without a result, so the mark was removed. To complete it, use \`teddy task resolve ${id} done\`.`,
        );
      }
    };
    this.o.background.track(unmarkAll());
  }

  /** The user sends a completed task back to its executor. */
  private takeBack(task: GraphTask): void {
    const { done, tally, state } = this.o;
    done.delete(task.id);
    state.unvouch(task.id);
    tally.countReturned(task.id);
    this.people.reportAnswer(task, 'back');
  }

  /** Someone else completed it, perhaps while an attempt was running here. */
  private noteDone(task: GraphTask): void {
    const { running, done, tally } = this.o;
    const here = running.get(task.id);
    if (here?.isBack || here?.by === 'person' || done.has(task.id)) return;
    done.add(task.id);
    tally.countOther();
    this.people.reportAnswer(task, 'done');
  }

  /** Someone else ended it: its attempt here no longer counts. */
  private supersede(task: GraphTask): void {
    this.finishUnrecorded(task, true);
    this.people.close(task);
    const running = this.o.running.get(task.id);
    if (!running?.attempt) return;
    running.attempt.superseded = true;
    running.cancelling.abort();
  }

  /** It is done, and only needs to land or be recorded, unless the user does not want it. */
  private finishUnrecorded({ id }: GraphTask, isUnwanted: boolean): void {
    const { unrecorded, background } = this.o;
    const left = unrecorded.get(id);
    unrecorded.delete(id);
    if (!left) return;
    // What is already in the project must be recorded in any case.
    if (isUnwanted && !left.isIn) left.attempt.superseded = true;
    background.track(left.finish());
  }

  /** Throws `UserError` if a task file lost what this run completed: it was reverted, and nothing can build on it. */
  private requireForward(reopened: readonly GraphTask[]): void {
    const lost = reopened.find(({ id }) => this.o.done.has(id));
    if (!lost) return;
    throw new UserError(
      `${lost.plan.path} no longer shows ${lost.id} as completed: something, such as git stash or git checkout, reverted it. No more tasks start. Restore the file (git stash pop), then start again.`,
    );
  }

  /** The user decided on a running task: it ends, and starts again if they want that. */
  private applyDecision(running: Running): void {
    const { task, decisions, attempt, by, cancelling } = running;
    const { state } = this.o;
    const decision = state.lastDecision(task.id);
    if (state.decisions(task.id) <= decisions || decision === 'skip') return;
    running.decisions = state.decisions(task.id);
    // This attempt is the one that was reviewed, and it lands now.
    if (decision === 'land' || decision === 'drop') return;
    if (attempt) this.supersede(task);
    else if (decision === 'abort' && by === 'person') cancelling.abort();
    this.people.reportAnswer(task, decision ?? 'retry');
  }

  private note(message: string): void {
    this.o.emit({ type: 'note', message });
  }
}
