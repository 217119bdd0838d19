import { type StatusChange, setTaskStatus, type Task } from '../formats/task-plan/index.js';
import {
  judgeResult,
  type ResultRead,
  type ResultStatus,
  readResult,
  type TaskResult,
  type Verdict,
} from '../formats/task-result/index.js';
import type { Tree } from '../formats/tree.js';
import { isoUtc, sha256, Unusable } from '../platform/index.js';
import { type Change, openTree, type Update, type View } from '../workspace/index.js';
import { describeCommit, logConflict } from './conflicts.js';
import { asPlan, readPlanAt } from './find-plans.js';
import { keepRecords } from './keep-records.js';
import { renderRejection } from './log-file.js';
import { type CaptureProject, changeTo, fileName } from './project.js';
import { ProjectLook } from './project-look.js';
import { rotateLogs } from './rotate.js';
import { findState } from './state-facts.js';
import type { CapturedResult, FoundPlan, Submission } from './types.js';

export interface CaptureOptions {
  now: Date;
  /** Secrets in a text become masks. */
  mask(text: string): string;
  /** What is to be taken away in the same commit: the text where it waited. */
  removal?: Change;
}

const MOST_CONFLICTS = 3;

/**
 * Judges a result, and makes it part of the project: PLAN.md, STATE.md, log, session, summaries and ledger in one
 * commit. A result that is INVALID is kept with the reasons. Whoever submits waits for the others; a program that does
 * not wait and changes a file in between makes all of this begin again, three times at most. Throws `Unusable` where
 * nothing could be captured; then nothing was changed.
 */
export async function captureResult(
  project: CaptureProject,
  submission: Submission,
  options: CaptureOptions,
): Promise<CapturedResult> {
  const read = readResult(submission.text);
  const tree = openTree(project.workspace.root);
  for (let conflicts = 0; ; conflicts++) {
    const captured = await project.workspace.update((view) =>
      new Capture(view, project, submission, read, tree, options).decide(),
    );
    if (captured.status === 'committed') {
      const { result, mark, firstOfDay } = captured.value;
      if (mark && captured.lost.includes(mark.path)) await markAgain(project, mark, options.now);
      if (firstOfDay) await rotateLogs(project, isoUtc(options.now).slice(0, DAY), { dryRun: false });
      return { ...result, conflicts };
    }
    if (captured.status !== 'conflict') throw new Unusable(describeCommit(NOT_CAPTURED, captured));
    await logConflict(project, options.now, submission.planPath, captured.conflicts, conflicts + 1);
    if (conflicts === MOST_CONFLICTS) throw new Unusable(describeCommit(NOT_CAPTURED, captured));
  }
}

const NOT_CAPTURED = 'The result was not captured';
const DAY = 'YYYY-MM-DD'.length;

/** What a decision on a result comes to. */
interface Decided {
  result: CapturedResult;
  /** What PLAN.md is to say from now on. */
  mark?: Mark;
  firstOfDay?: boolean;
}

interface Mark {
  path: string;
  index: number;
  change: StatusChange;
}

/**
 * Another program put its own PLAN.md in place right behind ours: the result is in the log, and the plan does not say
 * so. The same mark is made on what is there now.
 */
async function markAgain(project: CaptureProject, { path, index, change }: Mark, now: Date): Promise<void> {
  for (let attempt = 1; attempt <= MOST_CONFLICTS; attempt++) {
    await logConflict(project, now, path, [{ path, reason: 'was overwritten by another program' }], attempt);
    const marked = await project.workspace.update((view) => {
      const found = readPlanAt(view, path);
      const edit = found && setTaskStatus(found.plan, index, change);
      const changed = edit && changeTo(view, path, edit.text);
      return { changes: changed ? [changed] : [], value: undefined };
    });
    if (marked.status === 'committed' && marked.lost.length === 0) return;
  }
  throw new Unusable(
    `The result is logged, but another program keeps overwriting ${path}, which does not show it. Run \`teddy state --write\` when it is done.`,
  );
}

