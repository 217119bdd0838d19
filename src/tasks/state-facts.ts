import { readCountText, readDuration } from '../core/state/fields.js';
import { phaseKey } from '../core/state/sections.js';
import type { StateFields } from '../core/state/state.js';
import type { StateFacts, Trend } from '../core/state/types.js';
import type { View } from '../workspace/view.js';
import type { PlanRecord, PriorTotals, ResultFacts } from './metrics/records.js';
import { dayOf } from './metrics/summaries.js';
import { compareIds } from './plans/find-plans.js';
import { isPlanOver } from './plans/next-tasks.js';
import { ProjectSnapshot } from './plans/project-snapshot.js';
import { type CaptureProject, logFiles, readRecordAt } from './project.js';
import type { FoundPlan } from './types.js';

const STATE_FOLDERS = ['', '.planning/', '.ultraplan/'];
const RECENT_PLANS = 5;

/** The path of STATE.md; if there is none yet, next to the plans. */
export function findState(view: View, project: CaptureProject, planPath?: string): string {
  if (project.state !== null) return project.state;
  const paths = STATE_FOLDERS.map((folder) => `${folder}STATE.md`);
  const beside = STATE_FOLDERS.slice(1).find((folder) => planPath?.startsWith(folder)) ?? '';
  return paths.find((path) => view.look(path) === 'file') ?? `${beside}STATE.md`;
}

export interface CompletedPlan {
  id: string;
  /** Empty if unknown. */
  completedAt: string;
  durationMs: number | null;
}

type RecordOf = (planId: string) => PlanRecord | undefined;

