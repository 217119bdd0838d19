import { findPlanner, renderPrompt } from '../../agents/planners.js';
import { masksFor } from '../../config/redactor.js';
import type { Config, Policy } from '../../config/types.js';
import type { ExecuteAction, PlanIssue } from '../../core/plan/types.js';
import { renderResult } from '../../core/report/envelopes.js';
import { renderMirrored } from '../../core/report/mirrored.js';
import type { Run } from '../../core/report/record.js';
import type { TaskResult } from '../../core/task-result/types.js';
import { writeResult } from '../../core/task-result/write.js';
import { monotonicMs } from '../../node/clock.js';
import { UserError } from '../../node/errors.js';
import { limitTime } from '../../node/http/exchange.js';
import { composeReviewers, resolvePathIn } from '../../review/compose.js';
import { decideByPolicy, denialReviewer, describeRule, policyReviewer } from '../../review/policy.js';
import type { Answer, Question, Reviewer } from '../../review/question.js';
import { type PlanTaskEnd, type PlanTaskEvent, planTask } from '../../sessions/plan-task.js';
import { requireModel } from '../../sessions/plan-turn.js';
import { Workspace } from '../../workspace/workspace.js';
import {
  type Executor,
  type ExecutorIO,
  type ExecutorOutcome,
  NOTHING_USED,
  type TaskAssignment,
} from './types.js';

/** Of the project itself, at the start of the run. */
interface TeddyExecutorOptions {
  workspace: Workspace;
  config: Config;
  policy: Policy;
}

const TEDDY = 'teddy';
const PLANNER = 'developer';

/** The configured model writes a plan for the task; what the policy allows runs in the attempt's folder; the run is the result. */
export function createTeddyExecutor(options: TeddyExecutorOptions): Executor {
  return {
    name: TEDDY,
    kind: 'machine',
    async run(assignment, io) {
      const started = monotonicMs();
      const limit = limitTime(assignment.timeoutMs ?? Number.POSITIVE_INFINITY, io.signal);
      const elapsed = () => Math.round(monotonicMs() - started);
      const nothing = () => ({ durationMs: elapsed(), usage: NOTHING_USED });
      try {
        const obstacle = findObstacle(options, io);
        if (obstacle !== undefined) return { ...nothing(), status: 'unusable', reason: obstacle };
        const end = await work(assignment, io, limit.signal, options);
        const { mask } = masksFor(options.config, io.environment);
        return {
          durationMs: elapsed(),
          usage: end.spent,
          ...conclude(end, assignment, elapsed(), mask, io),
        };
      } catch (error) {
        if (io.signal.aborted) return { ...nothing(), status: 'cancelled' };
        const { mask } = masksFor(options.config, io.environment);
        return { ...nothing(), status: 'crashed', reason: mask(describe(error)), limited: false };
      } finally {
        limit.clear();
      }
    },
  };
}

