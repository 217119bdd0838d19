import type { ModelMasks } from '../config/redactor.js';
import type { Issue } from '../core/issue.js';
import { isStructural } from '../core/plan/check.js';
import { repairPlan } from '../core/plan/repair/repair.js';
import type { PlanIssue } from '../core/plan/types.js';
import type { Validation } from '../runs/execute-plan.js';
import { withoutThought } from './model/answer-text.js';
import type { ModelAnswer, ModelMessage } from './model/types.js';
import type { AttemptOutcome } from './turns/turn.js';

/** How a plan is asked for. */
export interface PlanAsking {
  /** What stands at the beginning of every question. */
  opening: readonly ModelMessage[];
  /** What else the first one says. */
  before?: readonly ModelMessage[];
  /** How often more is asked, where an answer is no plan. */
  replans: number;
  masks: ModelMasks;
  /** A plan of which only parts would fail is, as the last one, left to a person. */
  hasPerson: boolean;
  /** Why this may not be asked, as a sentence. */
  refuse?(messages: readonly ModelMessage[]): Promise<string | undefined>;
  /** `attempt` counts from 1. */
  ask(messages: readonly ModelMessage[], attempt: number): Promise<ModelAnswer>;
  validate(text: string): Promise<Pick<Validation, 'ok' | 'issues'>>;
  /** What a model is told of an answer that was cut off. */
  describeCutOff(reason: string): string;
  /** Called with every answer, once it is judged. */
  keep(answer: ModelAnswer, judged: JudgedAnswer): Promise<void>;
}

/** What became of one answer, and how to go on. */
export interface JudgedAnswer {
  outcome: AttemptOutcome;
  /** A sentence; null for one that passed. */
  reason: string | null;
  plan: string | null;
  issues: PlanIssue[];
  feedback: string | null;
  /** What to ask next; undefined: no more. */
  again?: readonly ModelMessage[];
}

export type PlanAnswer =
  /** The plan as it is carried out, and the answer that it is of. Its issues may hold predictions. */
  | { status: 'planned'; plan: string; answer: string; issues: PlanIssue[] }
  /** No answer was a plan that can be carried out. `reason` is about the last of them. */
  | { status: 'refused'; issues: PlanIssue[]; reason: string }
  /** `reason` is whole sentences. */
  | { status: 'failed' | 'over-budget' | 'interrupted'; reason: string };

/** Asks a model for a plan, and again where the answer is refused, was cut off or broke off. */
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
      // A service that gave nothing was asked often enough by now; and what it refused, it refuses again.
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
  const { ok, issues } = await asking.validate(text);
  // A person may let a plan run of which only parts would fail; the model had its chances.
  if (ok || (hasPerson && isLast && !issues.some((issue) => isStructural(issue, null))))
    return { outcome: 'passed', reason: null, plan: repairPlan(text).text, issues, feedback: null };
  const feedback = masks.mask(describeRefused(issues));
  const reason = masks.mask(summarizeErrors(issues));
  const again: ModelMessage[] = [...opening, { role: 'assistant', text }, { role: 'user', text: feedback }];
  return { outcome: 'refused', reason, plan: null, issues, feedback, again };
}

function readText({ text }: ModelAnswer, { masks }: PlanAsking): string {
  return withoutThought(masks.maskKnown(text));
}

const MOST_ISSUES = 30;

/** What a model is told of a plan of its own that was refused. Lines are those of its answer. */
export function describeRefused(issues: readonly Issue[]): string {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const more = errors.length - MOST_ISSUES;
  return [
    'Your plan was refused, and nothing of it was done. What has to be mended (lines are those of your answer):',
    '',
    ...errors.slice(0, MOST_ISSUES).map(describeIssue),
    ...(more > 0 ? [`- and ${more} more of these.`] : []),
    '',
    'Write the whole plan again, with all of this mended. Answer with the plan and nothing else.',
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

/** The same for a plan that nobody objects to but the person, who wants another. */
export function describeUnwanted(): string {
  return [
    'This plan was not carried out: the user wants another one in its place. What they say stands under Message, the latest at its end.',
    'Write a whole plan that does what they say. Answer with the plan and nothing else.',
    '',
  ].join('\n');
}

/** The same for an answer that was cut off; `reason` says where. */
export function describeCutOff(reason: string): string {
  return [
    `Your answer was cut off: ${reason} A plan that was cut off is not carried out, not even in part.`,
    'Write a shorter plan: fewer actions, smaller edits. What does not fit can follow in the next turn.',
    'Answer with the plan and nothing else.',
    '',
  ].join('\n');
}

/** The first of the errors, in one line, and how many more there are. */
export function summarizeErrors(issues: readonly Pick<Issue, 'severity' | 'message'>[]): string {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return `${errors[0]?.message.split('\n', 1)[0] ?? 'It was refused.'}${more}`;
}
