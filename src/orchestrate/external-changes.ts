import { UserError } from '../node/errors.js';
import { unmarkTask } from '../tasks/plans/change-task.js';
import { verifySubmitted } from './attempt/verify.js';
import type { GraphTask } from './graph/types.js';
import type { Orchestration, Running } from './orchestration.js';
import type { People } from './questions.js';

/** What people and other programs do to the plans and records of a run while it goes on. */
export class ExternalChanges {
  private readonly unmarked = new Set<string>();
  private readonly changedPlans = new Set<string>();

  constructor(
    private readonly o: Orchestration,
    private readonly people: People,
  ) {}

  /** Reads the project again, and takes over what is otherwise. What cannot be taken over ends the run. */
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
    for (const task of skipped) this.people.tellAnswer(task, 'skip');
    for (const task of reopened) o.retryAt.delete(task.id);
    this.requireForward(reopened);
    for (const { task, decision } of this.people.takeAnswers())
      this.finishUnrecorded(task, decision === 'abort' || decision === 'fix');
    for (const running of o.running.values()) this.applyDecision(running);
  }

  /** Somebody else says that it is done: until that is verified it is neither done nor begun here. */
  private examine(task: GraphTask): void {
    const { o } = this;
    if (o.examined.has(task.id) || o.running.get(task.id)?.by === 'person') return;
    o.examined.add(task.id);
    const verify = async () => {
      try {
        const checked = await verifySubmitted(task, o);
        if (checked.status === 'failed')
          this.note(`${task.id} was submitted as done, and is not: ${checked.reason}`);
        if (checked.status === 'needs-human')
          await this.people.ask(task, checked.why, checked.message, checked.shown);
      } catch (error) {
        await this.people.askAbout(task, error);
      } finally {
        o.examined.delete(task.id);
        this.sync();
      }
    };
    o.background.track(verify());
  }

  /** Says once of each plan that it is another by now. */
  private noteChanged(plans: readonly string[]): void {
    for (const id of plans.filter((each) => !this.changedPlans.has(each))) {
      this.changedPlans.add(id);
      this.note(
        `${id} has other tasks, or another order, than when this run began. That counts from the next start on.`,
      );
    }
  }

  /**
   * Nobody recorded that these are done, so they are not, whatever the plan says by now. Once each: who cannot be kept
   * from it, or a plan that cannot be edited, must not keep us busy.
   */
  private unmark(unfounded: readonly string[]): void {
    const found = unfounded.filter((id) => !this.unmarked.has(id));
    if (found.length === 0) return;
    for (const id of found) this.unmarked.add(id);
    const unmarkAll = async () => {
      for (const id of found) {
        await unmarkTask(this.o.project, id);
        this.note(
          `Somebody marked ${id} in its plan, and no result says so: the mark was taken away. \`teddy task resolve ${id} done\` is the way to say it.`,
        );
      }
    };
    this.o.background.track(unmarkAll());
  }

  /** Somebody did it, be it that it was being done here as well. */
  private noteDone(task: GraphTask): void {
    const { running, done, tally } = this.o;
    const here = running.get(task.id);
    if (here?.isBack || here?.by === 'person' || done.has(task.id)) return;
    done.add(task.id);
    tally.countOther();
    this.people.tellAnswer(task, 'done');
  }

  /** Somebody else ended it: what runs of it here has nothing more to say. */
  private supersede(task: GraphTask): void {
    this.finishUnrecorded(task, true);
    this.people.close(task);
    const running = this.o.running.get(task.id);
    if (!running?.attempt) return;
    running.attempt.superseded = true;
    running.cancelling.abort();
  }

  /** It is done, and only has to be landed or recorded still, unless a person does not want it. */
  private finishUnrecorded({ id }: GraphTask, isUnwanted: boolean): void {
    const { unrecorded, background } = this.o;
    const left = unrecorded.get(id);
    unrecorded.delete(id);
    if (!left) return;
    // What is in the project already is only to be recorded, whatever they would rather have.
    if (isUnwanted && !left.isIn) left.attempt.superseded = true;
    background.track(left.finish());
  }

  /** A plan that forgets what was done in this run was put back: nothing can be built on it. Throws `UserError`. */
  private requireForward(reopened: readonly GraphTask[]): void {
    const lost = reopened.find(({ id }) => this.o.done.has(id));
    if (!lost) return;
    throw new UserError(
      `${lost.plan.path} no longer says that ${lost.id} is done: something, such as git stash or git checkout, put it back. Nothing more is begun. Bring it back (git stash pop), and start again.`,
    );
  }

  /** A person decides on what runs: it ends, and begins again if they want it to. */
  private applyDecision(running: Running): void {
    const { task, decisions, attempt, by, cancelling } = running;
    const { state } = this.o;
    const decision = state.lastDecision(task.id);
    if (state.decisions(task.id) <= decisions || decision === 'skip') return;
    running.decisions = state.decisions(task.id);
    if (attempt) this.supersede(task);
    else if (decision === 'abort' && by === 'person') cancelling.abort();
    this.people.tellAnswer(task, decision ?? 'retry');
  }

  private note(message: string): void {
    this.o.emit({ type: 'note', message });
  }
}
