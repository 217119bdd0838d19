import { readState } from '../formats/state/index.js';
import type { View } from '../workspace/index.js';
import { isPlanOver } from './next-tasks.js';
import { type CaptureProject, logFiles, readRecordAt } from './project.js';
import type { ProjectLook } from './project-look.js';
import type { EarlierRecord } from './records.js';

export function noEarlier(): EarlierRecord {
  return { plans_completed: 0, average_ms: 0, duration_ms: 0, recent_ms: [], phases: {} };
}

/**
 * What was done before the first result was captured here, and of which there are no records: as STATE.md has it, so far
 * as the plans do not say it themselves. Once there are results it is what was kept then.
 */
export function earlierOf(
  view: View,
  project: CaptureProject,
  look: ProjectLook,
  state: string | undefined,
): EarlierRecord {
  const kept = readRecordAt(view, logFiles.earlier(project), noEarlier());
  if (kept) return kept;
  return look.project || state === undefined ? noEarlier() : readEarlier(state, look);
}

function readEarlier(text: string, { plans }: ProjectLook): EarlierRecord {
  const fields = readState(text);
  const over = plans.filter(isPlanOver);
  const completed = Math.max(0, firstNumber(fields.totalPlansCompleted) - over.length);
  const rows = fields.byPhase.flatMap((row) => {
    const [, phase] = /(\d{1,9}(?:\.\d{1,9})*)/.exec(row.phase.slice(0, 100)) ?? [];
    const [, done, of] = /^\s{0,9}(\d{1,6})\s{0,9}\/\s{0,9}(\d{1,6})/.exec(row.plans) ?? [];
    if (phase === undefined || done === undefined) return [];
    const key = phase.replace(/^0+(?=\d)/, '');
    const known = over.filter((plan) => plan.phase === key).length;
    const counts = {
      completed: Math.max(0, Number(done) - known),
      plans: Number(of),
      duration_ms: readDuration(row.total),
    };
    return [[key, counts] as const];
  });
  return {
    plans_completed: completed,
    average_ms: completed === 0 ? 0 : readDuration(fields.averageDuration),
    duration_ms: readDuration(fields.totalExecutionTime),
    recent_ms:
      completed === 0
        ? []
        : (fields.lastPlans ?? '')
            .split(',')
            .map(readDuration)
            .filter((ms) => ms > 0),
    phases: Object.fromEntries(rows),
  };
}

const UNITS: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000 };

/** `2h 10m`, `28 minutes`, `5.6 hours`; 0 where it is no time. */
function readDuration(text: string | null): number {
  const parts = (text ?? '').slice(0, 100).matchAll(/(\d{1,9}(?:\.\d{1,3})?)\s{0,3}([hms])[a-z]{0,8}/gi);
  return Math.round(
    [...parts].reduce((sum, [, number, unit]) => sum + Number(number) * UNITS[unit!.toLowerCase()]!, 0),
  );
}

function firstNumber(text: string | null): number {
  return Number(/\d{1,9}/.exec((text ?? '').slice(0, 100))?.[0] ?? 0);
}
