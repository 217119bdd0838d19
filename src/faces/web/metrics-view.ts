import { agentStats } from '../../agents/agent-stats.js';
import type { InertConfig } from '../../config/types.js';
import { addToGroup } from '../../core/groups.js';
import { readAttempts } from '../../orchestrate/attempt-records.js';
import { getDailyMetrics, getExecutorMetrics, getProjectMetrics } from '../../tasks/metrics/metrics.js';
import { listProject } from '../../tasks/plans/tasks.js';
import { type CaptureProject, openCapture } from '../../tasks/project.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { MetricsView } from './api.js';
import { claimOf, claimsByTask } from './task-views.js';

const MOST_DAYS = 366;

/** The figures of the project's results, from the records that hold them. */
export function viewMetrics(workspace: Workspace, config: InertConfig): MetricsView {
  const project = openCapture(workspace, config);
  const { falseClaims, costs } = readAttemptFacts(project);
  return {
    executors: getExecutorMetrics(project).map(({ executor, results, falseClaims: count }) => ({
      name: executor,
      results,
      falseClaims: count,
      links: falseClaims.get(executor) ?? [],
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

/** The logs of false claims by executor, and what attempts cost by day. */
function readAttemptFacts(project: CaptureProject) {
  const records = readAttempts(project.workspace);
  const claims = claimsByTask(project);
  const falseClaims = new Map<string, string[]>();
  const costs = new Map<string, number[]>();
  for (const task of listProject(project).plans.flatMap(({ tasks }) => tasks)) {
    for (const attempt of records.of(task)) {
      const claim = claimOf(attempt, claims.get(task.id) ?? []);
      const isFalse = claim && claim.claimed === 'success' && claim.status !== 'success';
      if (isFalse) addToGroup(falseClaims, attempt.executor, `${project.dir}/${claim.log}`);
      if (attempt.costUsd !== null) addToGroup(costs, attempt.endedAt.slice(0, 10), attempt.costUsd);
    }
  }
  return { falseClaims, costs };
}

function listDays({ workspace, dir }: CaptureProject): string[] {
  const names = workspace.view((view) => view.list(`${dir}/summary`));
  return names
    .flatMap((name) => /^daily-(\d{4}-\d{2}-\d{2})\.json$/.exec(name)?.[1] ?? [])
    .sort()
    .slice(-MOST_DAYS);
}
