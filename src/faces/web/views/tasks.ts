import { maskerFor } from '../../../config/redactor.js';
import type { InertConfig } from '../../../config/types.js';
import { addToGroup } from '../../../core/groups.js';
import { readPlanFrontmatter } from '../../../core/task-plan/frontmatter.js';
import { listTaskQuestions } from '../../../inbox/task-questions.js';
import { environmentVariables } from '../../../node/terminal/terminal.js';
import {
  type AttemptRecord,
  type AttemptRecords,
  readAttempts,
} from '../../../orchestrate/attempt-records.js';
import { outputFile } from '../../../orchestrate/state-files.js';
import { ledgerEntries } from '../../../tasks/logs/ledger.js';
import { findLog, ledgerSize } from '../../../tasks/logs/read-log.js';
import type { LedgerEntry } from '../../../tasks/metrics/records.js';
import { isOrchestrating } from '../../../tasks/plans/assignments.js';
import { findListed, listProject } from '../../../tasks/plans/tasks.js';
import { type CaptureProject, openCapture } from '../../../tasks/project.js';
import type { FoundPlan, ListedTask } from '../../../tasks/types.js';
import type { Workspace } from '../../../workspace/workspace.js';
import type { AttemptFacts, AttemptView, TaskBoard, TaskCard, TaskDetail, TimelineEntry } from '../api.js';

const MOST_OUTPUT = 4096;
/** A result is recorded right after its attempt. */
const SLACK_MS = 10_000;

/** The project's tasks by phase and wave, with what executors claimed and what was found. */
export function viewTasks(workspace: Workspace, config: InertConfig): TaskBoard {
  const project = openCapture(workspace, config);
  const { plans } = listProject(project);
  const records = readAttempts(workspace);
  const claims = claimsByTask(project);
  const questions = new Map(
    listTaskQuestions(workspace, config).map(({ id, question }) => [question.id, id]),
  );
  const toCard = (plan: FoundPlan, task: ListedTask): TaskCard => ({
    id: task.id,
    name: task.name,
    plan: plan.path,
    status: task.status,
    dependsOn: task.dependsOn,
    files: task.files,
    verify: task.verify,
    attempts: viewAttempts(task, records, claims.get(task.id) ?? []),
    question: questions.get(task.id) ?? null,
  });
  const phases = new Map<string | null, Map<number | null, TaskCard[]>>();
  for (const { plan, tasks } of plans) {
    const waves = phases.get(plan.phase) ?? new Map<number | null, TaskCard[]>();
    phases.set(plan.phase, waves);
    const { wave } = readPlanFrontmatter(plan.plan);
    for (const task of tasks) addToGroup(waves, wave, toCard(plan, task));
  }
  const all = plans.flatMap(({ tasks }) => tasks);
  return {
    phases: [...phases].map(([phase, waves]) => ({
      phase,
      waves: [...waves].map(([wave, tasks]) => ({ wave, tasks })),
    })),
    timeline: all.flatMap((task) => timelineOf(task, records)),
    criticalPath: findCriticalPath(plans, records),
    active: isOrchestrating(workspace),
  };
}

/** The ledger's results by the id of their task, in order. */
export function claimsByTask(project: CaptureProject): Map<string, LedgerEntry[]> {
  const claims = new Map<string, LedgerEntry[]>();
  const size = project.workspace.view((view) => ledgerSize(view, project));
  for (const entry of ledgerEntries(project, 0, size))
    addToGroup(claims, `${entry.plan}:${entry.task}`, entry);
  return claims;
}

/** The result that an attempt led to. */
export function claimOf(attempt: AttemptRecord, claims: readonly LedgerEntry[]): LedgerEntry | undefined {
  const own = claims.find(({ id }) => id === attempt.resultId);
  if (own) return own;
  const end = Date.parse(attempt.endedAt);
  const start = end - attempt.durationMs;
  // The user's own result has an id of its own.
  return claims.find(
    ({ id, at }) =>
      !id.includes('#') && Date.parse(at) >= start - SLACK_MS && Date.parse(at) <= end + SLACK_MS,
  );
}

