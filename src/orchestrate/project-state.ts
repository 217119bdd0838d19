import { join } from 'node:path';
import { UserError } from '../node/errors.js';
import { files } from '../node/file-calls.js';
import { countOwn } from '../tasks/metrics/summaries.js';
import type { TaskCondition } from '../tasks/plans/project-snapshot.js';
import {
  type LastResult,
  type PlannedTask,
  type ProjectTasks,
  readLastResult,
  readProjectTasks,
} from '../tasks/plans/tasks.js';
import type { CaptureProject } from '../tasks/project.js';
import type { FoundPlan } from '../tasks/types.js';
import type { ExecutorFailure } from './events.js';
import type { GraphUpdate, TaskGraph } from './graph/task-graph.js';
import type { GraphTask } from './graph/types.js';

interface Waiter {
  id: string;
  /** The number of results at that time. */
  results: number;
  resolve(): void;
}

/** The states of tasks in the project, as of the last refresh. */
export class ProjectState {
  private conditions: Map<string, TaskCondition>;
  private plans: Map<string, FoundPlan>;
  /** At the start of the run. */
  private readonly first: ReadonlyMap<string, TaskCondition>;
  /** Started by this run, whatever the records say. */
  private readonly ours = new Set<string>();
  /** Completed or verified by this run: a success counts only for these. */
  private readonly vouched = new Set<string>();
  private readonly waiters = new Set<Waiter>();
  private ledgerSize = 0;

  constructor(
    private readonly project: CaptureProject,
    private readonly named: readonly FoundPlan[],
    facts: ProjectTasks,
  ) {
    this.conditions = conditionsOf(facts);
    this.first = this.conditions;
    this.plans = plansOf(facts);
  }

  /**
   * Reads the project again, and returns what users and other programs changed. `claimed`: tasks that they completed; these
   * stay open in the graph until they are verified. `unfounded`: tasks marked without a result or a decision.
   */
  refresh(graph: TaskGraph): GraphUpdate & { unfounded: string[]; claimed: string[] } {
    this.requireLedger();
    const unfounded: string[] = [];
    const claimed: string[] = [];
    const founded = withoutUnfounded(readProjectTasks(this.project, this.named), this.first, unfounded);
    const facts = reopen(founded, ({ id, condition }) => {
      const isNew = condition.status === 'completed' && this.first.get(id)?.status !== 'completed';
      const isClaimed = isNew && graph.tasks.has(id) && !this.vouched.has(id);
      if (isClaimed) claimed.push(id);
      return isClaimed;
    });
    this.conditions = conditionsOf(facts);
    this.plans = plansOf(facts);
    for (const waiter of this.waiters) if (this.hasResult(waiter)) waiter.resolve();
    return { ...graph.update(facts), unfounded, claimed };
  }

  /** A shorter ledger was reverted, perhaps with the work that it records: nothing can build on that. */
  private requireLedger(): void {
    const path = `${this.project.dir}/ledger.jsonl`;
    const end = this.project.workspace.view((view) => view.readEnd(path, 0));
    const size = end.status === 'bytes' ? end.size : 0;
    if (size < this.ledgerSize) {
      throw new UserError(
        `${path} is shorter than before: something, such as git stash or git checkout, reverted the records of this run. No more tasks start. Restore them (git stash pop), or check PLAN.md and the logs, before you start again.`,
      );
    }
    this.ledgerSize = size;
  }

  /** Resolves when a result for it is submitted, or `signal` aborts. */
  async whenResult(id: string, signal: AbortSignal): Promise<void> {
    let waiter: Waiter | undefined;
    try {
      await new Promise<void>((resolve) => {
        waiter = { id, results: this.results(id), resolve };
        this.waiters.add(waiter);
        signal.addEventListener('abort', () => resolve(), { once: true });
        if (signal.aborted) resolve();
      });
    } finally {
      if (waiter) this.waiters.delete(waiter);
    }
  }

  private hasResult({ id, results }: Waiter): boolean {
    const status = this.conditions.get(id)?.status;
    return this.results(id) > results || status === 'completed' || status === 'skipped';
  }

  /** The number of decisions on it. */
  decisions(id: string): number {
    return this.conditions.get(id)?.resolutions.length ?? 0;
  }

  lastDecision(id: string): TaskCondition['resolutions'][number]['decision'] | undefined {
    return this.conditions.get(id)?.resolutions.at(-1)?.decision;
  }

  /** The instruction in the last decision; null if it has none. */
  instruction(id: string): string | null {
    return this.conditions.get(id)?.resolutions.at(-1)?.instruction ?? null;
  }

