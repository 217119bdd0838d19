import { labelAction } from '../core/plan/actions.js';
import type { Tree } from '../core/tree.js';
import {
  type AnsweringFace,
  type AskedQuestion,
  giveAnswer,
  listOpenQuestions,
  type OpenRunQuestion,
  parseQuestionId,
  questionId,
} from '../review/run-questions.js';
import type { Workspace } from '../workspace/workspace.js';
import { readRunAnswer } from './run-answers.js';
import type { InboxQuestion, PostedAnswer } from './types.js';

// Everything that waits for the user, whichever process asks. Faces list it and answer it here.

export interface InboxProject {
  workspace: Workspace;
  tree: Tree;
}

/** The oldest first. */
export function listInbox({ workspace }: InboxProject): InboxQuestion[] {
  return listOpenQuestions(workspace).map(describeRunQuestion);
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
  | { status: 'answered' }
  | { status: 'changed' };

/** Answers a question of the inbox. Throws `AnswerRefused` where the answer does not fit it. */
export function answerInbox(
  { workspace, tree }: InboxProject,
  id: string,
  posted: PostedAnswer,
  face: AnsweringFace,
): InboxAnswered {
  const place = parseQuestionId(id);
  const open = place && listOpenQuestions(workspace).find((each) => questionId(each) === id);
  if (open === undefined) return { status: 'answered' };
  if (open.hash !== posted.hash) return { status: 'changed' };
  const answer = readRunAnswer(open.asked, posted, tree);
  const result = giveAnswer(workspace, open, { hash: posted.hash, face, answer });
  return result.status === 'accepted' && answer.decision === 'replace' ? { status: 'replaced' } : result;
}
