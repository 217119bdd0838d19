import { repairPlan } from '../../core/plan/read.js';
import type { Run } from '../../core/report/record.js';
import { UserError } from '../../node/errors.js';
import { sha256 } from '../../node/ids.js';
import type { Change } from '../../workspace/commit/change.js';
import type { View } from '../../workspace/view.js';
import { LARGEST_META, writeMeta } from './meta.js';
import {
  type OverBudget,
  type PlanAttempt,
  SESSIONS,
  type Turn,
  type TurnMeta,
  type TurnStart,
  turnFolder,
  turnId,
} from './turn.js';
import { DRAFT, LARGEST_TEXT, MESSAGE, readTurnText, withStage } from './turn-files.js';

/** A turn and the file changes that produce it. */
export interface TurnChange {
  turn: Turn;
  changes: Change[];
}

/** The start of a turn with its system prompt. */
export type FullStart = TurnStart & { prompt: string };

export interface KeptInput {
  input: string;
  message: string | null;
  /** Overrides the turn's planner. */
  agent?: { name: string; prompt: string };
}

export interface KeptAnswer {
  /** The raw answer; null if nothing arrived. */
  text: string | null;
  attempt: Omit<PlanAttempt, 'answer'>;
  model: TurnMeta['model'];
  /** The feedback for the model, on this answer or on the plan that it replaces. */
  feedback: string | null;
  at: string;
  /** The repaired text of an answer that passed, otherwise null. */
  plan: string | null;
}

export interface Conclusion {
  run: Run;
  reportText: string;
  next: FullStart;
  concluded: boolean;
  at: string;
  /** The run's own files, part of the same commit. */
  alongside: readonly Change[];
}

export interface Reopening {
  /** A refused run; any other concludes its turn. */
  run: Run;
  at: string;
  /** A sentence. */
  reason: string;
  /** The feedback for the model. */
  feedback: string;
  alongside: readonly Change[];
}

const SESSION_CONTEXT =
  '# Every turn of this session sees these: one path, folder, glob or URL per line; "!" excludes.\n';

const REPLACED = 'Another plan replaced it before it was run.';

/** The files of a new session with its first turn. */
export function beginSessionChanges(view: View, session: string, start: FullStart, at: string): TurnChange {
  const { turn, changes } = makeTurn({ session, turn: 1, parent: null }, start, at);
  const context = `${SESSIONS}/${session}/session.context`;
  // Keeps a file that the user wrote earlier.
  const own = view.look(context) === 'file' ? [] : writing(context, null, SESSION_CONTEXT);
  return { turn, changes: [...own, ...changes, ...makeCurrent(view, session)] };
}

/** A new turn without input or answers. */
export function makeTurn(
  id: Pick<TurnMeta, 'session' | 'turn' | 'parent'>,
  { agent, callers, handoff, context, prompt }: FullStart,
  at: string,
): TurnChange {
  const meta: TurnMeta = {
    ...id,
    agent,
    callers,
    handoff,
    madeAt: at,
    message: null,
    model: null,
    attempts: [],
    plannedAt: null,
    run: null,
    concluded: false,
  };
  const folder = turnFolder(id.session, id.turn);
  return {
    turn: withStage({ meta, folder, context, prompt, input: null, answer: null, plan: null, report: null }),
    changes: [
      ...writing(`${folder}/system_prompt.md`, null, prompt),
      ...writing(`${folder}/turn.context`, null, context),
      ...writing(`${folder}/meta.yaml`, null, metaText(meta)),
    ],
  };
}

/** Records the last used session. */
export function makeCurrent(view: View, session: string): Change[] {
  const path = '.teddy/session';
  const text = `${session}\n`;
  const before = hashOf(view, path);
  return before === sha256(text) ? [] : [{ path, before, after: encode(text) }];
}

export function keepInput(view: View, turn: Turn, { input, message, agent }: KeptInput): TurnChange {
  const unanswered = unansweredMessage(view, turn);
  const said = joinMessages(turn.meta, message, unanswered);
  const isReplaced = unanswered !== null && message !== null && message !== unanswered;
  const replaced = isReplaced
    ? writing(`${turn.folder}/message-${freeNumber(view, turn)}.md`, null, `${unanswered}\n`)
    : [];
  const meta = { ...withinBudget(turn), message: said, agent: agent?.name ?? turn.meta.agent };
  const sent = [...keepReply(view, turn, message), ...removing(view, `${turn.folder}/${MESSAGE}`)];
  return change(view, turn, { meta, input, prompt: agent?.prompt ?? turn.prompt }, [...replaced, ...sent]);
}

