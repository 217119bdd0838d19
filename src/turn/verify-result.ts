import { findPlan, maskVerdict, openCapture, type VerificationRun, type Verified } from '../capture/index.js';
import type { Policy } from '../config/index.js';
import type { ExecuteAction } from '../formats/plan/index.js';
import type { Task } from '../formats/task-plan/index.js';
import { judgeResult, readResult, type Verdict } from '../formats/task-result/index.js';
import { Unusable } from '../platform/index.js';
import { decideByPolicy, describeRule } from '../review/index.js';
import { type CommandHands, runCheck } from '../run/index.js';
import { openTree } from '../workspace/index.js';
import { redactorFor } from './redactor.js';
import type { CheckOptions, SubmitOptions } from './submission.js';

/** Whether there is such a plan to work on. */
export function isPlan({
  workspace,
  config,
  plan,
}: Pick<CheckOptions, 'workspace' | 'config' | 'plan'>): boolean {
  try {
    findPlan(openCapture(workspace, config), plan);
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'Unusable') return false;
    throw error;
  }
}

/** The verdict alone, with secrets masked: nothing is changed. */
export function checkResult(options: CheckOptions & Pick<SubmitOptions, 'environment'>): {
  verdict: Verdict;
  plan: { id: string; path: string };
} {
  const redactor = redactorFor(null, options.environment);
  const { verdict, plan } = judge(options);
  return { verdict: maskVerdict(verdict, (text) => redactor.mask(text)), plan };
}

function judge({ workspace, config, text, plan: named }: CheckOptions): {
  verdict: Verdict;
  plan: { id: string; path: string };
} {
  const { id, path, plan } = findPlan(openCapture(workspace, config), named);
  const tree = openTree(workspace.root);
  return { verdict: judgeResult(readResult(text), { plan, planName: path, tree }), plan: { id, path } };
}

/** Runs what the plan says, for a success that is claimed; undefined where there is nothing to run. */
export async function verifyResult(options: SubmitOptions): Promise<Verified | undefined> {
  const { workspace, config, policy, environment, signal } = options;
  const { verdict, plan } = judge(options);
  const { result, match } = verdict;
  const command = match?.task.verify?.command;
  if (verdict.verdict === 'INVALID' || result?.status !== 'success' || !match || command == null)
    return undefined;
  refuseDenied(policy, match.task, command);
  options.onVerify?.({ id: `${plan.id}:${match.task.index}`, name: match.task.name }, command);
  const redactor = redactorFor(null, environment);
  const run = await runAll(match.task.verify!.commands, {
    root: workspace.root,
    settings: config,
    environment,
    redactor,
    signal: signal ?? new AbortController().signal,
    onOutput: (stream, output) => options.onOutput?.(stream, output),
  });
  if (signal?.aborted)
    throw new Unusable('The verification was interrupted, and the result was not captured.');
  return { taskIndex: match.task.index, command, run: { ...run, command: redactor.mask(command) } };
}

/** One after the other, each in a shell of its own, up to the first that does not succeed. */
async function runAll(
  commands: readonly string[],
  hands: CommandHands,
): Promise<Omit<VerificationRun, 'command'>> {
  let durationMs = 0;
  let last = { exitCode: 0 as number | null, summary: '' };
  for (const command of commands) {
    const check = await runCheck(command, hands);
    if (check.status === 'not-run') {
      throw new Unusable(`The command could not be run, and the result was not captured. ${check.reason}`);
    }
    durationMs += check.durationMs;
    last = check;
    if (check.exitCode !== 0) break;
  }
  return { exitCode: last.exitCode, durationMs, outputSummary: last.summary };
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
