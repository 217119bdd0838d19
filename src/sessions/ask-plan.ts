import type { ModelMasks } from '../config/redactor.js';
import type { Issue } from '../core/issue.js';
import { type Lines, lineText, splitLines } from '../core/markdown/lines.js';
import type { Validation } from '../core/plan/check.js';
import { isStructural } from '../core/plan/check.js';
import { readActionHeading, readSectionName } from '../core/plan/grammar.js';
import { findOtherFormat } from '../core/plan/other-formats.js';
import { repairPlan } from '../core/plan/read.js';
import type { PlanIssue } from '../core/plan/types.js';
import { withoutThought } from './model/answer-text.js';
import type { ModelAnswer, ModelMessage } from './model/types.js';
import type { AttemptOutcome } from './turns/turn.js';

export interface PlanAsking {
  /** The first messages of every question. */
  opening: readonly ModelMessage[];
  /** Sent after `opening` in the first question only. */
  before?: readonly ModelMessage[];
  /** How often to ask again after an answer that is not a usable plan. */
  replans: number;
  masks: ModelMasks;
  /** A user is present: they reply to prose, and decide on a last plan of which only parts would fail. */
  hasPerson: boolean;
  /** Returns a sentence if these messages must not be sent. */
  refuse?(messages: readonly ModelMessage[]): Promise<string | undefined>;
  /** `attempt` counts from 1. */
  ask(messages: readonly ModelMessage[], attempt: number): Promise<ModelAnswer>;
  validate(text: string): Promise<Pick<Validation, 'ok' | 'issues'>>;
  /** What the model reads about an answer that was cut off. */
  describeCutOff(reason: string): string;
  /** Called with every answer and its verdict. */
  keep(answer: ModelAnswer, judged: JudgedAnswer): Promise<void>;
}

/** The verdict on one answer. */
export interface JudgedAnswer {
  outcome: AttemptOutcome;
  /** A sentence; null if the answer passed. */
  reason: string | null;
  plan: string | null;
  issues: PlanIssue[];
  feedback: string | null;
  /** The next question; undefined ends the conversation. */
  again?: readonly ModelMessage[];
}

export type PlanAnswer =
  /** The plan to run and the answer that contained it. Issues may include predicted failures. */
  | { status: 'planned'; plan: string; answer: string; issues: PlanIssue[] }
  /** No answer was a usable plan. `reason` is about the last of them. */
  | { status: 'refused'; issues: PlanIssue[]; reason: string }
  /** Prose instead of a plan. */
  | { status: 'message'; text: string }
  /** `reason` is one or more sentences. */
  | { status: 'failed' | 'over-budget' | 'interrupted'; reason: string };

/** Asks a model for a plan, and asks again if the answer is refused or incomplete. */
export async function askForPlan(asking: PlanAsking): Promise<PlanAnswer> {
  let messages: readonly ModelMessage[] = [...asking.opening, ...(asking.before ?? [])];
  for (let attempt = 1; ; attempt++) {
    const unaskable = await asking.refuse?.(messages);
    if (unaskable !== undefined) return { status: 'over-budget', reason: unaskable };
    const answer = await asking.ask(messages, attempt);
    const isLast = attempt > asking.replans;
    const judged = await judge(answer, messages, isLast, asking);
    await asking.keep(answer, judged);
    const { outcome, plan, issues, again } = judged;
    const reason = judged.reason ?? 'No plan came.';
    if (plan !== null) return { status: 'planned', plan, answer: readText(answer, asking), issues };
    if (again && !isLast) {
      messages = again;
      continue;
    }
    if (outcome === 'message') return { status: 'message', text: readText(answer, asking) };
    if (outcome === 'refused' || outcome === 'cut-off') return { status: 'refused', issues, reason };
    return { status: outcome === 'interrupted' ? 'interrupted' : 'failed', reason };
  }
}

async function judge(
  answer: ModelAnswer,
  asked: readonly ModelMessage[],
  isLast: boolean,
  asking: PlanAsking,
): Promise<JudgedAnswer> {
  const none = { plan: null, issues: [], feedback: null };
  switch (answer.status) {
    case 'interrupted':
      return { ...none, outcome: 'interrupted', reason: answer.reason };
    case 'failed':
      // No retry if the service sent nothing (the client has retried) or refused (it would refuse again).
      return {
        ...none,
        outcome: 'broken-off',
        reason: answer.reason,
        ...(answer.text !== '' && answer.mayPass ? { again: asked } : {}),
      };
    case 'cut-off': {
      const feedback = asking.describeCutOff(answer.reason);
      const last = asked.at(-1)!;
      const text = last.text.endsWith(feedback) ? last.text : `${last.text}\n${feedback}`;
      const again = [...asked.slice(0, -1), { ...last, text }];
      return { ...none, outcome: 'cut-off', reason: answer.reason, feedback, again };
    }
    case 'answered':
      return judgePlan(readText(answer, asking), isLast, asking);
  }
}

