import { phaseKey } from '../../core/state/by-phase.js';
import { readDuration } from '../../core/state/durations.js';
import { readState } from '../../core/state/read.js';
import type { StateFields } from '../../core/state/types.js';
import type { View } from '../../workspace/view.js';
import type { PriorTotals } from '../metrics/records.js';
import { type CaptureProject, logFiles, readRecordAt } from '../project.js';
import { isPlanOver } from './next-tasks.js';
import type { ProjectSnapshot } from './project-snapshot.js';

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
