import { isoUtc, now } from '../../../../node/clock.js';
import { UserError } from '../../../../node/errors.js';
import { writeError } from '../../../../node/terminal/terminal.js';
import {
  type DailyMetrics,
  getDailyMetrics,
  getExecutorMetrics,
  getMetricsOfTasks,
  getPhaseMetrics,
  getPlanMetrics,
  getProjectMetrics,
  getTrend,
  type PlanMetrics,
} from '../../../../tasks/metrics/metrics.js';
import { rebuildMetrics } from '../../../../tasks/metrics/rebuild.js';
import { findPlan, findTaskById, listPlans } from '../../../../tasks/plans/tasks.js';
import type { CaptureProject } from '../../../../tasks/project.js';
import { TeddyCommand } from '../../command.js';
import { planFromRoot, taskFromRoot } from '../../input.js';
import { type GlobalOptions, type Paint, printResult, visibleLine } from '../../output.js';
import { startProgress } from '../../terminal/progress-line.js';
import { plural } from '../../words.js';
import { openToRead, openToWrite } from '../tasks/open.js';
import { readAttemptRecords } from '../tasks/outlook.js';
import {
  attemptFactLines,
  attemptTableLines,
  type BarRow,
  dayLines,
  executorLines,
  metricsLines,
  planLines,
  taskLines,
  trendLines,
} from './metrics-lines.js';

interface MetricsOptions extends GlobalOptions {
  day?: string;
  plan?: string;
  phase?: string;
  task?: string;
  trend?: true | string;
  rebuild?: boolean;
}

/** JSON for programs, lines for people. */
interface Shown {
  json: unknown;
  lines(paint: Paint): string[];
}

const VIEWS = ['day', 'plan', 'phase', 'task', 'trend', 'rebuild'] as const;

/** With more results than this, metrics that read every plan are shown only on request. */
const SMALL_PROJECT = 2000;
const DAYS = 14;

export const metricsCommand = new TeddyCommand('metrics')
  .description('show success rates, retries and times of results')
  .option('--day <date>', 'for one day: 2026-01-26, or today')
  .option('--plan <plan>', 'for one task file, by path or id: 03-01')
  .option('--phase <number>', 'for one phase: 3')
  .option('--task <id>', 'for one task: 03-01:2')
  .option('--trend [n]', 'how long the last n task files took (default: 5)')
  .option('--rebuild', 'recount everything from the logs, and show what differs')
  .run(metrics)
  .helpText(`Examples:
  teddy metrics
  teddy metrics --day 2026-01-26
  teddy metrics --plan 03-01 --json
  teddy metrics --trend
  teddy metrics --rebuild           fixes counters that differ

Exit codes: 0 success, 1 --rebuild found a difference, 2 usage error.`);

async function metrics(options: MetricsOptions): Promise<number> {
  const views = VIEWS.filter((view) => options[view] !== undefined);
  if (views.length > 1)
    throw new UserError(
      `${views.map((view) => `--${view}`).join(' and ')} cannot be combined. Use one of them.`,
    );
  if (options.rebuild) return rebuild(options);
  const project = await openToRead(options);
  const { json, lines } = readMetrics(project, options);
  printResult(project.workspace.root, options, json, lines);
  return 0;
}

function readMetrics(project: CaptureProject, { day, plan, phase, task, trend }: MetricsOptions): Shown {
  if (day !== undefined) return showDay(project, day);
  if (plan !== undefined) return showPlan(project, plan);
  if (phase !== undefined) return showPhase(project, phase);
  if (task !== undefined) return showTask(project, task);
  if (trend !== undefined) {
    const found = getTrend(project, trend === true ? undefined : readCount(trend));
    return { json: found, lines: (paint) => trendLines(found, paint) };
  }
  return showProject(project);
}

function readCount(written: string): number {
  if (!/^[1-9]\d{0,5}$/.test(written))
    throw new UserError(`--trend ${visibleLine(written)} is not a number of task files, such as 5.`);
  return Number(written);
}

