import { readState, type StateFacts } from '../formats/state/index.js';
import type { View } from '../workspace/index.js';
import { compareIds } from './find-plans.js';
import { isPlanOver } from './next-tasks.js';
import type { CaptureProject } from './project.js';
import { ProjectLook } from './project-look.js';
import type { EarlierRecord, PlanRecord, ResultFacts } from './records.js';
import { trendOf } from './trend.js';
import type { FoundPlan, UnreadablePlan } from './types.js';

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
  // Two plans may have one id, and so one record.
  const counted = new Set<string>();
  return plans
    .filter(isPlanOver)
    .map(({ id, plan }) => {
      const record = recordOf(id);
      const isCounted = counted.has(id);
      counted.add(id);
      const times = plan.tasks.map(
        ({ index, completedAt }) => completedAt ?? record?.tasks[String(index)]?.last_at ?? '',
      );
      return {
        id,
        completedAt: times.sort().at(-1) ?? '',
        durationMs: isCounted ? null : durationOf(record),
      };
    })
    .sort((one, other) =>
      one.completedAt === other.completedAt
        ? compareIds(other.id, one.id)
        : one.completedAt < other.completedAt
          ? 1
          : -1,
    );
}

/** Each record counts once. */
function durationsOf(plans: readonly FoundPlan[], recordOf: RecordOf): number[] {
  return [...new Set(plans.map(({ id }) => id))].flatMap((id) => durationOf(recordOf(id)) ?? []);
}

function durationOf(record: PlanRecord | undefined): number | null {
  return record && record.with_duration > 0 ? record.duration_ms : null;
}

/** What STATE.md is to say of the whole project, `current` being the plan that was worked on last. */
export function factsOfProject(
  look: ProjectLook,
  current: FoundPlan | undefined,
  text: string | undefined,
  earlier: EarlierRecord,
): StateFacts {
  const { plans, unreadable, project } = look;
  const recordOf = (id: string) => look.recordOf(id);
  const tasks = plans.flatMap(({ plan }) => plan.tasks);
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const completed = completedOf(plans, recordOf);
  const durations = completed.flatMap(({ durationMs }) => durationMs ?? []);
  const recent = [...durations, ...earlier.recent_ms].slice(0, RECENT_PLANS);
  return {
    ...(current && positionOf(current, [...plans, ...unreadable], text)),
    ...(current && { status: statusOf(current, look) }),
    // A plan that cannot be read has something to do: nothing is wholly done without it.
    progress: { done, total: tasks.length + unreadable.length },
    velocity: {
      plansCompleted: completed.length + earlier.plans_completed,
      averageMs: averageWith(durations, earlier.average_ms, earlier.plans_completed),
      totalMs: (project?.duration_ms ?? 0) + earlier.duration_ms,
    },
    byPhase: phaseRows(plans, unreadable, recordOf, earlier),
    recentPlans: { durationsMs: recent, trend: trendOf(recent) },
  };
}

/** The totals of a roadmap may be more than the plans that are written already, and are never made less. */
function positionOf(
  { id, phase }: FoundPlan,
  plans: readonly { phase: string | null }[],
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

function statusOf(current: FoundPlan, look: ProjectLook): NonNullable<StateFacts['status']> {
  const { plans, unreadable } = look;
  if (look.standingsOf(current).some(({ status }) => status === 'blocked')) return 'Blocked';
  if (unreadable.length === 0 && plans.every(isPlanOver)) return 'Complete';
  // One whose phase is not known may be of this one.
  const isUnknown = unreadable.some(({ phase }) => phase === null || phase === current.phase);
  if (!isUnknown && plans.filter(({ phase }) => phase === current.phase).every(isPlanOver))
    return 'Phase complete';
  return hasBegun(look) ? 'In progress' : 'Ready to execute';
}

function hasBegun(look: ProjectLook): boolean {
  if ((look.project?.results ?? 0) > 0) return true;
  return look.plans.some((plan) => look.standingsOf(plan).some(({ status }) => status !== 'pending'));
}

function phaseRows(
  plans: readonly FoundPlan[],
  unreadable: readonly UnreadablePlan[],
  recordOf: RecordOf,
  earlier: EarlierRecord,
): NonNullable<StateFacts['byPhase']> {
  const phases = [...new Set([...plans, ...unreadable].flatMap(({ phase }) => phase ?? []))].sort(compareIds);
  return phases.map((phase) => {
    const own = plans.filter((plan) => plan.phase === phase);
    const over = own.filter(isPlanOver);
    const before = Object.hasOwn(earlier.phases, phase) ? earlier.phases[phase]! : NO_PHASE;
    const total = [...durationsOf(own, recordOf), ...(before.duration_ms > 0 ? [before.duration_ms] : [])];
    const known = own.length + unreadable.filter((plan) => plan.phase === phase).length;
    const all = Math.max(known, before.plans);
    return {
      phase,
      completed: Math.min(all, over.length + before.completed),
      plans: all,
      totalMs: total.length === 0 ? null : total.reduce((sum, each) => sum + each, 0),
      averageMs: averageWith(
        durationsOf(over, recordOf),
        before.completed === 0 ? 0 : before.duration_ms / before.completed,
        before.completed,
      ),
    };
  });
}

const NO_PHASE = { completed: 0, plans: 0, duration_ms: 0 };

/** Of values, and of `count` more that are known by their average alone; 0 where it is not known. */
function averageWith(values: readonly number[], known: number, count: number): number | null {
  const more = known > 0 ? count : 0;
  if (values.length + more === 0) return null;
  return (values.reduce((sum, each) => sum + each, 0) + known * more) / (values.length + more);
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
    lastActivity: { date, text: said },
    blockers:
      facts.status === 'blocked'
        ? { change: 'add', taskId: task.id, date, text: error ?? 'blocked' }
        : { change: 'remove', taskId: task.id },
    session: { at: facts.loggedAt, stoppedAt: said },
  };
}
