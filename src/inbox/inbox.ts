import type { Config, InertConfig, Policy } from '../config/types.js';
import { labelAction } from '../core/plan/actions.js';
import type { Tree } from '../core/tree.js';
import { UserError } from '../node/errors.js';
import {
  type AnsweringFace,
  type AskedQuestion,
  giveAnswer,
  listOpenQuestions,
  type OpenRunQuestion,
  questionId,
} from '../review/run-questions.js';
import { readVerifiedPlan } from '../runs/plan-copy.js';
import { Sessions } from '../sessions/turns/sessions.js';
import type { Turn } from '../sessions/turns/turn.js';
import type { Workspace } from '../workspace/workspace.js';
import { readEnd, readRequest } from './agent-requests.js';
import { type ChangesInboxQuestion, listChangesQuestions, refuseReviewed } from './changes-questions.js';
import { acceptClaim, rejectClaim } from './claims.js';
import { type Proposal, refuseProposal } from './proposals.js';
import { answerReport, listReportQuestions } from './report-questions.js';
import { isRequestQuestion, listRequestQuestions } from './request-questions.js';
import { AnswerRefused, readRunAnswer } from './run-answers.js';
import { hashTurn, listSessionQuestions, type SessionInboxQuestion } from './session-questions.js';
import { answerTask, listTaskQuestions } from './task-questions.js';
import type { InboxQuestion, PostedAnswer } from './types.js';
import { answerUserQuestion, type UserQuestion } from './user-questions.js';

// Everything that waits for the user, whichever process asks. Faces list it and answer it here.

export interface InboxProject {
  workspace: Workspace;
  tree: Tree;
  /** Where files are; undefined where the config cannot be read: then there are no tasks. */
  config: InertConfig | undefined;
  /** What answers may run. Throws `UserError` where the user has not trusted it. */
  requireTrusted(): Promise<{ config: Config; policy: Policy }>;
  /** Continues a session in this process; undefined where this face cannot. */
  continueSession?(session: string, next: NextMessage): Promise<void>;
  /** Starts the review of an agent's plan in this process; undefined where this face cannot. */
  reviewProposal?(proposal: Proposal): Promise<void>;
  /** The same for the changes of an agent, by the id of its work. */
  reviewChanges?(work: string): Promise<void>;
}

export interface NextMessage {
  /** Empty: reviews the plan that waits, or asks the model again. */
  text: string;
  /** Whether this is the turn that the user was shown, seen while no other process can change it. */
  isShown(turn: Turn): boolean;
  /** The user allows more than the budget, for this turn. */
  beyondBudget: boolean;
}

/** The oldest first. */
export function listInbox({ workspace, config }: InboxProject): InboxQuestion[] {
  return [
    ...listOpenQuestions(workspace).map(describeRunQuestion),
    ...(config ? listTaskQuestions(workspace, config) : []),
    ...listReportQuestions(workspace),
    ...listSessionQuestions(workspace),
    ...listChangesQuestions(workspace),
    ...listRequestQuestions(workspace),
  ].sort((one, other) => (one.askedAt < other.askedAt ? -1 : one.askedAt > other.askedAt ? 1 : 0));
}

function describeRunQuestion(open: OpenRunQuestion): InboxQuestion {
  const { run, asked, hash, askedAt, title } = open;
  const base = { id: questionId(open), hash, askedAt, title, subject: subjectOf(asked), run };
  if (asked.kind === 'state') return { ...base, kind: 'state', section: asked.section };
  return { ...base, kind: asked.kind, number: asked.number, total: asked.total };
}

function subjectOf(asked: AskedQuestion['asked']): string {
  if (asked.kind === 'state') return asked.section;
  if (asked.kind === 'file') return `${asked.type} ${asked.path}`;
  return `${asked.action.type} ${labelAction(asked.action)}`;
}

export type InboxAnswered =
  | { status: 'accepted' }
  /** The edit became a new question. */
  | { status: 'replaced' }
  /** It is no longer open. */
  | { status: 'answered' }
  /** The hash is that of something else. */
  | { status: 'changed' };

/** Answers a question of the inbox. Throws `AnswerRefused` or `UserError` where the answer does not fit it. */
export async function answerInbox(
  project: InboxProject,
  id: string,
  posted: PostedAnswer,
  face: AnsweringFace,
): Promise<InboxAnswered> {
  const question = listInbox(project).find((each) => each.id === id);
  if (question === undefined) {
    refuseReviewed(project.workspace, id);
    return { status: 'answered' };
  }
  if (question.hash !== posted.hash) return { status: 'changed' };
  if (question.kind === 'task') return replyToTask(project, question, posted);
  if (question.kind === 'report') return decideReport(project, question, posted);
  if (question.kind === 'changes') return startChangesReview(project, question, posted);
  if ('session' in question) return answerSession(project, question, posted);
  if (isRequestQuestion(question)) return answerRequest(project, question.id, posted);
  return answerRun(project, id, posted, face);
}