export function keepOverBudget(view: View, turn: Turn, reached: OverBudget | null): TurnChange {
  return change(view, turn, { meta: { ...withinBudget(turn), ...(reached && { overBudget: reached }) } });
}

function withinBudget({ meta: { overBudget, ...meta } }: Turn): TurnMeta {
  return meta;
}

/** The reply to a message of the agent is stored as its feedback. */
function keepReply(view: View, turn: Turn, message: string | null): Change[] {
  const last = turn.meta.attempts.findLast(isHeard);
  if (message === null || last?.outcome !== 'message' || last.answer === null) return [];
  const path = feedbackPath(turn.folder, last.answer);
  return [{ path, before: hashOf(view, path), after: encode(message) }];
}

/** The file with the feedback on an answer. */
export function feedbackPath(folder: string, answer: string): string {
  return `${folder}/${answer.replace('answer', 'feedback')}`;
}

/** Whether an answer is complete, neither interrupted nor broken off. */
export function isHeard({ outcome, answer }: PlanAttempt): boolean {
  return answer !== null && outcome !== 'interrupted' && outcome !== 'broken-off';
}

/** The last message of this turn without a complete answer; null if there is none. */
export function unansweredMessage(view: View, { folder, meta }: Turn): string | null {
  const last = meta.attempts.findLast(isHeard);
  if (last === undefined) return meta.message;
  if (last.outcome !== 'message' || last.answer === null) return null;
  return readTurnText(view, feedbackPath(folder, last.answer));
}

/** Also deletes the draft, which is part of the answer by now. */
export function keepTurnAnswer(view: View, turn: Turn, kept: KeptAnswer): TurnChange {
  const { turn: next, changes } =
    kept.attempt.outcome === 'passed' ? keepPlan(view, turn, kept) : setAside(view, turn, kept);
  return { turn: next, changes: [...changes, ...removing(view, `${turn.folder}/${DRAFT}`)] };
}

function keepPlan(view: View, turn: Turn, kept: KeptAnswer): TurnChange {
  const { text, plan, at, model, attempt, feedback } = kept;
  if (text === null || plan === null) throw new Error('an answer that passed has a text and a plan');
  const earlier = moveAnswer(view, turn, { outcome: 'replaced', reason: REPLACED, at, feedback });
  const attempts = [...earlier.attempts, { answer: 'answer.md', ...attempt }];
  const meta = { ...withinBudget(turn), model, attempts, plannedAt: at };
  return change(view, turn, { meta, answer: text, plan }, earlier.changes);
}

function setAside(view: View, turn: Turn, { text, feedback, model, attempt }: KeptAnswer): TurnChange {
  const number = freeNumber(view, turn);
  const answer = text === null ? null : `answer-${number}.md`;
  const meta = { ...turn.meta, model, attempts: [...turn.meta.attempts, { answer, ...attempt }] };
  return change(view, turn, { meta }, [
    ...writing(`${turn.folder}/answer-${number}.md`, null, text),
    ...writing(`${turn.folder}/feedback-${number}.md`, null, feedback),
  ]);
}

/** Writes the turn's report and the next turn. */
export function conclude(
  view: View,
  turn: Turn,
  { run, reportText, next, concluded, at, alongside }: Conclusion,
): TurnChange {
  const { id, overall, endedAt } = run;
  const { session, turn: number } = turn.meta;
  const meta = { ...turn.meta, run: { id, overall, endedAt }, concluded };
  const done = change(view, turn, { meta, report: reportText }, alongside);
  const made = makeTurn({ session, turn: number + 1, parent: number }, next, at);
  return {
    turn: made.turn,
    changes: [...done.changes, ...made.changes, ...makeCurrent(view, session)],
  };
}

/** Removes the plan and keeps its answer as one that was refused. */
export function reopen(view: View, turn: Turn, reopening: Reopening): TurnChange {
  const { run, at, reason, feedback, alongside } = reopening;
  if (!run.refused) throw new Error('a run that was not refused concludes its turn');
  const { attempts, changes: moved } = moveAnswer(view, turn, { outcome: 'refused', reason, at, feedback });
  const meta = { ...turn.meta, attempts, plannedAt: null };
  return change(view, turn, { meta, answer: null, plan: null }, [...alongside, ...moved]);
}

