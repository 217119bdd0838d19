import { findPlanner, renderPrompt } from '../../agents/planners.js';
import { masksFor } from '../../config/redactor.js';
import type { Config, Policy } from '../../config/types.js';
import type { ExecuteAction } from '../../core/plan/types.js';
import type { Run } from '../../core/report/record.js';
import { monotonicMs } from '../../node/clock.js';
import { UserError } from '../../node/user-error.js';
import { decideByPolicy } from '../../review/policy.js';
import { type PlanTaskEnd, planTask } from '../../sessions/plan-task.js';
import { requireModel } from '../../sessions/plan-turn.js';
import { Workspace } from '../../workspace/workspace.js';
import { printTo } from './teddy-output.js';
import { renderTaskPrompt } from './teddy-prompt.js';
import { type Concluded, TEDDY, writeTaskResult } from './teddy-result.js';
import { reviewUnattended } from './teddy-reviewer.js';
import {
  type Executor,
  type ExecutorEnd,
  type ExecutorIO,
  NOTHING_USED,
  type TaskAssignment,
} from './types.js';

/** Of the project itself, as they were when the run began. */
export interface TeddyExecutorOptions {
  workspace: Workspace;
  config: Config;
  policy: Policy;
}

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
      const limit = limitTime(assignment.timeoutMs, site.signal);
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

type Ending<T = ExecutorEnd> = T extends unknown ? Omit<T, 'durationMs' | 'usage'> : never;

function conclude(
  end: PlanTaskEnd,
  assignment: TaskAssignment,
  durationMs: number,
  mask: (text: string) => string,
  { signal }: ExecutorIO,
): Ending {
  switch (end.status) {
    case 'interrupted':
      return signal.aborted ? { status: 'cancelled' } : describeTimeOut(end.runs, assignment);
    case 'failed':
      return { status: 'crashed', reason: mask(end.reason), limited: end.limited };
    default:
      return {
        status: 'returned',
        text: writeTaskResult(end satisfies Concluded, assignment, durationMs, mask),
        exitCode: 0,
      };
  }
}

function describeTimeOut(runs: readonly Run[], { timeoutMs }: TaskAssignment): Ending {
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

/** The longest time that a timer can wait for; a longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** One limit over all of it, together with the caller's signal. */
function limitTime(ms: number | null, caller: AbortSignal): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = ms === null ? undefined : setTimeout(abort, Math.min(ms, LONGEST_MS));
  if (caller.aborted) abort();
  caller.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      caller.removeEventListener('abort', abort);
    },
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
