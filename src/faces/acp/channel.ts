import type { EditorUpdate } from '../../core/acp/agent-messages.js';
import type { RpcAnswer } from '../../core/acp/connection.js';
import type { JsonObject } from '../../core/json/values.js';

/** The editor, as one of its sessions sees it. */
export interface EditorChannel {
  /** Its id, which is the name of the session in teddy. */
  session: string;
  /** The editor can ask its user to fill in a form. */
  hasForms: boolean;
  show(update: EditorUpdate): void;
  /** Withdrawn once `signal` is aborted. Never rejects. */
  request(method: string, params: JsonObject, signal: AbortSignal): Promise<RpcAnswer>;
}
