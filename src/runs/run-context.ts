import type { Redactor } from '../core/redact/redactor.js';
import type { RunSettings } from './settings.js';

/** What actions are carried out with. */
export interface RunContext extends CommandContext {
  /** The folder of this run's whole outputs, which exists: as an absolute path, and relative to the root. */
  outputs: { path: string; shown: string };
  /** The project's files, from the root, without those that git ignores; `note` says what may be missing. */
  listFiles(): Promise<{ files: readonly string[]; note: string | null }>;
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
