import { UserError } from '../node/user-error.js';
import type { GraphTask } from './graph/types.js';
import type { Parts } from './parts.js';

/** What others did to the plans that a run cannot simply take over. */
export class PlanWatch {
  private readonly unmarked = new Set<string>();
  private readonly changed = new Set<string>();

  constructor(private readonly parts: Pick<Parts, 'desk'>) {}

  /** Once each: who cannot be kept from it, or a plan that cannot be edited, must not keep us busy. */
  findNew(unfounded: readonly string[]): string[] {
    const found = unfounded.filter((id) => !this.unmarked.has(id));
    for (const id of found) this.unmarked.add(id);
    return found;
  }

  /** Nobody recorded that these are done, so they are not, whatever the plan says by now. */
  async unmark(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      await this.parts.desk.unmark(id);
      this.note(
        `Somebody marked ${id} in its plan, and no result says so: the mark was taken away. \`teddy task resolve ${id} done\` is the way to say it.`,
      );
    }
  }

  /** A success that others submitted did not pass its verification. */
  tellFalse({ id }: GraphTask, reason: string): void {
    this.note(`${id} was submitted as done, and is not: ${reason}`);
  }

  /** Says once of each plan that it is another by now. */
  tellChanged(ids: readonly string[]): void {
    for (const id of ids.filter((each) => !this.changed.has(each))) {
      this.changed.add(id);
      this.note(
        `${id} has other tasks, or another order, than when this run began. That counts from the next start on.`,
      );
    }
  }

  /** A plan that forgets what was done in this run was put back: nothing can be built on it. Throws `UserError`. */
  requireForward(reopened: readonly GraphTask[], done: ReadonlySet<string>): void {
    const lost = reopened.find(({ id }) => done.has(id));
    if (!lost) return;
    throw new UserError(
      `${lost.plan.path} no longer says that ${lost.id} is done: something, such as git stash or git checkout, put it back. Nothing more is begun. Bring it back (git stash pop), and start again.`,
    );
  }

  private note(message: string): void {
    this.parts.desk.emit({ type: 'note', message });
  }
}