function answerRun(
  { workspace, tree }: InboxProject,
  id: string,
  posted: PostedAnswer,
  face: AnsweringFace,
): InboxAnswered {
  const open = listOpenQuestions(workspace).find((each) => questionId(each) === id);
  if (open === undefined) return { status: 'answered' };
  if (
    posted.decision === 'rest' &&
    open.asked.kind !== 'file' &&
    readVerifiedPlan(workspace, open.run) === undefined
  )
    throw new AnswerRefused("The run's copy of the plan was changed: approve the actions one by one.");
  const answer = readRunAnswer(open.asked, posted, tree);
  const result = giveAnswer(workspace, open, { hash: posted.hash, face, answer });
  const isEdit = answer.decision === 'replace' || answer.decision === 'rewrite';
  return result.status === 'accepted' && isEdit ? { status: 'replaced' } : result;
}

async function replyToTask(
  { workspace, requireTrusted }: InboxProject,
  asked: Extract<InboxQuestion, { kind: 'task' }>,
  { decision, text = '' }: PostedAnswer,
): Promise<InboxAnswered> {
  const words = text.trim();
  const word = /^[a-z]+/.exec(words)?.[0];
  const { answers } = asked.question;
  if (decision !== 'reply' || !answers.some((known) => known === word))
    throw new AnswerRefused(`Reply with one of: ${answers.join(', ')}.`);
  await answerTask(workspace, await requireTrusted(), asked, words);
  return { status: 'accepted' };
}

async function answerSession(
  { workspace, continueSession }: InboxProject,
  { kind, session, hash }: SessionInboxQuestion,
  { decision, text = '' }: PostedAnswer,
): Promise<InboxAnswered> {
  const isShown = (turn: Turn) => hashTurn(turn) === hash;
  if (kind === 'budget' && decision === 'skip') {
    await forgoBudget(workspace, session, isShown);
    return { status: 'accepted' };
  }
  if (continueSession === undefined)
    throw new UserError(`Answer it in a terminal: teddy chat --session ${session}`);
  const isReply = kind !== 'budget' && decision === 'reply' && /\S/.test(text);
  if (!isReply && (kind === 'message' || decision !== 'approve'))
    throw new AnswerRefused(SESSION_ANSWERS[kind]);
  await continueSession(session, { text: isReply ? text : '', isShown, beyondBudget: kind === 'budget' });
  return { status: 'accepted' };
}

const SESSION_ANSWERS: Record<SessionInboxQuestion['kind'], string> = {
  message: 'Reply with a message.',
  plan: 'Answer with approve (review the plan) or reply (ask for another one).',
  budget: 'Answer with approve (continue beyond the budget) or skip.',
};

async function forgoBudget(
  workspace: Workspace,
  session: string,
  isShown: (turn: Turn) => boolean,
): Promise<void> {
  const sessions = new Sessions(workspace);
  const held = sessions.hold(session);
  try {
    const turn = sessions.lastTurn(session);
    if (isShown(turn)) await sessions.keepOverBudget(turn, null);
  } finally {
    held.release();
  }
}

async function answerRequest(
  project: InboxProject,
  id: string,
  { decision, reason = '', text = '' }: PostedAnswer,
): Promise<InboxAnswered> {
  const { workspace } = project;
  const said = reason.trim() === '' ? null : reason.trim();
  const request = readRequest(workspace, id);
  if (request === undefined || readEnd(workspace, id) !== undefined) return { status: 'answered' };
  if (request.kind === 'question') return answerUser(workspace, request, { decision, text, said });
  if (decision === 'skip') {
    const isFirst =
      request.kind === 'plan'
        ? refuseProposal(workspace, request, said)
        : rejectClaim(workspace, request, said);
    return { status: isFirst ? 'accepted' : 'answered' };
  }
  if (decision !== 'approve') throw new AnswerRefused('Answer with approve or skip.');
  if (request.kind === 'result') {
    await acceptClaim({ workspace, ...(await project.requireTrusted()) }, request);
    return { status: 'accepted' };
  }
  if (project.reviewProposal === undefined) throw new UserError(`Review it in a terminal: teddy inbox ${id}`);
  await project.reviewProposal(request);
  return { status: 'accepted' };
}

async function startChangesReview(
  { reviewChanges }: InboxProject,
  { work }: ChangesInboxQuestion,
  { decision }: PostedAnswer,
): Promise<InboxAnswered> {
  if (decision !== 'approve') throw new AnswerRefused('Answer with approve (start the review).');
  if (reviewChanges === undefined)
    throw new UserError(`Review them in a terminal: teddy changes review ${work}`);
  await reviewChanges(work);
  return { status: 'accepted' };
}

function answerUser(
  workspace: Workspace,
  question: UserQuestion,
  { decision, text, said }: { decision: PostedAnswer['decision']; text: string; said: string | null },
): InboxAnswered {
  if (decision !== 'skip' && (decision !== 'reply' || !/\S/.test(text)))
    throw new AnswerRefused('Reply with a text, or skip the question.');
  const answer = { text: decision === 'reply' ? text.trim() : null, reason: said };
  return { status: answerUserQuestion(workspace, question, answer) ? 'accepted' : 'answered' };
}

async function decideReport(
  { workspace }: InboxProject,
  question: Extract<InboxQuestion, { kind: 'report' }>,
  { decision, reason = '' }: PostedAnswer,
): Promise<InboxAnswered> {
  if (decision !== 'approve' && decision !== 'skip')
    throw new AnswerRefused('Answer with approve (accept the report) or skip (reject it).');
  const said = reason.trim() === '' ? null : reason.trim();
  const isFirst = await answerReport(workspace, question, decision === 'approve' ? 'accept' : 'reject', said);
  return { status: isFirst ? 'accepted' : 'answered' };
}
