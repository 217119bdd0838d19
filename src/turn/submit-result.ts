import {
  type CapturedResult,
  type CaptureProject,
  captureResult,
  findPlan,
  openCapture,
  type TaskRef,
  type Verified,
} from '../capture/index.js';
import type { Config, Policy } from '../config/index.js';
import type { ExecuteAction } from '../formats/plan/index.js';
import type { Redactor } from '../formats/redact/index.js';
import type { Task } from '../formats/task-plan/index.js';
import { judgeResult, readResult, type Verdict } from '../formats/task-result/index.js';
import { now, Unusable } from '../platform/index.js';
import { decideByPolicy, describeRule } from '../review/index.js';
import { runCheck } from '../run/index.js';
import { type Incoming, openTree, type Workspace } from '../workspace/index.js';
import { redactorFor } from './redactor.js';

export interface CheckOptions {
  workspace: Workspace;
  config: Config;
  text: string;
  /** A path from the root, or an id. */
  plan: string;
}

export interface SubmitOptions extends CheckOptions {
  policy: Policy;
  /** Where the text waits, to be taken away when it is captured. */
  held?: Incoming;
  state?: string;
  session?: string;
  id?: string;
  /** Run the task's `<verify>` before a success is believed. */
  verify: boolean;
  environment: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
  /** Called before a command is run, with the command as it is. */
  onVerify?(task: TaskRef, command: string): void;
  onOutput?(stream: 'stdout' | 'stderr', text: string): void;
}

/** The verdict alone: nothing is changed. */
export function checkResult({ workspace, config, text, plan: named }: CheckOptions): {
  verdict: Verdict;
  plan: { id: string; path: string };
} {
  const { id, path, plan } = findPlan(openCapture(workspace, config), named);
  const tree = openTree(workspace.root);
  return { verdict: judgeResult(readResult(text), { plan, planName: path, tree }), plan: { id, path } };
}

/** Judges a result, verifies it where that is asked for, and captures it. Throws `Unusable` where it cannot. */
export async function submitResult(options: SubmitOptions): Promise<CapturedResult> {
  const { workspace, config, text, state, session, id, held, environment } = options;
  const project = openCapture(workspace, config, state);
  const redactor = redactorFor(null, environment);
  const { path } = findPlan(project, options.plan);
  const verified = options.verify ? await verify(project, redactor, options) : undefined;
  return captureResult(
    project,
    {
      text,
      planPath: path,
      ...(id !== undefined && { id }),
      ...(session !== undefined && { session }),
      ...(verified && { verified }),
    },
    {
      now: now(),
      mask: (each) => redactor.mask(each),
      ...(held && { removal: held.removal }),
    },
  );
}

/** Runs what the plan says, for a success that is claimed; undefined where there is nothing to run. */
async function verify(
  { workspace }: CaptureProject,
  redactor: Redactor,
  options: SubmitOptions,
): Promise<Verified | undefined> {
  const { verdict, plan } = checkResult(options);
  const { result, match } = verdict;
  const command = match?.task.verify?.command;
  if (verdict.verdict === 'INVALID' || result?.status !== 'success' || !match || command == null)
    return undefined;
  refuseDenied(options.policy, match.task, command);
  options.onVerify?.({ id: `${plan.id}:${match.task.index}`, name: match.task.name }, command);
  const { exitCode, durationMs, summary } = await runCheck(command, {
    root: workspace.root,
    settings: options.config,
    environment: options.environment,
    redactor,
    signal: options.signal ?? new AbortController().signal,
    onOutput: (stream, output) => options.onOutput?.(stream, output),
  });
  if (options.signal?.aborted)
    throw new Unusable('The verification was interrupted, and the result was not captured.');
  const run = { command: redactor.mask(command), exitCode, durationMs, outputSummary: summary };
  return { taskIndex: match.task.index, command, run };
}

/** Whoever says --verify approves the command; a policy can only say no. */
function refuseDenied(policy: Policy, task: Task, command: string): void {
  const action: ExecuteAction = {
    type: 'EXECUTE',
    line: task.line,
    metadata: {},
    description: null,
    expectedOutcome: null,
    cwd: '.',
    env: {},
    command,
    timeout: null,
    allowFailure: false,
  };
  const { verdict, rule } = decideByPolicy(policy, action);
  if (verdict === 'deny' && rule) {
    throw new Unusable(
      `The command of ${JSON.stringify(task.name)} was not run, and the result not captured: denied by policy, ${describeRule(rule)}.`,
    );
  }
}
