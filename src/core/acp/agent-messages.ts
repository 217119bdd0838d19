import { objectAt, objectsAt, textAt, valueAt } from '../json/members.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/values.js';
import type { Taken } from '../taken.js';
import { ACP_VERSION, type PermissionOption, STOPS, type StopReason, type ToolCall } from './messages.js';

// The same protocol with teddy as the agent: what an editor sends, and what it is shown.

export interface EditorFacts {
  /** The editor's own name for itself. */
  name: string;
  /** It can ask its user to fill in a form. */
  hasForms: boolean;
}

export function readInitialize(params: JsonValue): Taken<EditorFacts> {
  if (!isJsonObject(params) || typeof valueAt(params, 'protocolVersion') !== 'number')
    return refuse('protocolVersion must be a number');
  const info = objectAt(params, 'clientInfo');
  const name = info && (textAt(info, 'title') ?? textAt(info, 'name'));
  const capabilities = objectAt(params, 'clientCapabilities');
  const elicitation = capabilities && objectAt(capabilities, 'elicitation');
  const hasForms = elicitation !== null && objectAt(elicitation, 'form') !== null;
  return { status: 'ok', value: { name: name || 'editor', hasForms } };
}

/** An editor that speaks another version learns ours, and may leave. */
export function writeInitialized(version: string): JsonObject {
  return {
    protocolVersion: ACP_VERSION,
    agentInfo: { name: 'teddy', title: 'teddy', version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: false, audio: false, embeddedContext: true },
      sessionCapabilities: { list: {}, close: {} },
    },
    authMethods: [],
  };
}

export function readNewSessionRequest(params: JsonValue): Taken<{ cwd: string }> {
  const cwd = isJsonObject(params) ? textAt(params, 'cwd') : null;
  if (cwd === null) return refuse('cwd is missing');
  return { status: 'ok', value: { cwd } };
}

/** `cwd` is null where the request has none. */
export function readSessionRequest(params: JsonValue): Taken<{ session: string; cwd: string | null }> {
  const session = isJsonObject(params) ? textAt(params, 'sessionId') : null;
  if (!isJsonObject(params) || session === null) return refuse('sessionId is missing');
  return { status: 'ok', value: { session, cwd: textAt(params, 'cwd') } };
}

export function readListRequest(params: JsonValue): { cwd: string | null } {
  return { cwd: isJsonObject(params) ? textAt(params, 'cwd') : null };
}

/** The prompt as one text. `name` gives the words for a file or page that it refers to. */
export function readPromptRequest(
  params: JsonValue,
  name: (uri: string) => string,
): Taken<{ session: string; text: string }> {
  const session = isJsonObject(params) ? textAt(params, 'sessionId') : null;
  if (!isJsonObject(params) || session === null) return refuse('sessionId is missing');
  const blocks = valueAt(params, 'prompt');
  if (!Array.isArray(blocks)) return refuse('prompt must be a list');
  let text = '';
  const attached: string[] = [];
  for (const block of objectsAt(params, 'prompt')) {
    const type = textAt(block, 'type');
    if (type === 'text') text += textAt(block, 'text') ?? '';
    else if (type === 'resource_link') text += name(textAt(block, 'uri') ?? '');
    else if (type === 'resource') {
      const resource = objectAt(block, 'resource') ?? {};
      const uri = name(textAt(resource, 'uri') ?? '');
      text += uri;
      const content = textAt(resource, 'text');
      if (content !== null) attached.push(`${uri}:\n\n${content}`);
    } else return refuse(`prompt has a block of the type ${JSON.stringify(type)}, which teddy does not take`);
  }
  return { status: 'ok', value: { session, text: [text, ...attached].join('\n\n') } };
}

function refuse(reason: string): { status: 'refused'; reason: string } {
  return { status: 'refused', reason };
}

export function writeSession(session: string): JsonObject {
  return { sessionId: session };
}

export function writeSessionList(
  sessions: readonly { session: string; cwd: string; title: string | null; updatedAt: string | null }[],
): JsonObject {
  return {
    sessions: sessions.map(({ session, cwd, title, updatedAt }) => ({
      sessionId: session,
      cwd,
      title,
      updatedAt,
    })),
  };
}

export function writeTurnEnd(stop: StopReason): JsonObject {
  return { stopReason: Object.keys(STOPS).find((name) => STOPS[name] === stop)! };
}

