import { agentStats, listDecidedReports } from '../../../agents/agent-stats.js';
import type { InertConfig } from '../../../config/types.js';
import { addToGroup } from '../../../core/groups.js';
import { type AttemptRecord, readAttempts } from '../../../orchestrate/attempt-records.js';
import { getDailyMetrics, getExecutorMetrics, getProjectMetrics } from '../../../tasks/metrics/metrics.js';
import type { LedgerEntry } from '../../../tasks/metrics/records.js';
import { listProject } from '../../../tasks/plans/tasks.js';
import { type CaptureProject, openCapture } from '../../../tasks/project.js';
import type { Workspace } from '../../../workspace/workspace.js';
import type { MetricResults, MetricsView, ResultItem } from '../api.js';
import { claimOf, claimsByTask } from './tasks.js';

const MOST_DAYS = 366;

/** The figures of the project's results, from the records that hold them. */
export function viewMetrics(workspace: Workspace, config: InertConfig): MetricsView {
  const project = openCapture(workspace, config);
  const costs = readCosts(project);
  return {
    executors: getExecutorMetrics(project).map(({ executor, results, falseClaims }) => ({
      name: executor,
      results,
      falseClaims,
    })),
    firstAttemptRate: getProjectMetrics(project)?.firstAttemptSuccessRate ?? null,
    days: listDays(project).flatMap((day) => {
      const metrics = getDailyMetrics(project, day);
      if (metrics === null) return [];
      const { results, succeeded, duration } = metrics;
      const costUsd = costs.get(day)?.reduce((sum, cost) => sum + cost, 0) ?? null;
      return [{ day, results, successes: succeeded, averageMs: duration.average, costUsd }];
    }),
    calibration: agentStats(workspace, config).agents.flatMap(({ agent, decided, stated, held }) =>
      stated === null || held === null
        ? []
        : [{ agent, decided, meanConfidence: stated, acceptedRate: held }],
    ),
  };
}

/** What attempts cost, by day. */
function readCosts(project: CaptureProject): Map<string, number[]> {
  const costs = new Map<string, number[]>();
  for (const { attempt } of listAttempts(project))
    if (attempt.costUsd !== null) addToGroup(costs, attempt.endedAt.slice(0, 10), attempt.costUsd);
  return costs;
}

function listAttempts(project: CaptureProject): { task: string; attempt: AttemptRecord }[] {
  const records = readAttempts(project.workspace);
  return listProject(project)
    .plans.flatMap(({ tasks }) => tasks)
    .flatMap((task) => records.of(task).map((attempt) => ({ task: task.id, attempt })));
}

/** Every result and every attempt that the figures count. */
export function viewMetricResults(workspace: Workspace, config: InertConfig): MetricResults {
  const project = openCapture(workspace, config);
  const claims = claimsByTask(project);
  const attempts = new Map<LedgerEntry, AttemptRecord>();
  const withoutResult: ResultItem[] = [];
  for (const { task, attempt } of listAttempts(project)) {
    const claim = claimOf(attempt, claims.get(task) ?? []);
    if (claim) attempts.set(claim, attempt);
    else
      withoutResult.push({
        task,
        at: attempt.endedAt,
        status: attempt.outcome,
        claimed: null,
        log: null,
        ...attemptFacts(attempt),
      });
  }
  const results = [...claims].flatMap(([task, entries]) =>
    entries.map((entry): ResultItem => {
      const { at, status, claimed } = entry;
      const log = `${project.dir}/${entry.log}`;
      return { task, at, status, claimed, log, ...attemptFacts(attempts.get(entry)) };
    }),
  );
  const newestFirst = (one: { at: string }, other: { at: string }) => (one.at < other.at ? 1 : -1);
  return {
    results: [...results, ...withoutResult].sort(newestFirst),
    reports: listDecidedReports(workspace, config).sort(newestFirst),
  };
}

function attemptFacts(
  attempt: AttemptRecord | undefined,
): Pick<ResultItem, 'attempt' | 'executor' | 'durationMs' | 'costUsd'> {
  return {
    attempt: attempt?.attempt ?? null,
    executor: attempt?.executor ?? null,
    durationMs: attempt?.durationMs ?? null,
    costUsd: attempt?.costUsd ?? null,
  };
}

function listDays({ workspace, dir }: CaptureProject): string[] {
  const names = workspace.view((view) => view.list(`${dir}/summary`));
  return names
    .flatMap((name) => /^daily-(\d{4}-\d{2}-\d{2})\.json$/.exec(name)?.[1] ?? [])
    .sort()
    .slice(-MOST_DAYS);
}
