import type { Issue } from '../core/issue.js';
import { setTaskStatus } from '../core/task-plan/edit.js';
import type { StatusChange, Task } from '../core/task-plan/types.js';
import { judgeResult } from '../core/task-result/judge.js';
import { readResult } from '../core/task-result/read.js';
import type { ResultRead, ResultStatus, TaskResult, Verdict } from '../core/task-result/types.js';
import { maskVerdict } from '../core/task-result/write.js';
import type { Tree } from '../core/tree.js';
import { isoUtc } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import { sha256 } from '../node/ids.js';
import type { Change } from '../workspace/commit/change.js';
import type { View } from '../workspace/view.js';
import type { Update } from '../workspace/workspace.js';
import { readLedgerEnd } from './logs/ledger.js';
import { renderRejection, textHash } from './logs/write-log.js';
import type { KnownResult } from './metrics/records.js';
import { countOwn } from './metrics/summaries.js';
import { chooseBlockers } from './plans/blockers.js';
import { findPlanToChange, withPlan } from './plans/find-plans.js';
import { isDone, waitsOn } from './plans/next-tasks.js';
import { type ProjectSnapshot, recordOfTask } from './plans/project-snapshot.js';
import { type CaptureProject, changesTo, fileName, logFiles, requireState } from './project.js';
import { keyReused, markedAgain, noteCircumstances, recordResult } from './record-result.js';
import { findState } from './state-facts.js';
import type { CapturedResult, CaptureItem, FoundPlan, Submission } from './types.js';

/** The decision on a result. */
export interface Decided {
  result: CapturedResult;
  /** The new text of PLAN.md. */
  mark?: StatusMark;
  firstOfDay?: boolean;
}

export interface StatusMark {
  path: string;
  index: number;
  change: StatusChange;
}

/** Where a result is judged: one snapshot of the project, under the lock. */
export interface CaptureContext {
  view: View;
  project: CaptureProject;
  snapshot: ProjectSnapshot;
  tree: Tree;
}

/** Judges a result and computes everything that it changes. Throws `UserError` if it cannot be judged. */
export function decideResult(site: CaptureContext, item: CaptureItem): Update<Decided> {
  return new Capture(site, item).decide();
}

class Capture {
  private readonly view: View;
  private readonly project: CaptureProject;
  private readonly snapshot: ProjectSnapshot;
  private readonly submission: Submission;
  private readonly read: ResultRead;
  private readonly found: FoundPlan;
  private readonly judged: Verdict;
  /** Masked. */
  private readonly verdict: Verdict;
  private readonly id: string;
  private readonly at: string;

  constructor(
    { view, project, snapshot, tree }: CaptureContext,
    private readonly options: CaptureItem,
  ) {
    const { submission, state, now } = options;
    this.view = view;
    this.project =
      state === undefined ? project : { ...project, state: requireState('--state', state, project.dir) };
    this.snapshot = snapshot;
    this.submission = submission;
    this.found = findPlanToChange(view, project, submission.plan);
    this.at = isoUtc(now);
    this.id =
      submission.id === undefined
        ? sha256(`${this.found.id}\0${submission.text}`).slice(0, 32)
        : options.mask(submission.id);
    this.read = readResult(submission.text);
    const { expectedIndex, filesChanged } = submission;
    this.judged = judgeResult(this.read, {
      plan: this.found.plan,
      planName: this.found.path,
      tree,
      expectedIndex,
      filesChanged,
    });
    this.verdict = maskVerdict(this.judged, options.mask);
  }

  decide(): Update<Decided> {
    const { result, match, verdict } = this.judged;
    this.requireRecords();
    const record = this.snapshot.recordOf(this.found.id);
    if (record && Object.hasOwn(record.ids, this.id)) return this.repeat(record.ids[this.id]!);
    if (verdict === 'INVALID' || !result || !match) return this.reject();
    return this.apply(result, match.task);
  }

