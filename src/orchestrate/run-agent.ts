import { type BriefOptions, briefAgent } from '../agents/brief-agent.js';
import { checkReport } from '../agents/check-report.js';
import type { ReportCheck } from '../agents/types.js';
import { redactorOf } from '../config/redactor.js';
import type { Config } from '../config/types.js';
import type { ReportIssue } from '../core/agent-report/types.js';
import { now } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import { realPath } from '../node/files.js';
import { confineProgram, openConfinement } from './confinement.js';
import { createClientExecutor, requireUsable } from './executors/create-executor.js';
import type { Executor, ExecutorEnd, ExecutorIO, TaskAssignment } from './executors/types.js';
import { viewProject } from './isolation/own-git.js';
import type { OrchestrateOptions } from './orchestration.js';

export interface RunAgentOptions
  extends Omit<BriefOptions, 'now' | 'onText'>,
    Pick<OrchestrateOptions, 'policy' | 'signal' | 'unconfined' | 'acceptUnconfined' | 'askForAgent'> {
  config: Config;
  /** The name of an executor. */
  executor: string;
  /** How often it is briefed again. */
  retries: number;
  lenient: boolean;
  /** There is a terminal. */
  hasUser: boolean;
  emit(event: AgentRunEvent): void;
}

export type AgentRunEvent =
  | { type: 'started'; attempt: number; of: number; confined: boolean }
  /** Output of the executor, masked. */
  | { type: 'output'; text: string }
  | { type: 'ended'; attempt: AgentAttempt };

/** `unanswered`: the executor ended without an answer; `reason` is whole sentences. */
export type AgentAttempt =
  | { status: 'answered'; checked: ReportCheck }
  | { status: 'unanswered'; reason: string; end: ExecutorEnd };

export interface AgentRun {
  /** Path of the briefing's record, from the root. */
  briefing: string;
  notes: string[];
  attempts: AgentAttempt[];
}

/**
 * Starts a subagent with its briefing in the project, checks its report, and briefs it again with the issues while the
 * report breaks the contract. Throws `UserError` if it cannot start; an aborted run ends with the last attempt.
 */
export async function runAgent(options: RunAgentOptions): Promise<AgentRun> {
  const executor = requireExecutor(options);
  const confinement = await openConfinement(options);
  requireUsable(options.executor, options.config, options.environment, confinement !== null);
  let briefing = '';
  const briefed = await briefAgent({ ...options, now: now(), onText: (text) => (briefing = text) });
  const io = openIO(confinement, options);
  const attempts: AgentAttempt[] = [];
  const of = options.retries + 1;
  for (let prompt = briefing; attempts.length < of; prompt = briefAgain(briefing, attempts.at(-1)!)) {
    options.emit({ type: 'started', attempt: attempts.length + 1, of, confined: confinement !== null });
    const end = await executor.run(assign(prompt, attempts.length + 1, options), io);
    const attempt = await readAttempt(end, options);
    attempts.push(attempt);
    options.emit({ type: 'ended', attempt });
    if (options.signal.aborted || isFinal(attempt)) break;
  }
  return { briefing: briefed.path, notes: briefed.notes, attempts };
}

function requireExecutor({ executor: name, config }: RunAgentOptions): Executor {
  const executor = createClientExecutor(name, config);
  if (executor) return executor;
  throw new UserError(`The executor ${name} writes no agent reports. Use a coding agent, such as claude.`);
}

function openIO(
  confinement: Awaited<ReturnType<typeof openConfinement>>,
  { workspace, config, environment, signal, emit, policy, hasUser, askForAgent: ask }: RunAgentOptions,
): ExecutorIO {
  const redactor = redactorOf(config, environment);
  const view = viewProject(realPath(workspace.root) ?? workspace.root);
  return {
    environment,
    signal,
    confinement: confinement && confineProgram(view, confinement, config),
    decisions: { policy, hasUser, ...(ask && { ask }) },
    mask: () => redactor.stream(),
    onStart: () => {},
    onOutput: (_, text) => emit({ type: 'output', text }),
  };
}

function assign(prompt: string, attempt: number, options: RunAgentOptions): TaskAssignment {
  const { workspace, config, agent, taskId } = options;
  return {
    taskId,
    taskIndex: 1,
    taskName: agent,
    planPath: '',
    attempt,
    prompt,
    cwd: realPath(workspace.root) ?? workspace.root,
    timeoutMs: config.orchestrate.taskTimeMs,
  };
}

/** Throws `UserError` if no further attempt could succeed. */
async function readAttempt(end: ExecutorEnd, options: RunAgentOptions): Promise<AgentAttempt> {
  const { workspace, config, agent, taskId, verbosity, lenient, environment } = options;
  if (end.status === 'unusable') throw new UserError(end.reason);
  if (end.status !== 'returned') {
    const reason = 'reason' in end ? end.reason : 'It was interrupted.';
    return { status: 'unanswered', reason: redactorOf(config, environment).mask(reason), end };
  }
  const checked = await checkReport({
    workspace,
    threshold: config.review.confidence,
    text: end.text,
    client: 'text',
    measured: { ...end.usage, durationMs: end.durationMs },
    lenient,
    asked: { agent, taskId, verbosity },
    base: null,
    environment,
    now: now(),
    held: null,
    again: false,
    ownFiles: [],
  });
  return { status: 'answered', checked };
}

/** What the agent says of its own work counts; only a report that breaks the contract is sent back. */
function isFinal(attempt: AgentAttempt): boolean {
  return attempt.status === 'answered' && attempt.checked.compliant;
}

function briefAgain(briefing: string, last: AgentAttempt): string {
  if (last.status === 'unanswered') return briefing;
  const errors = last.checked.issues.filter(({ severity }) => severity === 'error');
  return [
    briefing.trimEnd(),
    '',
    '## Your last report was refused',
    '',
    'It breaks the contract. Your work is not lost: correct the report and answer with the whole of it again.',
    '',
    ...errors.map(describeIssue),
    '',
  ].join('\n');
}

function describeIssue({ path, message, hint }: ReportIssue): string {
  const text = `${path}: ${message}${hint === undefined ? '' : ` ${hint}`}`;
  return `- ${text.replaceAll('\n', '\n  ')}`;
}
