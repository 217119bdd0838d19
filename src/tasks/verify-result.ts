import { redactorFor } from '../config/redactor.js';
import type { Policy } from '../config/types.js';
import type { ExecuteAction } from '../core/plan/types.js';
import type { Task } from '../core/task-plan/types.js';
import { fixResult } from '../core/task-result/fix.js';
import { judgeResult } from '../core/task-result/judge.js';
import { readResult } from '../core/task-result/read.js';
import type { Verdict } from '../core/task-result/types.js';
import { maskVerdict } from '../core/task-result/write.js';
import { UserError } from '../node/errors.js';
import { decideByPolicy, describeRule } from '../review/policy.js';
import { openTree } from '../workspace/tree.js';
import type { AssignedTasks } from './plans/assignments.js';
import { findPlan } from './plans/tasks.js';
import { openCapture } from './project.js';
import type { CheckOptions, SubmitOptions, Verified } from './types.js';
import { verifyCommands } from './verify-commands.js';

/** Whether there is exactly one such plan to work on. */
export function isPlan({
  workspace,
  config,
  plan,
}: Pick<CheckOptions, 'workspace' | 'config' | 'plan'>): boolean {
  try {
    findPlan(openCapture(workspace, config), plan);
    return true;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

/** Only the verdict, with secrets masked; changes nothing. */
export function checkResult(options: CheckOptions & Pick<SubmitOptions, 'environment'>): {
  verdict: Verdict;
  plan: { id: string; path: string };
} {
  const redactor = redactorFor(null, options.environment);
  const { verdict, plan } = judge(options);
  return { verdict: maskVerdict(verdict, (text) => redactor.mask(text)), plan };
}

/** The corrected result if it is not INVALID, and the verdict on it; else the verdict on the original. */
export function fixAndCheck(
  options: CheckOptions & Pick<SubmitOptions, 'environment'>,
): ReturnType<typeof checkResult> & { fixed: string | null } {
  const text = fixResult(options.text);
  const checked = checkResult({ ...options, text: text ?? options.text });
  return { ...checked, fixed: text === undefined || checked.verdict.verdict === 'INVALID' ? null : text };
}

function judge({ workspace, config, text, plan: named, expectedIndex }: Judgeable): {
  verdict: Verdict;
  plan: { id: string; path: string };
} {
  const { id, path, plan } = findPlan(openCapture(workspace, config), named);
  const tree = openTree(workspace.root);
  const verdict = judgeResult(readResult(text), { plan, planName: path, tree, expectedIndex });
  return { verdict, plan: { id, path } };
}

type Judgeable = CheckOptions & Pick<SubmitOptions, 'expectedIndex'>;

/** The task of a result, if an orchestrator has assigned it. */
export function findAssignment(
  options: Judgeable,
  assigned: AssignedTasks,
): { id: string; executor: string; attempt: number } | undefined {
  const { verdict, plan } = judge(options);
  if (!verdict.match) return undefined;
  const id = `${plan.id}:${verdict.match.task.index}`;
  return Object.hasOwn(assigned, id) ? { id, ...assigned[id]! } : undefined;
}

/** Runs the plan's verify command for a claimed success; undefined if there is nothing to run. */
export async function verifyResult(options: SubmitOptions): Promise<Verified | undefined> {
  const { workspace, config, policy, environment, signal } = options;
  const { verdict, plan } = judge(options);
  const { result, match } = verdict;
  const command = match?.task.verify?.command;
  if (verdict.verdict === 'INVALID' || result?.status !== 'success' || !match || command == null)
    return undefined;
  refuseDenied(policy, match.task, command);
  await options.onVerify?.({ id: `${plan.id}:${match.task.index}`, name: match.task.name }, command);
  const verified = await verifyCommands(
    match.task.verify!,
    {
      root: workspace.root,
      settings: config,
      environment,
      redactor: redactorFor(null, environment),
      signal: signal ?? new AbortController().signal,
      onOutput: (stream, output) => options.onOutput?.(stream, output),
    },
    { repeat: false },
  );
  if (verified.status === 'interrupted')
    throw new UserError('The verification was interrupted; the result was not recorded.');
  if (verified.status === 'not-run')
    throw new UserError(`The verify command could not run; the result was not recorded. ${verified.reason}`);
  return { taskIndex: match.task.index, command, run: verified.run };
}

/** --verify approves the command; a policy can still deny it. */
function refuseDenied(policy: Policy, task: Task, command: string): void {
  const denial = describeDenial(policy, task, command);
  if (denial === undefined) return;
  throw new UserError(
    `The verify command of ${JSON.stringify(task.name)} did not run, and the result was not recorded: ${denial}.`,
  );
}

/** Why a policy forbids the command of a task, as the end of a sentence; undefined if it does not. */
export function describeDenial(policy: Policy, task: Task, command: string): string | undefined {
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
  return verdict === 'deny' && rule ? `denied by policy, ${describeRule(rule)}` : undefined;
}
