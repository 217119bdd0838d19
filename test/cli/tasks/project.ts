import { join } from 'node:path';
import { listContent, makeFolder } from '../../folder.js';

export const PLAN_PATH = '.planning/01-01-PLAN.md';

/** A project with one plan of two tasks, the first verified by `verify`. */
export function makeProject(verify = 'test -f made.txt', files: Record<string, string> = {}): string {
  return makeFolder({
    '.git/HEAD': 'ref: refs/heads/main\n',
    [PLAN_PATH]: `<tasks>
<task type="auto">
  <name>Task 1: Make it</name>
  <files>made.txt</files>
  <verify><automated>${verify}</automated></verify>
</task>
<task type="auto">
  <name>Task 2: Look at it</name>
  <verify>Look at it.</verify>
</task>
</tasks>
`,
    ...files,
  });
}

/** A result that claims that the first task is done. */
export function claimOf({ attempt = 1, command = 'test -f made.txt' } = {}): string {
  return `status: success
task_name: "Task 1: Make it"
files_modified: []
verification:
  command: ${JSON.stringify(command)}
  exit_code: 0
  output_summary: "It is there"
done_criteria_met: true
evidence: "Made it"
error: null
metadata:
  duration_ms: 1000
  attempt: ${attempt}
  executor_id: "e"
`;
}

/** The texts that were handed over and are not captured. */
export function keptIn(project: string): string[] {
  return listContent(join(project, '.teddy/incoming'));
}
