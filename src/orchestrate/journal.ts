import { isoUtcMs, now } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import { startChanges } from '../tasks/plans/change-task.js';
import type { CaptureProject } from '../tasks/project.js';
import type { VerificationRun } from '../tasks/types.js';
import type { Change } from '../workspace/commit/change.js';
import type { View } from '../workspace/view.js';
import type { Workspace } from '../workspace/workspace.js';
import { Mutex } from './concurrency.js';
import type { ExecutorFailure, FailureKind, TaskQuestion } from './events.js';
import type { Usage } from './executors/types.js';
import type { Candidate, PlaceRecord } from './isolation/types.js';
import { LARGEST_STATE_FILE, readSealedLines, STATE, sealLine, updateStateFile } from './state-files.js';

/** An attempt is handed out. */
export interface StartedLine {
  type: 'started';
  at: string;
  task: string;
  name: string;
  attempt: number;
  key: string;
  executor: string;
  place: PlaceRecord;
  /** How often a person had decided on the task by then. */
  decisions: number;
}

/** An attempt was verified, and from here on the branch may have moved. */
export interface LandingLine {
  type: 'landing';
  at: string;
  task: string;
  attempt: number;
  candidate: Candidate;
  verification: VerificationRun | null;
  filesChanged: string[] | null;
}

/** An attempt is over. `cut-off`: not by its own fault, and it does not count. */
export interface EndedLine {
  type: 'ended';
  at: string;
  task: string;
  name: string;
  attempt: number;
  executor: string;
  outcome: 'done' | 'failed' | 'blocked' | 'cut-off';
  failure: ExecutorFailure | null;
  /** With `blocked`: the tasks and plans behind which it went. */
  behind: string[];
  durationMs: number;
  usage: Usage;
  /** How often a person had decided on the task by then. */
  decisions: number;
}

/** A person is asked. It stands until they have decided once more than `decisions` times. */
export interface AskedLine {
  type: 'asked';
  at: string;
  task: string;
  name: string;
  why: TaskQuestion['why'];
  message: string;
  decisions: number;
}

export type JournalLine = StartedLine | LandingLine | EndedLine | AskedLine;

/** What the journal knows of a task, in order. */
export interface TaskHistory {
  ended: EndedLine[];
  /** The attempt that is under way, or was when its orchestrator died. */
  open: StartedLine | null;
  landing: LandingLine | null;
  asked: AskedLine | null;
}

/** Attempts and questions, as lines of a file that only grows, each written in one commit with what it is about. */
export class AttemptJournal {
  private readonly tasks = new Map<string, TaskHistory>();
  private readonly underWay = new Map<string, StartedLine>();
  private tellEnded: (task: string) => void = () => {};

  private constructor(private readonly workspace: Workspace) {}

  /** Throws `UserError` where it is not what was written. */
  static open(workspace: Workspace): AttemptJournal {
    const journal = new AttemptJournal(workspace);
    journal.took(workspace.view(readJournal));
    return journal;
  }

  of(task: string): TaskHistory {
    return this.tasks.get(task) ?? { ended: [], open: null, landing: null, asked: null };
  }

  /** The attempts that are under way, by their tasks. */
  get open(): ReadonlyMap<string, StartedLine> {
    return this.underWay;
  }

  /** In a commit of its own. Throws `UserError` where it cannot be made. */
  async write(...lines: JournalLine[]): Promise<void> {
    await updateStateFile(this.workspace, STATE.journal, (view) => ({
      changes: [this.change(view, lines)],
      value: null,
    }));
    this.took(lines);
  }

  /** Its change for a commit; `took` has to be called once that is made. */
  change(view: View, lines: readonly JournalLine[]): Change {
    const text = new TextEncoder().encode(lines.map((line) => sealLine(STATE.journal, line)).join(''));
    const end = view.readEnd(STATE.journal, 0);
    if (end.status !== 'bytes') return { path: STATE.journal, before: null, after: text, mode: 0o600 };
    return { path: STATE.journal, append: text, offset: end.size };
  }

  took(lines: readonly JournalLine[]): void {
    for (const line of lines) this.fold(line);
    for (const { type, task } of lines) if (type === 'ended') this.tellEnded(task);
  }

  /** Tells of every attempt that ends from now on, by its task. */
  onEnded(listener: (task: string) => void): void {
    this.tellEnded = listener;
  }

  private fold(line: JournalLine): void {
    const before = this.of(line.task);
    this.tasks.set(line.task, foldLine(before, line));
    if (line.type === 'started') this.underWay.set(line.task, line);
    else if (line.type === 'ended') this.underWay.delete(line.task);
  }
}

function foldLine(before: TaskHistory, line: JournalLine): TaskHistory {
  switch (line.type) {
    case 'started':
      return { ...before, open: line, landing: null };
    case 'landing':
      return { ...before, landing: line };
    case 'ended':
      return { ...before, ended: [...before.ended, line], open: null, landing: null };
    case 'asked':
      return { ...before, asked: line };
  }
}

/** The failures that count against a task: those since a person last decided on it. */
export function countedFailures({ ended }: TaskHistory, decisions: number): FailureKind[] {
  return ended
    .filter((line) => line.outcome === 'failed' && line.decisions === decisions)
    .map(({ failure }) => failure?.kind ?? 'reported');
}

const TYPES: Record<JournalLine['type'], true> = { started: true, landing: true, ended: true, asked: true };

/** What it says is acted on without asking, so only lines with this user's seal count. */
export function readJournal(view: View): JournalLine[] {
  const read = view.read(STATE.journal, LARGEST_STATE_FILE);
  if (read.status === 'missing') return [];
  if (read.status === 'refused') throw new UserError(`${STATE.journal} ${read.reason}.`);
  const sealed = readSealedLines(STATE.journal, read.bytes);
  if (sealed.status === 'refused') throw refusal(sealed.line, sealed.reason);
  if (sealed.torn) throw refusal(sealed.records.length + 1, 'is incomplete');
  const unknown = sealed.records.findIndex(({ type }) => !Object.hasOwn(TYPES, String(type)));
  if (unknown !== -1) throw refusal(unknown + 1, 'was written by a newer version of teddy');
  return sealed.records as unknown as JournalLine[];
}

function refusal(line: number, reason: string): UserError {
  return new UserError(
    `${STATE.journal}, line ${line}, ${reason}. If you do not need that file, delete it: attempts are then counted from the start.`,
  );
}

export function timestamp(): string {
  return isoUtcMs(now());
}

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
