import type { JsonObject, JsonValue } from '../../json/values.js';
import { isJsonObject } from '../../json/values.js';
import type { JsonClient } from '../types.js';
import { CLAUDE } from './claude.js';
import type { ClientDefinition } from './client.js';
import { CODEX } from './codex.js';
import { GEMINI } from './gemini.js';
import { OPENCODE } from './opencode.js';

/** Every client by name. If two could have printed an event, the first one wins. */
export const CLIENT_DEFINITIONS: Readonly<Record<JsonClient, ClientDefinition>> = {
  claude: CLAUDE,
  codex: CODEX,
  gemini: GEMINI,
  opencode: OPENCODE,
};

/**
 * Recognises a client's output: an event, or a list of events. Null if the shape is ambiguous or could be a report.
 * Versions add new kinds of events, so the first known event of a list decides.
 */
export function guessClient(value: JsonValue): JsonClient | null {
  for (const event of Array.isArray(value) ? value : [value]) {
    const client = isJsonObject(event) ? guessFromEvent(event) : null;
    if (client !== null) return client;
  }
  return null;
}

function guessFromEvent(event: JsonObject): JsonClient | null {
  if (looksLikeReport(event)) return null;
  const clients = Object.entries(CLIENT_DEFINITIONS) as [JsonClient, ClientDefinition][];
  return clients.find(([, { isEvent }]) => isEvent(event))?.[0] ?? null;
}

export function looksLikeReport(value: JsonObject): boolean {
  return Object.hasOwn(value, 'report_metadata') || Object.hasOwn(value, 'findings');
}
