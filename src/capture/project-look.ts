import type { View } from '../workspace/index.js';
import { emptyPlan, emptyProject } from './counters.js';
import { findPlans } from './find-plans.js';
import { findNext, taskId, touchedPlans } from './next-tasks.js';
import { type CaptureProject, logFiles, readRecordAt } from './project.js';
import type { PlanRecord, ProjectRecord } from './records.js';
import type { FoundPlan, NextTasks } from './types.js';

/** All plans of a project and what is recorded of them, read once and only as far as asked for. */
export class ProjectLook {
  private readonly records = new Map<string, PlanRecord | undefined>();
  private found: FoundPlan[] | undefined;
  private sum: ProjectRecord | undefined;

  constructor(
    private readonly view: View,
    private readonly at: CaptureProject,
  ) {}

  get plans(): readonly FoundPlan[] {
    this.found ??= findPlans(this.view, this.at);
    return this.found;
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

  /** The same look once these have changed. A plan that no glob finds belongs to the project from now on. */
  put(plan: FoundPlan, record: PlanRecord | undefined, project: ProjectRecord | undefined): void {
    const known = this.plans.some(({ path }) => path === plan.path);
    const plans = this.plans.map((each) => (each.path === plan.path ? plan : each));
    this.found = known ? plans : [...plans, plan];
    this.records.set(plan.id, record);
    this.sum = project;
  }

  /** What can begin once `plan` has changed, and what waits. */
  nextAfter(plan: FoundPlan): NextTasks {
    return this.nextOf(touchedPlans(plan, this.plans));
  }

  nextOf(plans: readonly FoundPlan[]): NextTasks {
    return findNext(plans, this.plans, this.started(plans));
  }

  /** The ids of tasks that somebody works on. */
  started(plans: readonly FoundPlan[]): Set<string> {
    return new Set(
      plans.flatMap(({ id }) =>
        Object.keys(this.recordOf(id)?.started ?? {}).map((index) => taskId(id, Number(index))),
      ),
    );
  }
}
