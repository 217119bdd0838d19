import { addToGroup } from '../core/groups.js';
import { checkedTasks } from '../core/task-plan/order.js';
import { UserError } from '../node/errors.js';
import { decodeText, MB } from '../node/files.js';
import { isOrchestrating } from '../tasks/plans/assignments.js';
import type { TaskCondition } from '../tasks/plans/project-snapshot.js';
import { readProjectTasks } from '../tasks/plans/tasks.js';
import type { CaptureProject } from '../tasks/project.js';
import type { FoundPlan } from '../tasks/types.js';
import type { Workspace } from '../workspace/workspace.js';
import { answersTo, type FailureKind, type NamedTask, type TaskQuestion } from './events.js';
import { PlaceNames } from './isolation/place-record.js';
import {
  countedFailures,
  type EndedLine,
  foldLine,
  type JournalLine,
  NO_HISTORY,
  readJournal,
  resultIdOf,
  type StartedLine,
  type TaskHistory,
} from './journal.js';
import type { AttemptViews, Orchestration } from './orchestration.js';
import type { ShownReview } from './review-files.js';
import { outputFile, STATE } from './state-files.js';

/** An attempt that is over. */
export interface AttemptRecord {
  attempt: number;
  executor: string;
  endedAt: string;
  /** `cut-off`: interrupted through no fault of its own; it does not count. */
  outcome: EndedLine['outcome'];
  /** Null if it did not fail. */
  why: FailureKind | null;
  /** Whole sentences; null if it did not fail. */
  reason: string | null;
  durationMs: number;
  /** Null if its executor did not report it. */
  costUsd: number | null;
  /** The orchestrate run that started it; null where an older version recorded it. */
  run: string | null;
  /** Under which its result is recorded, if it returned one; null if its start is not known. */
  resultId: string | null;
}

/** The files of an attempt, from the root. */
export interface AttemptFiles {
  /** Its output. */
  output: string | null;
  /** Its changes that did not land. */
  patches: string[];
}

/** All attempts of one executor. Interrupted ones are counted separately; only their cost is in the sums. */
export interface ExecutorAttempts {
  executor: string;
  attempts: number;
  /** Those that were not the first at their task. */
  retries: number;
  done: number;
  blocked: number;
  failed: number;
  failures: Record<FailureKind, number>;
  cutOff: number;
  /** In milliseconds; the average is null if there are no attempts. */
  duration: { total: number; average: number | null };
  /** The sum of the known costs; null if none is known. */
  costUsd: number | null;
}

/** A question about a task without an answer. */
export interface OpenQuestion {
  askedAt: string;
  why: TaskQuestion['why'];
  /** Whole sentences. */
  message: string;
  answers: TaskQuestion['answers'];
  /** Of the attempts since the last decision on the task. */
  failures: FailureKind[];
  review?: ShownReview;
}

/** The orchestrator's journal, read-only. */
export class AttemptRecords {
  private readonly tasks = new Map<string, TaskHistory>();
  private readonly starts = new Map<EndedLine, StartedLine>();
  /** The orchestrate run that started the last attempt. */
  readonly lastRun: string | null;

  /** `problem`: why it cannot be read, in whole sentences. */
  constructor(
    lines: readonly JournalLine[],
    readonly problem: string | null,
  ) {
    for (const line of lines) {
      const before = this.historyOf(line.task);
      if (line.type === 'ended' && before.open) this.starts.set(line, before.open);
      this.tasks.set(line.task, foldLine(before, line));
    }
    this.lastRun = lines.findLast((line) => line.type === 'started')?.run ?? null;
  }

  /** In the order of their names. */
  get executors(): ExecutorAttempts[] {
    const executors = new Map<string, EndedLine[]>();
    for (const { ended } of this.tasks.values())
      for (const line of ended) addToGroup(executors, line.executor, line);
    return [...executors]
      .map(([executor, ended]) => sumUp(executor, ended))
      .sort((one, other) => (one.executor < other.executor ? -1 : 1));
  }

  /** The attempts at a task, in order, without those at another task that had this position before. */
  of({ id, name }: NamedTask): AttemptRecord[] {
    return this.historyOf(id)
      .ended.filter((line) => line.name === name)
      .map((line) => {
        const start = this.starts.get(line);
        return {
          attempt: line.attempt,
          executor: line.executor,
          endedAt: line.at,
          outcome: line.outcome,
          why: line.failure?.kind ?? null,
          reason: line.failure?.reason ?? null,
          durationMs: line.durationMs,
          costUsd: line.usage.costUsd,
          run: start?.run ?? null,
          resultId: start ? resultIdOf(start) : null,
        };
      });
  }

  /** Whether the tasks must be read to know which questions are open. */
  get hasAsked(): boolean {
    return [...this.tasks.values()].some(({ asked }) => asked !== null);
  }

  /** `checked`: how many tasks it checks, if it is a checkpoint. */
  questionOn(
    { id, name }: NamedTask,
    { status, resolutions }: Pick<TaskCondition, 'status' | 'resolutions'>,
    checked: number,
  ): OpenQuestion | null {
    const { asked, ended } = this.historyOf(id);
    const decisions = resolutions.length;
    const isOver = status === 'completed' || status === 'skipped';
    if (asked === null || asked.name !== name || asked.decisions !== decisions || isOver) return null;
    const { at: askedAt, why, message, review } = asked;
    const failures = countedFailures({ ended }, decisions);
    const answers = answersTo(why, checked);
    return { askedAt, why, message, answers, failures, ...(review && { review }) };
  }

  /** The attempt that has started and not ended. */
  openAttempt({ id, name }: NamedTask): { attempt: number; startedAt: string; run: string | null } | null {
    const { open } = this.historyOf(id);
    return open?.name === name ? { attempt: open.attempt, startedAt: open.at, run: open.run ?? null } : null;
  }