async function judgePlan(text: string, isLast: boolean, asking: PlanAsking): Promise<JudgedAnswer> {
  const { opening, masks, hasPerson } = asking;
  if (hasPerson && isProse(text))
    return { outcome: 'message', reason: null, plan: null, issues: [], feedback: null };
  const { ok, issues } = await asking.validate(text);
  // The model has used its attempts, so the user may run a plan of which only parts would fail.
  if (ok || (hasPerson && isLast && !issues.some((issue) => isStructural(issue, null))))
    return { outcome: 'passed', reason: null, plan: repairPlan(text).text, issues, feedback: null };
  const feedback = masks.mask(describeRefused(issues));
  const reason = masks.mask(summarizeErrors(issues));
  const again: ModelMessage[] = [...opening, { role: 'assistant', text }, { role: 'user', text: feedback }];
  return { outcome: 'refused', reason, plan: null, issues, feedback, again };
}

/**
 * Whether a text is not an attempt at a plan: no heading starts an action or a section that only plans have, and it is not
 * an attempt in another format, such as a tool call.
 */
export function isProse(text: string): boolean {
  if (!/\S/.test(text) || findOtherFormat(text) || repairPlan(text).repairs.length > 0) return false;
  const lines = splitLines(text);
  for (let at = 0; at < lines.count; at++) if (isPlanHeading(lines, at)) return false;
  return true;
}

/**
 * `## Question` and `## Done` also occur in prose, so action aliases count only if their metadata follows.
 */
function isPlanHeading(lines: Lines, at: number): boolean {
  const heading = /^[ \t>]{0,8}(#{1,6})[ \t]*(\S.{0,100})$/.exec(lineText(lines, at).trimEnd());
  if (!heading) return false;
  const level = heading[1]!.length;
  const text = heading[2]!;
  const section = readSectionName(text);
  return (
    section === 'Action Plan' ||
    section === 'Rationale' ||
    /^`[A-Z_]+`/.test(text) ||
    readActionHeading(lines, { at, level, text }) !== undefined
  );
}

function readText({ text }: ModelAnswer, { masks }: PlanAsking): string {
  return withoutThought(masks.maskKnown(text));
}

const MOST_ISSUES = 30;

/** The feedback on a refused plan. Line numbers refer to the answer. */
export function describeRefused(issues: readonly Issue[]): string {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const more = errors.length - MOST_ISSUES;
  return [
    'Your plan was refused; nothing was run. Fix the following (line numbers refer to your answer):',
    '',
    ...errors.slice(0, MOST_ISSUES).map(describeIssue),
    ...(more > 0 ? [`- and ${more} more of these.`] : []),
    '',
    'Write the whole plan again with all of this fixed. Answer with the plan and nothing else.',
    '',
  ].join('\n');
}

function describeIssue({ code, message, line, action, hint }: Issue): string {
  const place = [
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(action === undefined ? [] : [`action ${action}`]),
  ].join(', ');
  const text = `${place === '' ? '' : `${place}: `}${message} (${code})${hint === undefined ? '' : `\nHint: ${hint}`}`;
  return `- ${text.replaceAll('\n', '\n  ')}`;
}

/** The feedback on a valid plan that the user wants replaced. */
export function describeUnwanted(): string {
  return [
    'This plan was not run: the user wants a different one. What they say is under Message, the latest at its end.',
    'Write a whole plan that does what they say. Answer with the plan and nothing else.',
    '',
  ].join('\n');
}

/** Sent if the user does not reply to a message of the model. */
export function describeUnanswered(): string {
  return 'The user has nothing to add. Answer with a plan.\n';
}

/** The feedback on an answer that was cut off; `reason` says where. */
export function describeCutOff(reason: string): string {
  return [
    `Your answer was cut off: ${reason} An incomplete plan is not run, not even in part.`,
    'Write a shorter plan: fewer actions, smaller edits. What does not fit can follow in the next turn.',
    'Answer with the plan and nothing else.',
    '',
  ].join('\n');
}

/** The first error on one line, and the number of others. */
export function summarizeErrors(issues: readonly Pick<Issue, 'severity' | 'message'>[]): string {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const first = errors[0]?.message.split('\n', 1)[0] ?? 'It was refused.';
  if (errors.length < 2) return first;
  return `${first.replace(/\.$/, '')} (and ${errors.length - 1} more).`;
}
