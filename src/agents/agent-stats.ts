import type { InertConfig } from '../config/types.js';
import {
  type CalibrationRecord,
  type CalibrationTable,
  calibrate,
  type DecidedReport,
  decidedReports,
} from '../core/agent-report/calibration.js';
import { UserError } from '../node/errors.js';
import { showTask } from '../tasks/plans/tasks.js';
import { openCapture } from '../tasks/project.js';
import type { Workspace } from '../workspace/workspace.js';
import { listRecords, type TaskRecords } from './records.js';

/** Compares the confidence that agents state with the decisions and verifications of their work. */
export function agentStats(workspace: Workspace, config: InertConfig): CalibrationTable {
  return calibrate(allRecords(workspace, config));
}

/** The reports behind the figures of `agentStats`. */
export function listDecidedReports(workspace: Workspace, config: InertConfig): DecidedReport[] {
  return decidedReports(allRecords(workspace, config));
}

function allRecords(workspace: Workspace, config: InertConfig): CalibrationRecord[] {
  return listRecords(workspace).flatMap((records) => calibrationRecords(records, workspace, config));
}

/** One record per answer whose agent is known. A verification counts for the last answer. */
function calibrationRecords(
  { taskId, answers, decisions }: TaskRecords,
  workspace: Workspace,
  config: InertConfig,
): CalibrationRecord[] {
  const named = answers.filter(({ agent }) => agent !== '');
  const verified = named.length === 0 ? undefined : findVerification(taskId, workspace, config);
  return named.map((answer) => {
    const isLast = answer === named.at(-1);
    return {
      agent: answer.agent,
      taskId,
      confidence: answer.confidence,
      compliant: answer.compliant,
      measured: answer.measured ?? null,
      at: answer.at,
      decisions: [
        ...(isLast && verified && verified.at >= answer.at
          ? [{ by: 'verification' as const, ...verified }]
          : []),
        ...decisions
          .filter((decision) => decision.answer === answer.sha256)
          .map(({ at, decision }) => ({ by: 'person' as const, held: decision === 'accept', at })),
      ],
    };
  });
}

/** The verification result of the task, if the id is that of a task in a task file. */
function findVerification(
  taskId: string,
  workspace: Workspace,
  config: InertConfig,
): { held: boolean; at: string } | undefined {
  if (!/:\d{1,6}$/.test(taskId)) return undefined;
  try {
    const { record } = showTask(openCapture(workspace, config), taskId);
    if (!record || record.verified === 0) return undefined;
    return { held: record.last_status === 'success', at: record.last_at };
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
