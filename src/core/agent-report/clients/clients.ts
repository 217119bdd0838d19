import type { JsonObject, JsonValue } from '../../json/values.js';
import { isJsonObject } from '../../json/values.js';
import type { PrintingClient } from '../types.js';
import { CLAUDE } from './claude.js';
import type { ClientDefinition } from './client.js';
import { CODEX } from './codex.js';
import { GEMINI } from './gemini.js';
import { OPENCODE } from './opencode.js';

/** Every client by its name. An event that two of them could have printed is the first one's. */
export const CLIENT_DEFINITIONS: Readonly<Record<PrintingClient, ClientDefinition>> = {
  claude: CLAUDE,
  codex: CODEX,
  gemini: GEMINI,
  opencode: OPENCODE,
};

/**
 * The client whose output this is, or one event of it, or a list of its events; null where the shape does not say so beyond
 * doubt, and for whatever could be a report. New kinds of events come with every version of a client: of a list the first
 * one that is known says whose they are.
 */
export function guessClient(value: JsonValue): PrintingClient | null {
  for (const event of Array.isArray(value) ? value : [value]) {
    const client = isJsonObject(event) ? guessFromEvent(event) : null;
    if (client !== null) return client;
  }
  return null;
}

function guessFromEvent(event: JsonObject): PrintingClient | null {
  if (looksLikeReport(event)) return null;
  const clients = Object.entries(CLIENT_DEFINITIONS) as [PrintingClient, ClientDefinition][];
  return clients.find(([, { isEvent }]) => isEvent(event))?.[0] ?? null;
}

export function looksLikeReport(value: JsonObject): boolean {
  return Object.hasOwn(value, 'report_metadata') || Object.hasOwn(value, 'findings');
}
