import { phaseKey } from '../../core/state/by-phase.js';
import { readDuration } from '../../core/state/forms.js';
import { readState, type StateFields } from '../../core/state/state.js';
import type { View } from '../../workspace/view.js';
import type { PlanRecord, PriorTotals, ProjectRecord, Resolution } from '../metrics/records.js';
import { emptyPlan, emptyProject } from '../metrics/summaries.js';
import { type CaptureProject, logFiles, readRecordAt } from '../project.js';
import type { FoundPlan, NextTasks, UnreadablePlan } from '../types.js';
import { type FoundPlans, findPlans } from './find-plans.js';
import { findNext, isPlanOver, touchedPlans } from './next-tasks.js';
import { readConditions, readResolutions, type TaskCondition } from './task-condition.js';

/** All plans of a project and what is recorded of them, read once and only as far as asked for. */
export class ProjectSnapshot {
  private readonly records = new Map<string, PlanRecord | undefined>();
  private readonly conditions = new Map<FoundPlan, TaskCondition[]>();
  private found: FoundPlans | undefined;
  private decided: Resolution[] | undefined;
  private sum: ProjectRecord | undefined;

  constructor(
    private readonly view: View,
    private readonly at: CaptureProject,
  ) {}

  get plans(): readonly FoundPlan[] {
    return this.all.plans;
  }

  /** What is to be done there is not known. */
  get unreadable(): readonly UnreadablePlan[] {
    return this.all.unreadable;
  }

  private get all(): FoundPlans {
    this.found ??= findPlans(this.view, this.at);
    return this.found;
  }

  private get resolutions(): Resolution[] {
    this.decided ??= readResolutions(this.view, this.at);
    return this.decided;
  }

  get project(): ProjectRecord | undefined {
    this.sum ??= readRecordAt(this.view, logFiles.project(this.at), emptyProject());
    return this.sum;
  }

  recordOf(planId: string): PlanRecord | undefined {
    if (!this.records.has(planId)) {
      this.records.set(planId, readRecordAt(this.view, logFiles.plan(this.at, planId), emptyPlan(planId)));
    }
    return this.records.get(planId);
  }

  /** The same snapshot once these have changed. A plan that no glob finds belongs to the project from now on. */
  put(plan: FoundPlan, record: PlanRecord | undefined, project: ProjectRecord | undefined): void {
    const known = this.plans.some(({ path }) => path === plan.path);
    const plans = this.plans.map((each) => (each.path === plan.path ? plan : each));
    this.found = { plans: known ? plans : [...plans, plan], unreadable: this.all.unreadable };
    this.records.set(plan.id, record);
    this.sum = project;
    this.conditions.clear();
  }

  /** The same snapshot once a person has decided this. */
  decide(resolution: Resolution): void {
    this.decided = [...this.resolutions, resolution];
    this.conditions.clear();
  }

  /** How its tasks stand, in their order. */
  conditionsOf(plan: FoundPlan): readonly TaskCondition[] {
    const before = this.conditions.get(plan);
    if (before) return before;
    const conditions = readConditions(plan, this.recordOf(plan.id), this.resolutions);
    this.conditions.set(plan, conditions);
    return conditions;
  }

  /** What can begin once `plan` has changed, and what waits. */
  nextAfter(plan: FoundPlan): NextTasks {
    const touched = touchedPlans(plan, this.plans);
    const queued = this.plans.filter((other) => !touched.includes(other) && this.isQueuedBehind(other, plan));
    return this.nextOf([...touched, ...queued]);
  }

  private isQueuedBehind(other: FoundPlan, { id: planId }: FoundPlan): boolean {
    if (!other.plan.tasks.some(({ status }) => status === 'blocked')) return false;
    const isOf = (id: string) => id === planId || id.startsWith(`${planId}:`);
    return this.conditionsOf(other).some(({ behind }) => behind.some(isOf));
  }

  /** Every task of every plan is completed, as far as anybody can see. */
  get isAllDone(): boolean {
    return (
      this.unreadable.length === 0 &&
      this.plans.every((each) => each.plan.tasks.length === 0 || isPlanOver(each))
    );
  }

  nextOf(plans: readonly FoundPlan[]): NextTasks {
    return findNext(plans, this);
  }
}

export function noPriorTotals(): PriorTotals {
  return { plans_completed: 0, average_ms: 0, duration_ms: 0, recent_ms: [], phases: {} };
}

/**
 * What was done before the first result was captured here, and of which there are no records: as STATE.md has it, so far
 * as the plans do not say it themselves. Once there are results it is what was kept then.
 */
export function readPriorTotals(
  view: View,
  project: CaptureProject,
  snapshot: ProjectSnapshot,
  state: string | undefined,
): PriorTotals {
  const kept = readRecordAt(view, logFiles.priorTotals(project), noPriorTotals());
  if (kept) return kept;
  return snapshot.project || state === undefined ? noPriorTotals() : priorTotalsIn(state, snapshot);
}

function priorTotalsIn(text: string, { plans }: ProjectSnapshot): PriorTotals {
  const fields = readState(text);
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
export function readPhases({
  byPhase,
}: Pick<StateFields, 'byPhase'>): Map<string, PriorTotals['phases'][string]> {
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
