import type { Asked, CheckedReport, Client } from '../core/agent-report/types.js';
import type { Incoming } from '../workspace/incoming.js';
import type { Workspace } from '../workspace/workspace.js';

export interface CheckReportOptions {
  workspace: Workspace;
  /** `review.confidence` */
  threshold: number;
  /** What came: the report, or what its client printed. */
  text: string;
  client: Client;
  lenient: boolean;
  /** Whether it keeps the strict transport schema. */
  strict: boolean;
  asked: Asked;
  /** Claims are compared with the changes since this commit. */
  base: string | null;
  environment: Readonly<Record<string, string | undefined>>;
  now: Date;
  /** Where the text waits, when it stands nowhere else: then it is kept, whoever asked for it. */
  held: Incoming | null;
  /**
   * Looked at again, maybe when the files have gone on: where the answer was kept, its references need only be there,
   * and what git said of its claims is what it said then.
   */
  again: boolean;
  /** From the root: files that belong to the check itself, and are no change of the agent's. */
  ownFiles: readonly string[];
}

export interface ReportCheck extends CheckedReport {
  /** From the root: where the answer is kept; null where nobody was briefed for it. */
  kept: string | null;
  /** What was in the way, in sentences. */
  notes: string[];
}
