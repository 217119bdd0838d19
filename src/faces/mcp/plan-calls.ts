import { loadProject } from '../../config/project.js';
import type { InertConfig } from '../../config/types.js';
import type { Issue } from '../../core/issue.js';
import type { Validation } from '../../core/plan/check.js';
import { isRepair } from '../../core/plan/issues.js';
import { readProposal, submitPlan, validateProposal } from '../../inbox/proposals.js';
import { UserError } from '../../node/errors.js';
import { MB } from '../../node/files.js';
import type { Workspace } from '../../workspace/workspace.js';
import { reviewOf, toFacts, waitingFor } from './facts.js';
import { requireKey, requireSize } from './limits.js';
import { describeProposal } from './person-calls.js';
import type { CallContext, ToolResult } from './types.js';
import { waitFor } from './wait.js';

interface PlanArguments {
  plan: string;
  dry_run?: boolean;
  wait_seconds?: number;
  key?: string;
}

const LARGEST_PLAN = 10 * MB;

export async function submitPlanCall(given: PlanArguments, context: CallContext): Promise<ToolResult> {
  const { workspace, client } = context;
  requireSize('plan', given.plan, LARGEST_PLAN);
  if (!/\S/.test(given.plan)) throw new UserError('The plan is empty.');
  const key = given.key === undefined ? undefined : requireKey(given.key);
  const config = await readConfig(workspace);
  if (given.dry_run) return judged(await validateProposal(workspace, given.plan, config));
  const submitted = await submitPlan(workspace, { text: given.plan, client, key }, config);
  if (submitted.status === 'invalid') return judged(submitted.validation);
  const { proposal, validation } = submitted;
  const { issues, repairs } = issueFacts(validation ?? { issues: [] });
  const look = () => {
    const state = readProposal(workspace, proposal);
    return state.status === 'done' || state.status === 'refused' ? state : undefined;
  };
  await waitFor(look, given.wait_seconds ?? 0, waitingFor(proposal.id), context);
  const { structured, text } = describeProposal(workspace, proposal, 1);
  return { structured: { ...structured, issues, repairs, review: reviewOf(proposal.id) }, text };
}

function judged(validation: Validation): ToolResult {
  const { issues, repairs, left } = issueFacts(validation);
  const status = validation.ok ? 'valid' : 'invalid';
  const message = validation.ok
    ? 'The plan is valid. Nothing was submitted.'
    : 'The plan has errors and was not submitted. Fix them and submit the whole plan again.';
  const lines = issues.map(({ severity, line, message: said, hint }) =>
    [
      `- ${severity}${line === undefined ? '' : `, line ${line}`}: ${said}`,
      ...(hint ? [`  ${hint}`] : []),
    ].join('\n'),
  );
  const more = left === 0 ? [] : [`- ${left} more`];
  return { structured: { status, message, issues, repairs }, text: [message, ...lines, ...more].join('\n') };
}

const MOST_ISSUES = 50;

/** Errors first: of many issues only so many are listed. */
function issueFacts({ issues }: Pick<Validation, 'issues'>) {
  const repairs = issues.filter(isRepair);
  const others = issues.filter((issue) => !isRepair(issue));
  const isError = ({ severity }: Issue) => severity === 'error';
  const sorted = [...others.filter(isError), ...others.filter((issue) => !isError(issue))];
  return {
    issues: sorted.slice(0, MOST_ISSUES).map(toFacts),
    repairs: repairs.slice(0, MOST_ISSUES).map(({ message }) => message),
    left: Math.max(0, sorted.length - MOST_ISSUES),
  };
}

/** Undefined where it cannot be read: plans can be proposed all the same. */
async function readConfig({ root }: Workspace): Promise<InertConfig | undefined> {
  const loaded = await loadProject(root);
  return loaded.status === 'loaded' ? loaded.config : undefined;
}
