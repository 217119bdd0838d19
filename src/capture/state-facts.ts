import { readState, type StateFacts } from '../formats/state/index.js';
import type { View } from '../workspace/index.js';
import { compareIds } from './find-plans.js';
import { isPlanOver } from './next-tasks.js';
import type { CaptureProject } from './project.js';
import { ProjectLook } from './project-look.js';
import type { PlanRecord, ResultFacts } from './records.js';
import { trendOf } from './trend.js';
import type { FoundPlan } from './types.js';

const STATE_FOLDERS = ['', '.planning/', '.ultraplan/'];
const RECENT_PLANS = 5;

/** Where STATE.md is, or where it belongs when there is none yet: with the plans. */
export function findState(view: View, project: CaptureProject, planPath?: string): string {
  if (project.state !== null) return project.state;
  const paths = STATE_FOLDERS.map((folder) => `${folder}STATE.md`);
  const beside = STATE_FOLDERS.slice(1).find((folder) => planPath?.startsWith(folder)) ?? '';
  return paths.find((path) => view.look(path) === 'file') ?? `${beside}STATE.md`;
}

export interface CompletedPlan {
  id: string;
  /** Empty where nobody wrote it down. */
  completedAt: string;
  durationMs: number | null;
}

type RecordOf = (planId: string) => PlanRecord | undefined;

/** The newest first. */
export function completedPlans(view: View, project: CaptureProject): CompletedPlan[] {
  const look = new ProjectLook(view, project);
  return completedOf(look.plans, (id) => look.recordOf(id));
}

function completedOf(plans: readonly FoundPlan[], recordOf: RecordOf): CompletedPlan[] {
  return plans
    .filter(isPlanOver)
    .map(({ id, plan }) => {
      const record = recordOf(id);
      const times = plan.tasks.map(
        ({ index, completedAt }) => completedAt ?? record?.tasks[String(index)]?.last_at ?? '',
      );
      return { id, completedAt: times.sort().at(-1) ?? '', durationMs: durationOf(record) };
    })
    .sort((one, other) =>
      one.completedAt === other.completedAt
        ? compareIds(other.id, one.id)
        : one.completedAt < other.completedAt
          ? 1
          : -1,
    );
}

function durationOf(record: PlanRecord | undefined): number | null {
  return record && record.with_duration > 0 ? record.duration_ms : null;
}

/** What STATE.md is to say of the whole project, `current` being the plan that was worked on last. */
export function factsOfProject(
  look: ProjectLook,
  current: FoundPlan | undefined,
  text: string | undefined,
): StateFacts {
  const { plans, project } = look;
  const recordOf = (id: string) => look.recordOf(id);
  const tasks = plans.flatMap(({ plan }) => plan.tasks);
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const completed = completedOf(plans, recordOf);
  const durations = completed.flatMap(({ durationMs }) => durationMs ?? []);
  return {
    ...(current && positionOf(current, plans, text)),
    ...(current && { status: statusOf(current, plans) }),
    progress: { done, total: tasks.length },
    velocity: {
      plansCompleted: completed.length,
      averageMs: average(durations),
      totalMs: project?.duration_ms ?? 0,
    },
    byPhase: phaseRows(plans, recordOf),
    recentPlans: {
      durationsMs: durations.slice(0, RECENT_PLANS),
      trend: trendOf(durations.slice(0, RECENT_PLANS)),
    },
  };
}

/** The totals of a roadmap may be more than the plans that are written already, and are never made less. */
function positionOf(
  { id, phase }: FoundPlan,
  plans: readonly FoundPlan[],
  text: string | undefined,
): Pick<StateFacts, 'phase' | 'plan'> {
  if (phase === null) return {};
  const written = text === undefined ? undefined : readState(text);
  const phases = new Set(plans.flatMap((plan) => plan.phase ?? [])).size;
  const siblings = plans.filter((plan) => plan.phase === phase).length;
  const samePhase = numbersIn(written?.phase)[0] === Number(phase);
  const number = numbersIn(id).at(-1) ?? 1;
  return {
    phase: {
      number: phase,
      of: Math.max(phases, Math.floor(Number(phase)), numbersIn(written?.phase)[1] ?? 0),
    },
    plan: {
      number: String(number),
      of: Math.max(siblings, number, (samePhase ? numbersIn(written?.plan)[1] : undefined) ?? 0),
    },
  };
}

function numbersIn(text: string | null | undefined): number[] {
  return (text?.slice(0, 200).match(/\d{1,9}(?:\.\d{1,9})?/g) ?? []).map(Number);
}

function statusOf(current: FoundPlan, plans: readonly FoundPlan[]): NonNullable<StateFacts['status']> {
  if (plans.every(isPlanOver)) return 'Complete';
  if (plans.filter(({ phase }) => phase === current.phase).every(isPlanOver)) return 'Phase complete';
  return 'In progress';
}

function phaseRows(plans: readonly FoundPlan[], recordOf: RecordOf): NonNullable<StateFacts['byPhase']> {
  const phases = [...new Set(plans.flatMap(({ phase }) => phase ?? []))].sort(compareIds);
  return phases.map((phase) => {
    const own = plans.filter((plan) => plan.phase === phase);
    const over = own.filter(isPlanOver);
    const total = own.flatMap(({ id }) => durationOf(recordOf(id)) ?? []);
    return {
      phase,
      completed: over.length,
      plans: own.length,
      totalMs: total.length === 0 ? null : total.reduce((sum, each) => sum + each, 0),
      averageMs: average(over.flatMap(({ id }) => durationOf(recordOf(id)) ?? [])),
    };
  });
}

function average(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, each) => sum + each, 0) / values.length;
}

const VERBS = { success: 'Completed', failure: 'Failed', blocked: 'Blocked' } as const;

/** What one result adds to that. `error` is masked. */
export function factsOfResult(
  facts: ResultFacts,
  task: { id: string; name: string },
  error: string | null,
): StateFacts {
  const date = facts.loggedAt.slice(0, 'YYYY-MM-DD'.length);
  const said = `${VERBS[facts.status]} ${task.name}`;
  return {
    ...(facts.status === 'blocked' && { status: 'Blocked' }),
    lastActivity: { date, text: said },
    blockers:
      facts.status === 'blocked'
        ? { change: 'add', taskId: task.id, date, text: error ?? 'blocked' }
        : { change: 'remove', taskId: task.id },
    session: { at: facts.loggedAt, stoppedAt: said },
  };
}
