import type { Config, Policy } from '../config/types.js';
import { checkConfinement } from '../confine/check.js';
import type { Issue } from '../core/issue.js';
import type { VerdictName } from '../core/task-result/types.js';
import { UserError } from '../node/errors.js';
import { sha256 } from '../node/ids.js';
import { environmentVariables } from '../node/terminal/terminal.js';
import { submitResult } from '../tasks/capture-results.js';
import type { CapturedResult, SubmitOptions, TaskRef } from '../tasks/types.js';
import { checkResult } from '../tasks/verify-result.js';
import type { Workspace } from '../workspace/workspace.js';
import {
  type AgentRequest,
  approveCommand,
  endRequest,
  findRequest,
  holdRequest,
  isCommandApproved,
  keepRequest,
  readEnd,
} from './agent-requests.js';

// Results that agents submit through a protocol. A claimed success is recorded only after teddy has verified it, with a
// command that the user has approved by its hash, or after the user has accepted it.

export type ResultClaim = Extract<AgentRequest, { kind: 'result' }>;

export interface SubmittedResult {
  text: string;
  /** A path from the root, or an id. */
  plan: string;
  client: string;
  key?: string | undefined;
}

/** How a claim ended. */
export type ClaimEnd =
  | { status: 'recorded' | 'invalid'; captured: CapturedResult }
  | { status: 'refused'; reason: string | null };

export type ClaimState = ClaimEnd | { status: 'waiting'; claim: ResultClaim };

type Listen = Pick<SubmitOptions, 'signal' | 'onOutput' | 'onVerify'>;

/** What results are recorded with. */
interface ClaimProject {
  workspace: Workspace;
  config: Config;
  policy: Policy;
}

/** `isTrusted`: the user has seen this config; otherwise everything waits. Throws `UserError` for an unknown task file. */
export async function submitClaim(
  project: ClaimProject,
  { text, plan: named, client, key }: SubmittedResult,
  isTrusted: boolean,
): Promise<ClaimState> {
  const { workspace } = project;
  const { verdict, plan } = checkResult({
    ...project,
    text,
    plan: named,
    environment: environmentVariables(),
  });
  const identity = key ?? sha256(`${plan.id}\n${text}`);
  const known = findRequest(workspace, 'result', identity);
  if (known) return readClaim(workspace, known);
  const { result, match } = verdict;
  const isSuccess = verdict.verdict !== 'INVALID' && result?.status === 'success';
  const command = match?.task.verify?.command ?? null;
  const mayVerify = isSuccess && command !== null && isCommandApproved(workspace, command);
  const tools = mayVerify && isTrusted ? await isConfinable(workspace) : undefined;
  if (isTrusted && (!isSuccess || tools?.available))
    return endOf(await record(project, { text, plan: plan.path, resultKey: key ?? null }, mayVerify));
  const claim = keepRequest(workspace, identity, {
    kind: 'result',
    client,
    plan: plan.path,
    task: match ? `${plan.id}:${match.task.index}` : plan.id,
    name: match?.task.name ?? 'no matching task',
    command: isSuccess ? command : null,
    text,
    resultKey: key ?? null,
  });
  return readClaim(workspace, claim as ResultClaim);
}

export function readClaim(workspace: Workspace, claim: ResultClaim): ClaimState {
  return readEnd<ClaimEnd>(workspace, claim.id) ?? { status: 'waiting', claim };
}

/** The user accepts the claim: its command, if it has one, is approved from now on, and runs confined. */
export async function acceptClaim(
  project: ClaimProject,
  claim: ResultClaim,
  listen: Listen = {},
): Promise<ClaimEnd> {
  const { workspace, config } = project;
  const { command } = claim;
  const checked = command !== null && config.confine.on ? await isConfinable(workspace) : undefined;
  if (checked?.available === false)
    throw new UserError(`The command cannot be confined: ${checked.cause}. ${checked.remedy}.`);
  const held = holdRequest(workspace, claim.id);
  try {
    if (command !== null) approveCommand(workspace, command);
    const end = endOf(await record(project, claim, command !== null, listen));
    endRequest(workspace, claim.id, end);
    return end;
  } finally {
    held.release();
  }
}

export function rejectClaim(workspace: Workspace, { id }: ResultClaim, reason: string | null): boolean {
  return endRequest(workspace, id, { status: 'refused', reason } satisfies ClaimEnd);
}

function isConfinable({ root }: Workspace) {
  return checkConfinement({ root, environment: environmentVariables() });
}

async function record(
  { workspace, config, policy }: ClaimProject,
  { text, plan, resultKey }: Pick<ResultClaim, 'text' | 'plan' | 'resultKey'>,
  verify: boolean,
  listen: Listen = {},
): Promise<CapturedResult> {
  const sandbox = config.confine.on || config.execute.sandbox;
  if (verify) requireApproved({ workspace, config }, { text, plan });
  return submitResult({
    workspace,
    config: { ...config, execute: { ...config.execute, sandbox } },
    policy,
    text,
    plan,
    ...(resultKey !== null && { id: resultKey }),
    verify,
    environment: environmentVariables(),
    ...listen,
    async onVerify(task, command) {
      if (!isCommandApproved(workspace, command)) throw changed(task.id);
      await listen.onVerify?.(task, command);
    },
  });
}

/** The task file may have been changed since the user saw the command: then nothing would verify the result. */
function requireApproved(
  { workspace, config }: Pick<ClaimProject, 'workspace' | 'config'>,
  { text, plan }: Pick<ResultClaim, 'text' | 'plan'>,
): void {
  const environment = environmentVariables();
  const { match } = checkResult({ workspace, config, text, plan, environment }).verdict;
  const command = match?.task.verify?.command ?? null;
  if (command === null || !isCommandApproved(workspace, command)) throw changed(match?.task.name ?? plan);
}

function changed(task: string): UserError {
  return new UserError(
    `The verify command of ${task} has changed since it was shown; nothing was recorded. The agent can submit the result again.`,
  );
}

function endOf(captured: CapturedResult): ClaimEnd {
  return { status: captured.status === 'rejected' ? 'invalid' : 'recorded', captured };
}

/** What the agent gets of a recorded result. */
export function claimFacts({ verdict, plan, verification, effectiveStatus, next, status }: CapturedResult): {
  verdict: VerdictName;
  duplicate: boolean;
  task: string | null;
  issues: Issue[];
  effectiveStatus: string | null;
  verification: { exitCode: number | null; outputSummary: string } | null;
  next: TaskRef[];
} {
  return {
    verdict: verdict.verdict,
    duplicate: status === 'duplicate',
    task: verdict.match ? `${plan.id}:${verdict.match.task.index}` : null,
    issues: verdict.issues,
    effectiveStatus,
    verification: verification && {
      exitCode: verification.exitCode,
      outputSummary: verification.outputSummary,
    },
    next,
  };
}
