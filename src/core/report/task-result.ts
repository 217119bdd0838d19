import { readLink } from '../markdown/inline.js';
import { readRootPath } from '../path.js';
import { hasEffect } from '../plan/actions.js';
import { metadataValue } from '../plan/grammar.js';
import type { TaskResult } from '../task-result/types.js';
import { writeResult } from '../task-result/write.js';
import type { ActionRecord, Run } from './record.js';

/** What a run cannot know of the task that it was for. */
export interface TaskOfRun {
  /** As the task plan has it. */
  taskName: string;
  /** The task's `<verify>` and how it ended, where it was run after the plan. */
  verification?: TaskResult['verification'];
  attempt?: number;
  executorId?: string;
}

/**
 * The run as an executor's result. Only a run that was completed, with a verification that did not fail, is a success;
 * one of which a part was skipped is not.
 */
export function renderResult(run: Run, task: TaskOfRun): string {
  return writeResult(resultOf(run, task));
}

function resultOf(run: Run, { taskName, verification, attempt, executorId }: TaskOfRun): TaskResult {
  const error = findError(run, verification);
  return {
    status: error === null ? 'success' : 'failure',
    taskName,
    filesModified: writtenFiles(run.actions),
    verification: verification ?? lastCommand(run.actions),
    doneCriteriaMet: error === null,
    evidence: [`Run ${run.id}: ${run.overall}.`, ...run.actions.map(describeAction)].join('\n'),
    error,
    metadata: {
      durationMs: run.durationMs,
      attempt: attempt ?? null,
      executorId: executorId ?? null,
    },
  };
}

function findError(run: Run, verification: TaskOfRun['verification']): string | null {
  if (run.overall !== 'Completed') {
    const about = run.actions.flatMap((action, i) => {
      const failed = action.outcome.status === 'failure' || action.decision.status === 'skipped';
      return failed ? describeAction(action, i) : [];
    });
    const refused = run.issues.filter(({ severity }) => run.refused && severity === 'error');
    const lines = [...refused.map(({ message }) => message), ...about];
    return [`The plan was not completed (${run.overall}).`, ...lines].join('\n');
  }
  const code = verification?.exitCode ?? 0;
  return code === 0 ? null : `The verification failed with exit code ${code}.`;
}

function describeAction({ type, metadata, decision, outcome }: ActionRecord, position: number): string {
  const labels = ['File Path', 'Resource', 'Description'] as const;
  const about = labels
    .map((label) => metadataValue(metadata, type, label))
    .find((value) => value !== undefined);
  const [line = ''] = (about ?? '').split('\n', 1);
  const target = readLink(line)?.text ?? line;
  const head = `${position + 1}. ${type}${target === '' ? '' : ` ${target}`}`;
  if (outcome.status !== 'not-run') return `${head}: ${outcome.summary}`;
  const reason = decision.status === 'skipped' ? (decision.reason ?? 'No reason given.') : 'Not reached.';
  return `${head}: skipped. ${reason.replaceAll('\n', ' ')}`;
}

/** Each once, in the order in which they were first written. */
function writtenFiles(actions: readonly ActionRecord[]): string[] {
  const paths = actions
    .filter((action) => hasEffect(action, 'writes') && action.outcome.status === 'success')
    .flatMap(({ type, metadata }) => {
      const written = metadataValue(metadata, type, 'File Path') ?? '';
      const read = readRootPath(readLink(written)?.destination ?? written);
      return read.status === 'ok' ? read.path : [];
    });
  return [...new Set(paths)];
}

/** What an EXECUTE ran is in the plan, and the record has only what it was for. */
function lastCommand(actions: readonly ActionRecord[]): TaskResult['verification'] {
  const last = actions.findLast((action) => hasEffect(action, 'runs') && action.outcome.status !== 'not-run');
  if (!last || last.outcome.status === 'not-run')
    return { command: null, exitCode: null, outputSummary: null };
  const { exitCode = null, summary } = last.outcome;
  return { command: last.metadata.Description ?? null, exitCode, outputSummary: summary };
}
