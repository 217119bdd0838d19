import { keepFirstDecision, listRecords } from '../agents/records.js';
import { maskerFor } from '../config/redactor.js';
import { isoUtc, now } from '../node/clock.js';
import { environmentVariables } from '../node/terminal/terminal.js';
import type { Workspace } from '../workspace/workspace.js';
import type { InboxQuestion } from './types.js';

const PREFIX = 'report:';

type ReportInboxQuestion = Extract<InboxQuestion, { kind: 'report' }>;

/** Agent reports that the user should look at, and has not decided on. */
export function listReportQuestions(workspace: Workspace): ReportInboxQuestion[] {
  return listRecords(workspace).flatMap(({ taskId, briefings, answers, decisions }) => {
    const last = answers.at(-1);
    const isOpen = last?.route === 'human-review' && decisions.every(({ answer }) => answer !== last.sha256);
    if (!isOpen) return [];
    const confidence = last.confidence ?? 0;
    return [
      {
        kind: 'report',
        id: `${PREFIX}${taskId}`,
        hash: last.sha256,
        askedAt: last.at,
        title: `Agent report on ${taskId}`,
        subject: last.agent,
        taskId,
        agent: last.agent,
        confidence,
        why: last.issues[0]?.message ?? `The agent's confidence is ${confidence}.`,
        summary: briefings.at(-1)?.goal ?? '',
      },
    ];
  });
}

/** Records whether the agent's work was right, as `teddy agent decide` does. False where that was decided meanwhile. */
export async function answerReport(
  workspace: Workspace,
  { taskId, hash }: ReportInboxQuestion,
  decision: 'accept' | 'reject',
  reason: string | null,
): Promise<boolean> {
  const mask = maskerFor(null, environmentVariables());
  const record = { at: isoUtc(now()), decision, reason: reason && mask(reason), answer: hash };
  return keepFirstDecision(workspace, taskId, record);
}
