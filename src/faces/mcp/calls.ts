import { getGuide } from './guides.js';
import { askPerson, getRun } from './person-calls.js';
import { submitPlanCall } from './plan-calls.js';
import { nextTask, submitReportCall, submitResultCall } from './task-calls.js';
import type { ToolName } from './tools.js';
import type { CallContext, ToolResult } from './types.js';

// Loaded with the first call. The arguments fit the tool's schema.

export const CALLS: Record<ToolName, (given: never, context: CallContext) => Promise<ToolResult>> = {
  get_guide: getGuide,
  submit_plan: submitPlanCall,
  get_run: getRun,
  next_task: nextTask,
  submit_result: submitResultCall,
  submit_report: submitReportCall,
  ask_person: askPerson,
};