function viewAttempts(
  task: ListedTask,
  records: AttemptRecords,
  claims: readonly LedgerEntry[],
): AttemptView[] {
  return records.of(task).map((attempt) => {
    const claim = claimOf(attempt, claims);
    const isByVerification = attempt.why === 'verification' || attempt.why === 'vacuous';
    return {
      attempt: attempt.attempt,
      executor: attempt.executor,
      claimed: claim?.claimed ?? null,
      effective: claim?.status ?? attempt.outcome,
      verification: isByVerification ? attempt.reason : null,
      durationMs: attempt.durationMs,
      costUsd: attempt.costUsd,
      reason: isByVerification ? null : attempt.reason,
    };
  });
}

/** The files and the output of each attempt at a task; undefined where there is no such task. */
export function viewTask(workspace: Workspace, config: InertConfig, id: string): TaskDetail | undefined {
  const project = openCapture(workspace, config);
  const task = findListed(project, id);
  if (task === undefined) return undefined;
  const claims = claimsByTask(project).get(id) ?? [];
  return {
    attempts: readAttempts(workspace)
      .of(task)
      .map((attempt) => ({
        attempt: attempt.attempt,
        ...readFiles(project, claimOf(attempt, claims)),
        lastOutput: readOutput(workspace, id, attempt.attempt),
      })),
  };
}

function readFiles(
  project: CaptureProject,
  claim: LedgerEntry | undefined,
): Pick<AttemptFacts, 'filesClaimed' | 'filesChanged'> {
  const found = claim && project.workspace.view((view) => findLog(view, project, claim.log, claim.sha256));
  if (found?.status !== 'log') return { filesClaimed: null, filesChanged: null };
  const { result, filesChanged } = found.log;
  return { filesClaimed: result.filesModified, filesChanged };
}

function readOutput(workspace: Workspace, task: string, attempt: number): string | null {
  const end = workspace.view((view) => view.readEnd(outputFile(task, attempt), MOST_OUTPUT));
  if (end.status !== 'bytes') return null;
  return maskerFor(null, environmentVariables())(new TextDecoder().decode(end.bytes));
}

/** The attempts of the last run. */
function lastAttempts(task: ListedTask, records: AttemptRecords): AttemptRecord[] {
  return records.of(task).filter(({ run }) => run === records.lastRun);
}

function timelineOf(task: ListedTask, records: AttemptRecords): TimelineEntry[] {
  const ended = lastAttempts(task, records).map(
    ({ attempt, endedAt, durationMs, outcome }): TimelineEntry => ({
      task: task.id,
      attempt,
      startedAt: new Date(Date.parse(endedAt) - durationMs).toISOString(),
      endedAt,
      ok: outcome === 'done',
    }),
  );
  const open = records.openAttempt(task);
  if (open === null || open.run !== records.lastRun) return ended;
  const { attempt, startedAt } = open;
  return [...ended, { task: task.id, attempt, startedAt, endedAt: null, ok: null }];
}

/** The tasks that took longest in the last run, one after the other by what each depends on. */
function findCriticalPath(
  plans: readonly { plan: FoundPlan; tasks: ListedTask[] }[],
  records: AttemptRecords,
): string[] {
  const tasks = new Map(plans.flatMap((each) => each.tasks).map((task) => [task.id, task]));
  const tasksOf = new Map(plans.map((each) => [each.plan.id, each.tasks.map(({ id }) => id)]));
  const best = new Map<string, { ms: number; before: string | null }>();
  const measure = (id: string): number => {
    const known = best.get(id);
    if (known) return known.ms;
    const task = tasks.get(id);
    if (task === undefined) return 0;
    // A circle ends where it started.
    best.set(id, { ms: 0, before: null });
    const own = lastAttempts(task, records).reduce((sum, { durationMs }) => sum + durationMs, 0);
    let longest = { ms: own, before: null as string | null };
    for (const before of task.dependsOn.flatMap((on) => tasksOf.get(on) ?? [on])) {
      const ms = measure(before) + own;
      if (ms > longest.ms) longest = { ms, before };
    }
    best.set(id, longest);
    return longest.ms;
  };
  for (const id of tasks.keys()) measure(id);
  let last = [...best].reduce<string | null>(
    (found, [id, { ms }]) => (ms > (found === null ? 0 : best.get(found)!.ms) ? id : found),
    null,
  );
  const path: string[] = [];
  for (; last !== null; last = best.get(last)!.before) path.unshift(last);
  return path;
}
