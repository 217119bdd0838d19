import { join } from 'node:path';
import { requireManual } from '../agents/agent-files.js';
import { type BriefOptions, briefAgent } from '../agents/brief-agent.js';
import { checkReport } from '../agents/check-report.js';
import type { ReportCheck } from '../agents/types.js';
import { redactorFor, redactorOf } from '../config/redactor.js';
import type { Config } from '../config/types.js';
import { strictSchema } from '../core/agent-report/strict-schema.js';
import type { ReportIssue } from '../core/agent-report/types.js';
import { now } from '../node/clock.js';
import { UserError } from '../node/errors.js';
import { makeNewFolder, realPath, removeTree } from '../node/files.js';
import { writeNewFile } from '../node/folder.js';
import { nameTemporaryFolder } from '../node/user-folders.js';
import { confineProgram, openConfinement } from './confinement.js';
import { createClientExecutor, requireUsable } from './executors/create-executor.js';
import type { Executor, ExecutorEnd, ExecutorIO, TaskAssignment } from './executors/types.js';
import { readOnly, viewProject } from './isolation/own-git.js';
import type { OrchestrateOptions, RunConfinement } from './orchestration.js';

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
  const { schema, notes } = executor.takesSchema ? describeSchema(options) : { schema: null, notes: [] };
  const attempts: AgentAttempt[] = [];
  const of = options.retries + 1;
  for (let prompt = briefing; attempts.length < of; prompt = briefAgain(briefing, attempts.at(-1)!)) {
    options.emit({ type: 'started', attempt: attempts.length + 1, of, confined: confinement !== null });
    const assignment = assign(prompt, attempts.length + 1, options);
    const end = await askForReport(executor, assignment, schema, confinement, options);
    const attempt = await readAttempt(end, options);
    attempts.push(attempt);
    options.emit({ type: 'ended', attempt });
    if (options.signal.aborted || isFinal(attempt)) break;
  }
  return { briefing: briefed.path, notes: [...briefed.notes, ...notes], attempts };
}

function requireExecutor({ executor: name, config }: RunAgentOptions): Executor {
  const executor = createClientExecutor(name, config);
  if (executor) return executor;
  throw new UserError(`The executor ${name} writes no agent reports. Use a coding agent, such as claude.`);
}

/** Linux takes no argument longer than 128 KiB. */
const LONGEST_SCHEMA = 120_000;

/** The strict schema of the report as JSON; null, with a note, if the manual has none. */
function describeSchema({ workspace, agent, executor, verbosity, environment }: RunAgentOptions): {
  schema: string | null;
  notes: string[];
} {
  const strict = strictSchema(requireManual(workspace, agent), verbosity);
  const without = (reason: string) => ({
    schema: null,
    notes: [`${executor} was given no schema for its report. ${reason}`],
  });
  if (strict.status === 'refused') return without(strict.reason);
  const schema = redactorFor(null, environment).mask(JSON.stringify(strict.schema));
  return new TextEncoder().encode(schema).length > LONGEST_SCHEMA
    ? without('It would be longer than 120 kB.')
    : { schema, notes: [] };
}

/** In a temporary folder of its own, which has the schema, and is removed at the end. */
async function askForReport(
  executor: Executor,
  assignment: TaskAssignment,
  schema: string | null,
  confinement: RunConfinement | null,
  options: RunAgentOptions,
): Promise<ExecutorEnd> {
  const temporary = nameTemporaryFolder();
  const file = join(temporary, 'report.schema.json');
  makeNewFolder(temporary, 0o700);
  try {
    if (schema !== null) writeNewFile(file, schema);
    const answer = schema === null ? {} : { answerSchema: { text: schema, file } };
    return await executor.run({ ...assignment, ...answer }, openIO(temporary, file, confinement, options));
  } finally {
    removeTree(temporary);
  }
}

/** Confined, it has a private temporary folder anyway, and sees only the schema. */
function openIO(
  temporary: string,
  schema: string,
  confinement: RunConfinement | null,
  { workspace, config, environment, signal, emit, policy, hasUser, askForAgent: ask }: RunAgentOptions,
): ExecutorIO {
  const redactor = redactorOf(config, environment);
  const view = viewProject(realPath(workspace.root) ?? workspace.root);
  const seen = { ...view, places: [...(view.places ?? []), readOnly(schema)] };
  return {
    environment: { ...environment, ...(confinement === null && { TMPDIR: temporary }) },
    signal,
    confinement: confinement && confineProgram(seen, confinement, config),
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
