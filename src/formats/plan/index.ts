// plan.md: text to plan and back. Enters: any text. Leaves: a Plan and every issue found, each with its
// line. Nothing here throws on bad input, reads a disk, or decides in silence what the text leaves open.
export { checkPlan, type PlanFacts, type SessionFacts } from './check.js';
export * from './edit/index.js';
export { handsOver } from './grammar.js';
export { planGuide } from './guide/index.js';
export { isRepair, PLAN_ISSUES, type PlanIssueCode } from './issue-codes.js';
export { isStructural } from './issue-log.js';
export { parsePlan } from './parse/index.js';
export { readAction, readPlan } from './read.js';
export { repairPlan } from './repair/index.js';
export { type Problem, type Shown, simulateCreate, simulateEdit, simulateRead } from './simulate.js';
export type * from './types.js';
export { writeAction, writePlan, writeStateChanges } from './write.js';
