/** A file with one task, and the command that verifies it. */
export function oneTask(verify: string): string {
  return `---
phase: 1
plan: 1
wave: 1
---

<task type="auto">
  <name>Task 1: Say hello</name>
  <files>hello.txt</files>
  <action>Write hello.txt.</action>
  <verify>${verify}</verify>
  <done>There is a hello.txt.</done>
</task>
`;
}
