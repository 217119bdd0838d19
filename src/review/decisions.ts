import type { KeyPath, Problems } from '../config/document.js';
import { openDocument, readDocumentList, readMapping } from '../config/document.js';
import type { ConfigProblem } from '../config/types.js';
import { hasEffect } from '../core/plan/actions.js';
import type { Plan } from '../core/plan/types.js';
import type { Answer, Question, Reviewer, StateQuestion } from './question.js';

type Section = StateQuestion['section'];

/** A decisions file, read against its plan. */
export interface Decisions {
  /** For what the file does not name; null leaves that to the next reviewer. */
  default: 'approve' | 'skip' | null;
  /** By an action's number, or by the section of a state change. */
  named: ReadonlyMap<number | Section, NamedDecision>;
  /** By the number of a CHAT_WITH_USER. */
  replies: ReadonlyMap<number, string>;
}

export interface NamedDecision {
  decision: 'approve' | 'skip';
  reason: string | null;
}

export type DecisionsRead =
  | { status: 'decisions'; decisions: Decisions }
  | { status: 'refused'; problems: ConfigProblem[] };

/** What the file says to an action, by its number, or to a section; undefined where it says nothing. */
export function decideByFile(decisions: Decisions, subject: number | Section): NamedDecision | undefined {
  const named = decisions.named.get(subject);
  if (named) return named;
  if (typeof subject === 'number' && decisions.replies.has(subject)) {
    return { decision: 'approve', reason: null };
  }
  return decisions.default === null ? undefined : { decision: decisions.default, reason: null };
}

export function decisionsReviewer(decisions: Decisions): Reviewer {
  return { resolve: (question) => answerByFile(decisions, question) };
}

function answerByFile(decisions: Decisions, question: Question): Answer | undefined {
  // A decisions file is for one plan.
  if (question.kind === 'file') return undefined;
  const decided = decideByFile(decisions, question.kind === 'action' ? question.number : question.section);
  if (!decided) return undefined;
  if (decided.decision === 'skip') return { decision: 'skip', by: 'decisions', reason: decided.reason };
  const reply = question.kind === 'action' ? decisions.replies.get(question.number) : undefined;
  const answer = { decision: 'approve', by: 'decisions', hash: question.hash } as const;
  return reply === undefined ? answer : { ...answer, reply };
}

/** Whatever does not fit the plan is a problem: a decision must not land on another action than was meant. */
export async function parseDecisions(
  text: string,
  plan: Plan,
  file = 'decisions.yaml',
): Promise<DecisionsRead> {
  const opened = await openDocument(file, text);
  if (opened.status === 'refused') return opened;
  const { value, problems } = opened;
  const mapping = readMapping(value, [], problems);
  refuseUnknown(mapping, [], ['default', 'decisions', 'replies'], problems);
  const reader = new Reader(plan, problems);
  const decisions: Decisions = {
    default: mapping.default == null ? null : (reader.verdict(mapping.default, ['default']) ?? null),
    named: reader.named(mapping.decisions),
    replies: reader.replies(mapping.replies),
  };
  for (const number of decisions.replies.keys()) {
    if (decisions.named.get(number)?.decision === 'skip') {
      problems.add(['replies'], `has an answer to action ${number}, which decisions skips`);
    }
  }
  return problems.list.length > 0
    ? { status: 'refused', problems: problems.list }
    : { status: 'decisions', decisions };
}

class Reader {
  constructor(
    private readonly plan: Plan,
    private readonly problems: Problems,
  ) {}

  named(value: unknown): Map<number | Section, NamedDecision> {
    const named = new Map<number | Section, NamedDecision>();
    for (const [entry, path] of this.entries(value, 'decisions')) {
      refuseUnknown(entry, path, ['action', 'section', 'decision', 'reason'], this.problems);
      const subject = this.subject(entry, path);
      const decision = this.verdict(entry.decision, [...path, 'decision']);
      const reason = entry.reason == null ? null : this.text(entry.reason, [...path, 'reason']);
      if (decision === 'approve' && reason !== null) {
        this.problems.add([...path, 'reason'], 'is only for skip; this decision is approve');
      }
      if (subject === undefined || decision === undefined) continue;
      if (named.has(subject)) this.problems.add(path, `decides on ${nameOf(subject)} a second time`);
      else named.set(subject, { decision, reason: reason ?? null });
    }
    return named;
  }

  replies(value: unknown): Map<number, string> {
    const replies = new Map<number, string>();
    for (const [entry, path] of this.entries(value, 'replies')) {
      refuseUnknown(entry, path, ['action', 'text'], this.problems);
      const number = this.action(entry.action, [...path, 'action']);
      const text = this.text(entry.text, [...path, 'text']);
      if (number === undefined || text === undefined) continue;
      const action = this.plan.actions[number - 1]!;
      if (!hasEffect(action, 'asks')) {
        this.problems.add(
          [...path, 'action'],
          `is ${number}, which is ${action.type}; only CHAT_WITH_USER takes an answer`,
        );
      } else if (replies.has(number)) {
        this.problems.add(path, `answers action ${number} a second time`);
      } else {
        replies.set(number, text);
      }
    }
    return replies;
  }

  verdict(value: unknown, path: KeyPath): 'approve' | 'skip' | undefined {
    if (value === 'approve' || value === 'skip') return value;
    this.problems.add(path, 'must be approve or skip');
    return undefined;
  }

  private *entries(value: unknown, key: string): Generator<[Record<string, unknown>, KeyPath]> {
    for (const [index, item] of readDocumentList(value, [key], this.problems).entries()) {
      if (this.problems.full) return;
      const path = [key, index];
      if (item === null) this.problems.add(path, 'is empty');
      else if (typeof item !== 'object' || Array.isArray(item)) readMapping(item, path, this.problems);
      else yield [item as Record<string, unknown>, path];
    }
  }

  private subject(entry: Record<string, unknown>, path: KeyPath): number | Section | undefined {
    if ('action' in entry === 'section' in entry) {
      this.problems.add(path, 'needs either an action or a section');
      return undefined;
    }
    return 'action' in entry
      ? this.action(entry.action, [...path, 'action'])
      : this.section(entry.section, [...path, 'section']);
  }

  private action(value: unknown, path: KeyPath): number | undefined {
    const count = this.plan.actions.length;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= count) return value;
    this.problems.add(
      path,
      typeof value === 'number'
        ? `is ${value}, and the plan has ${count === 1 ? 'one action' : `actions 1 to ${count}`}`
        : 'must be the number of an action',
    );
    return undefined;
  }

  private section(value: unknown, path: KeyPath): Section | undefined {
    if (value !== 'Memos' && value !== 'Active Context') {
      this.problems.add(path, 'must be Memos or Active Context');
      return undefined;
    }
    const changes = value === 'Memos' ? this.plan.memos : this.plan.activeContext;
    if (changes.length > 0) return value;
    this.problems.add(path, `is ${value}, in which the plan changes nothing`);
    return undefined;
  }

  private text(value: unknown, path: KeyPath): string | undefined {
    if (typeof value === 'string' && value.trim() !== '') return value;
    this.problems.add(path, 'must be a text; put it in quotes');
    return undefined;
  }
}

function refuseUnknown(
  mapping: Record<string, unknown>,
  path: KeyPath,
  known: readonly string[],
  problems: Problems,
): void {
  for (const key of Object.keys(mapping)) {
    if (!known.includes(key) && !problems.full) problems.addUnknown([...path, key], known);
  }
}

function nameOf(subject: number | Section): string {
  return typeof subject === 'number' ? `action ${subject}` : subject;
}
