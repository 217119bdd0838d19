import type { Config } from '../../config/types.js';
import type { PlanIssue } from '../../core/plan/types.js';
import { renderMirrored } from '../../core/report/mirrored.js';
import type { Run } from '../../core/report/record.js';
import { renderResult } from '../../core/report/task-result.js';
import type { TaskResult } from '../../core/task-result/types.js';
import { writeResult } from '../../core/task-result/write.js';
import type { PlanTaskEnd, PlanTaskEvent } from '../../sessions/plan-task.js';
import type { ExecutorIO, TaskAssignment } from './types.js';

export const TEDDY = 'teddy';

/** What came to an end of which a result can be made. */
export type Concluded = Extract<PlanTaskEnd, { verification: unknown }>;

/** The YAML result of an attempt. Everything in it is masked, if what enters is. */
export function writeTaskResult(
  end: Concluded,
  { taskName, attempt }: TaskAssignment,
  durationMs: number,
  mask: (text: string) => string,
): string {
  const verification = end.verification ?? undefined;
  if (end.status === 'carried-out') {
    return renderResult(end.run, {
      taskName,
      attempt,
      executorId: TEDDY,
      ...(verification && { verification }),
    });
  }
  return writeResult({
    status: 'failure',
    taskName,
    filesModified: [],
    verification: verification ?? NOT_VERIFIED,
    doneCriteriaMet: false,
    evidence: describeRuns(end.runs),
    error: mask(end.status === 'only-looked' ? ONLY_LOOKED : describeRefusal(end)),
    metadata: { durationMs: Math.round(durationMs), attempt, executorId: TEDDY },
  });
}

const NOT_VERIFIED: TaskResult['verification'] = { command: null, exitCode: null, outputSummary: null };

const ONLY_LOOKED =
  'Every plan only looked at things (READ, RESEARCH), and none changed anything. Write a plan that does the task.';

function describeRuns(runs: readonly Run[]): string {
  if (runs.length === 0) return 'Nothing was carried out: no answer of the model was a plan that can be.';
  return runs
    .map(({ id, overall, plan }) => `Run ${id}: ${overall}. ${plan.title ?? 'A plan without a title'}`)
    .join('\n');
}

const MOST_ISSUES = 20;

function describeRefusal({ issues, reason }: { issues: readonly PlanIssue[]; reason: string }): string {
  const errors = issues.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return `No plan came. Of the last answer: ${reason}`;
  const more = errors.length - MOST_ISSUES;
  return [
    'No plan came that can be carried out. What was wrong with the last one (lines are those of the answer):',
    ...errors.slice(0, MOST_ISSUES).map(describeIssue),
    ...(more > 0 ? [`- and ${more} more of these.`] : []),
  ].join('\n');
}

function describeIssue({ line, action, message, code, hint }: PlanIssue): string {
  const where = [line && `line ${line}`, action && `action ${action}`].filter(Boolean).join(', ');
  const text = `${where && `${where}: `}${message} (${code})${hint === undefined ? '' : `\nHint: ${hint}`}`;
  return `- ${text.replaceAll('\n', '\n  ')}`;
}

/**
 * Everything as it comes, each answer of the model and each run's report and record among it: the attempt's folder does
 * not stay, and what is printed does.
 */
export function printTo(site: ExecutorIO, { report }: Config): (event: PlanTaskEvent) => void {
  let masked: ReturnType<ExecutorIO['mask']> | undefined;
  const print = (text: string) => text !== '' && site.onOutput('stdout', text);
  const line = (text: string) => print(`${text}\n`);
  return (event) => {
    switch (event.kind) {
      case 'asking':
        masked = site.mask();
        return line(
          `Asking ${event.model} for a plan${event.attempt > 1 ? `, answer ${event.attempt}` : ''}.`,
        );
      case 'text':
        return print(masked?.push(event.text) ?? '');
      case 'answered':
        print(masked?.end() ?? '');
        masked = undefined;
        return line(
          `\n${event.reason === null ? 'The plan is in order.' : `Not a plan to carry out: ${event.reason}`}`,
        );
      case 'waiting':
        return site.onOutput('stderr', `${event.reason}\n`);
      case 'action-started':
        return line(`${event.number}/${event.total} ${event.type} ${event.label}`);
      case 'output':
      case 'verifying':
        return site.onOutput(event.stream, event.text);
      case 'action-ended':
        return line(`${event.number}/${event.total} ${describeEnded(event.record)}`);
      case 'run-ended':
        line(`\n${renderMirrored(event.run, report.tip)}\n${JSON.stringify(event.run)}`);
        return line(`Run ${event.run.id}: ${event.run.overall}.`);
    }
  };
}

function describeEnded({ decision, outcome }: Run['actions'][number]): string {
  if (outcome.status !== 'not-run') return outcome.summary;
  return decision.status === 'skipped' ? `skipped. ${decision.reason ?? 'No reason given.'}` : 'not reached.';
}
