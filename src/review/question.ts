import type { Action, Plan, PlanIssue } from '../core/plan/types.js';
import type { Decider, FileChangeType, LineComment } from '../core/report/record.js';
import type { Risk } from './risks.js';

/** Everything that is known before the first question is asked. */
export interface Overview {
  plan: Plan;
  issues: readonly PlanIssue[];
  /** What each action would do, if all before it succeed. */
  previews: readonly Preview[];
  /** The run that is continued, and what succeeded in it: that is not asked about or run again. */
  continued?: ContinuedRun | undefined;
}

interface ContinuedRun {
  run: string;
  /** By the number of the action, from 1. */
  actions: Pick<ReadonlySet<number>, 'has'>;
  stateChanges: Pick<ReadonlySet<StateQuestion['section']>, 'has'>;
}

/** The same for an agent's changes. */
export interface ChangesetOverview {
  /** Of the agent's work. */
  work: string;
  title: string;
  /** Each file as it would be asked about. */
  files: readonly FileQuestion[];
  /** What else the user should know, a sentence each: what is refused, left out or already there. */
  notes: readonly string[];
}

/** One thing to decide on. `hash` covers all of it, including what would change. */
export type Question = ActionQuestion | StateQuestion | FileQuestion;

export interface ActionQuestion {
  kind: 'action';
  /** 1-based, of `total`. */
  number: number;
  total: number;
  action: Action;
  /** The user edited the action, so it is shown again. */
  modified: boolean;
  preview: Preview;
  risks: Risk[];
  hash: string;
}

/** A file that an agent changed in its copy of the project. */
export interface FileQuestion {
  kind: 'file';
  /** 1-based, of `total`. */
  number: number;
  total: number;
  type: FileChangeType;
  path: string;
  /** The path of a renamed file before. */
  from?: string;
  /** The user edited the result, so it is shown again. */
  modified: boolean;
  /** The project's text and the new one; null where there is none: no file, no text, a link. */
  texts: { before: string | null; after: string | null };
  /** What the texts do not show, a few words each: a mode, the target of a link, the size of a binary file. */
  facts: readonly string[];
  /** The hunks, and apart from them the mode, that can be kept or dropped one by one; empty where it is one decision. */
  parts: readonly FilePart[];
  /** The project and the agent changed it in ways that cannot be merged: approving it takes the agent's version. */
  conflict: { reason: string; marked: string | null } | null;
  risks: Risk[];
  hash: string;
}

/** A text that would be written; for a file that would be deleted, it is empty. */
export interface ProposedText {
  path: string;
  /** Null where there is no file yet. */
  before: string | null;
  after: string;
  /** What can be kept or dropped, where that is more than the hunks of the text. */
  parts?: readonly FilePart[];
}

/** Undefined where no text would change. */
export function proposedText(question: ActionQuestion | FileQuestion): ProposedText | undefined {
  if (question.kind === 'action') return question.preview.kind === 'write' ? question.preview : undefined;
  const { path, parts, texts } = question;
  if (texts.before === texts.after) return undefined;
  return { path, before: texts.before, after: texts.after ?? '', parts };
}

export interface FilePart {
  id: string;
  /** Rows of a diff, or what else it is in one line. */
  lines: readonly string[];
}

export interface StateQuestion {
  kind: 'state';
  section: 'Active Context' | 'Memos';
  /** The proposed lines, each with its `\n`. */
  changes: string;
  hash: string;
}

/** What the action would do to the files, as they are by now. */
export type Preview =
  /** CREATE and EDIT. `before` is null where there is no file yet. */
  | { kind: 'write'; path: string; before: string | null; after: string; matched: string | null }
  /** It will fail, for these reasons. */
  | { kind: 'will-fail'; reasons: string[] }
  /** CONCLUDE in a session; null: no agent waits for it. */
  | { kind: 'hands-back'; to: string | null }
  /** Nothing can be shown beforehand. */
  | { kind: 'none' };

/** Who gets the message of a CONCLUDE. */
export function describeRecipient({ to }: Extract<Preview, { kind: 'hands-back' }>): string {
  return to ?? 'you; no other agent is waiting, so this ends the line of work';
}

export type Answer =
  /** `hash` is that of the question answered: nothing else is approved. `reply` is for CHAT_WITH_USER. */
  | {
      decision: 'approve';
      by: Decider;
      hash: string;
      reply?: string;
      keep?: HunkChoice;
      comments?: LineComment[];
    }
  | { decision: 'skip'; by: Decider; reason: string | null; comments?: LineComment[] }
  /** This one and everything after it is skipped. */
  | { decision: 'quit'; reason: string | null }
  /** The user changed the action: it is shown and asked about again. */
  | { decision: 'replace'; action: Action }
  /** The user edited what a file of a changeset becomes: it is shown and asked about again. */
  | { decision: 'rewrite'; text: string }
  /** The user wants to decide again on the action or state change before this one. */
  | { decision: 'back' };

/** The hunks to write of those that the question's write has (`diffHunks`): its hash covers their ids. */
export interface HunkChoice {
  ids: readonly string[];
  /** Why others were dropped, by id. */
  reasons: Readonly<Record<string, string>>;
}

/** A command that failed, and that the user can run again. */
export interface FailedCommand {
  number: number;
  total: number;
  action: Action;
  /** How often it ran. */
  attempts: number;
}

export type RerunAnswer = { decision: 'rerun' | 'continue' } | { decision: 'quit'; reason: string | null };

/**
 * Decides. `resolve` answers at once without the user, or not at all. `ask` waits for the user, and is missing where
 * there is no terminal. Neither throws.
 */
export interface Reviewer {
  /** Called once, before anything else. */
  begin?(overview: Overview | ChangesetOverview): void;
  resolve(question: Question): Answer | undefined;
  /** Once `signal` is aborted, another face has answered: it returns soon, and what it returns does not count. */
  ask?(question: Question, signal?: AbortSignal): Promise<Answer>;
  /** Asked after a command failed that the user had approved. */
  askRerun?(failed: FailedCommand, signal?: AbortSignal): Promise<RerunAnswer>;
}
