import type { ResultStatus, VerdictName } from '../../core/task-result/types.js';
import type { View } from '../../workspace/view.js';
import type { LoggedIssue } from '../logs/log-file.js';
import { findLog } from '../logs/log-files.js';
import type { PlanRecord, TaskRecord } from '../metrics/records.js';
import { dayOf } from '../metrics/summaries.js';
import { type CaptureProject, fileName } from '../project.js';

/** The result that a task's record calls its last. */
export interface LastResult {
  /** From the root: where its log is, or was. */
  log: string;
  status: ResultStatus;
  /** Null where the executor gave none, or the log cannot be read. */
  error: string | null;
  /** Null where the log cannot be read. */
  evidence: string | null;
  /** Null where the log cannot be read, or did not keep it yet. */
  verdict: VerdictName | null;
  /** What was said of it when it was captured. */
  issues: LoggedIssue[];
}

/** `own` is the record of one task in `record`. Null where no log is known for it. */
export function lastResultOf(
  view: View,
  project: CaptureProject,
  record: PlanRecord,
  own: TaskRecord,
): LastResult | null {
  const log = lastLogOf(record, own);
  if (log === undefined) return null;
  const found = findLog(view, project, log);
  const path = found.status === 'missing' ? log : found.path;
  const known = { log: `${project.dir}/${path}`, status: own.last_status };
  if (found.status !== 'log') return { ...known, error: null, evidence: null, verdict: null, issues: [] };
  const { result, verdict, issues } = found.log;
  return { ...known, error: result.error, evidence: result.evidence, verdict, issues };
}

/** Of one day and status the highest number is the newest: an object's keys may not be in the order in which they came. */
function lastLogOf({ plan_id, tasks, ids }: PlanRecord, own: TaskRecord): string | undefined {
  const position = Object.keys(tasks).find((key) => tasks[key] === own) ?? '';
  const day = dayOf(own.last_at);
  const start = `executions/${day}/${fileName(plan_id)}-task-${position.padStart(2, '0')}-${own.last_status}`;
  let last: { log: string; number: number } | undefined;
  for (const { log } of Object.values(ids)) {
    const end = log.startsWith(start) ? /^(?:-(\d{1,9}))?\.yaml$/.exec(log.slice(start.length)) : null;
    const number = Number(end?.[1] ?? 1);
    if (end && number > (last?.number ?? 0)) last = { log, number };
  }
  return last?.log;
}
