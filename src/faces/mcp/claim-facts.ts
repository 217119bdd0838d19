import { type ClaimState, claimFacts } from '../../inbox/claims.js';
import { describeReason, reviewOf, toFacts, waitingFor } from './facts.js';
import type { ToolResult } from './types.js';

/** How a submitted result stands, for `submit_result` and `get_run`. */
export function describeClaim(id: string | null, state: ClaimState): ToolResult {
  const base = { ...(id !== null && { run_id: id }), issues: [] as unknown[] };
  if (state.status === 'waiting') {
    const { id: waiting, command } = state.claim;
    const why =
      command === null
        ? 'Nothing can verify this result, so the user decides.'
        : `The user has not approved its verify command here yet: ${command}`;
    const message = `${waitingFor(waiting)}\n${why}`;
    const structured = { ...base, run_id: waiting, status: 'waiting', message, review: reviewOf(waiting) };
    return { structured, text: message };
  }
  if (state.status === 'refused') {
    const message = `The user refused the result. ${describeReason(state.reason)}`;
    return { structured: { ...base, status: 'refused', message }, text: message };
  }
  const { verdict, duplicate, task, issues, effectiveStatus, verification, next } = claimFacts(
    state.captured,
  );
  const message =
    state.status === 'invalid'
      ? 'The result is INVALID and does not count. Fix it and submit it again.'
      : `${duplicate ? 'It was recorded before' : 'Recorded'}: ${task} ${effectiveStatus}.${describeRun(verification)}`;
  const structured = {
    ...base,
    status: state.status,
    message,
    verdict,
    issues: issues.map(toFacts),
    next,
    ...(effectiveStatus !== null && { effective_status: effectiveStatus }),
  };
  const lines = issues.map((issue) => `- ${issue.severity}: ${issue.message}`);
  return { structured, text: [message, ...lines].join('\n') };
}

function describeRun(verification: { exitCode: number | null; outputSummary: string } | null): string {
  if (verification === null) return '';
  const { exitCode, outputSummary } = verification;
  const end = exitCode === null ? 'did not end by itself' : `exited with ${exitCode}`;
  return ` The verify command ${end}.${exitCode === 0 ? '' : ` It printed:\n${outputSummary}`}`;
}
