import { applyContext, type ContextLineChange } from '../../core/context/context-file.js';
import type { ContextProject } from '../../core/context/context-lines.js';
import { readAction } from '../../core/plan/read.js';
import type { Action, Plan, Resource } from '../../core/plan/types.js';
import type { Run } from '../../core/report/record.js';
import type { Turn, TurnStart } from './types.js';

export interface StartAfter {
  start: TurnStart;
  /** The line of work ended: a CONCLUDE that nobody waited for. */
  concluded: boolean;
}

/**
 * What the next turn begins with, given a turn, its plan and what came of it. Only what was approved and succeeded
 * counts, as it ran. `above` are the texts of the `*.context` files that stand above the turn's own.
 */
export function startAfter(
  { meta, context }: Pick<Turn, 'meta' | 'context'>,
  plan: Plan,
  run: Run,
  above: readonly string[],
  project?: ContextProject,
): StartAfter {
  const done = doneActions(plan, run);
  const apply = (text: string, changes: readonly ContextLineChange[]) =>
    changes.length === 0 ? text : applyContext(text, changes, above, project);
  const carried = apply(context, [...approvedContext(plan, run), ...done.flatMap(changesOf)]);
  const { agent, callers } = meta;
  const going = (start: TurnStart, concluded = false): StartAfter => ({ start, concluded });

  const last = done.find(({ type }) => type === 'INVOKE' || type === 'CONCLUDE');
  if (last?.type === 'INVOKE') {
    const caller = { turn: meta.turn, agent, task: last.message, context: carried };
    return going({
      agent: last.agent,
      callers: [...callers, caller],
      handoff: null,
      context: apply('', last.handoffResources.map(added)),
    });
  }
  const caller = callers.at(-1);
  if (last?.type === 'CONCLUDE' && caller) {
    return going({
      agent: caller.agent,
      callers: callers.slice(0, -1),
      handoff: { from: agent, message: last.message },
      context: apply(caller.context, last.handoffResources.map(added)),
    });
  }
  const concluded = last?.type === 'CONCLUDE';
  return going({ agent, callers, handoff: null, context: carried }, concluded);
}

function approvedContext(plan: Plan, { stateChanges }: Run): ContextLineChange[] {
  const approved = stateChanges.some(
    ({ section, decision }) => section === 'Active Context' && decision.status === 'approved',
  );
  return approved ? plan.activeContext.map(({ op, path }) => ({ op, path })) : [];
}

/** The actions that were approved and succeeded, each as a person may have changed it. */
function doneActions({ actions }: Plan, run: Run): Action[] {
  return actions.flatMap((action, i) => {
    const record = run.actions[i];
    if (record?.type !== action.type || record.decision.status !== 'approved') return [];
    if (record.outcome.status !== 'success') return [];
    const { ranAs } = record.outcome;
    if (ranAs === undefined) return [action];
    return readAction(ranAs).action ?? [];
  });
}

function changesOf(action: Action): ContextLineChange[] {
  if (action.type === 'READ') return [added(action.resource)];
  return action.type === 'PRUNE' ? [{ op: '-', path: action.resource.target }] : [];
}

function added({ target }: Resource): ContextLineChange {
  return { op: '+', path: target };
}
