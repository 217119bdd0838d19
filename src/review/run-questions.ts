import type { SealedFiles } from '../workspace/runs/sealed-files.js';
import type { Workspace } from '../workspace/workspace.js';
import type { Answer, ChangesetOverview, FailedCommand, Question, RerunAnswer } from './question.js';

// The questions of runs as files: a run writes each before it asks, and every face of this user may answer it. The first
// answer wins. A question without an answer is open for as long as its run's process lives.

/** Where an answer came from. */
export type AnsweringFace = 'terminal' | 'page' | 'inbox' | 'editor';

export interface AskedQuestion {
  /** Of the plan, or of the agent's changes. */
  title: string;
  askedAt: string;
  /** Covers what is asked: an answer carries it. */
  hash: string;
  asked: Question | ({ kind: 'rerun' } & FailedCommand);
}

export interface GivenAnswer {
  hash: string;
  face: AnsweringFace;
  answer: Answer | RerunAnswer;
}

export interface OpenRunQuestion extends AskedQuestion {
  run: string;
  /** 1-based, of the questions of its run. */
  number: number;
}

const QUESTION = /^(\d{1,6})\.json$/;

export function questionName(number: number): string {
  return `${number}.json`;
}

export function answerName(number: number): string {
  return `${number}.answer.json`;
}

/** The name of a question among all of the project's: `RUN.NUMBER`. */
export function questionId({ run, number }: { run: string; number: number }): string {
  return `${run}.${number}`;
}

/** The open questions of all runs under way, the oldest first. A run asks one at a time. */
export function listOpenQuestions(workspace: Workspace): OpenRunQuestion[] {
  return workspace
    .liveRuns()
    .flatMap((run) => workspace.inQuestions(run, (files) => lastOpen(files, run)) ?? [])
    .sort((a, b) => (a.askedAt < b.askedAt ? -1 : 1));
}

function lastOpen(files: SealedFiles, run: string): OpenRunQuestion[] {
  const number = lastAsked(files);
  if (number === 0 || files.has(answerName(number))) return [];
  const asked = files.read(questionName(number)) as AskedQuestion | undefined;
  return asked ? [{ ...asked, run, number }] : [];
}

function lastAsked(files: SealedFiles): number {
  return askedNumbers(files).find((number) => files.read(questionName(number)) !== undefined) ?? 0;
}

/** The numbers of the files that are named as questions, the highest first; anyone may have made them. */
function askedNumbers(files: SealedFiles): number[] {
  const numbers = files.names().map((name) => Number(QUESTION.exec(name)?.[1] ?? 0));
  return numbers.filter((number) => number > 0).sort((a, b) => b - a);
}

export type AnswerResult =
  | { status: 'accepted' }
  /** Another face was first, or the run is over. */
  | { status: 'answered' }
  /** The hash is that of something else. */
  | { status: 'changed' };

/** Answers an open question; the answer is on disk when this returns. */
export function giveAnswer(
  workspace: Workspace,
  { run, number }: { run: string; number: number },
  given: GivenAnswer,
): AnswerResult {
  if (!workspace.liveRuns().includes(run)) return { status: 'answered' };
  const result = workspace.inQuestions(run, (files): AnswerResult => {
    const asked = files.read(questionName(number)) as AskedQuestion | undefined;
    if (asked === undefined || number !== lastAsked(files)) return { status: 'answered' };
    if (asked.hash !== given.hash) return { status: 'changed' };
    return { status: files.add(answerName(number), given, { sync: true }) ? 'accepted' : 'answered' };
  });
  return result ?? { status: 'answered' };
}

/** What a run has asked after the first `known` questions, by number. */
export function listAsked(workspace: Workspace, run: string, known = 0): Map<number, AskedQuestion> {
  const asked = new Map<number, AskedQuestion>();
  workspace.inQuestions(run, (files) => {
    for (const number of askedNumbers(files).reverse()) {
      if (number <= known) continue;
      const question = files.read(questionName(number)) as AskedQuestion | undefined;
      if (question) asked.set(number, question);
    }
  });
  return asked;
}

export function readAsked(workspace: Workspace, run: string, number: number): AskedQuestion | undefined {
  return workspace.inQuestions(run, (files) => files.read(questionName(number)) as AskedQuestion | undefined);
}

const OVERVIEW = 'overview.json';

/** Keeps what a review of an agent's changes is about, so that other faces can show all of it. */
export function keepOverview(files: SealedFiles, overview: ChangesetOverview): void {
  files.add(OVERVIEW, overview);
}

export function readOverview(workspace: Workspace, run: string): ChangesetOverview | undefined {
  return workspace.inQuestions(run, (files) => files.read(OVERVIEW) as ChangesetOverview | undefined);
}

/** The answers to questions of a run, by the number of the question; those without one are left out. */
export function readAnswers(
  workspace: Workspace,
  run: string,
  numbers: readonly number[],
): Map<number, GivenAnswer['answer']> {
  const answers = new Map<number, GivenAnswer['answer']>();
  workspace.inQuestions(run, (files) => {
    for (const number of numbers) {
      const given = files.read(answerName(number)) as GivenAnswer | undefined;
      if (given) answers.set(number, given.answer);
    }
  });
  return answers;
}
