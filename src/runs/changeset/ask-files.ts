import type { ChangedFile } from '../../core/changeset/changeset.js';
import type { Entry } from '../../core/changeset/entry-tree.js';
import type { Decision, Done } from '../../core/report/record.js';
import { resolveQuestion } from '../../review/compose.js';
import type { Answer, FileQuestion, Reviewer } from '../../review/question.js';
import { decisionOf } from '../propose.js';
import { failure, success } from '../run-record.js';
import { chooseFile, type FileView, proposeFile, rewriteFile, summarizeFile } from './propose-file.js';

/** A file with the decision on it. */
export interface DecidedFile {
  /** As it was decided on: with the user's own result, if they edited it. */
  file: ChangedFile;
  question: FileQuestion;
  decision: Decision;
  /** The ids of what is kept; none of a file that is skipped. */
  kept: ReadonlySet<string>;
  /** What the user made of it. */
  edited?: Entry;
  /** Its outcome, once it has landed; undefined for one that is skipped. */
  done?: Done;
}

/** Decisions by the hash of what was shown: they count again only for the very same question. */
export type DecisionDraft = Readonly<Record<string, Extract<Answer, { decision: 'approve' | 'skip' }>>>;

export interface AskedFiles {
  files: DecidedFile[];
  isQuit: boolean;
  draft: DecisionDraft;
}

const NO_TERMINAL = 'Not run: no terminal to ask in.';

/**
 * Asks about each file; nothing happens meanwhile, so any decision can be taken again. `keepDraft` gets all decisions so far
 * after each one of the user, and none is lost if this process is killed.
 */
export async function askAboutFiles(
  view: FileView,
  reviewer: Reviewer,
  earlier: DecisionDraft,
  keepDraft: (draft: DecisionDraft) => void = () => {},
): Promise<AskedFiles> {
  const { files } = view.rebased;
  const decided: DecidedFile[] = [];
  const draft: Record<string, DecisionDraft[string]> = {};
  let isReopened = false;
  let quit: { reason: string | null } | undefined;
  while (decided.length < files.length) {
    const file = files[decided.length]!;
    const place = { number: decided.length + 1, total: files.length };
    const asked = await askAboutFile(file, place, view, reviewer, isReopened ? {} : earlier, quit);
    isReopened = false;
    if (asked.status === 'back') {
      isReopened = decided.pop() !== undefined;
      continue;
    }
    if (asked.status === 'quit') {
      quit = asked;
      continue;
    }
    // Rules and --yes decide again.
    if (asked.answer?.by === 'person' || asked.answer?.by === 'rest')
      draft[asked.decided.question.hash] = asked.answer;
    if (asked.answer?.by === 'person') keepDraft({ ...earlier, ...draft });
    decided.push(asked.decided);
  }
  return { files: decided, isQuit: quit !== undefined, draft };
}

type AskedFile =
  | { status: 'decided'; decided: DecidedFile; answer?: DecisionDraft[string] }
  | { status: 'back' }
  | { status: 'quit'; reason: string | null };

async function askAboutFile(
  proposed: ChangedFile,
  place: { number: number; total: number },
  view: FileView,
  reviewer: Reviewer,
  earlier: DecisionDraft,
  quit: { reason: string | null } | undefined,
): Promise<AskedFile> {
  let file = proposed;
  let edited: Entry | undefined;
  for (;;) {
    const rebased =
      edited === undefined ? view.rebased : { ...view.rebased, target: withEntry(view, file.path, edited) };
    const question = proposeFile(file, { ...place, modified: edited !== undefined }, { ...view, rebased });
    if (quit !== undefined) return skipped(file, question, { by: 'person', reason: quit.reason });
    let answer = edited === undefined ? resolveQuestion(reviewer, question) : undefined;
    const known = edited === undefined && answer === undefined ? earlier[question.hash] : undefined;
    answer ??= known ?? (await reviewer.ask?.(question));
    switch (answer?.decision) {
      case 'approve': {
        const chosen = chooseFile(file, question, answer.keep);
        const decision = decisionOf(answer);
        if (chosen.status === 'unknown' || answer.hash !== question.hash)
          return { status: 'decided', decided: { file, question, decision, kept: new Set(), done: CHANGED } };
        const facts = { ...chosen.facts, ...(edited !== undefined && { ranAs: textOf(question) }) };
        const done = { ...success(summarizeFile(question)), ...facts };
        const decided = { file, question, decision, kept: chosen.kept, done, ...(edited && { edited }) };
        return { status: 'decided', decided, ...(edited === undefined && { answer }) };
      }
      case 'skip':
        return { ...skipped(file, question, answer), answer };
      case 'rewrite': {
        const old = view.rebased.target.entry(file.path);
        const executable = old?.kind === 'file' && old.executable;
        edited = { kind: 'file', bytes: new TextEncoder().encode(answer.text), executable };
        file = rewriteFile(proposed, view.rebased.project.entry(file.from ?? file.path), answer.text);
        continue;
      }
      case 'back':
        if (place.number === 1) continue;
        return { status: 'back' };
      case 'quit':
        return { status: 'quit', reason: answer.reason };
      default:
        return skipped(file, question, { by: 'teddy', reason: NO_TERMINAL });
    }
  }
}

const CHANGED = failure('It has changed since review. Nothing was done.');

function skipped(
  file: ChangedFile,
  question: FileQuestion,
  refusal: Parameters<typeof decisionOf>[0],
): Extract<AskedFile, { status: 'decided' }> {
  return {
    status: 'decided',
    decided: { file, question, decision: decisionOf(refusal), kept: new Set() },
  };
}

function withEntry({ rebased }: FileView, path: string, entry: Entry) {
  const { target } = rebased;
  return { ...target, entry: (each: string) => (each === path ? entry : target.entry(each)) };
}

/** The whole result, with a newline at its end. */
function textOf({ texts }: FileQuestion): string {
  const text = texts.after ?? '';
  return text.endsWith('\n') ? text : `${text}\n`;
}
