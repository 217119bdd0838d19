import type { View } from '../../workspace/view.js';
import type { PlanRecord, ProjectRecord, Resolution } from '../metrics/records.js';
import { emptyPlan, emptyProject } from '../metrics/summaries.js';
import { type CaptureProject, logFiles, readRecordAt } from '../project.js';
import { readResolutions } from '../resolutions.js';
import type { FoundPlan, NextTasks, UnreadablePlan } from '../types.js';
import { type FoundPlans, findPlans } from './find-plans.js';
import { findNext, isPlanOver, touchedPlans } from './next-tasks.js';
import { readConditions, type TaskCondition } from './task-condition.js';

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
