import type { Issue } from '../core/issue.js';
import type { ActionType } from '../core/plan/types.js';
import type { ActionRecord, Run, StateChangeRecord } from '../core/report/record.js';

/** What every face listens to. Secrets are masked. Listeners must not throw. */
export type RunEvent =
  /** `repairs`: how the plan's text was changed before it was read. */
  | { kind: 'run-started'; id: string; title: string; total: number; repairs: readonly Issue[] }
  | { kind: 'state-changed'; record: StateChangeRecord }
  /** `label` says in a few words what it is about: a path, a URL, the first line of a command. */
  | { kind: 'action-started'; number: number; total: number; type: ActionType; label: string }
  | { kind: 'output'; number: number; stream: 'stdout' | 'stderr'; text: string }
  | { kind: 'action-ended'; number: number; total: number; label: string; record: ActionRecord }
  | { kind: 'run-ended'; run: Run };

export type RunListener = (event: RunEvent) => void;
