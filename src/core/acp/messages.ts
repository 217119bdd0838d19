import { countAt, objectAt, objectsAt, textAt, valueAt } from '../json/members.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/values.js';
import type { Taken } from '../taken.js';

// The messages of the Agent Client Protocol, version 1, and what they mean in our words: here with an agent, in
// `agent-messages.ts` with an editor. No other file knows their shape. All that a peer sends is untrusted: what has the
// wrong type counts as missing, what is unknown says nothing.

/** https://agentclientprotocol.com */
export const ACP_VERSION = 1;

export const ACP_METHODS = {
  initialize: 'initialize',
  newSession: 'session/new',
  loadSession: 'session/load',
  listSessions: 'session/list',
  closeSession: 'session/close',
  prompt: 'session/prompt',
  cancel: 'session/cancel',
  update: 'session/update',
  permission: 'session/request_permission',
  form: 'elicitation/create',
  withdraw: '$/cancel_request',
} as const;

/** Error codes of JSON-RPC and of the protocol. */
export const ACP_ERRORS = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  authRequired: -32000,
  notFound: -32002,
} as const;

/** No files and no terminals: agents have their own, which the confinement holds. */
export function writeInitialize(): JsonObject {
  return {
    protocolVersion: ACP_VERSION,
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      elicitation: { form: {} },
    },
  };
}

export function writeNewSession(cwd: string): JsonObject {
  return { cwd, mcpServers: [] };
}

export function writePromptTurn(sessionId: string, text: string): JsonObject {
  return { sessionId, prompt: [{ type: 'text', text }] };
}

export function writeCancel(sessionId: string): JsonObject {
  return { sessionId };
}

/** The names of the ways to log in. */
export function readInitialized(answer: JsonValue): Taken<{ logins: string[] }> {
  const version = isJsonObject(answer) ? valueAt(answer, 'protocolVersion') : undefined;
  if (!isJsonObject(answer) || typeof version !== 'number')
    return { status: 'refused', reason: 'answered initialize without a protocol version' };
  if (version !== ACP_VERSION)
    return {
      status: 'refused',
      reason: `speaks version ${version} of the Agent Client Protocol, and teddy version ${ACP_VERSION}`,
    };
  const logins = objectsAt(answer, 'authMethods').flatMap((method) => textAt(method, 'name') ?? []);
  return { status: 'ok', value: { logins } };
}

export function readNewSession(answer: JsonValue): Taken<string> {
  const id = isJsonObject(answer) ? textAt(answer, 'sessionId') : null;
  if (id === null || id === '')
    return { status: 'refused', reason: 'answered session/new without a session id' };
  return { status: 'ok', value: id };
}

/** Why a turn ended. */
export type StopReason = 'done' | 'refused' | 'cut-off' | 'cancelled';

export const STOPS: Readonly<Record<string, StopReason>> = {
  end_turn: 'done',
  refusal: 'refused',
  max_tokens: 'cut-off',
  max_turn_requests: 'cut-off',
  cancelled: 'cancelled',
};

/** Null if the agent does not report them. */
interface TurnTokens {
  inputTokens: number | null;
  outputTokens: number | null;
}

export function readTurnEnd(answer: JsonValue): Taken<{ stop: StopReason; tokens: TurnTokens }> {
  const reason = isJsonObject(answer) ? textAt(answer, 'stopReason') : null;
  if (!isJsonObject(answer) || reason === null)
    return { status: 'refused', reason: 'ended its turn without a stop reason' };
  if (!Object.hasOwn(STOPS, reason))
    return {
      status: 'refused',
      reason: `ended its turn with the unknown stop reason ${JSON.stringify(reason)}`,
    };
  return { status: 'ok', value: { stop: STOPS[reason]!, tokens: readTokens(answer) } };
}

/** `usage` is not yet part of version 1, but agents send it; gemini has its own form. */
function readTokens(answer: JsonObject): TurnTokens {
  const usage = objectAt(answer, 'usage');
  if (usage) {
    const input = countAt(usage, 'inputTokens');
    const cached = ['cachedReadTokens', 'cachedWriteTokens'].map((key) => countAt(usage, key) ?? 0);
    return {
      inputTokens: input === null ? null : cached.reduce((sum, each) => sum + each, input),
      outputTokens: countAt(usage, 'outputTokens'),
    };
  }
  const meta = objectAt(answer, '_meta');
  const quota = meta && objectAt(meta, 'quota');
  const counts = quota && objectAt(quota, 'token_count');
  return {
    inputTokens: counts && countAt(counts, 'input_tokens'),
    outputTokens: counts && countAt(counts, 'output_tokens'),
  };
}

