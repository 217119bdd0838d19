import { checkReport } from '../../agents/check-report.js';
import { checkTrust, loadProject } from '../../config/project.js';
import type { Config, InertConfig, Policy } from '../../config/types.js';
import { submitClaim } from '../../inbox/claims.js';
import { now } from '../../node/clock.js';
import { UserError } from '../../node/errors.js';
import { MB } from '../../node/files.js';
import { environmentVariables } from '../../node/terminal/terminal.js';
import { findQuestions, readAttempts } from '../../orchestrate/attempt-records.js';
import { briefTask } from '../../orchestrate/brief-task.js';
import { listProject } from '../../tasks/plans/tasks.js';
import { openCapture } from '../../tasks/project.js';
import type { Workspace } from '../../workspace/workspace.js';
import { describeProblems, readAgentSubject } from '../cli/project.js';
import { describeClaim } from './claim-facts.js';
import { toFacts } from './facts.js';
import { requireKey, requireSize } from './limits.js';
import type { CallContext, ToolResult } from './types.js';

// Tasks, their results, and agent reports.

interface NextArguments {
  plan?: string;
  limit?: number;
}

export async function nextTask(
  { plan, limit = 1 }: NextArguments,
  context: CallContext,
): Promise<ToolResult> {
  const { workspace } = context;
  const { config } = await openConfig(workspace);
  const { ready, waiting } = readReady(workspace, config, plan);
  const tasks = [];
  for (const { id } of ready.slice(0, limit)) {
    const { name, prompt } = await briefTask(id, { workspace, config, environment: environmentVariables() });
    tasks.push({ id, name, plan: id.slice(0, id.lastIndexOf(':')), prompt });
  }
  const more = ready.length - tasks.length;
  const message =
    tasks.length === 0
      ? 'No task can start now.'
      : `${tasks.length === 1 ? 'One task' : `${tasks.length} tasks`}${more === 0 ? '' : `; ${more} more can start`}. Return the result with submit_result.`;
  return {
    structured: { tasks, waiting, message },
    text: [message, ...tasks.map(({ prompt }) => prompt)].join('\n\n'),
  };
}

/** What can start: neither open questions nor checkpoints, which are the user's. */
function readReady(workspace: Workspace, config: InertConfig, named: string | undefined) {
  const project = openCapture(workspace, config);
  const { plans, next } = listProject(project, named);
  const asked = findQuestions(
    readAttempts(workspace),
    project,
    plans.map(({ plan }) => plan),
  );
  const types = new Map(plans.flatMap(({ tasks }) => tasks.map(({ id, type }) => [id, type])));
  const ready = next.next.filter(({ id }) => !asked.has(id) && !types.get(id)?.startsWith('checkpoint'));
  return { ready, waiting: next.waiting };
}

const LARGEST_RESULT = 10 * MB;
const LARGEST_REPORT = 20 * MB;

interface ResultArguments {
  plan: string;
  result: string;
  key?: string;
}

export async function submitResultCall(given: ResultArguments, context: CallContext): Promise<ToolResult> {
  const { workspace, client } = context;
  requireSize('result', given.result, LARGEST_RESULT);
  const key = given.key === undefined ? undefined : requireKey(given.key);
  const { config, policy, isTrusted } = await openConfig(workspace);
  const submitted = { text: given.result, plan: given.plan, client, key };
  const state = await submitClaim({ workspace, config, policy }, submitted, isTrusted);
  return describeClaim(null, state);
}

interface ReportArguments {
  task_id: string;
  report: string;
}

export async function submitReportCall(given: ReportArguments, context: CallContext): Promise<ToolResult> {
  const { workspace } = context;
  const { report: text, task_id: taskId } = given;
  requireSize('report', text, LARGEST_REPORT);
  const { config, isTrusted } = await openConfig(workspace);
  const agents = await readAgentSubject({ root: workspace.root, workspace });
  if (!isTrusted || !checkTrust(agents).trusted) throw new UserError(UNTRUSTED);
  const held = workspace.incoming.keep(new TextEncoder().encode(text), { ending: '.report' });
  try {
    const checked = await checkReport({
      workspace,
      threshold: config.review.confidence,
      text,
      client: 'text',
      lenient: false,
      asked: { agent: null, taskId, verbosity: null },
      base: null,
      environment: environmentVariables(),
      now: now(),
      held,
      again: false,
      ownFiles: [],
    });
    const { compliant, route, issues } = checked;
    const message = compliant
      ? `The report keeps the contract; route: ${route}.`
      : 'The report breaks the contract.';
    const lines = issues.map((issue) => `- ${issue.severity}: ${issue.message}`);
    const structured = { compliant, route, message, issues: issues.map(toFacts) };
    return { structured, text: [message, ...lines].join('\n') };
  } finally {
    held.release();
  }
}

const UNTRUSTED = 'The user has not trusted this project yet: they can run `teddy trust` in a terminal.';

/** The config as it is now. Throws `UserError` where it cannot be read. */
async function openConfig({
  root,
}: Workspace): Promise<{ config: Config; policy: Policy; isTrusted: boolean }> {
  const loaded = await loadProject(root);
  if (loaded.status === 'refused') throw new UserError(describeProblems(loaded.problems));
  return { config: loaded.config, policy: loaded.policy, isTrusted: checkTrust(loaded).trusted };
}
