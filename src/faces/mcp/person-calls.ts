import { cutText } from '../../core/text.js';
import { type AgentRequest, readRequest } from '../../inbox/agent-requests.js';
import { type ResultClaim, readClaim } from '../../inbox/claims.js';
import { type Proposal, readProposal, reportOf, statusOf } from '../../inbox/proposals.js';
import { askUser, noteDelivered, readUserAnswer, type UserQuestion } from '../../inbox/user-questions.js';
import { UserError } from '../../node/errors.js';
import { runOf } from '../../runs/run-list.js';
import type { Workspace } from '../../workspace/workspace.js';
import { describeClaim } from './claim-facts.js';
import { describeReason, reviewOf, waitingFor } from './facts.js';
import { USUAL_WAIT_S } from './tools.js';
import type { CallContext, ToolResult } from './types.js';
import { waitFor } from './wait.js';

// What waits for the user, and how it ended.

interface RunArguments {
  run_id: string;
  wait_seconds?: number;
  part?: number;
}

export async function getRun(given: RunArguments, context: CallContext): Promise<ToolResult> {
  const { workspace } = context;
  const { run_id: id, wait_seconds: seconds = USUAL_WAIT_S, part = 1 } = given;
  await endInterrupted(workspace);
  const request = readRequest(workspace, id);
  const look = () => (isOver(workspace, id, request) ? true : undefined);
  await waitFor(look, seconds, waitingFor(id), context);
  await endInterrupted(workspace);
  if (request?.kind === 'plan') return describeProposal(workspace, request, part);
  if (request?.kind === 'result') return describeClaim(id, readClaim(workspace, request));
  if (request?.kind === 'question') return describeQuestion(workspace, request);
  return describeRun(workspace, id, part);
}

/** A run whose process was killed gets its report first. */
async function endInterrupted(workspace: Workspace): Promise<void> {
  if (!workspace.isUnfinished()) return;
  const { recoverRuns } = await import('../../sessions/recover-runs.js');
  await recoverRuns(workspace);
}

/** Whether there is nothing more to wait for. */
function isOver(workspace: Workspace, id: string, request: AgentRequest | undefined): boolean {
  switch (request?.kind) {
    case 'plan':
      return 'run' in readProposal(workspace, request);
    case 'result':
      return readClaim(workspace, request as ResultClaim).status !== 'waiting';
    case 'question':
      return readUserAnswer(workspace, request as UserQuestion) !== undefined;
    case undefined:
      return !workspace.liveRuns().includes(id);
  }
}

export function describeProposal(workspace: Workspace, proposal: Proposal, part: number): ToolResult {
  const state = readProposal(workspace, proposal);
  const base = { run_id: proposal.id, status: state.status };
  if (state.status === 'waiting' || state.status === 'running') {
    const message = state.status === 'waiting' ? waitingFor(proposal.id) : 'The user is reviewing it now.';
    const text = `${message} Show them that command, then call get_run with run_id ${proposal.id} to wait for the outcome.`;
    return { structured: { ...base, message, review: reviewOf(proposal.id) }, text };
  }
  if (state.run !== null) return { ...reported(base, state.run, part) };
  const message = `The user refused the plan. ${describeReason(state.reason)}`;
  return { structured: { ...base, message }, text: message };
}

/** A run that no agent has submitted, too: the user may have named it. */
function describeRun(workspace: Workspace, id: string, part: number): ToolResult {
  if (workspace.liveRuns().includes(id)) {
    const message = 'The run is under way.';
    return { structured: { run_id: id, status: 'running', message }, text: message };
  }
  const read = runOf(workspace, id);
  if (read?.origin !== 'own')
    throw new UserError(
      `There is no run ${JSON.stringify(cutText(id, 60))} here. Use the run_id that submit_plan returned.`,
    );
  return reported({ run_id: id, status: statusOf(read.run) }, read.run, part);
}

/** Of a report in one part, in characters. */
const LONGEST_PART = 24_000;

function reported(
  base: { run_id: string; status: string },
  run: Parameters<typeof reportOf>[0],
  part: number,
): ToolResult {
  const parts = splitReport(reportOf(run));
  const report = parts[part - 1];
  if (report === undefined) throw new UserError(`The report has ${parts.length} parts.`);
  const left = parts.length === 1 ? '' : ` This is part ${part} of ${parts.length} of the report.`;
  const message = `The run has ended: ${run.overall}.${left}`;
  const many = parts.length > 1 && { part, parts: parts.length };
  return {
    structured: { ...base, message, overall: run.overall, report, ...many },
    text: `${message}\n\n${report}`,
  };
}

function splitReport(text: string): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > LONGEST_PART) {
    const line = rest.lastIndexOf('\n', LONGEST_PART) + 1;
    const end = line > LONGEST_PART / 2 ? line : LONGEST_PART;
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...parts, rest];
}

interface AskArguments {
  question: string;
  options?: string[];
  wait_seconds?: number;
}

const LONGEST_QUESTION = 10_000;
const MOST_OPTIONS = 20;

export async function askPerson(given: AskArguments, context: CallContext): Promise<ToolResult> {
  const { workspace, client } = context;
  const { question, options = [], wait_seconds: seconds = USUAL_WAIT_S } = given;
  if (!/\S/.test(question)) throw new UserError('The question is empty.');
  if ([question, ...options].join('').length > LONGEST_QUESTION)
    throw new UserError(`The question and its options are longer than ${LONGEST_QUESTION} characters.`);
  if (options.length > MOST_OPTIONS) throw new UserError(`There are more than ${MOST_OPTIONS} options.`);
  const asked = askUser(workspace, { client, question, options });
  await waitFor(() => readUserAnswer(workspace, asked), seconds, waitingFor(asked.id), context);
  return describeQuestion(workspace, asked);
}

function describeQuestion(workspace: Workspace, asked: UserQuestion): ToolResult {
  const answer = readUserAnswer(workspace, asked);
  const base = { run_id: asked.id };
  if (answer === undefined) {
    const message = waitingFor(asked.id);
    const structured = { ...base, status: 'waiting', message, review: reviewOf(asked.id) };
    return { structured, text: `${message} Call get_run with run_id ${asked.id} to wait for the answer.` };
  }
  noteDelivered(workspace, asked);
  if (answer.text === null) {
    const message = `The user does not want to answer. ${describeReason(answer.reason)}`;
    return { structured: { ...base, status: 'refused', message }, text: message };
  }
  const message = 'The user has answered.';
  return { structured: { ...base, status: 'done', message, answer: answer.text }, text: answer.text };
}
