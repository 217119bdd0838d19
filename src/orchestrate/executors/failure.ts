import type { FailureKind } from '../events.js';

/** What an attempt came to that did not make its task done, for whoever tries next. */
export interface ExecutorFailure {
  attempt: number;
  kind: FailureKind;
  /** Whole sentences. */
  reason: string;
  /** The executor's own words on what it did; null where it said nothing that can be read. */
  evidence: string | null;
  /** From the root; null where it cannot be told. */
  filesChanged: string[] | null;
}
