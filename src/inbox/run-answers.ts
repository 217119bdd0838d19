import { diffHunks } from '../core/changeset/hunks.js';
import { hasConflictMarkers } from '../core/changeset/merge.js';
import type { Tree } from '../core/tree.js';
import { readEditedAction, readEditedResult } from '../review/edited-action.js';
import type {
  ActionQuestion,
  Answer,
  FileQuestion,
  HunkChoice,
  Question,
  RerunAnswer,
  StateQuestion,
} from '../review/question.js';
import type { AskedQuestion } from '../review/run-questions.js';
import type { PostedAnswer } from './types.js';

/** An answer that does not fit its question: `reason` is a sentence. */
export class AnswerRefused extends Error {}

/** What a posted answer means for the run that asked. Throws `AnswerRefused`. */
export function readRunAnswer(
  asked: AskedQuestion['asked'],
  posted: PostedAnswer,
  tree: Tree,
): Answer | RerunAnswer {
  if (asked.kind === 'rerun') return readRerun(posted);
  const { decision, reason = '', text } = posted;
  const said = reason.trim() === '' ? null : reason;
  const comments = posted.comments?.length ? { comments: posted.comments } : {};
  switch (decision) {
    case 'skip':
      return { decision: 'skip', by: 'person', reason: said, ...comments };
    case 'quit':
      return { decision: 'quit', reason: said };
    case 'edit':
      return asked.kind === 'file'
        ? { decision: 'rewrite', text: readRewrite(asked, posted) }
        : { decision: 'replace', action: readEdit(asked, posted, tree) };
    case 'approve':
    case 'rest':
    case 'reply': {
      const by = decision === 'rest' ? 'rest' : 'person';
      const reply = readReply(asked, decision, text);
      const keep = posted.keep && readKeep(asked, posted.keep, posted.dropReasons ?? {});
      if (keep?.ids.length === 0) return skipAll(keep, comments);
      return { decision: 'approve', by, hash: asked.hash, ...reply, ...(keep ? { keep } : {}), ...comments };
    }
  }
}

function readRerun({ decision, reason = '' }: PostedAnswer): RerunAnswer {
  if (decision === 'approve') return { decision: 'rerun' };
  if (decision === 'skip') return { decision: 'continue' };
  if (decision === 'quit') return { decision: 'quit', reason: reason.trim() === '' ? null : reason };
  throw new AnswerRefused('Answer with approve (run it again), skip (continue) or quit.');
}

function readEdit(asked: ActionQuestion | StateQuestion, { text, edits }: PostedAnswer, tree: Tree) {
  if (asked.kind !== 'action') throw new AnswerRefused('Only an action can be edited.');
  if (text === undefined) throw new AnswerRefused('An edit needs a text.');
  if (edits === 'result') {
    const action = readEditedResult(text, asked, tree);
    if (action === undefined) throw new AnswerRefused('The action writes no file.');
    return action;
  }
  const read = readEditedAction(text, asked.action, tree);
  if ('action' in read) return read.action;
  throw new AnswerRefused(read.reason ?? read.issues[0]?.message ?? 'No action can be read from this text.');
}

/** What the user made of a file that an agent changed. */
function readRewrite({ texts, conflict }: FileQuestion, { text }: PostedAnswer): string {
  if (text === undefined) throw new AnswerRefused('An edit needs a text.');
  if (texts.after === null) throw new AnswerRefused('Only a text can be edited.');
  if (conflict?.marked && hasConflictMarkers(text))
    throw new AnswerRefused('Conflict markers are left. Resolve all of them, then send the edit.');
  return text;
}

/** A message needs a reply, and nothing else takes one. */
function readReply(
  asked: Question,
  decision: PostedAnswer['decision'],
  text: string | undefined,
): { reply?: string } {
  const isMessage = asked.kind === 'action' && asked.action.type === 'CHAT_WITH_USER';
  const reply = (text ?? '').replace(/^\n+/, '').trimEnd();
  if (isMessage && reply !== '') return { reply };
  if (isMessage) throw new AnswerRefused('Write a reply, or skip the message.');
  if (decision === 'reply') throw new AnswerRefused('Only a message takes a reply.');
  return {};
}

function readKeep(
  asked: Question,
  ids: readonly string[],
  reasons: Readonly<Record<string, string>>,
): HunkChoice {
  const known = new Set(asked.kind === 'file' ? asked.parts.map(({ id }) => id) : hunkIds(asked));
  if (known.size === 0) throw new AnswerRefused('There are no changes to choose from.');
  const kept = new Set(ids);
  if (![...kept, ...Object.keys(reasons)].every((id) => known.has(id)))
    throw new AnswerRefused('One of the changes is not among those that were shown.');
  return { ids: [...kept], reasons };
}

function hunkIds(asked: ActionQuestion | StateQuestion): string[] {
  const preview = asked.kind === 'action' ? asked.preview : undefined;
  if (preview?.kind !== 'write' || preview.before === null) return [];
  return diffHunks(preview.before, preview.after, preview.path).map(({ id }) => id);
}

/** Keeping no change is skipping the action. */
function skipAll({ reasons }: HunkChoice, comments: Pick<PostedAnswer, 'comments'>): Answer {
  const given = Object.values(reasons);
  const reason = given.length === 0 ? null : given.join('\n');
  return { decision: 'skip', by: 'person', reason, ...comments };
}
