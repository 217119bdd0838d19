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
import type { ShownReview } from './review-files.js';
import { LARGEST_STATE_FILE, readSealedLines, STATE, sealLine, updateStateFile } from './state-files.js';

/** An attempt starts. */
export interface StartedLine {
  type: 'started';
  at: string;
  task: string;
  name: string;
  attempt: number;
  key: string;
  executor: string;
  place: PlaceRecord;
  /** The number of decisions on the task at that time. */
  decisions: number;
  /** The orchestrate run that started it; missing in lines of older versions. */
  run?: string;
}

/** An attempt is verified, and the branch may move from here on. */
export interface LandingLine {
  type: 'landing';
  at: string;
  task: string;
  attempt: number;
  candidate: Candidate;
  verification: VerificationRun | null;
  filesChanged: string[] | null;
}

/** An attempt is over. `cut-off`: interrupted through no fault of its own; it does not count. */
export interface EndedLine {
  type: 'ended';
  at: string;
  task: string;
  name: string;
  attempt: number;
  executor: string;
  outcome: 'done' | 'failed' | 'blocked' | 'cut-off';
  failure: ExecutorFailure | null;
  /** With `blocked`: the tasks and plans that it waits for. */
  behind: string[];
  durationMs: number;
  usage: Usage;
  /** The number of decisions on the task at that time. */
  decisions: number;
}

/** A question to the user. It is open until there are more than `decisions` decisions on the task. */
export interface AskedLine {
  type: 'asked';
  at: string;
  task: string;
  name: string;
  why: TaskQuestion['why'];
  message: string;
  decisions: number;
  /** The changes that it shows. */
  review?: ShownReview;
}

export type JournalLine = StartedLine | LandingLine | EndedLine | AskedLine;

/** The journal of one task, in order. */
export interface TaskHistory {
  ended: EndedLine[];
  /** The attempt without an end: it is running, or its orchestrator died. */
  open: StartedLine | null;
  landing: LandingLine | null;
  /** The last question, unless an attempt has started since. */
  asked: AskedLine | null;
}

/** Attempts and questions, as lines of an append-only file. Each line is in one commit with the change that it records. */
export class AttemptJournal {
  private readonly tasks = new Map<string, TaskHistory>();
  private readonly openAttempts = new Map<string, StartedLine>();
  private reportEnd: (task: string) => void = () => {};

  private constructor(private readonly workspace: Workspace) {}

  /** Throws `UserError` if the file has something that we did not write. */
  static open(workspace: Workspace): AttemptJournal {
    const journal = new AttemptJournal(workspace);
    journal.took(workspace.view(readJournal));
    return journal;
  }

  of(task: string): TaskHistory {
    return this.tasks.get(task) ?? NO_HISTORY;
  }

  /** The attempts without an end, by task. */
  get open(): ReadonlyMap<string, StartedLine> {
    return this.openAttempts;
  }

  /** In a commit of its own. Throws `UserError` if it fails. */
  async write(...lines: JournalLine[]): Promise<void> {
    await updateStateFile(this.workspace, STATE.journal, (view) => ({
      changes: [this.change(view, lines)],
      value: null,
    }));
    this.took(lines);
  }

  /** The change for a commit; call `took` once it is made. */
  change(view: View, lines: readonly JournalLine[]): Change {
    const text = new TextEncoder().encode(lines.map((line) => sealLine(STATE.journal, line)).join(''));
    const end = view.readEnd(STATE.journal, 0);
    if (end.status !== 'bytes') return { path: STATE.journal, before: null, after: text, mode: 0o600 };
    return { path: STATE.journal, append: text, offset: end.size };
  }

  took(lines: readonly JournalLine[]): void {
    for (const line of lines) this.fold(line);
    for (const { type, task } of lines) if (type === 'ended') this.reportEnd(task);
  }

  /** Called with the task of every attempt that ends from now on. */
  onEnded(listener: (task: string) => void): void {
    this.reportEnd = listener;
  }

