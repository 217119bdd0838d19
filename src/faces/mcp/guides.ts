import { KINDS, METADATA_FIELDS, REPORT_FIELDS } from '../../core/agent-report/fields.js';
import { planGuide } from '../../core/plan/guide.js';
import { RESULT_FIELDS } from '../../core/task-result/guide.js';
import type { GuideTopic } from './tools.js';
import type { ToolResult } from './types.js';

export async function getGuide({ topic }: { topic: GuideTopic }): Promise<ToolResult> {
  const guide = guideOn(topic);
  return { structured: { topic, guide }, text: guide };
}

export function guideOn(topic: GuideTopic): string {
  switch (topic) {
    case 'workflow':
      return WORKFLOW;
    case 'plan':
      return planGuide();
    case 'result':
      return RESULT;
    case 'report':
      return describeReport();
  }
}

const WORKFLOW = `# Working through teddy

You propose; the user decides; teddy acts and reports what really happened. No tool approves anything.

1. \`get_guide\` with topic \`plan\` shows how to write a plan. Keep it small: one step that the user can judge.
2. \`submit_plan\`. Status \`invalid\`: fix what \`issues\` says and submit the whole plan again; nothing waits yet.
3. Status \`waiting\`: show the user the command in \`review\`, then call \`get_run\` with the \`run_id\`. It returns after 45 seconds at the latest; call it again for as long as you want to wait. The plan keeps waiting, also when you stop.
4. \`done\` or \`refused\`: read the report. It says what was done, what was skipped, and why. Rely on it, not on the plan.

Submitting the same plan or the same \`key\` again is the same run: it never runs twice. To propose the same changes again later, use a new \`key\`.

Questions go to \`ask_person\`. For tasks: \`next_task\` gives one with its prompt; do what it says, then \`submit_result\`. A claimed success counts once teddy has verified it.
`;

const RESULT = `# Task results

One YAML mapping per task, for \`submit_result\`. Claim only what you have done and seen: teddy runs the task's verify command itself.

${RESULT_FIELDS}

\`\`\`yaml
status: success
task_name: "Task 1: Add the limit"
files_modified: [src/auth/limit.ts]
verification:
  command: "npm test -- limit"
  exit_code: 0
  output_summary: "12 tests passed"
done_criteria_met: true
evidence: "The limit is applied in limit.ts, and the new test fails without it."
error: null
\`\`\`
`;

/** The envelope that every agent report has. */
function describeReport(): string {
  const list = (fields: typeof REPORT_FIELDS) =>
    fields
      .map(
        ({ key, kind, required, about }) =>
          `- \`${key}\` (${KINDS[kind].says}${required ? '' : '; optional'}): ${about}`,
      )
      .join('\n');
  return `# Agent reports

One JSON object with nothing around it, for \`submit_report\`. What \`findings\` contains is in your briefing.

${list(REPORT_FIELDS)}

In \`report_metadata\`:

${list(METADATA_FIELDS)}
`;
}
