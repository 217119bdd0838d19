import type { Manual, ManualIssue } from '../formats/agent-report/index.js';

/** An agent that can be listed; only a subagent without errors can be used. */
export type Agent = Subagent | Planner | BrokenAgent;

interface AnyAgent {
  /** As its file has it; names match in any case. */
  name: string;
  /** Of its file, from the root; null where it comes with the program. */
  path: string | null;
}

export interface Subagent extends AnyAgent {
  kind: 'subagent';
  manual: Manual;
  /** Warnings. */
  issues: ManualIssue[];
}

/** A system prompt, which is no manual. */
export interface Planner extends AnyAgent {
  kind: 'planner';
  purpose: string | null;
}

/** A file that cannot be used. */
export interface BrokenAgent extends AnyAgent {
  kind: 'broken';
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