  private fold(line: JournalLine): void {
    this.tasks.set(line.task, foldLine(this.of(line.task), line));
    if (line.type === 'started') this.openAttempts.set(line.task, line);
    else if (line.type === 'ended') this.openAttempts.delete(line.task);
  }
}

/** The same for every try to record an attempt, so that its result is captured once. */
export function resultIdOf({ task, attempt, key }: Pick<StartedLine, 'task' | 'attempt' | 'key'>): string {
  return `${task}#${attempt}.${key}`;
}

export const NO_HISTORY: TaskHistory = { ended: [], open: null, landing: null, asked: null };

export function foldLine(before: TaskHistory, line: JournalLine): TaskHistory {
  switch (line.type) {
    case 'started':
      return { ...before, open: line, landing: null, asked: null };
    case 'landing':
      return { ...before, landing: line };
    case 'ended':
      return { ...before, ended: [...before.ended, line], open: null, landing: null };
    case 'asked':
      return { ...before, asked: line };
  }
}

/** The failures that count against a task: those since the last decision on it. */
export function countedFailures({ ended }: Pick<TaskHistory, 'ended'>, decisions: number): FailureKind[] {
  return ended
    .filter((line) => line.outcome === 'failed' && line.decisions === decisions)
    .map(({ failure }) => failure?.kind ?? 'reported');
}

const TYPES: Record<JournalLine['type'], true> = { started: true, landing: true, ended: true, asked: true };

/** teddy acts on it without asking, so only lines with this user's seal count. */
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

/** The start of an attempt that is running and is not recorded yet. */
interface PendingStart {
  line: StartedLine;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Records the ends and starts of attempts. A start that an end made possible is in the same commit as that end, or in a
 * later one.
 */
export class Records {
  private readonly turns = new Mutex();
  private waiting: PendingStart[] = [];
  /** The starts in the current commit; with an error if one is not possible. */
  private batch = new Map<PendingStart, unknown>();
  /** Tells each start, after the current turn, whether it is recorded. */
  private settling: (() => void)[] = [];

  constructor(
    private readonly about: {
      workspace: Workspace;
      project: CaptureProject;
      journal: AttemptJournal;
      session: string;
    },
  ) {}

  /** Returns once it is recorded, perhaps in the commit of an end. Throws `UserError` if it cannot be. */
  recordStart(line: StartedLine): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ line, resolve, reject });
      void this.run(() => this.writeStarts());
    });
  }

  /** Nothing else is recorded while `work` records an end. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.turns.run(async () => {
      try {
        return await work();
      } finally {
        for (const settle of this.settling.splice(0)) settle();
      }
    });
  }

  /** The changes of these lines and of all waiting starts, for a commit; call `took` once it is made. */
  include(view: View, lines: readonly JournalLine[]): Change[] {
    this.batch = new Map(this.waiting.map((start) => [start, this.stage(view, start.line)]));
    const all = [...lines, ...this.started];
    return all.length === 0 ? [] : [this.about.journal.change(view, all)];
  }

  took(lines: readonly JournalLine[]): void {
    this.about.journal.took([...lines, ...this.started]);
    for (const [start, error] of this.batch) this.settle(start, error);
  }

  private stage(view: View, { task }: StartedLine): unknown {
    const { project, session } = this.about;
    try {
      view.stage(startChanges(view, project, task, { session }).changes);
      return undefined;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return error;
    }
  }

  private get started(): StartedLine[] {
    return [...this.batch].flatMap(([{ line }, error]) => (error === undefined ? [line] : []));
  }

  private settle(start: PendingStart, error: unknown): void {
    this.waiting = this.waiting.filter((each) => each !== start);
    this.settling.push(() => (error === undefined ? start.resolve() : start.reject(error)));
  }

  private async writeStarts(): Promise<void> {
    const starts = [...this.waiting];
    if (starts.length === 0) return;
    this.batch = new Map();
    try {
      await updateStateFile(this.about.workspace, STATE.journal, (view) => {
        view.stage(this.include(view, []));
        return { changes: view.changes, value: undefined };
      });
      this.took([]);
    } catch (error) {
      for (const start of new Set([...starts, ...this.batch.keys()])) this.settle(start, error);
    }
  }
}
