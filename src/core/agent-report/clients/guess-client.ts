import type { JsonObject, JsonValue } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';
import type { Client } from '../types.js';
import { objectAt, textAt } from './fields.js';

/**
 * The client whose output this is, or one event of it, or a list of its events; null where the shape does not say so beyond
 * doubt, and for whatever could be a report. Never `text`.
 */
export function guessClient(value: JsonValue): Client | null {
  if (Array.isArray(value)) return guessFromEvents(value);
  if (!isJsonObject(value) || looksLikeReport(value)) return null;
  if (isClaudeEvent(value)) return 'claude';
  if (isCodexEvent(value)) return 'codex';
  if (isGeminiOutput(value) || isGeminiEvent(value)) return 'gemini';
  return isOpencodeEvent(value) ? 'opencode' : null;
}

export function looksLikeReport(value: JsonObject): boolean {
  return Object.hasOwn(value, 'report_metadata') || Object.hasOwn(value, 'findings');
}

/** New kinds of events come with every version of a client: the first one that is known says whose they are. */
function guessFromEvents(events: readonly JsonValue[]): Client | null {
  for (const event of events) {
    const client = isJsonObject(event) ? guessClient(event) : null;
    if (client !== null) return client;
  }
  return null;
}

function isClaudeEvent(value: JsonObject): boolean {
  switch (textAt(value, 'type')) {
    case 'result':
      return textAt(value, 'subtype') !== null && typeof value.is_error === 'boolean';
    case 'system':
      return textAt(value, 'subtype') !== null && textAt(value, 'session_id') !== null;
    case 'assistant':
    case 'user':
      return objectAt(value, 'message') !== null && textAt(value, 'session_id') !== null;
    default:
      return false;
  }
}

/** Events of a thread; in older versions a `msg` with the id of the task that it belongs to. */
function isCodexEvent(value: JsonObject): boolean {
  switch (textAt(value, 'type')) {
    case 'thread.started':
      return textAt(value, 'thread_id') !== null;
    case 'turn.started':
      return Object.keys(value).length === 1;
    case 'turn.completed':
      return objectAt(value, 'usage') !== null;
    case 'turn.failed':
      return objectAt(value, 'error') !== null;
    case 'item.started':
    case 'item.updated':
    case 'item.completed':
      return objectAt(value, 'item') !== null;
  }
  const message = objectAt(value, 'msg');
  return message !== null && textAt(message, 'type') !== null && textAt(value, 'id') !== null;
}

/** What `--output-format json` prints. */
function isGeminiOutput(value: JsonObject): boolean {
  const stats = objectAt(value, 'stats');
  const answers = textAt(value, 'response') !== null || objectAt(value, 'error') !== null;
  return answers && stats !== null && objectAt(stats, 'models') !== null;
}

/** What `--output-format stream-json` prints. */
function isGeminiEvent(value: JsonObject): boolean {
  if (textAt(value, 'timestamp') === null) return false;
  switch (textAt(value, 'type')) {
    case 'init':
      return textAt(value, 'session_id') !== null && textAt(value, 'model') !== null;
    case 'message':
      return textAt(value, 'role') !== null && textAt(value, 'content') !== null;
    case 'tool_use':
    case 'tool_result':
      return textAt(value, 'tool_id') !== null;
    case 'error':
      return textAt(value, 'severity') !== null;
    case 'result':
      return textAt(value, 'status') !== null;
    default:
      return false;
  }
}

/** An event of a session; its time is a number. */
function isOpencodeEvent(value: JsonObject): boolean {
  if (textAt(value, 'sessionID') === null || typeof value.timestamp !== 'number') return false;
  switch (textAt(value, 'type')) {
    case 'step_start':
    case 'step_finish':
    case 'text':
    case 'reasoning':
    case 'tool_use':
      return objectAt(value, 'part') !== null;
    case 'error':
      return objectAt(value, 'error') !== null;
    case 'done':
      return textAt(value, 'reason') !== null;
    default:
      return false;
  }
}
