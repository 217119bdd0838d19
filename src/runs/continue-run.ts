import type { ActionRecord, Run } from '../core/report/record.js';
import { openTree } from '../workspace/tree.js';
import type { Workspace } from '../workspace/workspace.js';
import { PLAN_COPY, type PlanCopy, readPlanCopy } from './plan-copy.js';
import type { Progress, TurnMark } from './progress.js';
import { explainForeign, findRun, runOf } from './run-list.js';
import type { Continuation } from './run-record.js';

export type FoundContinuation =
  | ({ status: 'found' } & Continuation)
  /** `reason` is a whole sentence. */
  | { status: 'refused'; reason: string };

/**
 * The run to continue: the named one; otherwise the last run of this plan, or without a plan the last run. It must be
 * this user's own, not undone, and of exactly this plan.
 */
export function findContinuation(
  workspace: Workspace,
  named: string | undefined,
  text: string | undefined,
): FoundContinuation {
  const refused = (reason: string): FoundContinuation => ({ status: 'refused', reason });
  const found =
    named === undefined && text !== undefined ? findRunOfPlan(workspace, text) : findRun(workspace, named);
  if (found.status === 'missing') return refused(found.reason);
  const { run } = found;
  if (found.origin !== 'own') return refused(`Cannot continue: ${explainForeign(found)}`);
  const undone = findUndoneIn(workspace, run);
  if (undone !== undefined)
    return refused(
      `Cannot continue: run ${undone} was undone. Revert the undo with teddy redo, or run the whole plan again without --continue.`,
    );
  const plan = readPlanCopy(workspace, run.id, text);
  if (plan.status !== 'verified' || (text !== undefined && text !== plan.text))
    return refused(`Cannot continue: ${explainPlan(run.id, plan, text !== undefined)}`);
  const taken = takeSucceeded(run);
  if (run.actions.length > 0 && taken.actions.size === run.actions.length)
    return refused(`Nothing to continue: every action of run ${run.id} succeeded.`);
  return {
    status: 'found',
    run: run.id,
    text: plan.text,
    path: pathOf(workspace, run, plan.text),
    turn: turnOf(workspace, run.id),
    ...taken,
  };
}

/** Why a run's plan cannot be continued; `isNamed`: the user names a plan, which is not what the run received. */
function explainPlan(run: string, { status }: PlanCopy, isNamed: boolean): string {
  const path = `.teddy/runs/${run}/${PLAN_COPY}`;
  if (status === 'unverified')
    return `run ${run} was recorded by an older version of teddy, which did not seal its plan. Run the plan again without --continue.`;
  if (isNamed) {
    const restore = status === 'verified' ? `, or restore its text: ${path}` : '.';
    return `the plan was changed after run ${run}. Run it without --continue${restore}`;
  }
  const fact = status === 'missing' ? 'is missing' : 'was changed after the run';
  return `${path} ${fact}. Give the plan as it was, teddy execute PLAN --continue ${run}, or run it again without --continue.`;
}

function findRunOfPlan(workspace: Workspace, text: string): ReturnType<typeof findRun> {
  for (const id of workspace.runs().reverse()) {
    const copy = readPlanCopy(workspace, id, text);
    const read = 'text' in copy && copy.text === text ? runOf(workspace, id) : undefined;
    if (read) return { status: 'found', ...read };
  }
  return {
    status: 'missing',
    reason: 'Cannot continue: no run here had exactly this plan. Run it without --continue.',
  };
}

/** A run can itself continue another one: if any of them is undone, what it had done is gone. */
function findUndoneIn(workspace: Workspace, run: Run): string | undefined {
  if (workspace.readUndone(run.id)) return run.id;
  const earlier = run.continues === undefined ? undefined : runOf(workspace, run.continues)?.run;
  return earlier && findUndoneIn(workspace, earlier);
}

function takeSucceeded({ id, actions, stateChanges }: Run): Pick<Continuation, 'actions' | 'stateChanges'> {
  const taken = actions.flatMap((record, i): [number, ActionRecord][] =>
    record.outcome.status === 'success' ? [[i + 1, markDone(record, id)]] : [],
  );
  const applied = stateChanges.filter(
    ({ decision, notApplied }) => decision.status === 'approved' && notApplied.length === 0,
  );
  return {
    actions: new Map(taken),
    stateChanges: new Map(applied.map((record) => [record.section, record])),
  };
}

/** Names the run that did it, also after several continuations. */
function markDone(record: ActionRecord, run: string): ActionRecord {
  const { outcome } = record;
  return outcome.status === 'not-run' ? record : { ...record, outcome: { doneIn: run, ...outcome } };
}

function pathOf({ root }: Workspace, { plan: { path } }: Run, text: string): string | null {
  if (path.startsWith('.teddy/runs/')) return null;
  const read = openTree(root).text(path);
  return read.status === 'text' && read.text === text ? path : null;
}

function turnOf(workspace: Workspace, run: string): TurnMark | undefined {
  const begun = (workspace.runNotes(run).progress as Progress[]).find((entry) => entry.kind === 'begun');
  return begun?.turn;
}

/** The first action that a continued run comes to. */
export function firstOpenAction({ actions }: Continuation): number {
  let number = 1;
  while (actions.has(number)) number++;
  return number;
}
