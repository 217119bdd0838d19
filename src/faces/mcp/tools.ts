import type { JsonObject } from '../../core/json/values.js';

/** A tool as clients see it. Its call is in `calls.ts`. */
export interface ToolDefinition {
  name: ToolName;
  description: string;
  input: JsonObject;
  output: JsonObject;
  /** It changes nothing. The others only add: clients ask less before tools that destroy nothing. */
  readOnly?: true;
}

export type ToolName = (typeof TOOL_NAMES)[number];

/** In the order in which clients list them. */
export const TOOL_NAMES = [
  'get_guide',
  'submit_plan',
  'get_run',
  'next_task',
  'submit_result',
  'submit_report',
  'ask_person',
] as const;

export const GUIDE_TOPICS = ['workflow', 'plan', 'result', 'report'] as const;

export type GuideTopic = (typeof GUIDE_TOPICS)[number];

/** Longer, and clients give up on the call. */
const LONGEST_WAIT_S = 240;
/** Of `get_run` and `ask_person`, unless the client asks for another time. */
export const USUAL_WAIT_S = 45;

const TEXT = { type: 'string' };
const TEXTS = { type: 'array', items: TEXT };
const OBJECTS = { type: 'array', items: { type: 'object' } };
const KEY = { ...TEXT, description: 'Names this submission: the same key is never taken twice' };
const WAIT = { type: 'number', minimum: 0, maximum: LONGEST_WAIT_S };
const REVIEW = { type: 'object', properties: { command: TEXT } };

function object(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, ...(required.length > 0 && { required: [...required] }) };
}

function strict(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { ...object(properties, required), additionalProperties: false };
}

/** Every word of these is in the context of every conversation. */
export const TOOLS: readonly ToolDefinition[] = [
  {
    name: 'get_guide',
    description:
      'How to work with teddy (workflow), and how to write a plan, a task result or an agent report.',
    input: strict({ topic: { ...TEXT, enum: [...GUIDE_TOPICS] } }, ['topic']),
    output: object({ topic: TEXT, guide: TEXT }, ['topic', 'guide']),
    readOnly: true,
  },
  {
    name: 'submit_plan',
    description:
      'Propose changes as a plan (Markdown; see get_guide plan). The user reviews it and may skip or edit actions; teddy runs what is approved. Show the user review.command, then wait with get_run. Invalid plans come back with issues: fix them and submit again.',
    input: strict(
      {
        plan: { ...TEXT, description: 'The whole plan' },
        dry_run: { type: 'boolean', description: 'Only check it' },
        wait_seconds: WAIT,
        key: KEY,
      },
      ['plan'],
    ),
    output: object(
      {
        run_id: TEXT,
        status: { enum: ['valid', 'invalid', 'waiting', 'running', 'done', 'refused'] },
        message: TEXT,
        issues: OBJECTS,
        repairs: TEXTS,
        review: REVIEW,
        report: TEXT,
      },
      ['status', 'message', 'issues', 'repairs'],
    ),
  },
  {
    name: 'get_run',
    description: `Wait for a plan, a result or a question that waits for the user (default ${USUAL_WAIT_S} s, then call again), and get the report: what was done, what was skipped and why.`,
    input: strict(
      {
        run_id: TEXT,
        wait_seconds: WAIT,
        part: { type: 'integer', minimum: 1, description: 'Of a long report' },
      },
      ['run_id'],
    ),
    output: object(
      {
        run_id: TEXT,
        status: { enum: ['waiting', 'running', 'done', 'refused'] },
        message: TEXT,
        overall: TEXT,
        report: TEXT,
        part: { type: 'integer' },
        parts: { type: 'integer' },
        answer: TEXT,
        review: REVIEW,
      },
      ['run_id', 'status', 'message'],
    ),
    readOnly: true,
  },
  {
    name: 'next_task',
    description: "The project's tasks that can start now, each with the prompt for doing it.",
    input: strict({
      plan: { ...TEXT, description: 'Task file or its id (default: all)' },
      limit: { type: 'integer', minimum: 1, maximum: 20, description: 'Default 1' },
    }),
    output: object(
      {
        tasks: { type: 'array', items: object({ id: TEXT, name: TEXT, plan: TEXT, prompt: TEXT }) },
        waiting: OBJECTS,
        message: TEXT,
      },
      ['tasks', 'waiting', 'message'],
    ),
    readOnly: true,
  },
  {
    name: 'submit_result',
    description:
      "Record a task's result (YAML; see get_guide result). A success counts once teddy has verified it; a command that the user has not approved waits for the user.",
    input: strict({ plan: { ...TEXT, description: 'Task file or its id' }, result: TEXT, key: KEY }, [
      'plan',
      'result',
    ]),
    output: object(
      {
        run_id: TEXT,
        status: { enum: ['recorded', 'invalid', 'waiting', 'refused'] },
        message: TEXT,
        effective_status: TEXT,
        issues: OBJECTS,
        next: OBJECTS,
        review: REVIEW,
      },
      ['status', 'message', 'issues'],
    ),
  },
  {
    name: 'submit_report',
    description: "Check and record a subagent's report (JSON; see get_guide report).",
    input: strict({ task_id: TEXT, report: TEXT }, ['task_id', 'report']),
    output: object(
      {
        compliant: { type: 'boolean' },
        route: { enum: ['accept', 'human-review', 'blocked', 'failed'] },
        message: TEXT,
        issues: OBJECTS,
      },
      ['compliant', 'route', 'message', 'issues'],
    ),
  },
  {
    name: 'ask_person',
    description: `Ask the user one question and wait for the answer (default ${USUAL_WAIT_S} s, then get_run).`,
    input: strict({ question: TEXT, options: TEXTS, wait_seconds: WAIT }, ['question']),
    output: object(
      {
        run_id: TEXT,
        status: { enum: ['waiting', 'done', 'refused'] },
        message: TEXT,
        answer: TEXT,
        review: REVIEW,
      },
      ['run_id', 'status', 'message'],
    ),
  },
];
