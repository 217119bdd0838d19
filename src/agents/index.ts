// Agents of a project, from `.teddy/agents` and from the program itself: planners with their prompts, and subagents with
// their manuals, what they were asked and what they answered, what git says of it. Names and texts enter, data leaves,
// each refusal with its sentence. Nothing here judges a report, starts an agent or asks a person.
export { findAgent, listAgents } from './agent-files.js';
export { AGENTS_FOLDER } from './agent-folder.js';
export { BUILT_IN } from './built-in.js';
export { type Baseline, type ChangesSince, changesSince, readBaseline } from './git-facts.js';
export { findManual, markManual, requireManual } from './manuals.js';
export { keepPins, lookUpPins } from './pins.js';
export { DEFAULT_PLANNER, findPlanner, listPlanners, renderPrompt } from './planners.js';
export {
  type AnswerRecord,
  type BriefingRecord,
  type DecisionRecord,
  findRecords,
  keepAnswer,
  keepBriefing,
  keepDecision,
  listRecords,
  type TaskRecords,
} from './records.js';
export type * from './types.js';