  /** Without records, duplicates cannot be recognised. */
  private requireRecords(): void {
    const { snapshot, project, found } = this;
    const gone = !snapshot.project
      ? readLedgerEnd(this.view, project, 0).size > 0 && logFiles.project(project)
      : !snapshot.recordOf(found.id) && this.hasLogs() && logFiles.plan(project, found.id);
    if (!gone) return;
    throw new UserError(
      `${gone} is missing, though there are results. \`teddy metrics --rebuild\` recreates it from the logs.`,
    );
  }

  /** Whether this plan has logs that are not archived yet. */
  private hasLogs(): boolean {
    const folder = `${this.project.dir}/executions`;
    const start = `${fileName(this.found.id)}-task-`;
    const days = this.view.list(folder);
    return days.some((day) => this.view.list(`${folder}/${day}`).some((name) => name.startsWith(start)));
  }

  private repeat({ log, text }: KnownResult): Update<Decided> {
    const logged = `${this.project.dir}/${log}`;
    const differs = text !== textHash(this.submission.text);
    const kept = differs ? this.keepAside([keyReused(logged)]) : undefined;
    const marked = differs ? undefined : this.markAgain(log);
    return {
      changes: [...(kept?.changes ?? []), ...(marked?.changes ?? [])],
      value: {
        result: {
          ...this.outcome('duplicate', logged),
          effectiveStatus: statusOfLog(log),
          ...this.snapshot.nextAfter(marked?.plan ?? this.found),
          allDone: this.snapshot.isAllDone,
          notes: [
            ...(kept ? [keyReused(logged, kept.path)] : []),
            ...(marked ? [markedAgain(this.found.path)] : []),
          ],
        },
      },
    };
  }

  /** A plan restored from an older version no longer shows captured results, unless the user wants the task redone. */
  private markAgain(log: string): { changes: Change[]; plan: FoundPlan } | undefined {
    const task = this.judged.match?.task;
    if (!task || task.status === 'completed' || statusOfLog(log) !== 'success') return undefined;
    const { record, resolutions } = this.snapshot.conditionsOf(this.found)[task.index - 1]!;
    const logs = Object.values(this.snapshot.recordOf(this.found.id)?.ids ?? {}).map((known) => known.log);
    const isLast = logs.findLast((other) => taskOfLog(other) === taskOfLog(log)) === log;
    const isReopened = resolutions.some(({ results }) => (results ?? 0) >= (record ? countOwn(record) : 0));
    if (record?.last_status !== 'success' || !isLast || isReopened) return undefined;
    const edit = setTaskStatus(this.found.plan, task.index, { status: 'completed', at: record.last_at });
    const changes = changesTo(this.view, this.found.path, edit.text);
    return changes.length > 0 ? { changes, plan: withPlan(this.found, edit.plan) } : undefined;
  }

  private reject(): Update<Decided> {
    const { path, changes } = this.keepAside(this.verdict.issues);
    return { changes, value: { result: this.outcome('rejected', path) } };
  }

  /** Results that are not applied are saved too, with the reasons. */
  private keepAside(reasons: readonly (Issue & { field?: string })[]): { path: string; changes: Change[] } {
    const text = this.options.mask(this.submission.text);
    const name = `${fileName(this.found.id)}-${sha256(this.submission.text).slice(0, 8)}.yaml`;
    const path = `${this.project.dir}/rejected/${this.at.slice(0, 'YYYY-MM-DD'.length)}/${name}`;
    const facts = {
      rejectedAt: this.at,
      planId: this.found.id,
      masked: text !== this.submission.text,
      text,
    };
    const after = new TextEncoder().encode(renderRejection(facts, reasons));
    // The same text on the same day is already recorded.
    const known = this.view.look(path) === 'file';
    return { path, changes: known ? [] : [{ path, before: null, after }] };
  }