/** The newest first. */
export function completedPlans(view: View, project: CaptureProject): CompletedPlan[] {
  const snapshot = new ProjectSnapshot(view, project);
  return completedOf(snapshot.plans, (id) => snapshot.recordOf(id));
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

/** The facts for STATE.md about the whole project. `current` is the plan that was worked on last. */
export function factsOfProject(
  snapshot: ProjectSnapshot,
  current: FoundPlan | undefined,
  written: StateFields,
  prior: PriorTotals,
): StateFacts {
  const { plans, project } = snapshot;
  const recordOf = (id: string) => snapshot.recordOf(id);
  const completed = completedOf(plans, recordOf);
  const durations = completed.flatMap(({ durationMs }) => durationMs ?? []);
  const recent = [...durations, ...prior.recent_ms].slice(0, RECENT_PLANS);
  const phases = knownPhases(snapshot, written, prior);
  const position = current && positionOf(current, snapshot, written, phases);
  return {
    ...position,
    ...(current && { status: statusOf(current, snapshot, phases, position?.phase?.of ?? 0) }),
    progress: progressOf(snapshot, phases),
    velocity: {
      plansCompleted: Math.max(
        completed.length + prior.plans_completed,
        phases.reduce((sum, { completed: each }) => sum + each, 0),
      ),
      averageMs: averageWith(
        durations,
        prior.average_ms,
        prior.plans_completed + completed.length - durations.length,
      ),
      totalMs: (project?.duration_ms ?? 0) + prior.duration_ms,
    },
    byPhase: phaseRows(plans, phases, recordOf, prior),
    recentPlans: { durationsMs: recent, trend: trendOf(recent) },
  };
}

/** A phase with plan files, with a row in STATE.md's By Phase table, or both. */
interface KnownPhase {
  phase: string;
  /** Number of plan files, including unreadable ones. */
  found: number;
  completed: number;
  /** The number of plan files or the number in the table, whichever is larger. */
  plans: number;
}

function knownPhases(snapshot: ProjectSnapshot, written: StateFields, prior: PriorTotals): KnownPhase[] {
  const listed = readPhases(written);
  const found = [...snapshot.plans, ...snapshot.unreadable];
  const phases = new Set([...found.flatMap(({ phase }) => phase ?? []), ...listed.keys()]);
  return [...phases].sort(compareIds).map((phase) => {
    const own = found.filter((plan) => plan.phase === phase);
    const last = Math.max(0, ...own.map(({ id }) => Number(/^[\d.]+-(\d{1,6})$/.exec(id)?.[1] ?? 0)));
    const row = listed.get(phase) ?? NO_PHASE;
    const before = Object.hasOwn(prior.phases, phase) ? prior.phases[phase]! : NO_PHASE;
    const over = snapshot.plans.filter((plan) => plan.phase === phase && isPlanOver(plan)).length;
    // After 2 completed plans whose files are gone, 03-03 is the third.
    const counted = Math.min(last, own.length + before.completed);
    const plans = Math.max(own.length, counted, row.plans, before.plans);
    const completed = own.length === 0 ? row.completed : Math.min(plans, over + before.completed);
    return { phase, found: own.length, completed, plans };
  });
}

/** The tasks of plans that only the table lists are unknown: each such plan counts as an average one. */
function progressOf(
  { plans, unreadable }: ProjectSnapshot,
  phases: readonly KnownPhase[],
): NonNullable<StateFacts['progress']> {
  const tasks = plans.flatMap(({ plan }) => plan.tasks);
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const perPlan = Math.max(1, plans.length === 0 ? 1 : tasks.length / plans.length);
  let [absent, absentDone] = [0, 0];
  for (const { phase, found, completed, plans: all } of phases) {
    const over = plans.filter((plan) => plan.phase === phase && isPlanOver(plan)).length;
    absent += all - found;
    absentDone += Math.min(all - found, completed - over);
  }
  // An unreadable plan counts as unfinished, so the total cannot be complete.
  const total = tasks.length + unreadable.length + absent * perPlan;
  return { done: done + absentDone * perPlan, total };
}

/** A roadmap's totals may exceed the plans written so far; they are never reduced. */
function positionOf(
  { id, phase }: FoundPlan,
  { plans, unreadable }: ProjectSnapshot,
  written: StateFields,
  phases: readonly KnownPhase[],
): Pick<StateFacts, 'phase' | 'plan'> {
  if (phase === null) return {};
  const before = readCountText(written.phase ?? '');
  const count = new Set([...plans, ...unreadable].flatMap((plan) => plan.phase ?? [])).size;
  const number = Number(/\d{1,9}(?!.*\d)/.exec(id)?.[0] ?? 1);
  const listed = phases.find((each) => each.phase === phase)?.plans ?? 0;
  const said = Number(before?.number) === Number(phase) ? readCountText(written.plan ?? '')?.of : 0;
  return {
    phase: { number: phase, of: Math.max(count, Math.floor(Number(phase)), before?.of ?? 0) },
    plan: { number: String(number), of: Math.max(listed, number, said ?? 0) },
  };
}

function statusOf(
  current: FoundPlan,
  snapshot: ProjectSnapshot,
  phases: readonly KnownPhase[],
  phaseCount: number,
): NonNullable<StateFacts['status']> {
  const { plans, unreadable } = snapshot;
  if (snapshot.conditionsOf(current).some(({ status }) => status === 'blocked')) return 'Blocked';
  const isOver = (phase: KnownPhase) =>
    phase.completed >= phase.plans && plans.every((plan) => plan.phase !== phase.phase || isPlanOver(plan));
  const last = Math.max(phases.length, ...phases.map(({ phase }) => Math.floor(Number(phase)) || 0));
  if (unreadable.length === 0 && plans.every(isPlanOver) && phases.every(isOver) && phaseCount <= last)
    return 'Complete';
  // A plan with an unknown phase may belong to this one.
  const isUnknown = unreadable.some(({ phase }) => phase === null || phase === current.phase);
  if (!isUnknown && phases.some((each) => each.phase === current.phase && isOver(each)))
    return 'Phase complete';
  return hasBegun(snapshot) ? 'In progress' : 'Ready to execute';
}

function hasBegun(snapshot: ProjectSnapshot): boolean {
  if ((snapshot.project?.results ?? 0) > 0) return true;
  return snapshot.plans.some((plan) =>
    snapshot.conditionsOf(plan).some(({ status }) => status !== 'pending'),
  );
}

/** Rows of phases without plan files stay unchanged. */
function phaseRows(
  plans: readonly FoundPlan[],
  phases: readonly KnownPhase[],
  recordOf: RecordOf,
  prior: PriorTotals,
): NonNullable<StateFacts['byPhase']> {
  return phases
    .filter(({ found }) => found > 0)
    .map(({ phase, completed, plans: all }) => {
      const own = plans.filter((plan) => plan.phase === phase);
      const before = Object.hasOwn(prior.phases, phase) ? prior.phases[phase]! : NO_PHASE;
      const total = [...durationsOf(own, recordOf), ...(before.duration_ms > 0 ? [before.duration_ms] : [])];
      const timed = durationsOf(own.filter(isPlanOver), recordOf);
      const untimed = completed - timed.length;
      return {
        phase,
        completed,
        plans: all,
        totalMs: total.length === 0 ? null : total.reduce((sum, each) => sum + each, 0),
        averageMs: averageWith(timed, untimed > 0 ? before.duration_ms / untimed : 0, untimed),
      };
    });
}

const NO_PHASE = { completed: 0, plans: 0, duration_ms: 0 };

/** The total of values, plus `count` more that are known only by their average (0 if unknown). */
function averageWith(values: readonly number[], known: number, count: number): number | null {
  const more = known > 0 ? Math.max(count, values.length === 0 ? 1 : 0) : 0;
  if (values.length + more === 0) return null;
  return (values.reduce((sum, each) => sum + each, 0) + known * more) / (values.length + more);
}

const VERBS = { success: 'Completed', failure: 'Failed', blocked: 'Blocked' } as const;

/** The facts that one result adds. `error` is masked. */
export function factsOfResult(
  facts: ResultFacts,
  task: { id: string; name: string },
  error: string | null,
): StateFacts {
  const date = dayOf(facts.loggedAt);
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

/** With fewer plans there is no trend. */
const FEWEST_PLANS = 3;

/** The newest two fifths against the others. More than a fifth slower is a decline, any gain an improvement. */
export function trendOf(durationsNewestFirst: readonly number[]): Trend {
  const count = durationsNewestFirst.length;
  if (count < FEWEST_PLANS) return 'Not enough data';
  const newest = durationsNewestFirst.slice(0, Math.ceil((2 * count) / 5));
  const others = durationsNewestFirst.slice(newest.length);
  // Averages by one denominator: whole numbers compare exactly where fractions round.
  const now = sum(newest) * others.length;
  const before = sum(others) * newest.length;
  if (now < before) return 'Improving';
  return 5 * now > 6 * before ? 'Declining' : 'Stable';
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}

export function noPriorTotals(): PriorTotals {
  return { plans_completed: 0, average_ms: 0, duration_ms: 0, recent_ms: [], phases: {} };
}

/**
 * Work from before the first captured result, which has no records: taken from STATE.md as far as the plans do not show it
 * themselves. Once there are results, the values saved with the first one are used.
 */
export function readPriorTotals(
  view: View,
  project: CaptureProject,
  snapshot: ProjectSnapshot,
  written: StateFields,
): PriorTotals {
  const kept = readRecordAt(view, logFiles.priorTotals(project), noPriorTotals());
  if (kept) return kept;
  return snapshot.project ? noPriorTotals() : priorTotalsIn(written, snapshot);
}

function priorTotalsIn(fields: StateFields, { plans }: ProjectSnapshot): PriorTotals {
  const over = plans.filter(isPlanOver);
  const rows = readPhases(fields);
  const completed = [...rows.values()].reduce((sum, row) => sum + row.completed, 0);
  return {
    plans_completed: Math.max(0, Math.max(completed, firstNumber(fields.totalPlansCompleted)) - over.length),
    average_ms: readDuration(fields.averageDuration ?? '') ?? 0,
    duration_ms: readDuration(fields.totalExecutionTime ?? '') ?? 0,
    recent_ms: splitList(fields.lastPlans ?? '').flatMap((item) => readDuration(item) || []),
    phases: Object.fromEntries(
      [...rows].map(([phase, row]) => {
        const known = over.filter((plan) => plan.phase === phase).length;
        return [phase, { ...row, completed: Math.max(0, row.completed - known) }];
      }),
    ),
  };
}

/** The rows of By Phase by the number of their phase: `3/5`, or a plain `3`, which counts completed plans. */
function readPhases({ byPhase }: Pick<StateFields, 'byPhase'>): Map<string, PriorTotals['phases'][string]> {
  const rows = byPhase.flatMap(({ phase, plans, total }) => {
    const key = phaseKey(phase);
    const [, done, of] = /^(\d{1,6})(?: ?\/ ?| of )?(\d{1,6})?/.exec(plans.replace(/[*_]/g, '')) ?? [];
    if (!/^\d/.test(key) || done === undefined) return [];
    const completed = Number(done);
    const row = {
      completed,
      plans: Math.max(completed, Number(of ?? 0)),
      duration_ms: readDuration(total) ?? 0,
    };
    return [[key, row] as const];
  });
  return new Map(rows);
}

/** At commas outside of parentheses. */
function splitList(text: string): string[] {
  return text.slice(0, 500).match(/(?:\([^()]*\)|[^,])+/g) ?? [];
}

function firstNumber(text: string | null): number {
  return Number(/\d{1,9}/.exec((text ?? '').slice(0, 100))?.[0] ?? 0);
}
