import type { Asked, CheckedReport, Client, Manual, ManualIssue } from '../core/agent-report/types.js';
import type { Incoming } from '../workspace/incoming.js';
import type { Workspace } from '../workspace/workspace.js';

/** An agent that can be listed; one that is broken cannot be used. */
export type Agent = Subagent | Planner | BrokenAgent;

/** A subagent's file is a manual, a planner's a system prompt. */
export type AgentKind = 'subagent' | 'planner';

interface AnyAgent {
  /** As its file has it; names match in any case. */
  name: string;
  /** Of its file, from the root; null where it comes with the program. */
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
  /** Its own part of the system prompt: what is below the frontmatter, with LF, without blank lines at its ends. */
  prompt: string;
}

/** A file that cannot be used. */
export interface BrokenAgent extends AnyAgent {
  kind: 'broken';
  /** What it says that it is; null where that cannot be read. */
  meant: AgentKind | null;
  /** A whole sentence. */
  reason: string;
  issues: ManualIssue[];
}

/** What is found under the name of a subagent. Each reason is a whole sentence. */
export type FoundAgent =
  | { status: 'found'; manual: Manual; path: string | null; issues: ManualIssue[] }
  /** There is such a file, and it cannot be used as a manual. */
  | { status: 'refused'; kind: 'planner' | 'broken'; reason: string; path: string; issues: ManualIssue[] }
  | { status: 'unknown'; reason: string };

/** What is found under the name of a planner. Each reason is a whole sentence. */
export type FoundPlanner =
  | { status: 'found'; planner: Planner }
  /** `refused`: there is such a file, and it cannot be used as a prompt. */
  | { status: 'unknown' | 'refused'; reason: string };

export interface CheckReportOptions {
  workspace: Workspace;
  /** `review.confidence` */
  threshold: number;
  /** The report, or the output of its client. */
  text: string;
  client: Client;
  lenient: boolean;
  asked: Asked;
  /** Claims are compared with the changes since this commit. */
  base: string | null;
  environment: Readonly<Record<string, string | undefined>>;
  now: Date;
  /** Where the text waits if it exists nowhere else; then it is kept even without a briefing. */
  held: Incoming | null;
  /**
   * Checked again, maybe after the files changed: for an answer that was kept, the comparison of its claims with git is
   * the one of that time.
   */
  again: boolean;
  /** From the root: files that belong to the check itself, and are not changes of the agent. */
  ownFiles: readonly string[];
}

export interface ReportCheck extends CheckedReport {
  /** From the root: where the answer is saved; null without a briefing. */
  kept: string | null;
  /** Problems while saving, in sentences. */
  notes: string[];
}
