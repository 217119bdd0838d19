import type { ActionRecord, Outcome, Run } from '../../../src/core/report/record.js';

/** A run with nothing in it, and what a test wants to be otherwise. */
export function runWith(changes: Partial<Run> = {}): Run {
  return {
    id: '20260314-092653-k3x9',
    kind: 'plan',
    root: '/srv/shop',
    plan: { title: 'Show prices', path: 'plan.md' },
    startedAt: '2026-03-14T09:26:53.000Z',
    endedAt: '2026-03-14T09:26:58.230Z',
    durationMs: 5230,
    environment: { os: 'linux', cwd: '/srv/shop' },
    overall: 'Completed',
    refused: false,
    interrupted: null,
    issues: [],
    stateChanges: [],
    actions: [],
    ...changes,
  };
}

export function approved(
  type: ActionRecord['type'],
  metadata: ActionRecord['metadata'],
  outcome: Outcome = { status: 'success', summary: 'Done.' },
): ActionRecord {
  return { type, line: 1, metadata, decision: { status: 'approved', by: 'person' }, outcome };
}

export function skipped(
  type: ActionRecord['type'],
  metadata: ActionRecord['metadata'],
  reason: string | null,
  by: ActionRecord['decision']['by'] = 'person',
): ActionRecord {
  return {
    type,
    line: 1,
    metadata,
    decision: { status: 'skipped', by, reason },
    outcome: { status: 'not-run' },
  };
}
