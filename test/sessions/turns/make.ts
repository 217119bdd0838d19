import { writeStateChanges } from '../../../src/core/plan/state-changes.js';
import type { Action, Plan } from '../../../src/core/plan/types.js';
import type { ActionRecord, Decision, Outcome, Run } from '../../../src/core/report/record.js';
import type { TurnMeta } from '../../../src/sessions/turns/turn.js';

export const APPROVED: Decision = { status: 'approved', by: 'person' };
export const SKIPPED: Decision = { status: 'skipped', by: 'person', reason: null };
const SUCCESS: Outcome = { status: 'success', summary: 'Done.' };
export const FAILURE: Outcome = { status: 'failure', summary: 'Not done.' };

const base = { line: 1, metadata: {} };
const resource = (target: string) => ({
  kind: /^https?:/.test(target) ? ('url' as const) : ('file' as const),
  target,
});

export const readOf = (target: string): Action => ({
  ...base,
  type: 'READ',
  resource: resource(target),
  description: null,
  lines: null,
});
export const pruneOf = (target: string): Action => ({
  ...base,
  type: 'PRUNE',
  resource: resource(target),
  description: null,
});
export const invoke = (agent: string, ...handoff: string[]): Action => ({
  ...base,
  type: 'INVOKE',
  agent,
  handoffResources: handoff.map(resource),
  message: `Over to ${agent}.\n`,
});
export const concludeWith = (...handoff: string[]): Action => ({
  ...base,
  type: 'CONCLUDE',
  handoffResources: handoff.map(resource),
  message: 'That is all.\n',
});

export function planOf(actions: Action[], activeContext: [op: '+' | '-', path: string][] = []): Plan {
  return {
    title: 'A plan',
    metadata: {},
    rationale: '',
    activeContext: activeContext.map(([op, path]) => ({ op, path, comment: null, line: 1 })),
    memos: [],
    actions,
  };
}

/** A run of the plan in which all went well, but for what is said otherwise. */
export function runOf(
  plan: Plan,
  otherwise: Record<number, Partial<Pick<ActionRecord, 'decision' | 'outcome'>>> = {},
  context: Decision = APPROVED,
): Run {
  return {
    id: '20260126-103300-0000',
    kind: 'plan',
    plan: { title: plan.title, path: 'plan.md' },
    startedAt: '2026-01-26T10:33:00.000Z',
    endedAt: '2026-01-26T10:34:00.000Z',
    durationMs: 60_000,
    root: '/',
    environment: { os: 'linux', cwd: '/' },
    overall: 'Completed',
    refused: false,
    interrupted: null,
    issues: [],
    stateChanges: writeStateChanges(plan).map((change) => ({ ...change, decision: context, notApplied: [] })),
    actions: plan.actions.map(({ type, line, metadata }, i) => ({
      type,
      line,
      metadata,
      decision: APPROVED,
      outcome: SUCCESS,
      ...otherwise[i],
    })),
  };
}

export function metaOf(changes: Partial<TurnMeta> = {}): TurnMeta {
  return {
    session: 'auth',
    turn: 3,
    parent: 2,
    agent: 'developer',
    callers: [],
    handoff: null,
    madeAt: '2026-01-26T10:30:45Z',
    message: null,
    model: null,
    attempts: [],
    plannedAt: null,
    run: null,
    concluded: false,
    ...changes,
  };
}
