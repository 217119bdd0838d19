/** A STATE.md that knows nothing yet. */
export const NEW_STATE = `# Project State

## Current Position

Phase: -
Plan: -
Status: Ready to execute
Last activity: -

Progress: [░░░░░░░░░░░░░░░░░░░░] 0%

## Performance Metrics

**Velocity:**
- Total plans completed: 0
- Average duration: -
- Total execution time: 0m

**By Phase:**

| Phase | Plans | Total | Avg/Plan |
|-------|-------|-------|----------|
| - | - | - | - |

**Recent Trend:**
- Last 5 plans: -
- Trend: Not enough data

## Blockers/Concerns

None yet.

## Session Continuity

Last session: -
Stopped at: -
Resume file: None
`;
