import { applyHunks, diffHunks } from '../core/changeset/hunks.js';
import { hasEffect, resourcesOf, simulateAction, writtenTexts } from '../core/plan/actions.js';
import type { EditTier } from '../core/plan/edit/match.js';
import type { Shown } from '../core/plan/simulate.js';
import { writeStateChanges } from '../core/plan/state-changes.js';
import type { Action, Plan, PlanIssue } from '../core/plan/types.js';
import { findSentinel } from '../core/redact/values.js';
import type { Decision, KeptChanges, UnrestorableFile } from '../core/report/record.js';
import { Overlay, type Tree } from '../core/tree.js';
import { sha256 } from '../node/ids.js';
import { resolveQuestion } from '../review/compose.js';
import type {
  ActionQuestion,
  Answer,
  Preview,
  Question,
  Reviewer,
  StateQuestion,
} from '../review/question.js';
import type { Workspace } from '../workspace/workspace.js';
import { findRisks } from './actions.js';
import type { Refusal } from './run-record.js';

/** An action as a question: with what it would do to the tree as it is now. */
export function proposeAction(
  action: Action,
  place: { number: number; total: number; modified: boolean },
  view: ProposalView,
): ActionQuestion {
  const refusal = view.issues?.find(
    ({ code, action: about }) => code === 'research-unavailable' && about === place.number,
  );
  const preview: Preview =
    action.type === 'RESEARCH' && refusal
      ? { kind: 'will-fail', reasons: [withHint(refusal)] }
      : previewAction(action, view);
  const risks = findRisks(action, preview, view.unrestorable);
  return {
    kind: 'action',
    ...place,
    action,
    preview,
    risks,
    hash: sha256(JSON.stringify([action, preview])),
  };
}

export function proposeState(section: StateQuestion['section'], changes: string): StateQuestion {
  return { kind: 'state', section, changes, hash: sha256(JSON.stringify([section, changes])) };
}

/** The files as an action would find them. */
export interface ProposalView {
  tree: Tree;
  /** Whether a plan may write to a path. */
  admit(path: string): { status: 'inside' } | { status: 'refused'; reason: string };
  /** How a file's text may be shown in a report. */
  show: Shown;
  /** Only within a session: the agent that a CONCLUDE returns to. */
  caller?: string | null | undefined;
  /** What undo could not restore if a command changed it, where that is known. */
  unrestorable?: readonly UnrestorableFile[];
  /** The plan's known problems: they say whether a RESEARCH can succeed. */
  issues?: readonly PlanIssue[];
}

function previewAction(action: Action, { tree, admit, show, caller }: ProposalView): Preview {
  if (action.type === 'CONCLUDE' && caller !== undefined) return { kind: 'hands-back', to: caller };
  const obstacle = hasEffect(action, 'writes') ? findObstacle(action, admit) : undefined;
  if (obstacle !== undefined) return { kind: 'will-fail', reasons: [obstacle] };
  const result = simulateAction(action, tree, show);
  if (result?.status === 'will-fail') {
    return { kind: 'will-fail', reasons: result.problems.map(withHint) };
  }
  if (result?.status !== 'written') return { kind: 'none' };
  const { path, before, after, tiers } = result;
  return { kind: 'write', path, before, after, matched: describeTiers(tiers) };
}

function withHint({ message, hint }: { message: string; hint?: string | null | undefined }): string {
  return hint ? `${message}\n${hint}` : message;
}

/** Why an action may not write, whatever the files contain. */
function findObstacle(action: Action, admit: ProposalView['admit']): string | undefined {
  for (const { target } of resourcesOf(action)) {
    const admission = admit(target);
    if (admission.status === 'refused') return `${target} ${admission.reason}.`;
  }
  const masked = writtenTexts(action)
    .map(findSentinel)
    .find((found) => found !== undefined);
  return (
    masked && `${masked.sentinel} stands for a masked secret; writing it would overwrite the real value.`
  );
}

const TIERS: Record<Exclude<EditTier, 'exact'>, string> = {
  'line-endings': 'line endings or blank lines at the edges differ',
  'trailing-space': 'white space at the ends of lines differs',
  indent: 'the indent differs, and REPLACE was shifted with it',
  unicode: "kinds of quotes, dashes or spaces differ, and REPLACE was written with the file's",
  'leading-space': "indents differ, and REPLACE was written with the file's",
  'blank-lines': "blank lines differ, and the file's were kept",
};

/** Null when every FIND matched exactly. */
function describeTiers(tiers: readonly EditTier[]): string | null {
  const loose = tiers.flatMap((tier, i) =>
    tier === 'exact' ? [] : [tiers.length === 1 ? TIERS[tier] : `FIND ${i + 1}: ${TIERS[tier]}`],
  );
  return loose.length === 0 ? null : `not exactly; ${loose.join('; ')}`;
}

/**
 * What an approval writes: all of it, or the hunks that the user kept, with the others for the record. Undefined where it
 * names a hunk that was not shown.
 */
