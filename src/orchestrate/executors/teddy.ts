import { findPlanner, renderPrompt } from '../../agents/planners.js';
import { masksFor } from '../../config/redactor.js';
import type { Config, Policy } from '../../config/types.js';
import type { ExecuteAction, PlanIssue } from '../../core/plan/types.js';
import { renderMirrored } from '../../core/report/mirrored.js';
import type { Run } from '../../core/report/record.js';
import { renderResult } from '../../core/report/task-result.js';
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

/** Of the project itself, as they were when the run began. */
interface TeddyExecutorOptions {
  workspace: Workspace;
  config: Config;
  policy: Policy;
}

const TEDDY = 'teddy';
const PLANNER = 'developer';

/**
 * The project's own model: it writes a plan.md for the task, which is carried out in the attempt's folder, as far as the
 * policy allows it, and the run becomes the result.
 */
export function createTeddyExecutor(options: TeddyExecutorOptions): Executor {
  return {
    name: TEDDY,
    kind: 'machine',
    async run(assignment, site) {
      const started = monotonicMs();
      const limit = limitTime(assignment.timeoutMs ?? Number.POSITIVE_INFINITY, site.signal);
      const elapsed = () => Math.round(monotonicMs() - started);
      const nothing = () => ({ durationMs: elapsed(), usage: NOTHING_USED });
      try {
        const obstacle = findObstacle(options, site);
        if (obstacle !== undefined) return { ...nothing(), status: 'unusable', reason: obstacle };
        const end = await work(assignment, site, limit.signal, options);
        const { mask } = masksFor(options.config, site.environment);
        return {
          durationMs: elapsed(),
          usage: end.spent,
          ...conclude(end, assignment, elapsed(), mask, site),
        };
      } catch (error) {
        if (site.signal.aborted) return { ...nothing(), status: 'cancelled' };
        const { mask } = masksFor(options.config, site.environment);
        return { ...nothing(), status: 'crashed', reason: mask(describe(error)), limited: false };
      } finally {
        limit.clear();
      }
    },
  };
}

/** Why no attempt could come to anything, whatever the task is. */
function findObstacle(
  { workspace, config, policy }: TeddyExecutorOptions,
  site: ExecutorIO,
): string | undefined {
  if (!policy.rules.some(({ verb }) => verb === 'allow')) return NOTHING_ALLOWED;
  try {
    requireModel(config, site.environment);
    requirePrompt(workspace);
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

const NOTHING_ALLOWED =
  'The executor teddy carries out what the policy allows, and the policy allows nothing. Write in .teddy/policy.yaml what it may do, such as allow CREATE and EDIT of the paths that tasks are about.';

/** Without the others: there is no session in which one could hand over to them. */
function requirePrompt(workspace: Workspace): string {
  const found = findPlanner(workspace, PLANNER);
  if (found.status !== 'found') throw new UserError(found.reason);
  return renderPrompt(found.planner, []);
}

function work(
  { cwd, prompt, verify }: TaskAssignment,
  site: ExecutorIO,
  signal: AbortSignal,
  { workspace, config, policy }: TeddyExecutorOptions,
): Promise<PlanTaskEnd> {
  return planTask({
    workspace: new Workspace(cwd),
    config,
    system: requirePrompt(workspace),
    prompt: renderTaskPrompt(prompt, policy),
    reviewer: reviewUnattended(policy, cwd),
    verify: verify && !verify.commands.some((command) => isDenied(policy, command)) ? verify : null,
    environment: site.environment,
    signal,
    emit: printTo(site, config),
    onProcess: (mark) => site.onStart(mark),
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
  const where = last ? `while its plan was carried out (run ${last.id})` : 'before there was a plan';
  return {
    status: 'timed-out',
    reason: `It took longer than ${(timeoutMs ?? 0) / 1000} s, and was ended ${where}.`,
  };
}

/** Whoever starts the run approves the commands shown; a policy can only say no. */
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

/** The policy alone: what it leaves open is skipped. A CHAT_WITH_USER is left to teddy's own rule. */
function reviewUnattended(policy: Policy, root: string): Reviewer {
  const facts = { resolve: resolvePathIn(root) };
  return composeReviewers(
    denialReviewer(policy, facts),
    { settle: settleWithoutSession },
    policyReviewer(policy, facts),
    { settle: (question) => refuseOpen(policy, question, facts) },
  );
}

/** What means nothing where no turn follows: it is not the policy's to allow. */
function settleWithoutSession(question: Question): Answer | undefined {
  if (question.kind === 'state')
    return skip(
      `Not applied: no turn follows an attempt at a task, so its ${question.section} are not kept.`,
    );
  switch (question.action.type) {
    case 'INVOKE':
      return skip(
        'Not run: there is nobody to hand over to in an attempt at a task. Do all of it in one plan.',
      );
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
  const subject = question.kind === 'action' ? question.action : question.section;
  if (typeof subject !== 'string' && subject.type === 'CHAT_WITH_USER') return undefined;
  const { rule } = decideByPolicy(policy, subject, facts);
  const why = rule === null ? 'no rule of it matches' : describeRule(rule);
  return {
    decision: 'skip',
    by: 'policy',
    reason: `The policy does not allow this, and nobody is asked: ${why}.`,
  };
}

function skip(reason: string): Answer {
  return { decision: 'skip', by: 'teddy', reason };
}

/** Where the prompt of every executor begins to say what it has to print. */
const RESULT_HEADING = '\n## The result';

/** The assignment as a planner needs it: what it is to answer with, what it may do, and the task itself. */
function renderTaskPrompt(prompt: string, policy: Policy): string {
  return `${HOW_TO_ANSWER}${describePolicy(policy)}\n---\n\n${withoutResult(prompt)}`;
}

const HOW_TO_ANSWER = `# How you work here

You do one task, which is described below. What you answer with is a plan.md and nothing else: teddy carries it out and
writes the result of the task. Where the task says that something is to be printed, leave that to teddy.

- Nobody sees the plan before it is carried out, and nobody answers: CHAT_WITH_USER and INVOKE are skipped, and a plan of
  which a part was skipped or failed has not done the task. Where you would ask, decide, and say so in the rationale.
- One plan does the whole task. No turn follows it, so memos and Active Context are not kept. A plan of nothing but READ
  and RESEARCH is carried out, too: you are shown what it found, and then asked for the plan that does the task.
- The first action that fails ends the plan.
- The task's own verification is run behind the plan. You need not EXECUTE it yourself.
`;

function describePolicy({ rules }: Policy): string {
  const lines = rules.map((rule) => `  - ${describeRule(rule)}`);
  return [
    '- Only what the policy allows is carried out, and all else is skipped. A deny goes first, then the first rule that matches:',
    ...lines,
    '  A rule that allows a command allows one simple command: nothing with ;, &, |, $, backticks, redirections or globs, and none with env or cwd.',
    '',
  ].join('\n');
}

/** What it has to print, is for executors that print. */
function withoutResult(prompt: string): string {
  const at = `\n${prompt}`.lastIndexOf(RESULT_HEADING);
  return at === -1 ? prompt : `${prompt.slice(0, at).trimEnd()}\n`;
}

/** What came to an end of which a result can be made. */
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
function printTo(site: ExecutorIO, { report }: Config): (event: PlanTaskEvent) => void {
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
