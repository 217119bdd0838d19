import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What a client has sent so far, whatever its protocol. */
export interface Conversation {
  model: string;
  /** Everything that the user or the client itself said, with its instructions. */
  prompt: string;
  /** The results of the tools, in order. */
  results: string[];
  tools: OfferedTool[];
  /** What the answer must match, where the protocol has that. */
  schema?: object;
}

export interface OfferedTool {
  name: string;
  /** The group of tools that it is in, where the protocol has such groups. */
  namespace?: string;
}

/** What the model does next: it speaks, uses a tool, or fails with a status. */
export type Act =
  | { status: number }
  | { text?: string; use?: { tool: OfferedTool; input: Record<string, unknown> | string } };

/** What each answer of the model costs. */
export const TOKENS = { input: 1000, output: 50 };

export interface ScriptedModel {
  /** Without a path. */
  url: string;
  /** The requests that were answered, but for failures. */
  answered: Conversation[];
  /** All requests of a model. */
  asked: Conversation[];
}

type Decide = (conversation: Conversation) => Act | Promise<Act>;

/** Speaks the protocols of the real clients, with tools: Anthropic messages, OpenAI responses and chat, and Gemini. */
export async function startScriptedModel(decide: Decide): Promise<ScriptedModel> {
  const model: ScriptedModel = { url: '', answered: [], asked: [] };
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const { pathname } = new URL(request.url ?? '/', 'http://model');
    const protocol = PROTOCOLS.find(({ path }) => path.test(pathname));
    if (protocol === undefined) {
      answerOther(pathname, response);
      return;
    }
    const body: Json = JSON.parse(Buffer.concat(pieces).toString() || '{}');
    const conversation = { ...protocol.read(body), model: body.model ?? pathname };
    model.asked.push(conversation);
    const act = await decide(conversation);
    if ('status' in act) {
      sendJson(response, act.status, protocol.error(act.status));
      return;
    }
    model.answered.push(conversation);
    const isStream = body.stream === true || pathname.endsWith(':streamGenerateContent');
    if (isStream) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(protocol.stream(act, body).join(''));
    } else sendJson(response, 200, protocol.whole(act, body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  model.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return model;
}

// biome-ignore lint/suspicious/noExplicitAny: the bodies of four protocols, of which little is read
type Json = any;

type Answer = Exclude<Act, { status: number }>;

interface Protocol {
  path: RegExp;
  read(body: Json): Omit<Conversation, 'model'>;
  whole(answer: Answer, body: Json): Json;
  stream(answer: Answer, body: Json): string[];
  error(status: number): Json;
}

/** By which claude has an answer that matches a schema. */
export const ANSWER_TOOL = 'StructuredOutput';

const PROTOCOLS: readonly Protocol[] = [
  {
    path: /\/messages$/,
    read: ({ system, messages = [], tools = [] }) => {
      const blocks: Json[] = messages.flatMap(({ content }: Json) => asBlocks(content));
      return {
        prompt: textOf([...asBlocks(system), ...blocks.filter(({ type }) => type === 'text')]),
        results: blocks.filter(({ type }) => type === 'tool_result').map(({ content }) => textOf(content)),
        tools: tools.map(({ name }: Json) => ({ name })),
        schema: tools.find(({ name }: Json) => name === ANSWER_TOOL)?.input_schema,
      };
    },
    whole: anthropicMessage,
    stream(answer, body) {
      const { content, stop_reason, usage, ...head } = anthropicMessage(answer, body);
      const event = (type: string, rest: object) =>
        `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
      const start = { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
      return [
        event('message_start', { message: start }),
        ...content.flatMap((block: Json, index: number) => {
          const [empty, delta] =
            block.type === 'text'
              ? [
                  { type: 'text', text: '' },
                  { type: 'text_delta', text: block.text },
                ]
              : [
                  { ...block, input: {} },
                  { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
                ];
          return [
            event('content_block_start', { index, content_block: empty }),
            event('content_block_delta', { index, delta }),
            event('content_block_stop', { index }),
          ];
        }),
        event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage }),
        event('message_stop', {}),
      ];
    },
    error: (status) => ({
      type: 'error',
      error: { type: WORDS[status]?.anthropic, message: messageOf(status) },
    }),
  },
  {
    path: /\/responses$/,
    read: ({ instructions = '', input = [], tools = [], text }) => ({
      schema: text?.format?.schema,
      prompt: [
        instructions,
        ...input.filter(({ role }: Json) => role).map(({ content }: Json) => textOf(content)),
      ].join('\n'),
      results: input
        .filter(({ type }: Json) => /_output$/.test(type))
        .map(({ output }: Json) => (typeof output === 'string' ? output : textOf(output))),
      tools: tools.flatMap(({ type, name, tools: inner }: Json) =>
        type === 'namespace'
          ? inner.map((tool: Json) => ({ name: tool.name, namespace: name }))
          : [{ name: name ?? type }],
      ),
    }),
    whole: (answer, body) => responseOf(answer, body, 'completed'),
    stream(answer, body) {
      const event = (type: string, rest: object) =>
        `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
      const response = responseOf(answer, body, 'completed');
      return [
        event('response.created', {
          response: { ...response, status: 'in_progress', output: [], usage: null },
        }),
        ...response.output.flatMap((item: Json, output_index: number) => [
          event('response.output_item.added', { output_index, item }),
          event('response.output_item.done', { output_index, item }),
        ]),
        event('response.completed', { response }),
      ];
    },
    error: openAiError,
  },
  {
    path: /\/chat\/completions$/,
    read: ({ messages = [], tools = [] }) => ({
      prompt: messages
        .filter(({ role }: Json) => role !== 'tool' && role !== 'assistant')
        .map(({ content }: Json) => textOf(content))
        .join('\n'),
      results: messages
        .filter(({ role }: Json) => role === 'tool')
        .map(({ content }: Json) => textOf(content)),
      tools: tools.map((tool: Json) => ({ name: tool.function.name })),
    }),
    whole: (answer, body) => {
      const { delta, finish_reason } = chatChoice(answer);
      const message = { role: 'assistant', ...delta };
      return {
        ...chatHead('chat.completion', body),
        choices: [{ index: 0, message, finish_reason }],
        usage: CHAT_USAGE,
      };
    },
    stream(answer, body) {
      const { delta, finish_reason } = chatChoice(answer);
      const head = chatHead('chat.completion.chunk', body);
      const line = (choices: object[], rest = {}) =>
        `data: ${JSON.stringify({ ...head, choices, ...rest })}\n\n`;
      return [
        line([{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }]),
        line([{ index: 0, delta: {}, finish_reason }]),
        line([], { usage: CHAT_USAGE }),
        'data: [DONE]\n\n',
      ];
    },
    error: openAiError,
  },
  {
    path: /:(?:streamGenerateContent|generateContent)$/,
    read: ({ systemInstruction, contents = [], tools = [] }) => {
      const parts: Json[] = contents.flatMap((content: Json) =>
        content.role === 'user' ? content.parts : [],
      );
      return {
        prompt: textOf([...(systemInstruction?.parts ?? []), ...parts.filter(({ text }) => text)]),
        results: parts.flatMap(({ functionResponse }) =>
          functionResponse ? [JSON.stringify(functionResponse.response)] : [],
        ),
        tools: tools.flatMap(({ functionDeclarations = [] }: Json) =>
          functionDeclarations.map(({ name }: Json) => ({ name })),
        ),
      };
    },
    whole: geminiAnswer,
    stream: (answer, body) => [`data: ${JSON.stringify(geminiAnswer(answer, body))}\r\n\r\n`],
    error: (code) => ({ error: { code, message: messageOf(code), status: WORDS[code]?.gemini } }),
  },
];

const WORDS: Readonly<Record<number, { anthropic: string; gemini: string; message: string }>> = {
  401: { anthropic: 'authentication_error', gemini: 'UNAUTHENTICATED', message: 'The key is not valid.' },
  429: { anthropic: 'rate_limit_error', gemini: 'RESOURCE_EXHAUSTED', message: 'Too many requests.' },
  500: { anthropic: 'api_error', gemini: 'INTERNAL', message: 'Something broke.' },
};

function messageOf(status: number): string {
  return WORDS[status]?.message ?? `Status ${status}.`;
}

function openAiError(status: number): Json {
  return {
    error: { message: messageOf(status), type: WORDS[status]?.anthropic, code: WORDS[status]?.anthropic },
  };
}

let calls = 0;
const nextId = (prefix: string) => `${prefix}_${++calls}`;

function anthropicMessage({ text, use }: Answer, { model }: Json): Json {
  const content = [
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...(use === undefined
      ? []
      : [{ type: 'tool_use', id: nextId('toolu'), name: use.tool.name, input: use.input }]),
  ];
  const stop_reason = use === undefined ? 'end_turn' : 'tool_use';
  const usage = { input_tokens: TOKENS.input, output_tokens: TOKENS.output };
  return {
    id: nextId('msg'),
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason,
    stop_sequence: null,
    usage,
  };
}

function responseOf({ text, use }: Answer, { model }: Json, status: string): Json {
  const message = {
    type: 'message',
    id: nextId('msg'),
    role: 'assistant',
    status,
    content: [{ type: 'output_text', text, annotations: [] }],
  };
  const call = use && {
    ...(typeof use.input === 'string'
      ? { type: 'custom_tool_call', id: nextId('ctc'), input: use.input }
      : { type: 'function_call', id: nextId('fc'), arguments: JSON.stringify(use.input) }),
    call_id: nextId('call'),
    status,
    ...use.tool,
  };
  const total_tokens = TOKENS.input + TOKENS.output;
  return {
    id: nextId('resp'),
    object: 'response',
    created_at: 0,
    model,
    status,
    output: [...(text === undefined ? [] : [message]), ...(call === undefined ? [] : [call])],
    usage: { input_tokens: TOKENS.input, output_tokens: TOKENS.output, total_tokens },
  };
}

const CHAT_USAGE = {
  prompt_tokens: TOKENS.input,
  completion_tokens: TOKENS.output,
  total_tokens: TOKENS.input + TOKENS.output,
};

function chatHead(object: string, { model }: Json) {
  return { id: nextId('chat'), object, created: 0, model };
}

function chatChoice({ text = '', use }: Answer) {
  const call = use && { name: use.tool.name, arguments: JSON.stringify(use.input) };
  const tool_calls = call && [{ index: 0, id: nextId('call'), type: 'function', function: call }];
  return { delta: { content: text, tool_calls }, finish_reason: use === undefined ? 'stop' : 'tool_calls' };
}

function geminiAnswer({ text, use }: Answer, _body: Json): Json {
  const parts = [
    ...(text === undefined ? [] : [{ text }]),
    ...(use === undefined ? [] : [{ functionCall: { name: use.tool.name, args: use.input } }]),
  ];
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: {
      promptTokenCount: TOKENS.input,
      candidatesTokenCount: TOKENS.output,
      totalTokenCount: TOKENS.input + TOKENS.output,
    },
  };
}

function answerOther(pathname: string, response: ServerResponse): void {
  const [status, value] = pathname.endsWith('/count_tokens')
    ? [200, { input_tokens: TOKENS.input }]
    : pathname.endsWith(':countTokens')
      ? [200, { totalTokens: TOKENS.input }]
      : pathname.endsWith('/models')
        ? [200, { object: 'list', data: [], models: [] }]
        : [404, { error: { message: `There is no ${pathname}.` } }];
  sendJson(response, status as number, value);
}

function sendJson(response: ServerResponse, status: number, value: Json): void {
  // Clients that retry need not wait.
  response.writeHead(status, { 'content-type': 'application/json', 'retry-after-ms': '1' });
  response.end(JSON.stringify(value));
}

function asBlocks(content: Json): Json[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content ?? [];
}

function textOf(content: Json): string {
  return asBlocks(content)
    .map((block) => block.text ?? '')
    .join('\n');
}