export function chooseWrite(
  { path, before, after }: { path: string; before: string | null; after: string },
  { keep }: Approval,
): { after: string; kept?: KeptChanges } | undefined {
  if (keep === undefined) return { after };
  const hunks = diffHunks(before ?? '', after, path);
  const kept = new Set(keep.ids);
  const dropped = hunks.filter(({ id }) => !kept.has(id));
  if (dropped.length + kept.size !== hunks.length) return undefined;
  return {
    after: applyHunks(before ?? '', hunks, kept),
    kept: {
      count: kept.size,
      dropped: dropped.map(({ id, lines }) => ({
        id,
        change: writeRows(lines),
        reason: keep.reasons[id] ?? null,
      })),
    },
  };
}

/** Rows of a diff as text; a line without an ending is marked as git does. */
export function writeRows(rows: readonly string[]): string {
  return rows.map((row) => (row.endsWith('\n') ? row : `${row}\n\\ No newline at end of file\n`)).join('');
}

/** A decision for the record, with the user's comments. */
export function decisionOf(answer: Approval | Refusal): Decision {
  const comments = answer.comments?.length ? { comments: answer.comments } : {};
  return 'hash' in answer
    ? { status: 'approved', by: answer.by, ...comments }
    : { status: 'skipped', by: answer.by, reason: answer.reason, ...comments };
}

export type Approval = Extract<Answer, { decision: 'approve' }>;

/** How a question ends, once nothing is edited any more. */
type FinalAnswer = Approval | ({ decision: 'skip' | 'quit' } & Refusal) | { decision: 'back' };

/** An action as it was decided on: as planned, or as the user edited it. */
export interface AskedAction {
  action: Action;
  modified: boolean;
  /** The user answered, having seen everything that ran before. */
  asked: boolean;
  question: ActionQuestion;
  answer: FinalAnswer;
}

export interface Asking {
  reviewer: Reviewer;
  /** The question as the files are now. */
  propose(action: Action, modified: boolean): ActionQuestion;
  /** Runs before the user is asked, who then sees everything done so far. */
  beforePerson(action: Action): Promise<void>;
}

const NO_TERMINAL_TO_ASK: Refusal = { by: 'teddy', reason: 'Not run: no terminal to ask in.' };
export const NO_TERMINAL_TO_ANSWER: Refusal = { by: 'teddy', reason: 'Not run: no terminal to answer in.' };

/** Asks about an action until it is decided. An edited one is shown and asked about again. */
export async function askAboutAction(planned: Action, asking: Asking): Promise<AskedAction> {
  let action = planned;
  for (;;) {
    const modified = action !== planned;
    let question = asking.propose(action, modified);
    let answer = resolveQuestion(asking.reviewer, question);
    // No rule has seen the edited action, so none approves it; a denial still counts.
    if (modified && answer?.decision !== 'skip') answer = undefined;
    const asked = !answer && asking.reviewer.ask !== undefined;
    if (!answer && asking.reviewer.ask) {
      await asking.beforePerson(action);
      question = asking.propose(action, modified);
      answer = await asking.reviewer.ask(question);
    }
    if (answer?.decision === 'replace') {
      action = { ...answer.action, line: planned.line, metadata: planned.metadata };
      continue;
    }
    const unasked = hasEffect(action, 'asks') ? NO_TERMINAL_TO_ANSWER : NO_TERMINAL_TO_ASK;
    return { action, modified, asked, question, answer: toFinal(answer, unasked) };
  }
}

/** The same for a state change, which cannot be edited. */
export async function askAboutState(question: Question, reviewer: Reviewer): Promise<FinalAnswer> {
  const answer = reviewer.resolve(question) ?? (await reviewer.ask?.(question));
  return toFinal(answer?.decision === 'replace' ? undefined : answer, NO_TERMINAL_TO_ASK);
}

function toFinal(
  answer: Exclude<Answer, { decision: 'replace' }> | undefined,
  unasked: Refusal,
): FinalAnswer {
  if (!answer || answer.decision === 'rewrite') return { decision: 'skip', ...unasked };
  return answer.decision === 'quit' ? { ...answer, by: 'person' } : answer;
}

/** What the user would be asked about a plan, each action on the files as the ones before it leave them. */
export function previewPlan(
  plan: Plan,
  workspace: Workspace,
  {
    tree,
    isDone = () => false,
    ...view
  }: Pick<ProposalView, 'tree' | 'show' | 'issues'> & { isDone?: (number: number) => boolean },
): Question[] {
  const overlay = new Overlay(tree);
  const questions: Question[] = writeStateChanges(plan).map(({ section, changes }) =>
    proposeState(section, changes),
  );
  for (const [i, action] of plan.actions.entries()) {
    if (isDone(i + 1)) continue;
    const place = { number: i + 1, total: plan.actions.length, modified: false };
    const question = proposeAction(action, place, {
      ...view,
      tree: overlay,
      admit: (path) => workspace.locate(path),
    });
    if (question.preview.kind === 'write') overlay.write(question.preview.path, question.preview.after);
    questions.push(question);
  }
  return questions;
}
