import type { Issue } from '../issue.js';
import type { JsonObject, JsonPath, JsonValue } from '../json/values.js';
import type { ManualIssueCode, ReportIssueCode } from './issue-codes.js';

export const STATUSES = ['completed', 'blocked', 'failed'] as const;
export type ReportStatus = (typeof STATUSES)[number];

/** From the least to the most. */
export const VERBOSITIES = ['summary', 'detailed', 'comprehensive'] as const;
export type Verbosity = (typeof VERBOSITIES)[number];

/** The `agent_name` of many reports made into one. */
export const MERGED_BY = 'merge';

/** A subagent's report, in the contract's own names. What is optional may also be null if the type says so. */
export interface AgentReport {
  report_metadata: ReportMetadata;
  /** By the schema of the agent's manual. */
  findings: JsonObject;
  recommendations?: string[] | null;
  identified_gaps?: string[] | null;
  blockers?: string[] | null;
}

export interface ReportMetadata {
  agent_name: string;
  task_id: string;
  status: ReportStatus;
  verbosity_level: Verbosity;
  /** 0 to 1: the agent's own estimate. */
  confidence_level: number;
  token_usage?: number | null;
  execution_time_seconds?: number | null;
  error_message?: string | null;
}

/** A problem of a report, with the place in it. Errors make it non-compliant. */
export interface ReportIssue extends Issue<ReportIssueCode> {
  /** As in RFC 9535: `$.findings.context_map[1][0]`; `$` is the report itself. */
  path: string;
}

export interface ManualIssue extends Issue<ManualIssueCode> {}

/** What the briefing asked for; null if it did not. */
export interface Asked {
  agent: string | null;
  taskId: string | null;
  verbosity: Verbosity | null;
}

export interface Judgement {
  /** No issue is an error. */
  compliant: boolean;
  issues: ReportIssue[];
  /** As it was written; null unless it is compliant. */
  report: AgentReport | null;
  /** Whatever JSON there was, compliant or not; null if there was none. */
  value: JsonValue;
}

export interface JudgeOptions {
  /** The manual of an agent, by the name in the report or the one that was asked; names match in any case. */
  manualOf(name: string): Manual | null;
  asked: Asked;
  /** Whether a report may be in a fence or between other words. */
  lenient: boolean;
}

export type Route = 'accept' | 'human-review' | 'blocked' | 'failed';

/** A subagent's manual: its purpose, its instructions and the schema of its findings. */
export interface Manual {
  name: string;
  /** One sentence. */
  purpose: string | null;
  whenToUse: string | null;
  /** What a briefing may say, `goal` always among it. */
  briefing: BriefingField[];
  /** The levels on offer, from the least to the most. */
  levels: ManualLevel[];
  /** How many characters a report at the level `summary` may have, written without white space. */
  summaryBudget: number;
  /**
   * JSON Schema 2020-12 of the findings, a closed or an open object. A property `context_map` at its top is the
   * standard one in every form that is accepted, whatever the manual says of its items. Subschemas may be marked
   * `"x-verbosity": "detailed"`: what they describe is only in reports of that level and above.
   */
  findings: JsonObject;
  /** A report that keeps this manual. */
  example: AgentReport | null;
  /** The manual's instructions in prose: all of it but the schema and the example. */
  instructions: string;
}

export interface BriefingField {
  name: string;
  about: string;
  required: boolean;
}

export interface ManualLevel {
  level: Verbosity;
  /** Describes the content of such a report. */
  holds: string;
}

export interface ManualRead {
  /** Null if an issue is an error. */
  manual: Manual | null;
  issues: ManualIssue[];
}

/** The task given to a subagent. */
export interface Assignment {
  taskId: string;
  goal: string;
  verbosity: Verbosity;
  /** Globs; none is everywhere. */
  scope: readonly string[];
  /** Other fields of the manual's briefing. */
  fields: Readonly<Record<string, string>>;
  /** The context map with the lines that it points to, as Markdown. */
  context: string | null;
}

/** One entry of a context map, in whatever form it came. */
export interface ContextEntry {
  text: string;
  uri: string | null;
  /** From the map itself to the address; to the entry where it has none. */
  path: JsonPath;
}

export type ReferenceStatus = 'ok' | 'missing-file' | 'missing-lines' | 'outside' | 'unverifiable' | 'none';

export interface Reference {
  text: string;
  uri: string | null;
  status: ReferenceStatus;
  /** Relative to the root, where the reference names a file in it. */
  file: string | null;
  lines: ReferencedLines | null;
  /** Why it does not hold or cannot be checked: completes the sentence "<uri> …". */
  reason: string | null;
}

/** 1-based, inclusive. */
export interface ReferencedLines {
  from: number;
  to: number;
}

/** How a file changed: as the agent claims, or as git shows. */
export interface FileChange {
  /** From the root. Of git: with a `/` at its end where it is a repository within the repository. */
  path: string;
  change: 'created' | 'modified' | 'deleted';
}

/** Command-line agents whose output is read, and that can work on tasks: `clients/` knows them. */
export const JSON_CLIENTS = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type JsonClient = (typeof JSON_CLIENTS)[number];

export const CLIENTS = [...JSON_CLIENTS, 'text'] as const;
/** The client that printed an agent's answer. */
export type Client = (typeof CLIENTS)[number];

/** What a client measured; null if it does not report it. */
export interface Measured {
  /** All input tokens, including cache reads. */
  inputTokens: number | null;
  outputTokens: number | null;
  costUsd: number | null;
  durationMs: number | null;
}

/** The agent's own figures. */
export interface Claimed {
  tokens: number | null;
  seconds: number | null;
}

/**
 * Why a client failed: it cannot be used as it is set up (`unusable`), too much was asked of its model (`limited`), its
 * answer was cut off at a limit of tokens (`cut-off`), it reached its own limit of cost (`budget`), or anything else.
 */
export type ClientFailure = 'unusable' | 'limited' | 'cut-off' | 'budget' | 'other';

/** An agent's answer, taken out of what its client printed. */
export interface ClientAnswer {
  /** The agent's last words; null if there are none. */
  text: string | null;
  measured: Measured;
  /** Null if the client does not say that it failed. */
  failed: ClientFailure | null;
  /** Why there is no answer, or what was tolerated. */
  issues: ReportIssue[];
}

/** A report and the result of its check. */
export interface CheckedReport {
  compliant: boolean;
  route: Route;
  issues: ReportIssue[];
  /** Null unless it is compliant. */
  report: AgentReport | null;
  value: JsonValue;
  references: Reference[];
  measured: Measured;
  claimed: Claimed;
}
