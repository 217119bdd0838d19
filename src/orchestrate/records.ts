import { UserError } from '../node/user-error.js';
import { startChanges } from '../tasks/plans/change-task.js';
import type { CaptureProject } from '../tasks/project.js';
import type { Change } from '../workspace/commit/change.js';
import type { View } from '../workspace/view.js';
import type { Workspace } from '../workspace/workspace.js';
import { Mutex } from './concurrency.js';
import type { AttemptJournal, JournalLine, StartedLine } from './journal.js';
import { STATE, updateStateFile } from './state-files.js';

/** An attempt that somebody works on, and that no record tells of yet. */
interface Beginning {
  line: StartedLine;
  /** In the commit that is being made; `failure`: why it cannot be. */
  tried?: { failure?: unknown };
  /** That commit was made. */
  isOver?: true;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Writes down that attempts end well and that others begin. What could begin because one ended is written in the same
 * commit with it, or after it, and never before.
 */
export class Records {
  private readonly turns = new Mutex();
  private waiting: Beginning[] = [];

  constructor(
    private readonly about: {
      workspace: Workspace;
      project: CaptureProject;
      journal: AttemptJournal;
      session: string;
    },
  ) {}

  /** Returns once it is written. Throws `UserError` where it cannot be. */
  begin(line: StartedLine): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ line, resolve, reject });
      // Who has a turn before that may have taken it along.
      void this.run(() => this.writeAlone());
    });
  }

  /** Has nothing else recorded while `work` records an end. Whoever began meanwhile hears of it after that. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.turns.run(async () => {
      try {
        return await work();
      } finally {
        this.tell();
      }
    });
  }

  /** The changes of these lines and of all beginnings that wait, for a commit in a turn; `took` is to be called then. */
  include(view: View, lines: readonly JournalLine[]): Change[] {
    const { project, journal, session } = this.about;
    for (const beginning of this.waiting) {
      beginning.tried = {};
      try {
        view.stage(startChanges(view, project, beginning.line.task, { session }).changes);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        beginning.tried.failure = error;
      }
    }
    const all = [...lines, ...this.tried.map(({ line }) => line)];
    return all.length === 0 ? [] : [journal.change(view, all)];
  }

  took(lines: readonly JournalLine[]): void {
    this.about.journal.took([...lines, ...this.tried.map(({ line }) => line)]);
    for (const beginning of this.waiting) if (beginning.tried) beginning.isOver = true;
  }

  private get tried(): Beginning[] {
    return this.waiting.filter(({ tried }) => tried && tried.failure === undefined);
  }

  private async writeAlone(): Promise<void> {
    const asked = [...this.waiting];
    if (asked.length === 0) return;
    try {
      await updateStateFile(this.about.workspace, STATE.journal, (view) => {
        view.stage(this.include(view, []));
        return { changes: view.changes, value: undefined };
      });
      this.took([]);
    } catch (failure) {
      // Where nobody gave us the lock, none of them was tried.
      for (const beginning of this.waiting.filter((each) => each.tried || asked.includes(each)))
        Object.assign(beginning, { isOver: true, tried: { failure } });
    }
  }

  private tell(): void {
    const over = this.waiting.filter(({ isOver }) => isOver);
    this.waiting = this.waiting.filter(({ isOver }) => !isOver);
    for (const beginning of this.waiting) delete beginning.tried;
    for (const { tried, resolve, reject } of over)
      if (tried?.failure === undefined) resolve();
      else reject(tried.failure);
  }
}