/** Why every attempt would fail, whatever the task. */
function findObstacle(
  { workspace, config, policy }: TeddyExecutorOptions,
  io: ExecutorIO,
): string | undefined {
  if (!policy.rules.some(({ verb }) => verb === 'allow')) return NOTHING_ALLOWED;
  try {
    requireModel(config, io.environment);
    requirePrompt(workspace);
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

const NOTHING_ALLOWED =
  'The executor teddy runs only what the policy allows, and the policy allows nothing. Add rules to .teddy/policy.yaml, such as allow CREATE and EDIT for the paths of your tasks.';

/** Without the other planners: a task cannot be passed on to them. */
function requirePrompt(workspace: Workspace): string {
  const found = findPlanner(workspace, PLANNER);
  if (found.status !== 'found') throw new UserError(found.reason);
  return renderPrompt(found.planner, []);
}

function work(
  { cwd, prompt, verify }: TaskAssignment,
  io: ExecutorIO,
  signal: AbortSignal,
  { workspace, config, policy }: TeddyExecutorOptions,
): Promise<PlanTaskEnd> {
  return planTask({
    workspace: new Workspace(cwd),
    config,
    settings: io.confinement?.settings ?? config,
    system: requirePrompt(workspace),
    prompt: renderTaskPrompt(prompt, policy),
    reviewer: reviewUnattended(policy, cwd),
    verify: verify && !verify.commands.some((command) => isDenied(policy, command)) ? verify : null,
    environment: io.environment,
    signal,
    emit: printTo(io, config),
    onProcess: (mark) => io.onStart(mark),
  });
}

function conclude(
  end: PlanTaskEnd,
  assignment: TaskAssignment,
  durationMs: number,
  mask: (text: string) => string,
  { signal }: ExecutorIO,
): ExecutorOutcome {
  switch (end.status) {
    case 'interrupted':
      return signal.aborted ? { status: 'cancelled' } : describeTimeOut(end.runs, assignment);
    case 'failed':
      return { status: 'crashed', reason: mask(end.reason), limited: end.limited };
    default:
      return {
        status: 'returned',
        text: writeTaskResult(end, assignment, durationMs, mask),
        exitCode: 0,
      };
  }
}

function describeTimeOut(runs: readonly Run[], { timeoutMs }: TaskAssignment): ExecutorOutcome {
  const last = runs.at(-1);
  const where = last ? `while its plan was running (run ${last.id})` : 'before there was a plan';
  return {
    status: 'timed-out',
    reason: `It ran longer than ${(timeoutMs ?? 0) / 1000} s and was stopped ${where}.`,
  };
}

/** Starting the run approved the commands shown; a policy can only deny. */
function isDenied(policy: Policy, command: string): boolean {
  return decideByPolicy(policy, { ...BARE, command }).verdict === 'deny';
}

const BARE: Omit<ExecuteAction, 'command'> = {
  type: 'EXECUTE',
  line: 1,
  metadata: {},
  description: null,
  expectedOutcome: null,
  cwd: '.',
  env: {},
  timeout: null,
  allowFailure: false,
};

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The policy alone decides; what it leaves open is skipped. */
function reviewUnattended(policy: Policy, root: string): Reviewer {
  const facts = { resolve: resolvePathIn(root) };
  return composeReviewers(
    denialReviewer(policy, facts),
    { resolve: settleWithoutSession },
    policyReviewer(policy, facts),
    { resolve: (question) => refuseOpen(policy, question, facts) },
  );
}

/** Actions that have no meaning without a next turn, whatever the policy allows. */
function settleWithoutSession(question: Question): Answer | undefined {
  if (question.kind === 'state')
    return skip(`Not applied: a task has only one turn, so its ${question.section} would be lost.`);
  if (question.kind === 'file') return undefined;
  switch (question.action.type) {
    case 'INVOKE':
      return skip('Not run: a task cannot be passed on to another agent. Do all of it in one plan.');
    case 'CONCLUDE':
      return { decision: 'approve', by: 'teddy', hash: question.hash };
    default:
      return undefined;
  }
}

function refuseOpen(
  policy: Policy,
  question: Question,
  facts: { resolve(path: string): string | undefined },
): Answer | undefined {
  if (question.kind === 'file') return undefined;
  const subject = question.kind === 'action' ? question.action : question.section;
  if (typeof subject !== 'string' && subject.type === 'CHAT_WITH_USER') return undefined;
  const { rule } = decideByPolicy(policy, subject, facts);
  const why = rule === null ? 'no rule matches' : describeRule(rule);
  return {
    decision: 'skip',
    by: 'policy',
    reason: `The policy does not allow this, and there is no one to ask: ${why}.`,
  };
}

function skip(reason: string): Answer {
  return { decision: 'skip', by: 'teddy', reason };
}

/** The heading in every executor's prompt under which it says what to print. */
const RESULT_HEADING = '\n## The result';

/** The assignment as a planner needs it: how to answer, what is allowed, and the task itself. */
function renderTaskPrompt(prompt: string, policy: Policy): string {
  return `${HOW_TO_ANSWER}${describePolicy(policy)}\n---\n\n${withoutResult(prompt)}`;
}

const HOW_TO_ANSWER = `# How to answer

Do the one task that is described below. Answer with a plan.md and nothing else: teddy runs the plan and writes the
result of the task. If the task asks you to print something, leave that to teddy.

- No one reviews the plan before it runs, and no one answers questions: CHAT_WITH_USER and INVOKE are skipped, and a plan
  with a skipped or failed action has not done the task. Instead of asking, decide, and state it in the rationale.
- One plan does the whole task. No turn follows it, so memos and Active Context are not kept. A plan with only READ and
  RESEARCH actions runs too: you get what it found, and are then asked for the plan that does the task.
- The first failing action ends the plan.
- The task's verification runs after the plan. You need not EXECUTE it.
`;

function describePolicy({ rules }: Policy): string {
  const lines = rules.map((rule) => `  - ${describeRule(rule)}`);
  return [
    '- Only what the policy allows is run; everything else is skipped. A matching deny wins, otherwise the first matching rule:',
    ...lines,
    '  A rule that allows a command allows one simple command: no ;, &, |, $, backticks, redirections or globs, and no env or cwd.',
    '',
  ].join('\n');
}

/** What to print is only for executors that print. */
function withoutResult(prompt: string): string {
  const at = `\n${prompt}`.lastIndexOf(RESULT_HEADING);
  return at === -1 ? prompt : `${prompt.slice(0, at).trimEnd()}\n`;
}

/** An end with a result. */
type Concluded = Extract<PlanTaskEnd, { verification: unknown }>;

/** The YAML result of an attempt. Everything in it is masked, if what enters is. */
function writeTaskResult(
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
  'Every plan only read (READ, RESEARCH); none changed anything. Write a plan that does the task.';

function describeRuns(runs: readonly Run[]): string {
  if (runs.length === 0) return 'Nothing was run: no answer of the model was a valid plan.';
  return runs
    .map(({ id, overall, plan }) => `Run ${id}: ${overall}. ${plan.title ?? 'A plan without a title'}`)
    .join('\n');
}

const MOST_ISSUES = 20;

function describeRefusal({ issues, reason }: { issues: readonly PlanIssue[]; reason: string }): string {
  const errors = issues.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return `No plan was received. The last answer: ${reason}`;
  const more = errors.length - MOST_ISSUES;
  return [
    'No valid plan was received. Errors in the last one (line numbers of the answer):',
    ...errors.slice(0, MOST_ISSUES).map(describeIssue),
    ...(more > 0 ? [`- and ${more} more.`] : []),
  ].join('\n');
}

function describeIssue({ line, action, message, code, hint }: PlanIssue): string {
  const where = [line && `line ${line}`, action && `action ${action}`].filter(Boolean).join(', ');
  const text = `${where && `${where}: `}${message} (${code})${hint === undefined ? '' : `\nHint: ${hint}`}`;
  return `- ${text.replaceAll('\n', '\n  ')}`;
}

/**
 * Prints everything as it comes, including the model's answers and each run's report and record: the attempt's folder is
 * removed, its output is kept.
 */
function printTo(io: ExecutorIO, { report }: Config): (event: PlanTaskEvent) => void {
  let masked: ReturnType<ExecutorIO['mask']> | undefined;
  const print = (text: string) => text !== '' && io.onOutput('stdout', text);
  const line = (text: string) => print(`${text}\n`);
  return (event) => {
    switch (event.kind) {
      case 'asking':
        masked = io.mask();
        return line(
          `Asking ${event.model} for a plan${event.attempt > 1 ? `, answer ${event.attempt}` : ''}.`,
        );
      case 'text':
        return print(masked?.push(event.text) ?? '');
      case 'answered':
        print(masked?.end() ?? '');
        masked = undefined;
        return line(
          `\n${event.reason === null ? 'The plan is valid.' : `Not a valid plan: ${event.reason}`}`,
        );
      case 'waiting':
        return io.onOutput('stderr', `${event.reason}\n`);
      case 'action-started':
        return line(`${event.number}/${event.total} ${event.type} ${event.label}`);
      case 'output':
      case 'verifying':
        return io.onOutput(event.stream, event.text);
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
