import type { Config, Policy } from '../config/types.js';
import type { Incoming } from '../workspace/incoming.js';
import type { Workspace } from '../workspace/workspace.js';
import type { TaskRef, Verified } from './types.js';

export interface CheckOptions {
  workspace: Workspace;
  config: Config;
  text: string;
  /** A path from the root, or an id. */
  plan: string;
}

export interface SubmitOptions extends CheckOptions {
  policy: Policy;
  /** Where the text waits already. */
  held?: Incoming;
  state?: string;
  session?: string;
  id?: string;
  /** Who worked on it, where that is known. */
  executor?: string;
  /** The position of the task that it has to be about. */
  expectedIndex?: number;
  /** Run the task's `<verify>` before a success is believed. */
  verify: boolean;
  environment: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
  /** Called with the command that is run next. It runs once this returns; if this throws, nothing is captured. */
  onVerify?(task: TaskRef, command: string): void | Promise<void>;
  onOutput?(stream: 'stdout' | 'stderr', text: string): void;
}

/** What a process asks for that offers a result. */
export interface SubmitRequest {
  plan: string;
  /** ISO 8601. */
  now: string;
  state?: string;
  session?: string;
  id?: string;
  executor?: string;
  expectedIndex?: number;
  verified?: Verified;
}