/** What an agent shows of its work. */
export type AgentUpdate =
  /** A piece of a message; `message` identifies it, if the agent does. */
  | { kind: 'text'; text: string; message: string | null }
  /** It works, so its message is over. In one line; null if there is nothing new to show. */
  | { kind: 'work'; line: string | null }
  /** Of the session so far, in US dollars. */
  | { kind: 'cost'; costUsd: number }
  | { kind: 'nothing' };

const NOTHING: AgentUpdate = { kind: 'nothing' };

/** Undefined if it belongs to no session. */
export function readUpdate(params: JsonValue): { session: string; update: AgentUpdate } | undefined {
  const session = isJsonObject(params) ? textAt(params, 'sessionId') : null;
  const update = isJsonObject(params) ? objectAt(params, 'update') : null;
  if (session === null || update === null) return undefined;
  return { session, update: describeUpdate(update) };
}

function describeUpdate(update: JsonObject): AgentUpdate {
  switch (textAt(update, 'sessionUpdate')) {
    case 'agent_message_chunk': {
      const content = objectAt(update, 'content');
      const text = content && textAt(content, 'type') === 'text' ? textAt(content, 'text') : null;
      return text === null ? NOTHING : { kind: 'text', text, message: textAt(update, 'messageId') };
    }
    case 'tool_call': {
      const { title } = readToolCall(update);
      return { kind: 'work', line: title };
    }
    case 'tool_call_update': {
      const isFailure = textAt(update, 'status') === 'failed';
      return { kind: 'work', line: isFailure ? `Failed: ${readToolCall(update).title}` : null };
    }
    case 'plan': {
      const current = objectsAt(update, 'entries').find((entry) => textAt(entry, 'status') === 'in_progress');
      const content = current && textAt(current, 'content');
      return content ? { kind: 'work', line: content } : NOTHING;
    }
    case 'usage_update': {
      const cost = objectAt(update, 'cost');
      const amount = cost && textAt(cost, 'currency') === 'USD' ? valueAt(cost, 'amount') : null;
      return typeof amount === 'number' && amount >= 0 ? { kind: 'cost', costUsd: amount } : NOTHING;
    }
    default:
      return NOTHING;
  }
}

/** What an agent wants to do. */
export interface ToolCall {
  kind: 'read' | 'edit' | 'delete' | 'move' | 'search' | 'execute' | 'fetch' | 'other';
  /** The agent's words. */
  title: string;
  /** Null if it does not say exactly which one. */
  command: string | null;
  /** Of the command, if the agent says it. */
  cwd: string | null;
  /** As the agent names them, each once. `isNew`: it says that there is no such file yet. */
  files: { path: string; isNew: boolean }[];
  url: string | null;
  /** What it would write, for the user to look at. */
  changes: { path: string; before: string | null; after: string }[];
}

const CALL_KINDS = ['read', 'edit', 'delete', 'move', 'search', 'execute', 'fetch'] as const;
const PATH_KEYS = ['file_path', 'filePath', 'path', 'abs_path'];

function readToolCall(call: JsonObject): ToolCall {
  const written = textAt(call, 'kind');
  const input = objectAt(call, 'rawInput');
  const command = input && readCommand(input);
  const changes = objectsAt(call, 'content').flatMap((content) => {
    const path = textAt(content, 'path');
    const after = textAt(content, 'newText');
    if (textAt(content, 'type') !== 'diff' || path === null || after === null) return [];
    return [{ path, before: textAt(content, 'oldText'), after }];
  });
  const named = [
    ...objectsAt(call, 'locations').flatMap((location) => textAt(location, 'path') ?? []),
    ...PATH_KEYS.flatMap((key) => (input && textAt(input, key)) ?? []),
  ];
  const paths = new Set([...changes.map(({ path }) => path), ...named]);
  const isNew = (path: string) => changes.some((each) => each.path === path && each.before === null);
  return {
    kind: CALL_KINDS.find((kind) => kind === written) ?? 'other',
    title: textAt(call, 'title') ?? command ?? textAt(call, 'toolCallId') ?? 'a tool',
    command,
    cwd: input && (textAt(input, 'cwd') ?? textAt(input, 'workdir')),
    files: [...paths].map((path) => ({ path, isNew: isNew(path) })),
    url: input && textAt(input, 'url'),
    changes,
  };
}

