import type {
  Asked,
  CheckedReport,
  Client,
  Manual,
  ManualIssue,
  Measured,
} from '../core/agent-report/types.js';
import type { Incoming } from '../workspace/incoming.js';
import type { Workspace } from '../workspace/workspace.js';

export type Agent = Subagent | Planner | BrokenAgent;

/** A subagent's file is a manual, a planner's a system prompt. */
export type AgentKind = 'subagent' | 'planner';

interface AnyAgent {
  /** As in its file name; case-insensitive. */
  name: string;
  /** Path of its file, from the root; null if built in. */
  path: string | null;
}

interface Subagent extends AnyAgent {
  kind: 'subagent';
  manual: Manual;
  /** Warnings. */
  issues: ManualIssue[];
}

/** An agent that writes plans. */
export interface Planner extends AnyAgent {
  kind: 'planner';
  purpose: string | null;
  /** Its own part of the system prompt: the text below the frontmatter, with LF and without blank lines at its ends. */
  prompt: string;
}

/** An unusable agent file. */
export interface BrokenAgent extends AnyAgent {
  kind: 'broken';
  /** The kind that the file states; null if unreadable. */
  meant: AgentKind | null;
  /** A full sentence. */
  reason: string;
  issues: ManualIssue[];
}

/** The result of looking up a subagent. Each reason is a full sentence. */
export type FoundAgent =
  | { status: 'found'; manual: Manual; path: string | null; issues: ManualIssue[] }
  /** The file exists but is not a usable manual. */
  | { status: 'refused'; kind: 'planner' | 'broken'; reason: string; path: string; issues: ManualIssue[] }
  | { status: 'unknown'; reason: string };

/** The result of looking up a planner. Each reason is a full sentence. */
export type FoundPlanner =
  | { status: 'found'; planner: Planner }
  /** `refused`: the file exists but is not a usable prompt. */
  | { status: 'unknown' | 'refused'; reason: string };

export interface CheckReportOptions {
  workspace: Workspace;
  /** `review.confidence` */
  threshold: number;
  /** The report, or the output of its client. */
  text: string;
  client: Client;
  /** What the caller measured, where the text itself has no figures. */
  measured?: Measured;
  lenient: boolean;
  asked: Asked;
  /** Claims are compared with the changes since this commit. */
  base: string | null;
  environment: Readonly<Record<string, string | undefined>>;
  now: Date;
  /** The saved text, if it exists nowhere else; it is then kept even without a briefing. */
  held: Incoming | null;
  /** The report is checked again, maybe after the files changed: a saved answer keeps its first comparison with git. */
  again: boolean;
  /** Files of the check itself, from the root; they do not count as the agent's changes. */
  ownFiles: readonly string[];
}

export interface ReportCheck extends CheckedReport {
  /** Path of the saved answer, from the root; null without a briefing. */
  kept: string | null;
  /** Problems while saving, as sentences. */
  notes: string[];
}
