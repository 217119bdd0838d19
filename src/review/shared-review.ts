import { isoUtcMs, now } from '../node/clock.js';
import { sha256 } from '../node/ids.js';
import { watchFolder } from '../node/watch.js';
import type { RunFolder } from '../workspace/runs/run-folder.js';
import type { SealedFiles } from '../workspace/runs/sealed-files.js';
import type { RestApproval } from './compose.js';
import type { Answer, ChangesetOverview, RerunAnswer, Reviewer } from './question.js';
import {
  type AnsweringFace,
  type AskedQuestion,
  answerName,
  type GivenAnswer,
  keepOverview,
  questionName,
} from './run-questions.js';

interface SharedReviewOptions {
  /** The user in this face; undefined where only other faces can answer. */
  person: Reviewer | undefined;
  /** This face; default: the terminal. */
  face?: AnsweringFace | undefined;
  rest: RestApproval;
  /** The folder of the run, once it has started. */
  folder(): RunFolder;
  /** Aborted once the run should stop: what is asked then, or is open, is answered with quit. */
  interrupt: AbortSignal;
  /** Shows in one line that another face has answered. */
  show(line: string): void;
}

/** Asks every face at once: the first answer counts, and this face leaves its question. */
export function shareReview({
  person,
  face: own = 'terminal',
  rest,
  folder,
  interrupt,
  show,
}: SharedReviewOptions): Reviewer {
  let title = '';
  let count = 0;
  const ask = async <A extends Answer | RerunAnswer>(
    asked: Pick<AskedQuestion, 'asked' | 'hash'>,
    askPerson: ((signal: AbortSignal) => Promise<A>) | undefined,
  ): Promise<A> => {
    if (interrupt.aborted) return INTERRUPTED as A;
    const post = postQuestion(folder(), ++count, { title, askedAt: isoUtcMs(now()), ...asked });
    if (post === undefined) return askPerson ? askPerson(NEVER) : (NO_FACE as A);
    try {
      const { answer, face } = await raceFaces(post, { hash: asked.hash, face: own }, interrupt, askPerson);
      if (face !== own) show(describeAnswer(answer, face));
      if ('by' in answer && answer.by === 'rest') rest.set(true);
      return answer as A;
    } finally {
      post.close();
    }
  };
  return {
    begin(overview) {
      title = 'plan' in overview ? overview.plan.title : overview.title;
      if ('files' in overview) postOverview(folder(), overview);
      rest.begin(overview);
      person?.begin?.(overview);
    },
    resolve: (question) => person?.resolve(question) ?? rest.resolve(question),
    ask: (question) => ask({ asked: question, hash: question.hash }, person && bindAsk(person, question)),
    askRerun: (failed) => {
      const asked = { kind: 'rerun', ...failed } as const;
      const askPerson = person?.askRerun && ((signal: AbortSignal) => person.askRerun!(failed, signal));
      return ask<RerunAnswer>({ asked, hash: sha256(JSON.stringify(asked)) }, askPerson);
    },
  };
}

const NEVER = new AbortController().signal;
const INTERRUPTED = { decision: 'quit', reason: null } as const;
const NO_FACE = { decision: 'quit', reason: "The run's folder is no longer writable." };

function bindAsk(person: Reviewer, question: Parameters<NonNullable<Reviewer['ask']>>[0]) {
  return person.ask && ((signal: AbortSignal) => person.ask!(question, signal));
}

async function raceFaces<A extends Answer | RerunAnswer>(
  post: PostedQuestion,
  here: Pick<GivenAnswer, 'hash' | 'face'>,
  interrupt: AbortSignal,
  askPerson: ((signal: AbortSignal) => Promise<A>) | undefined,
): Promise<{ answer: Answer | RerunAnswer; face: AnsweringFace }> {
  const leave = new AbortController();
  const over = new AbortController();
  const own = askPerson?.(leave.signal);
  const first = await Promise.race([
    ...(own ? [own.then((answer) => ({ ...here, answer }))] : []),
    interrupted(interrupt, over.signal).then(() => ({ ...here, answer: INTERRUPTED })),
    post.answered,
  ]);
  over.abort();
  const isFirst = first.face === here.face && post.add(first);
  if (isFirst && first.answer !== INTERRUPTED) return first;
  leave.abort();
  // It gives the terminal back first.
  await own;
  return isFirst ? first : post.answered;
}

/** Listens until `over`: one signal serves every question of a run. */
function interrupted(signal: AbortSignal, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true, signal: over });
  });
}

interface PostedQuestion {
  /** The first answer of another face. */
  answered: Promise<GivenAnswer>;
  /** False where another face was first. */
  add(given: GivenAnswer): boolean;
  close(): void;
}

/** Without it, other faces show only what is being asked. */
function postOverview(folder: RunFolder, overview: ChangesetOverview): void {
  try {
    const files = folder.openQuestions();
    try {
      keepOverview(files, overview);
    } finally {
      files.close();
    }
  } catch {
    // A folder that cannot be written is said where the run ends.
  }
}

/** Undefined where the run's folder cannot be written: then only the terminal can answer. */
function postQuestion(
  folder: RunFolder,
  number: number,
  question: AskedQuestion,
): PostedQuestion | undefined {
  let files: SealedFiles | undefined;
  try {
    files = folder.openQuestions();
    files.add(questionName(number), question);
    return watchAnswer(files, number, question.hash);
  } catch {
    files?.close();
    return undefined;
  }
}

function watchAnswer(files: SealedFiles, number: number, hash: string): PostedQuestion {
  const name = answerName(number);
  let end = () => {};
  const answered = new Promise<GivenAnswer>((resolve) => {
    end = watchFolder(files.path, () => {
      const given = readAnswer(files, name, hash);
      if (given !== undefined) resolve(given);
    });
  });
  return {
    answered,
    add(given) {
      try {
        if (files.add(name, given)) return true;
      } catch {
        // On a full disk, the answer of another face may be there all the same.
      }
      return readAnswer(files, name, hash) === undefined;
    },
    close() {
      end();
      files.close();
    },
  };
}

/** A file that this user's teddy did not write, or not for this question, is removed: it answers nothing. */
function readAnswer(files: SealedFiles, name: string, hash: string): GivenAnswer | undefined {
  try {
    if (!files.has(name)) return undefined;
    const given = files.read(name) as GivenAnswer | undefined;
    if (given?.hash === hash) return given;
    files.remove(name);
  } catch {
    // It will be looked at again.
  }
  return undefined;
}

const PLACES: Record<AnsweringFace, string> = {
  terminal: 'in the terminal',
  page: 'on the page',
  inbox: 'in teddy inbox',
  editor: 'in the editor',
};

function describeAnswer(answer: Answer | RerunAnswer, face: AnsweringFace): string {
  return `${VERBS[answer.decision]} ${PLACES[face]}.`;
}

const VERBS: Record<(Answer | RerunAnswer)['decision'], string> = {
  approve: 'Approved',
  skip: 'Skipped',
  quit: 'Stopped',
  replace: 'Edited',
  rewrite: 'Edited',
  back: 'Went back',
  rerun: 'Run again',
  continue: 'Continued',
};
