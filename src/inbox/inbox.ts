import type { Config, InertConfig, Policy } from '../config/types.js';
import { labelAction } from '../core/plan/actions.js';
import type { Tree } from '../core/tree.js';
import {
  type AnsweringFace,
  type AskedQuestion,
  giveAnswer,
  listOpenQuestions,
  type OpenRunQuestion,
  questionId,
} from '../review/run-questions.js';
import { readVerifiedPlan } from '../runs/plan-copy.js';
import type { Workspace } from '../workspace/workspace.js';
import { answerReport, listReportQuestions } from './report-questions.js';
import { AnswerRefused, readRunAnswer } from './run-answers.js';
import { answerTask, listTaskQuestions } from './task-questions.js';
import type { InboxQuestion, PostedAnswer } from './types.js';

// Everything that waits for the user, whichever process asks. Faces list it and answer it here.

export interface InboxProject {
  workspace: Workspace;
  tree: Tree;
  /** Where files are; undefined where the config cannot be read: then there are no tasks. */
  config: InertConfig | undefined;
  /** What answers may run. Throws `UserError` where the user has not trusted it. */
  requireTrusted(): Promise<{ config: Config; policy: Policy }>;
}

/** The oldest first. */
export function listInbox({ workspace, config }: InboxProject): InboxQuestion[] {
  return [
    ...listOpenQuestions(workspace).map(describeRunQuestion),
    ...(config ? listTaskQuestions(workspace, config) : []),
    ...listReportQuestions(workspace),
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
  if (question === undefined) return { status: 'answered' };
  if (question.hash !== posted.hash) return { status: 'changed' };
  if (question.kind === 'task') return replyToTask(project, question, posted);
  if (question.kind === 'report') return decideReport(project, question, posted);
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
  if (posted.decision === 'rest' && readVerifiedPlan(workspace, open.run) === undefined)
    throw new AnswerRefused("The run's copy of the plan was changed: approve the actions one by one.");
  const answer = readRunAnswer(open.asked, posted, tree);
  const result = giveAnswer(workspace, open, { hash: posted.hash, face, answer });
  return result.status === 'accepted' && answer.decision === 'replace' ? { status: 'replaced' } : result;
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
