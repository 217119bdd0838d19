import { JSON_CLIENTS, type JsonClient } from '../core/agent-report/types.js';
import type { PathGlob, UrlGlob } from '../core/glob.js';
import type { ActionType } from '../core/plan/types.js';
import type { CommandGlob } from './command.js';
import type { Prices } from './prices.js';
import type { ModelApi, ProviderName } from './providers.js';

/** What the user's config.yaml and the project's say together: plain options for the modules above. */
export interface Config {
  research: ResearchConfig | null;
  model: ModelConfig | null;
  execute: { timeoutMs: number; sandbox: boolean; network: boolean; outputLines: number };
  /** Paths are absolute, from `~/` or from the root. `bring`: ignored files with secrets that an agent may see. */
  confine: { on: boolean; network: boolean; write: string[]; hide: string[]; bring: string[] };
  /** `prepare`: runs before a verification, in the fresh copy. */
  verify: { prepare: string | null };
  /** Whether verified changes of agents land without a review. Null: each command has its own default. */
  landing: 'review' | 'auto' | null;
  read: { allowPrivate: boolean; maxBytes: number };
  /** The form in which a report is printed and copied. */
  report: { format: 'mirrored' | 'contract' | 'json'; tip: { lines: number; characters: number } };
  replan: { limit: number };
  /** `reads` allow: READs inside the project are approved without asking (with limits; see the review). */
  review: { confidence: number; reads: 'ask' | 'allow' };
  /** In tokens of about four characters; 0 is no limit. */
  context: { budget: number };
  /** `state` null: STATE.md is looked for where it usually is. */
  capture: { dir: string; state: string | null };
  plans: { glob: string[] };
  executors: Record<string, ExecutorConfig>;
  orchestrate: OrchestrateConfig;
  runs: { keep: number };
  /** In bytes: how large files may be, one and together, whose content is kept for undo before a command runs. */
  undo: { maxFile: number; maxTotal: number };
  /** 0: any free port. */
  web: { port: number };
}

/**
 * Settings that only say where files are, what is shown, and what could be done. None of them acts, so commands that only
 * read use a project's without trust.
 */
export type InertConfig = Pick<Config, 'capture' | 'plans' | 'report' | 'research' | 'review'>;

export type ResearchConfig =
  | { provider: 'searxng'; url: string }
  | { provider: 'brave' | 'tavily'; keyEnv: string; url?: string };

export interface ModelConfig {
  provider: ProviderName;
  api: ModelApi;
  baseURL: string;
  /** The environment variable with the key; null where none is needed. */
  keyEnv: string | null;
  name: string;
  maxOutputTokens: number;
  /** How long one answer may take as a whole, and how long nothing may come of it. */
  timeoutMs: number;
  idleMs: number;
  /** The config's, or else those that come with teddy; null where neither is known. */
  prices: Prices | null;
  /** What one session may cost; null is no limit. Never without prices. */
  budgetUsd: number | null;
}

/**
 * `args`: more arguments for the preset's program, such as a model. `acp`: a shell command that starts an agent which speaks
 * the Agent Client Protocol.
 */
export type ExecutorConfig =
  | { command: string }
  | { preset: ExecutorPreset; args?: readonly string[] }
  | { acp: string };

export const EXECUTOR_PRESETS = JSON_CLIENTS;
export type ExecutorPreset = JsonClient;

/** Agents that speak the Agent Client Protocol, by the command that starts them. */
export const ACP_PRESETS = {
  'claude-acp': 'claude-agent-acp',
  'codex-acp': 'codex-acp',
  'gemini-acp': 'gemini --acp',
  'opencode-acp': 'opencode acp',
} as const;

/** Executors that are there without a word of the config, besides the presets. */
export const OWN_EXECUTORS = ['teddy', 'human'] as const;

/** Every name that needs no entry under `executors`. */
export const BUILT_IN_EXECUTORS: readonly string[] = [
  ...EXECUTOR_PRESETS,
  ...Object.keys(ACP_PRESETS),
  ...OWN_EXECUTORS,
];

export interface OrchestrateConfig {
  /** The name of an existing executor; null if none was chosen. */
  executor: string | null;
  /** How many attempts run at once. */
  jobs: number;
  maxAttempts: number;
  /** How long one attempt may take. */
  taskTimeMs: number;
  /** How long it all may take; null is no limit, as for the budgets. */
  timeMs: number | null;
  taskBudgetUsd: number | null;
  budgetUsd: number | null;
  /** A shell command that is run in every new worktree before anything else. */
  setup: string | null;
}

/** What is wrong with a file that a person wrote for teddy. `message` is a whole sentence. */
export interface ConfigProblem {
  file: string;
  /** 1-based; null where the file cannot be read at all. */
  line: number | null;
  /** `execute.timeout`, `rules[2].path`; null where it is about the file. */
  key: string | null;
  message: string;
}

/** The user's rules, then the project's. */
export interface Policy {
  rules: PolicyRule[];
}

export interface PolicyRule {
  owner: 'user' | 'project';
  /** 1-based, within its file. */
  number: number;
  line: number;
  verb: 'allow' | 'ask' | 'deny';
  target: PolicyTarget;
  /** Null where the rule has none. */
  path: PathGlob | null;
  command: CommandGlob | null;
  url: UrlGlob | null;
  /** The guards that the rule names. */
  guards: PolicyGuard[];
}

/** A type of action, a state change, or `*`. */
export type PolicyTarget = ActionType | 'MEMOS' | 'CONTEXT' | '*';

/** What a plan may set for itself. */
export type PolicyGuard = (typeof POLICY_GUARDS)[number];

export const POLICY_GUARDS = ['overwrite', 'allowFailure', 'timeout'] as const;

/** One of the project's files, as it was read. */
export interface ProjectFile {
  /** Relative to the root. */
  path: string;
  text: string;
  /** Of its bytes, in hexadecimal. */
  sha256: string;
}

/**
 * Everything that the user's and the project's files say, read once. `files` holds those of the project that exist:
 * they need the user's trust.
 */
export type LoadedProject =
  | { status: 'loaded'; root: string; files: ProjectFile[]; config: Config; policy: Policy }
  | { status: 'refused'; root: string; files: ProjectFile[]; problems: ConfigProblem[] };

export const CONFIG_FILE = '.teddy/config.yaml';
export const POLICY_FILE = '.teddy/policy.yaml';
