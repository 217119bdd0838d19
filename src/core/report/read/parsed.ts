import type { Issue } from '../../issue.js';
import type { ActionType, Metadata } from '../../plan/types.js';
import type { ActionCounts, ReportedDecision } from '../facts.js';
import type { ReportedStateChange } from '../mirrored.js';
import type { Facts, Outcome, Overall, Run, RunPlan } from '../record.js';

/** What a report says, as far as its form goes: a Run without what the form has no place for. */
export type ParsedReport =
  | MirroredReport
  | ContractReport
  /** Not a report. `reason` is a sentence that begins with the line. */
  | { status: 'refused'; reason: string };

interface Reported {
  refused: boolean;
  interrupted: string | null;
  /** Of a refused plan; a report says nothing of any other's. */
  issues: Issue[];
  stateChanges: ReportedStateChange[];
  /** It ends with the tip. */
  tip: boolean;
}

export interface MirroredReport extends Reported {
  status: 'mirrored';
  plan: RunPlan;
  overall: Overall;
  /** As the header has them. */
  counts?: ActionCounts;
  actions: MirroredAction[];
}

export interface MirroredAction {
  type: ActionType;
  metadata: Metadata;
  decision: ReportedDecision;
  outcome: { status: 'not-run' } | ({ status: 'success' | 'failure' } & Facts);
}

export type ContractStatus = 'SUCCESS' | 'FAILURE' | 'PARTIAL_SUCCESS';

export interface ContractReport extends Reported, Pick<Run, 'startedAt' | 'endedAt' | 'environment'> {
  status: 'contract';
  /** Null where another program wrote the report: the contract does not ask for it. */
  id: string | null;
  /** `path` is null for the same reason. */
  plan: { title: string | null; path: string | null };
  overall: ContractStatus;
  /** To ten milliseconds. */
  durationMs: number;
  actions: ContractAction[];
}

export interface ContractAction {
  type: ActionType;
  decision: ReportedDecision;
  outcome: Outcome;
}
