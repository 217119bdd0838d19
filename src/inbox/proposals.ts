import { maskerFor } from '../config/redactor.js';
import type { InertConfig } from '../config/types.js';
import { type Validation, validatePlan } from '../core/plan/check.js';
import { renderMirrored } from '../core/report/mirrored.js';
import type { Run } from '../core/report/record.js';
import { sha256 } from '../node/ids.js';
import { environmentVariables } from '../node/terminal/terminal.js';
import { type ExecuteOptions, executePlan } from '../runs/execute-plan.js';
import { runOf } from '../runs/run-list.js';
import { isUndecided } from '../runs/run-record.js';
import { readMemos } from '../runs/turn-state.js';
import { openTree } from '../workspace/tree.js';
import type { Workspace } from '../workspace/workspace.js';
import {
  type AgentRequest,
  endRequest,
  findRequest,
  isRequestHeld,
  keepRequest,
  listOpenRequests,
  noteOn,
  readEnd,
  readNote,
} from './agent-requests.js';

// Plans that agents submit through a protocol. Each waits as a request; the process in which the user decides runs it.

export type Proposal = Extract<AgentRequest, { kind: 'plan' }>;

export interface ProposedPlan {
  text: string;
  client: string;
  /** Default: the text itself. The same key twice is one run. */
  key?: string | undefined;
}

export type SubmittedPlan =
  | { status: 'kept'; proposal: Proposal; validation: Validation | undefined }
  /** Nothing waits: it has errors. */
  | { status: 'invalid'; validation: Validation };

/** The validation is that of a plan without a session, on the files as they are. */
export function validateProposal(
  workspace: Workspace,
  text: string,
  config: InertConfig | undefined,
): Promise<Validation> {
  const tree = openTree(workspace.root);
  return validatePlan(text, {
    tree,
    memos: () => readMemos(tree),
    session: null,
    ...(config && {
      refuseResearch: async () =>
        (await import('../runs/web/research.js')).refuseResearch(config, environmentVariables()),
    }),
    show: (plan) => maskerFor(plan, environmentVariables()),
  });
}

/** A plan that was submitted before is not judged again: its own run may have changed the files. */
export async function submitPlan(
  workspace: Workspace,
  { text, client, key }: ProposedPlan,
  config: InertConfig | undefined,
): Promise<SubmittedPlan> {
  const identity = key ?? sha256(text);
  const known = findRequest(workspace, 'plan', identity) ?? findWaiting(workspace, text);
  if (known) return { status: 'kept', proposal: known, validation: undefined };
  const validation = await validateProposal(workspace, text, config);
  if (!validation.ok) return { status: 'invalid', validation };
  const title = validation.plan?.title ?? 'A plan without a title';
  const proposal = keepRequest(workspace, identity, { kind: 'plan', client, title, text });
  return { status: 'kept', proposal: proposal as Proposal, validation };
}

/** While the same text waits, another key is no other run. */
function findWaiting(workspace: Workspace, text: string): Proposal | undefined {
  return listOpenRequests(workspace)
    .filter((request) => request.kind === 'plan')
    .find((proposal) => proposal.text === text);
}

export type ProposalState =
  | { status: 'waiting' }
  /** The user is reviewing it, or it runs. */
  | { status: 'running' }
  /** `refused`: the user approved nothing of it, or it could not be run. */
  | { status: 'done' | 'refused'; run: Run }
  /** The user refused it without a review. */
  | { status: 'refused'; run: null; reason: string | null };

type ProposalEnd = { run: string } | { run: null; reason: string | null };

export function readProposal(workspace: Workspace, proposal: Proposal): ProposalState {
  const end = readEnd<ProposalEnd>(workspace, proposal.id);
  if (end?.run === null) return { status: 'refused', ...end };
  const id = readNote<{ run: string }>(workspace, proposal.id, 'run')?.run ?? proposal.id;
  if (workspace.liveRuns().includes(id) || isRequestHeld(workspace, proposal.id))
    return { status: 'running' };
  const read = runOf(workspace, id);
  if (read?.origin !== 'own') return { status: 'waiting' };
  const { run } = read;
  // A review that was interrupted before anything was decided can start again.
  const isOpen = isUndecided(run) && end === undefined;
  return isOpen ? { status: 'waiting' } : { status: statusOf(run), run };
}

export function statusOf(run: Run): 'done' | 'refused' {
  return run.refused || run.overall === 'Skipped' ? 'refused' : 'done';
}

export function reportOf(run: Run): string {
  return renderMirrored(run);
}

/** Those that the user can decide on now. */
export function listProposals(workspace: Workspace): Proposal[] {
  return listOpenRequests(workspace)
    .filter((request) => request.kind === 'plan')
    .filter((proposal) => readProposal(workspace, proposal).status === 'waiting');
}

/** Reviews and runs it here. The caller holds the request. `text`: as the user has edited it. */
export async function executeProposal(
  proposal: Proposal,
  options: Omit<ExecuteOptions, 'path' | 'id' | 'turn'>,
  text = proposal.text,
): Promise<Run> {
  const { workspace, isReviewAborted } = options;
  const run = await executePlan(text, {
    ...options,
    path: null,
    id: proposal.id,
    onFolder(folder) {
      noteOn(workspace, proposal.id, 'run', { run: folder.id });
      options.onFolder?.(folder);
    },
  });
  if (!(isReviewAborted?.() && isUndecided(run)))
    endRequest(workspace, proposal.id, { run: run.id } satisfies ProposalEnd);
  return run;
}

/** False where it was decided already. */
export function refuseProposal(workspace: Workspace, { id }: Proposal, reason: string | null): boolean {
  return endRequest(workspace, id, { run: null, reason } satisfies ProposalEnd);
}