/** One look at the project under the lock, and what a result makes of it. */
class Capture {
  private readonly found: FoundPlan;
  private readonly look: ProjectLook;
  private readonly verdict: Verdict;
  private readonly id: string;
  private readonly at: string;

  constructor(
    private readonly view: View,
    private readonly project: CaptureProject,
    private readonly submission: Submission,
    private readonly read: ResultRead,
    tree: Tree,
    private readonly options: CaptureOptions,
  ) {
    const found = readPlanAt(view, submission.planPath);
    if (!found) throw new Unusable(`${submission.planPath} is no longer there.`);
    this.found = found;
    this.look = new ProjectLook(view, project);
    this.at = isoUtc(options.now);
    this.id = submission.id ?? sha256(`${found.id}\0${submission.text}`).slice(0, 32);
    this.verdict = judgeResult(read, { plan: found.plan, planName: found.path, tree });
  }

  decide(): Update<Decided> {
    const { result, match, verdict } = this.verdict;
    const record = this.look.recordOf(this.found.id);
    if (record && Object.hasOwn(record.ids, this.id)) return this.repeat(record.ids[this.id]!);
    if (verdict === 'INVALID' || !result || !match) return this.reject();
    return this.apply(result, match.task);
  }

  private repeat(log: string): Update<Decided> {
    return {
      changes: this.removal(),
      value: {
        result: {
          ...this.outcome('duplicate', `${this.project.dir}/${log}`),
          ...this.look.nextAfter(this.found),
        },
      },
    };
  }

  private reject(): Update<Decided> {
    const text = this.options.mask(this.submission.text);
    const name = `${fileName(this.found.id)}-${sha256(this.submission.text).slice(0, 8)}.yaml`;
    const path = `${this.project.dir}/rejected/${this.at.slice(0, 'YYYY-MM-DD'.length)}/${name}`;
    const facts = {
      rejectedAt: this.at,
      planId: this.found.id,
      masked: text !== this.submission.text,
      text,
    };
    const after = new TextEncoder().encode(renderRejection(facts, this.verdict.issues));
    // The same text again, on the same day: its record is there.
    const known = this.view.look(path) === 'file';
    return {
      changes: [...(known ? [] : [{ path, before: null, after }]), ...this.removal()],
      value: { result: this.outcome('rejected', path) },
    };
  }

  private apply(result: TaskResult, task: Task): Update<Decided> {
    this.requireSameCommand(task);
    const status = this.effectiveStatus(result);
    const change: StatusChange = { status: MARKS[status], at: this.at };
    const edit = setTaskStatus(this.found.plan, task.index, change);
    const plan = asPlan(this.found.path, edit.text);
    const { submission, id, at, read } = this;
    const { mask } = this.options;
    const kept = keepRecords(this.view, this.project, this.look, {
      ...{ submission, id, at, read, result, status, task, plan, mask },
    });
    return {
      changes: [...kept.changes, ...this.removal()],
      value: {
        result: {
          ...this.outcome('applied', kept.log),
          effectiveStatus: status,
          session: kept.session,
          statePath: kept.statePath,
          notes: [...edit.issues, ...kept.notes],
          ...this.look.nextAfter(plan),
        },
        mark: { path: plan.path, index: task.index, change },
        firstOfDay: kept.firstOfDay,
      },
    };
  }

  private requireSameCommand(task: Task): void {
    const { verified } = this.submission;
    if (!verified) return;
    if (verified.taskIndex === task.index && verified.command === task.verify?.command) return;
    throw new Unusable(`${this.found.path} was changed while its command ran; submit the result again.`);
  }

  /** What we saw goes before what was said. A task that is blocked was not worked on, and there is nothing to see. */
  private effectiveStatus({ status }: TaskResult): ResultStatus {
    const { verified } = this.submission;
    if (!verified || status !== 'success') return status;
    return verified.run.exitCode === 0 ? 'success' : 'failure';
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
    };
  }

  private removal(): Change[] {
    return this.options.removal ? [this.options.removal] : [];
  }
}

const MARKS = { success: 'completed', failure: 'failed', blocked: 'blocked' } as const;
