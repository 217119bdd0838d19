import type { ProjectView } from '../confine/types.js';
import type { Redactor } from '../core/redact/redactor.js';
import type { RecordedState } from '../workspace/snapshot/snapshot.js';

/** What actions run with. */
export interface RunContext extends CommandContext {
  /** The folder of this run's whole outputs, which exists: as an absolute path, and relative to the root. */
  outputs: { path: string; shown: string };
  /** The project's files, from the root, without those that git ignores; `note` says what may be missing. */
  listFiles(): Promise<{ files: readonly string[]; note: string | null }>;
  /** Records the files before a command, so that undo can revert what it does to them. */
  recordState(): Promise<RecordedState>;
}

/** What commands are run with. */
export interface CommandContext {
  /** A real absolute path. */
  root: string;
  settings: RunSettings;
  /** All of it: nothing else is inherited. */
  environment: Readonly<Record<string, string | undefined>>;
  redactor: Redactor;
  /** Its reason is the name of the signal that asked for an end; `SIGINT` is Ctrl-C. */
  signal: AbortSignal;
  /** What a command prints, masked, as it comes. Must not throw. */
  onOutput(stream: 'stdout' | 'stderr', text: string): void;
}

/** What a run may do and how far. Plain values: where they come from is config's to say. */
export interface RunSettings {
  execute: {
    timeoutMs: number;
    sandbox: boolean;
    /** Inside the sandbox; outside it there is no keeping a command from the network. */
    network: boolean;
    /** Lines of each output in the report; of a longer one the head and the tail. */
    outputLines: number;
  };
  /** Inside the sandbox: what else a command can write and must not see; without a view, the root is the project, writable. */
  confine: { write: readonly string[]; hide: readonly string[]; view?: ProjectView };
  read: {
    /** Whether URLs may lead to private, loopback and link-local addresses. */
    allowPrivate: boolean;
    maxBytes: number;
  };
  research: ResearchSettings | null;
  /** In bytes: how large files may be, one and together, whose content is kept for undo before a command runs. */
  undo: { maxFile: number; maxTotal: number };
}

export type ResearchSettings =
  | { provider: 'searxng'; url: string }
  /** `keyEnv` names the environment variable that holds the key. `url` is for another address of the same API. */
  | { provider: 'brave' | 'tavily'; keyEnv: string; url?: string };
