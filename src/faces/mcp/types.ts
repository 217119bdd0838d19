import type { Workspace } from '../../workspace/workspace.js';

/** What a call knows besides its arguments. */
export interface CallContext {
  workspace: Workspace;
  /** The client's own name for itself. */
  client: string;
  /** The client has given up on the call. */
  signal: AbortSignal;
  /** Tells the client that the call is still under way. */
  report(message: string): Promise<void>;
}

export interface ToolResult {
  structured: Record<string, unknown>;
  /** The same for clients that show only text. */
  text: string;
  isError?: boolean;
}
