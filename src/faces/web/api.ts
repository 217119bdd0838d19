import type { Issue } from '../../core/issue.js';
import type { Action, Plan } from '../../core/plan/types.js';
import type {
  ActionRecord,
  Captured,
  LineComment,
  Overall,
  Run,
  StateChangeRecord,
} from '../../core/report/record.js';

import type { InboxQuestion, PostedAnswer } from '../../inbox/types.js';
import type { ActionQuestion, FailedCommand, FileQuestion, StateQuestion } from '../../review/question.js';
import type { Risk } from '../../review/risks.js';

export type { InboxQuestion, LineComment, PostedAnswer };

// What the server and the page say to each other, as JSON. Secrets are masked, as in every record; the page turns text
// into text nodes and never into HTML.

/** POST /api/session {code}. The code works once; a second use revokes the token that it gave. */
export interface SessionStart {
  token: string;
  root: string;
  version: string;
}

/** Every answer that is not 2xx. */
export interface ApiError {
  /** One sentence. */
  error: string;
}

/** GET /api/inbox: what is waiting for the user, oldest first. */
export interface Inbox {
  root: string;
  /** False: the project's own config, policy or agent files need `teddy trust` first. */
  trusted: boolean;
  questions: InboxQuestion[];
}

export interface Answered {
  /** `replaced`: the edit became a new question. */
  status: 'accepted' | 'replaced';
}

/** GET /api/questions/ID/draft; PUT saves it at every keystroke. */
export interface Draft {
  text: string | null;
}

export type RunStatus = 'waiting' | 'running' | 'ended' | 'refused' | 'interrupted';

/** GET /api/runs, newest first. */
export interface RunItem {
  id: string;
  title: string | null;
  startedAt: string;
  status: RunStatus;
  /** Null while it runs. */
  overall: Overall | null;
  undone: boolean;
}

/** GET /api/runs/ID. The texts of a diff come from /api/runs/ID/actions/N. */
export interface RunView extends RunItem {
  root: string;
  kind: Run['kind'];
  /** What the plan's author wrote; null where it cannot be read, and for an agent's changes. */
  plan: Pick<Plan, 'title' | 'rationale'> | null;
  /** The files that its task names; null where it is not the work of a task. */
  taskFiles: string[] | null;
  issues: Issue[];
  /** Of an agent's changes: what is refused, left out or already there. Sentences. */
  notes: readonly string[];
  /** The feedback for the agent, of a refused plan. */
  feedback: string | null;
  stateChanges: StateView[];
  actions: ActionView[];
  interrupted: string | null;
  /** The whole report, once the run is over. */
  report: string | null;
}

/** The open question about what is shown: the answer to it carries the hash. */
export interface QuestionRef {
  id: string;
  hash: string;
}

export interface StateView {
  section: StateQuestion['section'];
  changes: string;
  open: QuestionRef | null;
  record: StateChangeRecord | null;
}

/** One line of the list of actions: an action of a plan, or a file that an agent changed. */
export interface ActionView {
  number: number;
  type: string;
  label: string;
  /** Lines added and removed; null where the action writes no file. */
  lines: { added: number; removed: number } | null;
  risks: Risk[];
  status:
    | 'planned'
    | 'will-fail'
    | 'asked'
    /** The changes of an agent land together: this one is approved, or was decided without a question. */
    | 'approved'
    | 'decided'
    | 'running'
    | 'success'
    | 'failure'
    | 'skipped'
    | 'not-run';
  /** The id of the open question about it. */
  question: string | null;
}

/** GET /api/runs/ID/actions/N */
export interface ActionDetail {
  number: number;
  /** The action in the plan's format; empty for a file that an agent changed. */
  source: string;
  open: QuestionRef | null;
  /** As it is asked now, or as it was asked; null where it never was. */
  question: ActionQuestion | FileQuestion | null;
  /** Without a question: the action as it was proposed, and what the run did to its file, where that is certain. */
  action: Action | null;
  changed: { path: string; before: string | null; after: string } | null;
  rerun: FailedCommand | null;
  record: ActionRecord | null;
  /** Of a command that runs. */
  output: Captured | null;
}

/** GET /api/runs/ID/undo: what `Undo` would do. POST {hash} does it, unless it has changed since. */
export interface UndoPreview {
  hash: string;
  canUndo: boolean;
  /** Sentences. */
  restores: string[];
  leaves: string[];
}

/** GET /api/changes: the work of agents in copies of the project, oldest first. */
export interface ChangesItem {
  id: string;
  title: string;
  /** As it was started. */
  command: string;
  status: 'running' | 'interrupted' | 'pending' | 'in-review';
  /** Everything in it was decided on: what was dropped is still there. */
  reviewed: boolean;
  createdAt: string;
}

/** GET /api/changes/ID: what a review would ask about now. */
export interface ChangesView extends ChangesItem {
  /** The run that reviews it. */
  run: string | null;
  /** The git tree that the agent started with; null where its work cannot be read now. */
  base: string | null;
  files: FileQuestion[];
  notes: readonly string[];
  /** Why it cannot be read: a sentence. */
  problem: string | null;
}

