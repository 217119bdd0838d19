/** A result that is in order, to show an executor what to print. */
export const RESULT_EXAMPLE = `status: success
task_name: "Task 2: Check the port of the server"
files_modified:
  - src/server/port.ts
  - test/server/port.test.ts
verification:
  command: "npm test -- port"
  exit_code: 0
  output_summary: "4 tests passed"
done_criteria_met: true
evidence: |
  readPort refuses what is no number from 1 to 65535.
  The four new tests cover both bounds, a word and an empty value.
error: null
metadata:
  duration_ms: 45000
  attempt: 1
  executor_id: "worker-1"
`;
