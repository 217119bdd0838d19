import { type CaptureProject, logFiles } from '../project.js';
import { addToDay, addToPlan, addToProject, emptyDay, emptyPlan, emptyProject } from './counters.js';
import type { DailySummary, KnownResult, PlanRecord, ResultFacts } from './records.js';

/** What a file of `summary/` holds when it is counted anew. */
export interface CountedFile {
  results: number;
  value: object;
}

const NO_RESULT: KnownResult = { log: '', text: '' };

/** All results, counted in the order in which they are added, as capture counts them one by one. */
export class Recount {
  private sum = emptyProject();
  private readonly days = new Map<string, DailySummary>();
  /** Without ids: to copy all of them for each result would take the square of the time. */
  private readonly plans = new Map<string, PlanRecord>();
  private readonly ids = new Map<string, Map<string, KnownResult>>();

  get results(): number {
    return this.sum.results;
  }

  add(facts: ResultFacts): void {
    const { planId, taskIndex, loggedAt } = facts;
    const plan = this.plans.get(planId) ?? emptyPlan(planId);
    this.sum = addToProject(this.sum, facts, !Object.hasOwn(plan.tasks, String(taskIndex)));
    this.plans.set(planId, { ...addToPlan(plan, facts, '', NO_RESULT), ids: {} });
    const date = loggedAt.slice(0, 'YYYY-MM-DD'.length);
    this.days.set(date, addToDay(this.days.get(date) ?? emptyDay(date), facts));
  }

  /** Whether or not its log is still there: a result that was applied is not applied again. */
  addId(planId: string, id: string, result: KnownResult): void {
    const ids = this.ids.get(planId) ?? new Map<string, KnownResult>();
    this.ids.set(planId, ids.set(id, result));
  }

  /** By path, from the root. */
  files(project: CaptureProject): Map<string, CountedFile> {
    const files = new Map<string, CountedFile>();
    for (const [date, day] of this.days)
      files.set(logFiles.day(project, date), { results: day.tasks_executed, value: day });
    for (const id of new Set([...this.plans.keys(), ...this.ids.keys()])) {
      const plan = this.plans.get(id) ?? emptyPlan(id);
      const value = { ...plan, ids: Object.fromEntries(this.ids.get(id) ?? []) };
      files.set(logFiles.plan(project, id), { results: plan.results, value });
    }
    if (files.size > 0) files.set(logFiles.project(project), { results: this.results, value: this.sum });
    return files;
  }
}