/** Renames an answer that had passed to a numbered one. The caller writes `answer.md`. */
function moveAnswer(
  view: View,
  turn: Turn,
  became: Pick<PlanAttempt, 'outcome' | 'reason' | 'at'> & { feedback: string | null },
): { attempts: PlanAttempt[]; changes: Change[] } {
  const { attempts } = turn.meta;
  // A plan that the user placed by hand has no answer.
  const text = turn.answer ?? turn.plan;
  if (text === null) return { attempts, changes: [] };
  const number = freeNumber(view, turn);
  const answer = `answer-${number}.md`;
  // The user's edits of a plan are kept beside the answer that it came from.
  const edited = turn.plan !== null && turn.plan !== repairPlan(text).text ? turn.plan : null;
  const { outcome, reason, at, feedback } = became;
  const isMoved = (attempt: PlanAttempt) => attempt.answer === 'answer.md';
  const marked = attempts.map((attempt) =>
    isMoved(attempt) ? { ...attempt, answer, outcome, reason } : attempt,
  );
  return {
    attempts: attempts.some(isMoved)
      ? marked
      : [...attempts, { answer, outcome, reason, at, tokens: null, costUsd: null }],
    changes: [
      ...writing(`${turn.folder}/${answer}`, null, text),
      ...writing(`${turn.folder}/plan-${number}.md`, null, edited),
      ...writing(`${turn.folder}/feedback-${number}.md`, null, feedback),
    ],
  };
}

const FILES = {
  prompt: 'system_prompt.md',
  input: 'input.md',
  answer: 'answer.md',
  plan: 'plan.md',
  report: 'report.md',
} as const;

/** Writes the files that differ, after the changes in `others`. */
function change(
  view: View,
  turn: Turn,
  different: { meta: TurnMeta } & Partial<Pick<Turn, keyof typeof FILES>>,
  others: readonly Change[] = [],
): TurnChange {
  const { folder } = turn;
  const next = withStage({ ...turn, ...different });
  const texts = (Object.keys(FILES) as (keyof typeof FILES)[]).flatMap((key) =>
    next[key] === turn[key] ? [] : writing(`${folder}/${FILES[key]}`, turn[key], next[key]),
  );
  const path = `${folder}/meta.yaml`;
  const meta = { path, before: hashOf(view, path), after: encode(metaText(different.meta)) };
  return { turn: next, changes: [...others, ...texts, meta] };
}

/** The first number that no file of the turn uses. */
function freeNumber(view: View, { folder }: Turn): number {
  const names = new Set(view.list(folder));
  let number = 1;
  while (['answer', 'feedback', 'message', 'plan'].some((name) => names.has(`${name}-${number}.md`)))
    number++;
  return number;
}

function metaText(meta: TurnMeta): string {
  const text = writeMeta(meta);
  if (encode(text).length > LARGEST_META)
    throw new UserError(
      `The record of turn ${turnId(meta.session, meta.turn)} would be larger than can be read again.`,
    );
  return text;
}

/** Changes a file's text; null means that there is no file. */
export function writing(path: string, before: string | null, after: string | null): Change[] {
  if (before === null && after === null) return [];
  const bytes = after === null ? null : encode(after);
  if (bytes !== null && bytes.length > LARGEST_TEXT)
    throw new UserError(`${path} would be larger than can be read again.`);
  return [{ path, before: before === null ? null : sha256(before), after: bytes }];
}

function removing(view: View, path: string): Change[] {
  const before = hashOf(view, path);
  return before === null ? [] : [{ path, before, after: null }];
}

/** The hash of a file; null if there is none. */
export function hashOf(view: View, path: string): string | null {
  const read = view.read(path, Number.MAX_SAFE_INTEGER);
  if (read.status === 'refused') throw new UserError(`${path} ${read.reason}.`);
  return read.status === 'missing' ? null : sha256(read.bytes);
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/**
 * All messages of a turn. Keeps those with an answer; `unanswered`, the last part, is replaced. A message
 * that is sent again is not repeated.
 */
export function joinMessages(
  { message, attempts }: Pick<TurnMeta, 'message' | 'attempts'>,
  said: string | null,
  unanswered: string | null = null,
): string | null {
  if (message === null || said === null) return said ?? message;
  if (!attempts.some(isHeard)) return said;
  const answered = (unanswered === null ? message : message.slice(0, -unanswered.length)).trimEnd();
  if (answered === '') return said;
  const isRepeated = answered === said || answered.endsWith(`\n\n${said}`);
  return isRepeated ? message : `${answered}\n\n${said}`;
}