/** What an editor shows of an action. */
export interface ShownCall {
  id: string;
  kind: ToolCall['kind'];
  title: string;
  status: 'pending' | 'in_progress' | 'completed' | 'failed';
  /** Absolute paths. */
  files: readonly string[];
  /** The texts of a file before and after; `before` is null where there is no file yet. */
  diff: { path: string; before: string | null; after: string } | null;
  /** Markdown. */
  text: string;
}

export type EditorUpdate =
  /** Markdown. `thought`: how far teddy is; `user`: what the user has said, in a conversation that is loaded. */
  | { kind: 'text'; from: 'agent' | 'thought' | 'user'; text: string }
  | { kind: 'call'; call: ShownCall; isNew: boolean }
  | { kind: 'steps'; steps: readonly { text: string; status: 'pending' | 'in_progress' | 'completed' }[] }
  | { kind: 'commands'; commands: readonly { name: string; description: string; hint: string | null }[] }
  | { kind: 'title'; title: string }
  /** Tokens in use and at most; the cost of the session so far, if it is known. */
  | { kind: 'usage'; used: number; size: number; costUsd: number | null };

export function writeUpdate(session: string, update: EditorUpdate): JsonObject {
  return { sessionId: session, update: describe(update) };
}

const CHUNKS = { agent: 'agent_message_chunk', thought: 'agent_thought_chunk', user: 'user_message_chunk' };

function describe(update: EditorUpdate): JsonObject {
  switch (update.kind) {
    case 'text':
      return { sessionUpdate: CHUNKS[update.from], content: { type: 'text', text: update.text } };
    case 'call':
      return {
        sessionUpdate: update.isNew ? 'tool_call' : 'tool_call_update',
        ...describeShown(update.call),
      };
    case 'steps':
      return {
        sessionUpdate: 'plan',
        entries: update.steps.map(({ text, status }) => ({ content: text, priority: 'medium', status })),
      };
    case 'commands':
      return {
        sessionUpdate: 'available_commands_update',
        availableCommands: update.commands.map(({ name, description, hint }) => ({
          name,
          description,
          ...(hint !== null && { input: { hint } }),
        })),
      };
    case 'title':
      return { sessionUpdate: 'session_info_update', title: update.title };
    case 'usage':
      return {
        sessionUpdate: 'usage_update',
        used: update.used,
        size: update.size,
        ...(update.costUsd !== null && { cost: { amount: update.costUsd, currency: 'USD' } }),
      };
  }
}

function describeShown({ id, kind, title, status, files, diff, text }: ShownCall): JsonObject {
  return {
    toolCallId: id,
    title,
    kind,
    status,
    locations: files.map((path) => ({ path })),
    content: [
      ...(diff === null
        ? []
        : [{ type: 'diff', path: diff.path, oldText: diff.before, newText: diff.after }]),
      ...(text === '' ? [] : [{ type: 'content', content: { type: 'text', text } }]),
    ],
  };
}

export function writePermissionRequest(
  session: string,
  call: ShownCall,
  options: readonly PermissionOption[],
): JsonObject {
  return {
    sessionId: session,
    toolCall: describeShown(call),
    options: options.map(({ id, name, allows, always }) => ({
      optionId: id,
      name,
      kind: `${allows ? 'allow' : 'reject'}_${always ? 'always' : 'once'}`,
    })),
  };
}

/** The id of the option; null where the user has cancelled. Undefined for anything else. */
export function readPermissionAnswer(answer: JsonValue): string | null | undefined {
  const outcome = isJsonObject(answer) ? objectAt(answer, 'outcome') : null;
  if (outcome === null) return undefined;
  if (textAt(outcome, 'outcome') === 'cancelled') return null;
  if (textAt(outcome, 'outcome') !== 'selected') return undefined;
  return textAt(outcome, 'optionId') ?? undefined;
}

/** One text that the user may give. */
export function writeTextForm(
  session: string,
  { call, message, title }: { call: string; message: string; title: string },
): JsonObject {
  return {
    mode: 'form',
    sessionId: session,
    toolCallId: call,
    message,
    requestedSchema: { type: 'object', properties: { [FORM_TEXT]: { type: 'string', title } } },
  };
}

const FORM_TEXT = 'text';

/** Null where the user gives none. */
export function readTextForm(answer: JsonValue): string | null {
  if (!isJsonObject(answer) || textAt(answer, 'action') !== 'accept') return null;
  const content = objectAt(answer, 'content');
  const text = content && textAt(content, FORM_TEXT);
  return text === null || text.trim() === '' ? null : text.trim();
}
