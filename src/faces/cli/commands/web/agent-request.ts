import { join } from 'node:path';
import { setUserSetting } from '../../../../config/user-config.js';
import { type AgentRequest, holdRequest } from '../../../../inbox/agent-requests.js';
import { acceptClaim, type ResultClaim } from '../../../../inbox/claims.js';
import { executeProposal, type Proposal } from '../../../../inbox/proposals.js';
import { answerUserQuestion, type UserQuestion } from '../../../../inbox/user-questions.js';
import { UserError } from '../../../../node/errors.js';
import { writeError } from '../../../../node/terminal/terminal.js';
import { hasTerminal } from '../../../../node/terminal/tty.js';
import { RestApproval } from '../../../../review/compose.js';
import type { ActionQuestion } from '../../../../review/question.js';
import { openTree } from '../../../../workspace/tree.js';
import { type GlobalOptions, paintFor, printResult, visible, visibleLine } from '../../output.js';
import { type Project, type TrustedProject, trustOpened } from '../../project.js';
import { runReviewedPlan } from '../plans/run-reviewed-plan.js';
import { describeVerification, Verifying, verdictLines } from '../results/result-lines.js';

// What an agent has submitted through a protocol, answered at the terminal. It gets what the user decides, and the report.

/** Throws `UserError` without a terminal. */
export async function answerRequestAtTerminal(
  place: Project,
  request: AgentRequest,
  options: GlobalOptions,
): Promise<number> {
  if (!hasTerminal()) throw new UserError('There is no terminal to answer at. Use teddy web.');
  switch (request.kind) {
    case 'plan':
      return reviewProposal(await trustOpened(place, options), request, options);
    case 'result':
      return decideClaim(await trustOpened(place, options), request, options);
    case 'question':
      return answerQuestion(place, request, options);
  }
}

/** The plan runs in this process. */
async function reviewProposal(
  project: TrustedProject,
  proposal: Proposal,
  options: GlobalOptions,
): Promise<number> {
  const held = holdRequest(project.workspace, proposal.id);
  const review = (text: string): Promise<number> =>
    runReviewedPlan(
      text,
      project,
      { ...options, copy: false },
      {
        execute: (execution) => executeProposal(proposal, execution, text),
        retry: review,
      },
    );
  try {
    writeError(`A plan from ${visibleLine(proposal.client)}, which gets the report.\n`);
    return await review(proposal.text);
  } finally {
    held.release();
  }
}

async function decideClaim(
  project: TrustedProject,
  claim: ResultClaim,
  options: GlobalOptions,
): Promise<number> {
  const { task, name, command, client, text } = claim;
  const { confirm } = await import('../../review/terminal-review.js');
  const answer = await confirm(
    {
      root: project.root,
      title: `${visibleLine(client)} says that ${visibleLine(task)} is done: ${visibleLine(name)}`,
      about:
        command === null
          ? 'This task has no command that could verify it.'
          : 'The command below verifies it, confined. If you approve it, teddy also runs it for later results here, without asking.',
      texts: [...(command === null ? [] : [{ name: 'Command', text: command }]), { name: 'Result', text }],
      yes: command === null ? 'accept the result' : 'run the command and record the result',
      no: 'leave it open (refuse it with --refuse)',
    },
    options,
  );
  if (answer !== 'yes') return answer === 'interrupted' ? 130 : 0;
  const paint = paintFor('stderr', options);
  const verifying = new Verifying(paint);
  try {
    const end = await acceptClaim(project, claim, verifying.options);
    if (end.status === 'refused') return 1;
    const { captured } = end;
    printResult(project.root, options, captured, () => [
      ...verdictLines(captured.verdict, paint),
      ...describeVerification(captured, command !== null, paint),
    ]);
    return end.status === 'recorded' && captured.effectiveStatus === 'success' ? 0 : 1;
  } finally {
    verifying.end();
  }
}

/** Asked like a message of a plan. */
async function answerQuestion(
  { root, workspace }: Project,
  asked: UserQuestion,
  { color }: GlobalOptions,
): Promise<number> {
  const { openTerminalReview } = await import('../../review/terminal-review.js');
  workspace.inDrafts(() => undefined, { make: true });
  const terminal = openTerminalReview({
    root,
    color,
    keepGoing: false,
    tree: openTree(root),
    rest: new RestApproval(),
    draftFolder: () => join(root, '.teddy/drafts'),
    allowReads: () => setUserSetting('review.reads', 'allow'),
  })!;
  try {
    const answer = await terminal.reviewer.ask!(asMessage(asked));
    if (terminal.interrupted() || answer.decision === 'quit') return 130;
    const isReply = answer.decision === 'approve';
    const isFirst = answerUserQuestion(workspace, asked, {
      text: isReply ? (answer.reply ?? null) : null,
      reason: answer.decision === 'skip' ? answer.reason : null,
    });
    terminal.show(isFirst ? `${visibleLine(asked.client)} gets your answer.` : 'It was answered elsewhere.');
    return isFirst ? 0 : 1;
  } finally {
    terminal.close();
  }
}

function asMessage({ id, question, options, client }: UserQuestion): ActionQuestion {
  const choices = options.map((option, at) => `${at + 1}. ${option}`).join('\n');
  const message = visible(
    [`${client} asks:`, '', question.trim(), ...(choices === '' ? [] : ['', choices])].join('\n'),
  );
  return {
    kind: 'action',
    number: 1,
    total: 1,
    action: { type: 'CHAT_WITH_USER', line: 1, metadata: {}, message },
    modified: false,
    preview: { kind: 'none' },
    risks: [],
    hash: id,
  };
}
