import type { Attempt } from './attempt.js';
import { type Finished, nameOf } from './events.js';
import type { Settled } from './settle-attempt.js';

/** A settled attempt, as faces are told of it. */
export function describeFinished(
  attempt: Attempt,
  { line, claimed, captured, reason, remarks }: Settled,
): Finished {
  const issues = [...(captured?.verdict.issues ?? []), ...(captured?.notes ?? [])];
  return {
    task: nameOf(attempt.task),
    attempt: attempt.number,
    executor: attempt.executor,
    outcome: line.outcome === 'done' || line.outcome === 'blocked' ? line.outcome : 'failed',
    claimed,
    why: line.failure?.kind ?? null,
    reason,
    ...(line.outcome === 'done' && captured?.verification && { verified: captured.verification.command }),
    warnings: [...remarks, ...issues.filter(({ code }) => TOLD.has(code)).map(({ message }) => message)],
    durationMs: line.durationMs,
    usage: line.usage,
    logged: captured?.logged ?? null,
  };
}

/** What bears on whether a claim is to be believed; all else is in the log. */
const TOLD = new Set([
  'unverified',
  'flaky',
  'evidence-empty',
  'task-folded',
  'task-words-differ',
  'file-missing',
  'file-absolute',
  'file-outside',
  'file-unplanned',
  'file-unclaimed',
  'file-unchanged',
]);
