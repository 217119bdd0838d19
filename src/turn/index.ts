// The use-cases that every face calls. Text and options enter, results as plain data leave. No words
// for people are made here, and nothing is printed.

export type { Validation } from './validate-plan.js';
export { validatePlan } from './validate-plan.js';