/** A text for the shell, or the words of a shell that runs one. */
function readCommand(input: JsonObject): string | null {
  const written = valueAt(input, 'command');
  if (typeof written === 'string') return written;
  if (!Array.isArray(written) || written.length !== 3) return null;
  const [shell, option, text] = written;
  const runsText = /(?:^|\/)(?:ba|z)?sh$/.test(String(shell)) && /^-l?c$/.test(String(option));
  return runsText && typeof text === 'string' ? text : null;
}

/** `always`: for everything like it, as the agent sees it. */
export interface PermissionOption {
  id: string;
  name: string;
  allows: boolean;
  always: boolean;
}

export interface PermissionRequest {
  session: string;
  call: ToolCall;
  options: PermissionOption[];
}

export function readPermission(params: JsonValue): PermissionRequest | undefined {
  const session = isJsonObject(params) ? textAt(params, 'sessionId') : null;
  const call = isJsonObject(params) ? objectAt(params, 'toolCall') : null;
  if (!isJsonObject(params) || session === null || call === null) return undefined;
  const options = objectsAt(params, 'options').flatMap((option) => {
    const id = textAt(option, 'optionId');
    const kind = /^(allow|reject)_(once|always)$/.exec(textAt(option, 'kind') ?? '');
    if (id === null || kind === null) return [];
    const name = textAt(option, 'name') ?? id;
    return [{ id, name, allows: kind[1] === 'allow', always: kind[2] === 'always' }];
  });
  return { session, call: readToolCall(call), options };
}

/** Null: neither, because the turn is over or there is no such option. */
export function writePermission(option: PermissionOption | null): JsonObject {
  return {
    outcome: option === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option.id },
  };
}

/** One field of a form: the values to choose from, or what kind of text it takes. */
export interface FormField {
  name: string;
  title: string;
  type: 'text' | 'number' | 'whole' | 'yes-no' | 'several';
  /** Empty: any value. */
  choices: { value: string; label: string }[];
}

export interface FormRequest {
  session: string | null;
  message: string;
  fields: FormField[];
}

/** Undefined for what cannot be asked in a terminal, such as a page to open. */
export function readForm(params: JsonValue): FormRequest | undefined {
  const message = isJsonObject(params) ? textAt(params, 'message') : null;
  const schema = isJsonObject(params) ? objectAt(params, 'requestedSchema') : null;
  if (!isJsonObject(params) || message === null || schema === null) return undefined;
  const properties = objectAt(schema, 'properties') ?? {};
  const fields = Object.entries(properties).flatMap(([name, property]) =>
    isJsonObject(property) ? readField(name, property) : [],
  );
  return { session: textAt(params, 'sessionId'), message, fields };
}

const FIELD_TYPES: Readonly<Record<string, FormField['type']>> = {
  string: 'text',
  number: 'number',
  integer: 'whole',
  boolean: 'yes-no',
  array: 'several',
};

function readField(name: string, property: JsonObject): FormField[] {
  const type = textAt(property, 'type') ?? '';
  if (!Object.hasOwn(FIELD_TYPES, type)) return [];
  const described = [textAt(property, 'title'), textAt(property, 'description')].filter(Boolean);
  const items = type === 'array' ? objectAt(property, 'items') : property;
  return [
    {
      name,
      title: described.length === 0 ? name : described.join(': '),
      type: FIELD_TYPES[type]!,
      choices: items === null ? [] : readChoices(items),
    },
  ];
}

function readChoices(schema: JsonObject): FormField['choices'] {
  const listed = valueAt(schema, 'enum');
  if (Array.isArray(listed))
    return listed.flatMap((value) => (typeof value === 'string' ? [{ value, label: value }] : []));
  return [...objectsAt(schema, 'oneOf'), ...objectsAt(schema, 'anyOf')].flatMap((each) => {
    const value = textAt(each, 'const');
    return value === null ? [] : [{ value, label: textAt(each, 'title') ?? value }];
  });
}

/** Null: the user does not want to answer. */
export function writeForm(content: JsonObject | null): JsonObject {
  return content === null ? { action: 'decline' } : { action: 'accept', content };
}

/** The turn is over: nobody is asked any more. */
export const FORM_CANCELLED: JsonObject = { action: 'cancel' };
