import type { Counters, ResultFacts } from './records.js';

// Sums over results: those of one result, and those of two sets together.

export function emptyCounters(): Counters {
  return {
    results: 0,
    succeeded: 0,
    failed: 0,
    blocked: 0,
    retries: 0,
    files: 0,
    with_duration: 0,
    duration_ms: 0,
    min_duration_ms: null,
    max_duration_ms: null,
    verified: 0,
    verification_ms: 0,
    false_claims: 0,
  };
}

/** Those of one result. */
export function countersOf(facts: ResultFacts): Counters {
  const { status, durationMs, verificationMs } = facts;
  const verified = verificationMs !== null;
  return {
    results: 1,
    succeeded: Number(status === 'success'),
    failed: Number(status === 'failure'),
    blocked: Number(status === 'blocked'),
    retries: Number(isRetry(facts)),
    files: facts.files,
    with_duration: Number(durationMs !== null),
    duration_ms: durationMs ?? 0,
    min_duration_ms: durationMs,
    max_duration_ms: durationMs,
    verified: Number(verified),
    verification_ms: verificationMs ?? 0,
    false_claims: Number(verified && facts.claimed !== status),
  };
}

const SUMMED = Object.entries(emptyCounters()).flatMap(([key, value]) => (value === null ? [] : key));

export function sumCounters(one: Counters, other: Counters): Counters {
  const sum = emptyCounters();
  for (const key of SUMMED as ('results' | 'files')[]) sum[key] = one[key] + other[key];
  sum.min_duration_ms = extreme(Math.min, one.min_duration_ms, other.min_duration_ms);
  sum.max_duration_ms = extreme(Math.max, one.max_duration_ms, other.max_duration_ms);
  return sum;
}

function extreme(of: typeof Math.min, one: number | null, other: number | null): number | null {
  const values = [one, other].filter((value) => value !== null);
  return values.length === 0 ? null : of(...values);
}

/** Of a later attempt than the first. */
export function isRetry({ attempt }: ResultFacts): boolean {
  return attempt !== null && attempt > 1;
}
