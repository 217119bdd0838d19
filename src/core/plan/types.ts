import type { Issue } from '../issue.js';
import type { PlanIssueCode } from './issues.js';

export type PlanIssue = Issue<PlanIssueCode>;

/** Metadata as written: label to value, in the order of the plan. */
export type Metadata = Record<string, string>;

export interface Plan {
  title: string;
  metadata: Metadata;
  /** The text of the Rationale block. */
  rationale: string;
  activeContext: ContextChange[];
  memos: MemoChange[];
  actions: Action[];
}

/** `[+] path # why` or `[-] path` under Active Context. */
export interface ContextChange {
  op: '+' | '-';
  path: string;
  comment: string | null;
  line: number;
}

/** `[+] text # why` or `[-] text` under Memos. */
export interface MemoChange {
  op: '+' | '-';
  text: string;
  comment: string | null;
  line: number;
}

export type Action =
  | CreateAction
  | ReadAction
  | EditAction
  | ExecuteAction
  | ResearchAction
  | ChatAction
  | InvokeAction
  | ConcludeAction
  | PruneAction;

export type ActionType = Action['type'];

interface ActionBase {
  /** 1-based line of the action's heading. */
  line: number;
  metadata: Metadata;
}

export interface CreateAction extends ActionBase {
  type: 'CREATE';
  path: string;
  description: string | null;
  /** The block's text, exactly, with `\n` at the end of its last line. */
  content: string;
  overwrite: boolean;
  /** The text ended inside the block; only the user may accept the incomplete content. */
  cutOff?: true;
}

export interface ReadAction extends ActionBase {
  type: 'READ';
  resource: Resource;
  description: string | null;
  lines: LineRange | null;
}

export interface EditAction extends ActionBase {
  type: 'EDIT';
  path: string;
  description: string | null;
  edits: EditPair[];
}

export interface ExecuteAction extends ActionBase {
  type: 'EXECUTE';
  description: string | null;
  expectedOutcome: string | null;
  cwd: string | null;
  env: Record<string, string>;
  /** The block's text, exactly, with `\n` at the end of its last line. */
  command: string;
  /** Seconds. */
  timeout: number | null;
  allowFailure: boolean;
}

export interface ResearchAction extends ActionBase {
  type: 'RESEARCH';
  description: string | null;
  queries: string[];
}

export interface ChatAction extends ActionBase {
  type: 'CHAT_WITH_USER';
  message: string;
}

export interface InvokeAction extends ActionBase {
  type: 'INVOKE';
  agent: string;
  handoffResources: Resource[];
  message: string;
}

export interface ConcludeAction extends ActionBase {
  type: 'CONCLUDE';
  handoffResources: Resource[];
  message: string;
}

export interface PruneAction extends ActionBase {
  type: 'PRUNE';
  resource: Resource;
  description: string | null;
}

/** A file's `target` is relative to the root, without a leading slash. */
export interface Resource {
  kind: 'file' | 'url';
  target: string;
}

/** 1-based, inclusive. */
export interface LineRange {
  from: number;
  to: number;
}

/** The newline before a closing fence belongs to neither text. */
export interface EditPair {
  find: string;
  replace: string;
  /** 1-based line of the FIND label. */
  line: number;
}

/** One change that repair made to the text. `line` is a line of the text as it came. */
export interface Repair {
  line: number;
  kind: RepairKind;
  message: string;
}

export type RepairKind = 'fence-repaired' | 'plan-unwrapped' | 'chatter-dropped';

export interface RepairResult {
  /** The repaired text; the text as it came where nothing had to change or nothing could be decided. */
  text: string;
  changed: boolean;
  repairs: Repair[];
  issues: PlanIssue[];
}

export interface ParseResult {
  /** Null when the text cannot be read as a plan at all; `issues` then says why. */
  plan: Plan | null;
  issues: PlanIssue[];
}

export interface ReadResult extends ParseResult {
  repairs: Repair[];
}