  /** The last attempt of which a result counts; 0 if there is none. */
  lastAttempt(id: string): number {
    const record = this.conditions.get(id)?.record;
    return record && countOwn(record) > 0 ? Math.max(record.last_attempt ?? 0, 1) : 0;
  }

  /** The failure in a result from outside a run, such as one that the user submitted. */
  earlierFailure(about: GraphTask): ExecutorFailure[] {
    const record = this.conditions.get(about.id)?.record;
    if (!record || record.last_status === 'success') return [];
    const last = this.lastResult(about);
    const reason = last?.error ?? `It ended with ${record.last_status}.`;
    const attempt = record.last_attempt ?? 1;
    return [{ attempt, kind: 'reported', reason, evidence: last?.evidence ?? null, filesChanged: null }];
  }

  results(id: string): number {
    return this.conditions.get(id)?.record?.results ?? 0;
  }

  isAborted(id: string): boolean {
    return this.conditions.get(id)?.aborted ?? false;
  }

  /** Started from outside this run, and perhaps still running. */
  isElsewhere(id: string): boolean {
    return this.conditions.get(id)?.status === 'in_progress' && !this.ours.has(id);
  }

  claim(id: string): void {
    this.ours.add(id);
  }

  /** It was verified: from now on, a success counts. */
  vouch(id: string): void {
    this.vouched.add(id);
  }

  /** It returns to its executor: it must be verified again. */
  unvouch(id: string): void {
    this.vouched.delete(id);
  }

  /** `vouch`, unless `work`, which verifies and completes it, throws. */
  async vouching(id: string, work: () => Promise<void>): Promise<void> {
    this.vouched.add(id);
    try {
      await work();
    } catch (error) {
      this.vouched.delete(id);
      throw error;
    }
  }

  planOf({ plan }: GraphTask): FoundPlan | undefined {
    return this.plans.get(plan.path);
  }

  /** Its last result, as submitted. */
  lastResult({ plan, task }: GraphTask): LastResult | null {
    const found = this.plans.get(plan.path);
    return found ? readLastResult(this.project, found, task.index) : null;
  }
}

/**
 * Executors can write into task files, so a mark that appears during the run counts only with a result or a decision behind
 * it. Other marks are ignored and added to `unfounded`.
 */
function withoutUnfounded(
  facts: ProjectTasks,
  first: ReadonlyMap<string, TaskCondition>,
  unfounded: string[],
): ProjectTasks {
  return reopen(facts, ({ id, condition }) => {
    const before = first.get(id);
    if (!before || before.status === condition.status || isFounded(condition)) return false;
    unfounded.push(id);
    return true;
  });
}

/** The same facts, with some tasks open. */
function reopen(facts: ProjectTasks, isOpen: (task: PlannedTask) => boolean): ProjectTasks {
  const plans = facts.plans.map((plan) => ({
    ...plan,
    tasks: plan.tasks.map((each) =>
      isOpen(each) ? { ...each, condition: { ...each.condition, status: 'pending' as const } } : each,
    ),
  }));
  return { ...facts, plans };
}

function isFounded({ status, record, succeeded, resolutions }: TaskCondition): boolean {
  if (status === 'completed') return succeeded || record?.last_status === 'success';
  return status !== 'skipped' || resolutions.at(-1)?.decision === 'skip';
}

function conditionsOf({ plans }: ProjectTasks): Map<string, TaskCondition> {
  return new Map(plans.flatMap(({ tasks }) => tasks.map(({ id, condition }) => [id, condition] as const)));
}

function plansOf({ plans }: ProjectTasks): Map<string, FoundPlan> {
  return new Map(plans.map(({ found }) => [found.path, found]));
}

const EVERY_MS = 300;
/** Per file, so that many files cost little time. */
const MS_PER_FILE = 5;

/** Polls, because file watching is not reliable everywhere: users decide and submit in other terminals, and edit plans. */
export function watchFiles(root: string, paths: readonly string[], onChange: () => void): () => void {
  let before = signatureOf(root, paths);
  const timer = setInterval(
    () => {
      const now = signatureOf(root, paths);
      if (now === before) return;
      before = now;
      onChange();
    },
    Math.max(EVERY_MS, paths.length * MS_PER_FILE),
  );
  return () => clearInterval(timer);
}

function signatureOf(root: string, paths: readonly string[]): string {
  return paths.map((path) => signatureOfFile(join(root, path))).join('\n');
}

function signatureOfFile(path: string): string {
  try {
    const stats = files.statAt(path);
    return stats ? `${stats.size} ${stats.mtimeMs} ${stats.ino}` : '';
  } catch {
    return '';
  }
}