function showDay(project: CaptureProject, day: string): Shown {
  const date = day === 'today' ? today() : day;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(Date.parse(date)))
    throw new UserError(`--day ${visibleLine(day)} is not a date. Use one like 2026-01-26, or today.`);
  const found = getDailyMetrics(project, date);
  const rows = found?.byPlan.map((plan) => ({ name: plan.planId, ...plan })) ?? [];
  return {
    json: found,
    lines: (paint) =>
      found
        ? [...metricsLines(date, found, paint), '', ...planLines('By task file', rows, paint)]
        : [`No results on ${date}.`],
  };
}

function showPlan(project: CaptureProject, named: string): Shown {
  const plan = findPlan(project, planFromRoot(project.workspace.root, named));
  const { id } = plan;
  const found = getPlanMetrics(project, id);
  const tasks = getMetricsOfTasks(project, plan);
  const rows = tasks.map((task) => ({
    ...task,
    name: `${id}:${task.taskIndex}`,
    totalDuration: task.duration.total,
  }));
  return {
    json: found && { ...found, byTask: tasks },
    lines: (paint) =>
      found
        ? [...metricsLines(id, found, paint), '', ...planLines('By task', rows, paint)]
        : [`No results for ${visibleLine(id)} yet.`],
  };
}

function showPhase(project: CaptureProject, phase: string): Shown {
  if (!/^\d{1,6}(?:\.\d{1,6}){0,3}$/.test(phase))
    throw new UserError(`--phase ${visibleLine(phase)} is not a phase number, such as 3.`);
  const found = getPhaseMetrics(project, phase);
  return {
    json: found,
    lines: (paint) => {
      if (!found) return [`No results for phase ${phase} yet.`];
      const plans = found.plans.flatMap((id) => getPlanMetrics(project, id) ?? []);
      return [
        ...metricsLines(`Phase ${found.phase}`, found, paint),
        '',
        ...planLines('By task file', plans.map(asRow), paint),
      ];
    },
  };
}

function showTask(project: CaptureProject, named: string): Shown {
  const { plan, task } = findTaskById(project, taskFromRoot(project.workspace.root, named));
  const found = getMetricsOfTasks(project, plan).find(({ taskIndex }) => taskIndex === task.index) ?? null;
  return {
    json: found,
    lines: (paint) =>
      found
        ? taskLines(`${plan.id}:${task.index}`, found, paint)
        : [`No results for ${visibleLine(named)} yet.`],
  };
}

function showProject(project: CaptureProject): Shown {
  const found = getProjectMetrics(project);
  const records = readAttemptRecords(project);
  const attempts = records.problem === null ? records.executors : null;
  const attemptTable = (paint: Paint) =>
    attempts?.length ? ['', ...attemptTableLines(attempts, paint)] : [];
  if (!found)
    return {
      json: { project: null, days: [], plans: [], executors: [], attempts, trend: null },
      lines: (paint) => [
        'No results yet. teddy result submit or teddy orchestrate records the first.',
        ...attemptFactLines(attempts ?? [], paint),
        ...attemptTable(paint),
      ],
    };
  const days = lastDays(project);
  const small = found.results <= SMALL_PROJECT;
  const plans = small ? listPlans(project).flatMap(({ id }) => getPlanMetrics(project, id) ?? []) : [];
  const rows = small ? plans.map(asRow) : plansOf(days);
  const executors = getExecutorMetrics(project);
  const trend = small ? getTrend(project) : null;
  return {
    json: { project: found, days, plans, executors, attempts, trend },
    lines: (paint) => [
      ...metricsLines('Project', found, paint),
      ...attemptFactLines(attempts ?? [], paint),
      ...(days.length === 0 ? [] : ['', ...dayLines(days, paint)]),
      ...(rows.length === 0
        ? []
        : ['', ...planLines(small ? 'By task file' : 'By task file, these days', rows, paint)]),
      ...(executors.length === 0 ? [] : ['', ...executorLines(executors, paint)]),
      ...attemptTable(paint),
      '',
      ...(trend
        ? trendLines(trend, paint)
        : ['teddy metrics --trend shows how long the last task files took.']),
    ],
  };
}

