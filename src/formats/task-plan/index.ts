// PLAN.md: text in, tasks out; and the same text with one task's status changed, every other byte as it was. Nothing
// here knows where a plan lies or what came of its tasks, and no text makes it throw.
export { setTaskStatus } from './edit.js';
export { readFrontmatter } from './frontmatter.js';
export { phaseOf, planIdOf } from './identity.js';
export { TASK_PLAN_ISSUES, type TaskPlanIssueCode } from './issue-codes.js';
export { matchTask } from './match.js';
export { parseTaskPlan } from './parse.js';
export type * from './types.js';