  /** Whether an attempt at it started and did not end: it is running, or its orchestrator died. */
  hasOpenAttempt({ id, name }: NamedTask): boolean {
    return this.openAttempt({ id, name }) !== null;
  }

  private historyOf(task: string): TaskHistory {
    return this.tasks.get(task) ?? NO_HISTORY;
  }
}

/** Without the lock. Never throws: if the journal cannot be used, `problem` says why. */
export function readAttempts(workspace: Workspace): AttemptRecords {
  try {
    return new AttemptRecords(readAgain(workspace), null);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return new AttemptRecords([], error.message);
  }
}

/** A line may be half written at this moment: only a repeated error counts. */
function readAgain(workspace: Workspace): JournalLine[] {
  try {
    return workspace.view(readJournal);
  } catch {
    return workspace.view(readJournal);
  }
}

/** The open questions of a project, by the ids of their tasks. `named`: task files that no glob may find. */
export function findQuestions(
  records: AttemptRecords,
  project: CaptureProject,
  named: readonly Pick<FoundPlan, 'path'>[] = [],
): Map<string, OpenQuestion> {
  const questions = new Map<string, OpenQuestion>();
  if (!records.hasAsked) return questions;
  for (const { found, tasks } of readProjectTasks(project, named).plans) {
    for (const { id, task, condition } of tasks) {
      const checked = checkedTasks(found.plan, task).length;
      const question = records.questionOn({ id, name: task.name }, condition, checked);
      if (question) questions.set(id, question);
    }
  }
  return questions;
}

/** The tasks that an orchestrator was working on when it died. */
export function findInterrupted<T extends NamedTask & { status: string }>(
  records: AttemptRecords,
  { workspace }: Pick<CaptureProject, 'workspace'>,
  tasks: readonly T[],
): T[] {
  const started = tasks.filter((task) => task.status === 'in_progress' && records.hasOpenAttempt(task));
  return started.length === 0 || isOrchestrating(workspace) ? [] : started;
}

export function findAttemptFiles(workspace: Workspace, taskId: string, attempt: number): AttemptFiles {
  const output = outputFile(taskId, attempt);
  const { folder } = new PlaceNames('').make({ taskId, taskName: '', attempt });
  const name = folder.slice(0, folder.lastIndexOf('-'));
  return workspace.view((view) => ({
    output: view.look(output) === 'file' ? output : null,
    patches: view
      .list(STATE.patches)
      .filter((file) => isPatchOf(name, file))
      .map((file) => `${STATE.patches}/${file}`),
  }));
}

/** `03-01-2-1.patch`; `03-01-2-1-2.patch` if an attempt with the same number was interrupted before. */
function isPatchOf(name: string, file: string): boolean {
  return file.startsWith(name) && /^(?:-\d{1,6})?\.patch$/.test(file.slice(name.length));
}

function sumUp(executor: string, lines: readonly EndedLine[]): ExecutorAttempts {
  const ended = lines.filter(({ outcome }) => outcome !== 'cut-off');
  const count = (outcome: EndedLine['outcome']) => lines.filter((line) => line.outcome === outcome).length;
  const failures = { ...NO_FAILURES };
  for (const { outcome, failure } of ended) if (outcome === 'failed') failures[failure?.kind ?? 'reported']++;
  const total = ended.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const costs = lines.flatMap(({ usage }) => usage.costUsd ?? []);
  return {
    executor,
    attempts: ended.length,
    retries: ended.filter(({ attempt }) => attempt > 1).length,
    done: count('done'),
    blocked: count('blocked'),
    failed: count('failed'),
    failures,
    cutOff: count('cut-off'),
    duration: { total, average: ended.length === 0 ? null : Math.round(total / ended.length) },
    costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
  };
}

const NO_FAILURES: Record<FailureKind, number> = {
  reported: 0,
  invalid: 0,
  verification: 0,
  vacuous: 0,
  conflict: 0,
  crash: 0,
  'rate-limit': 0,
  'time-out': 0,
};

const MOST_OUTPUT = MB / 4;
const MOST_PATCH = 2 * MB;

/** The output and the changes of a task's attempt, for the faces of a run. */
export function viewAttempts({
  options,
  running,
  journal,
  mask,
}: Orchestration): Omit<AttemptViews, 'choose'> {
  const { workspace } = options;
  const numberOf = (task: string) => running.get(task)?.number ?? journal.of(task).ended.at(-1)?.attempt;
  return {
    output(task) {
      const number = numberOf(task);
      if (number === undefined) return 'No attempt has started yet.\n';
      const path = outputFile(task, number);
      const end = workspace.view((view) => view.readEnd(path, MOST_OUTPUT));
      if (end.status !== 'bytes') return 'No output yet.\n';
      const text = new TextDecoder().decode(end.bytes);
      return end.size > end.bytes.length
        ? `… the first ${end.size - end.bytes.length} bytes are in ${path}\n${text}`
        : text;
    },
    async diff(task) {
      const place = running.get(task)?.attempt?.place;
      if (place) return mask(await place.diff()) || 'No changes yet.\n';
      const number = numberOf(task);
      const { patches } = number === undefined ? { patches: [] } : findAttemptFiles(workspace, task, number);
      const last = patches.at(-1);
      if (last === undefined) return 'No changes are saved: they have landed, or there are none.\n';
      const read = workspace.view((view) => view.read(last, MOST_PATCH));
      const text = read.status === 'bytes' ? decodeText(read.bytes) : read;
      return text.status === 'text' ? mask(text.text) : `${last} cannot be shown here.\n`;
    },
  };
}