/** GET /api/sessions, the one last worked in first. */
export interface SessionItem {
  name: string;
  turns: number;
  agent: string | null;
  changedAt: string | null;
}

/** GET /api/sessions/NAME */
export interface SessionView extends SessionItem, SessionState {
  conversation: TurnView[];
}

/** What the next message is an answer to. */
export interface SessionState {
  /** POST /api/sessions/NAME/message {hash, text} carries it: only what was shown is answered, once. */
  hash: string;
  /** Whether a model is configured, so that a message can be sent from the page. */
  canSend: boolean;
  /** What an empty message does: review the plan that waits, let the agent continue, or nothing. */
  whenEmpty: 'review' | 'ask' | 'none';
  /** A teddy process works in it: a message is refused now. */
  isBusy: boolean;
  /** A message that was saved, and not sent because its process ended. */
  unsent: string | null;
  /** The run of its plan that was started from a page and is under way. */
  reviewing: string | null;
  /** Why the last message sent from a page led to no plan; a sentence. */
  problem: string | null;
}

export interface TurnView {
  turn: string;
  message: string | null;
  /** The model's answer where it is prose, not a plan. */
  prose: string | null;
  planTitle: string | null;
  /** Unified diff from the previous turn's plan. */
  planDiff: string | null;
  run: string | null;
  overall: Overall | null;
  inputTokens: number | null;
  outputTokens: number | null;
  costUsd: number | null;
}

/** GET /api/tasks */
export interface TaskBoard {
  phases: { phase: string | null; waves: { wave: number | null; tasks: TaskCard[] }[] }[];
  /** Of the orchestrate run that is active or was the last one. */
  timeline: TimelineEntry[];
  /** Its tasks that took longest one after the other. */
  criticalPath: string[];
  active: boolean;
}

export interface TaskCard {
  id: string;
  name: string;
  plan: string;
  status: string;
  dependsOn: string[];
  files: string[];
  verify: string | null;
  attempts: AttemptView[];
  question: string | null;
}

/** Claim against fact: what the executor said, and what the verification says. */
export interface AttemptView {
  attempt: number;
  executor: string | null;
  claimed: string | null;
  effective: string | null;
  /** Why the verification failed. */
  verification: string | null;
  durationMs: number | null;
  costUsd: number | null;
  /** Why it failed otherwise. */
  reason: string | null;
}

/** GET /api/tasks/ID: what is read for a task that is open. One for each of its attempts. */
export interface TaskDetail {
  attempts: AttemptFacts[];
}

export interface AttemptFacts {
  attempt: number;
  /** The files that the executor says it changed; null without a result. */
  filesClaimed: string[] | null;
  /** Those that git says it changed, of very many the first; null where that is not known. */
  filesChanged: string[] | null;
  /** The end of what it printed; null where that is not kept. */
  lastOutput: string | null;
}

export interface TimelineEntry {
  task: string;
  attempt: number;
  startedAt: string;
  endedAt: string | null;
  ok: boolean | null;
}

/** GET /api/metrics. The results behind each figure are at /api/metrics/results. */
export interface MetricsView {
  executors: { name: string; results: number; falseClaims: number }[];
  firstAttemptRate: number | null;
  days: {
    day: string;
    results: number;
    successes: number;
    averageMs: number | null;
    costUsd: number | null;
  }[];
  calibration: { agent: string; decided: number; meanConfidence: number; acceptedRate: number }[];
}

/** GET /api/metrics/results: what the figures count, newest first. */
export interface MetricResults {
  results: ResultItem[];
  reports: ReportItem[];
}

/** A result, or an attempt that led to none. */
export interface ResultItem {
  task: string;
  at: string;
  /** What was found. */
  status: string;
  /** What the executor said; null without a result. */
  claimed: string | null;
  /** The result's log, from the root; null without a result. */
  log: string | null;
  /** Of the attempt of orchestrate that led to it. */
  attempt: number | null;
  executor: string | null;
  durationMs: number | null;
  costUsd: number | null;
}

/** An agent report with a confidence and a decision. */
export interface ReportItem {
  agent: string;
  taskId: string;
  at: string;
  confidence: number;
  /** Its work was as it said. */
  held: boolean;
}

/**
 * GET /api/events?after=N: server-sent events, each with a rising id. `changed` means: read that again.
 * Output has been masked; `gap` says that events were dropped, so read everything again.
 */
export type PageEvent =
  | { type: 'changed'; what: 'inbox' | 'runs' | 'changes' | 'tasks' | 'sessions' | 'metrics' }
  | { type: 'run'; id: string }
  | { type: 'output'; run: string; number: number; stream: 'stdout' | 'stderr'; text: string }
  /** A model is working on the next plan of a session: what has arrived so far, in one line. */
  | { type: 'planning'; session: string; line: string; done: boolean }
  | { type: 'gap' };