function asRow(plan: PlanMetrics): BarRow {
  return { name: plan.planId, totalDuration: plan.duration.total, ...plan };
}

/** The results of these days, by plan. */
function plansOf(days: readonly DailyMetrics[]): BarRow[] {
  const rows = new Map<string, BarRow>();
  for (const { planId, ...plan } of days.flatMap(({ byPlan }) => byPlan)) {
    const row = rows.get(planId);
    if (!row) rows.set(planId, { name: planId, ...plan });
    else for (const key of Object.keys(plan) as (keyof typeof plan)[]) row[key] += plan[key];
  }
  return [...rows.values()];
}

/** The days of the last two weeks that have results, oldest first. */
function lastDays(project: CaptureProject): DailyMetrics[] {
  const end = Date.parse(today());
  return Array.from({ length: DAYS }, (_, at) => {
    const date = isoUtc(new Date(end - (DAYS - 1 - at) * 86_400_000)).slice(0, 'YYYY-MM-DD'.length);
    return getDailyMetrics(project, date);
  }).filter((day) => day !== null);
}

function today(): string {
  return isoUtc(now()).slice(0, 'YYYY-MM-DD'.length);
}

type Rebuilt = Awaited<ReturnType<typeof rebuildMetrics>>;

/** The number of differences to print. */
const MOST_SHOWN = 20;

/** Counts everything again from the log and corrects differences. */
export async function rebuild(options: GlobalOptions): Promise<number> {
  const project = await openToWrite(options);
  const what = 'Recounting results';
  const progress = startProgress(what, options);
  const onProgress = (done: number, of: number) => progress.update(what, { done, of, unit: 'logs' });
  const rebuilt = await rebuildMetrics(project, { write: true, onProgress }).finally(() => progress.end());
  for (const { path, reason } of rebuilt.damaged)
    writeError(`${visibleLine(path)} ${visibleLine(reason)}, so it was not counted.\n`);
  printResult(project.workspace.root, options, rebuilt, (paint) => toWords(rebuilt, paint));
  return rebuilt.drift ? 1 : 0;
}

function toWords({ drift, differences, results }: Rebuilt, paint: Paint): string[] {
  const counted = `${plural(results, 'result')} recounted from the logs`;
  if (!drift) return [`${counted}: ${paint('green', 'no difference')}.`];
  const files = new Set(differences.map(({ file }) => file)).size;
  return [
    `${counted}: ${paint('red', `${plural(differences.length, 'difference')} in ${plural(files, 'file')}`)}`,
    ...differences.slice(0, MOST_SHOWN).map((each) => `  ${describeDifference(each)}`),
    ...(differences.length > MOST_SHOWN
      ? [`  and ${differences.length - MOST_SHOWN} more; --json lists all`]
      : []),
    describeEnd(differences),
  ];
}

type Difference = Rebuilt['differences'][number];

function describeEnd(differences: readonly Difference[]): string {
  if (differences.every(isLeft)) return 'No counter was changed.';
  return differences.some(isLeft) ? 'Counters with a log were corrected.' : 'The counters were corrected.';
}

/** Whether the log is gone or changed, so that the record is the only source and stays. */
function isLeft({ field, recorded, logged }: Difference): boolean {
  return field === null && recorded !== null && (logged === 0 || logged === null || logged === 'changed');
}

/** `.ultraplan/logs/summary/project.json: results was 4, the log has 5` */
function describeDifference({ file, field, recorded, logged }: Difference): string {
  const say = (value: unknown) => (value === null ? 'nothing' : visibleLine(String(value)));
  if (field !== null)
    return `${visibleLine(file)}: ${visibleLine(field)} was ${say(recorded)}, the logs say ${say(logged)}`;
  if (isLeft({ file, field, recorded, logged }))
    return `${visibleLine(file)}: ${logged === 'changed' ? 'one of its logs was changed' : 'its log is missing'}, so it was left unchanged`;
  const state = recorded === null ? 'missing' : recorded === 'damaged' ? 'damaged' : 'wrong';
  return `${visibleLine(file)}: was ${state}, the logs have ${plural(Number(logged), 'result')}`;
}