  private apply(result: TaskResult, task: Task): Update<Decided> {
    this.requireSameCommand(task);
    const status = this.effectiveStatus(result);
    const record = recordOfTask(this.found, this.snapshot.recordOf(this.found.id), task.index);
    const attempt = this.submission.attempt ?? result.metadata.attempt;
    const superseded = this.submission.superseded ?? false;
    // An earlier, failed attempt that arrives after a later success.
    const late =
      task.status === 'completed' &&
      status !== 'success' &&
      (attempt ?? Number.NaN) < (record?.last_attempt ?? 0);
    const isMarked = !late && !superseded;
    const change: StatusChange = { status: MARKS[status], at: this.at };
    const edit = isMarked
      ? setTaskStatus(this.found.plan, task.index, change)
      : { plan: this.found.plan, issues: [] };
    const waits = waitsOn(this.found, task, this.snapshot.plans, this.snapshot.unreadable);
    const refusal = edit.issues.find(({ code }) => code === 'edit-refused');
    if (refusal) throw new UserError(`${this.found.path} cannot be changed: ${refusal.message}`);
    const plan = withPlan(this.found, edit.plan);
    const { submission, id, at, read, verdict } = this;
    const { mask } = this.options;
    const behind =
      status === 'blocked' && isMarked
        ? chooseBlockers(this.found, task, result.error ?? '', this.snapshot)
        : [];
    const isFree = behind.every((id) => isDone(id, this.snapshot.plans));
    const notes = [
      ...noteCircumstances({ task, status, late, waits, behind, isFree, submission }),
      ...edit.issues,
    ];
    const kept = recordResult(this.view, this.project, this.snapshot, {
      submission,
      id,
      at,
      read,
      result,
      status,
      task,
      plan,
      mask,
      late,
      behind,
      verdict,
      notes,
    });
    return {
      changes: kept.changes,
      value: {
        result: {
          ...this.outcome('applied', kept.log),
          effectiveStatus: status,
          session: kept.session,
          statePath: kept.statePath,
          notes: kept.notes,
          ...this.snapshot.nextAfter(plan),
          allDone: this.snapshot.isAllDone,
        },
        ...(isMarked && { mark: { path: plan.path, index: task.index, change } }),
        firstOfDay: kept.firstOfDay,
      },
    };
  }

  private requireSameCommand(task: Task): void {
    const { verified } = this.submission;
    if (!verified) return;
    if (verified.taskIndex === task.index && verified.command === task.verify?.command) return;
    throw new UserError(
      `${this.found.path} changed while its verify command was running. Submit the result again.`,
    );
  }

  /** Verification overrides the claim. A blocked task was not worked on, so there is nothing to verify. */
  private effectiveStatus({ status }: TaskResult): ResultStatus {
    const { verified, refused } = this.submission;
    if (status !== 'success') return status;
    if (refused !== undefined) return 'failure';
    if (!verified) return status;
    // A command that passes without running a test proves nothing.
    return verified.run.exitCode === 0 && !verified.run.vacuous ? 'success' : 'failure';
  }

  private outcome(status: CapturedResult['status'], logged: string): CapturedResult {
    return {
      status,
      verdict: this.verdict,
      plan: { id: this.found.id, path: this.found.path },
      statePath: findState(this.view, this.project, this.found.path),
      logged,
      effectiveStatus: null,
      verification: this.submission.verified?.run ?? null,
      session: null,
      notes: [],
      conflicts: 0,
      next: [],
      waiting: [],
      allDone: false,
    };
  }
}

const MARKS = { success: 'completed', failure: 'failed', blocked: 'blocked' } as const;

/** `executions/2026-01-26/03-01-task-02-success-2.yaml` */
function statusOfLog(log: string): ResultStatus | null {
  return (
    (/-(success|failure|blocked)(?:-\d{1,9})?\.yaml$/.exec(log)?.[1] as ResultStatus | undefined) ?? null
  );
}

function taskOfLog(log: string): string {
  return log.slice(log.lastIndexOf('/') + 1).replace(/-(?:success|failure|blocked)(?:-\d{1,9})?\.yaml$/, '');
}
