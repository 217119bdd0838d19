import { textAt, valueAt } from '../json/members.js';
import { readJson } from '../json/read.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/values.js';
import { ACP_ERRORS, ACP_METHODS } from './messages.js';

// JSON-RPC 2.0, one message on each line, with a peer that may send anything. It answers every request once, and every
// promise of its own resolves: with the answer, or because the connection is closed.

/** `after` is called once the reply is sent. */
export type RpcReply = { result: JsonObject; after?: () => void } | { error: RpcError };

interface RpcError {
  code: number;
  message: string;
}

export type RpcAnswer =
  | { status: 'result'; value: JsonValue }
  | { status: 'error'; code: number | null; message: string }
  | { status: 'closed' };

export interface RpcPeer {
  /** One line, with its end. */
  send(line: string): void;
  /** How many bytes it has not read yet. */
  unread(): number;
  onNotification(method: string, params: JsonValue): void;
  /** Undefined for an unknown method. Must not reject. */
  onRequest(method: string, params: JsonValue): Promise<RpcReply> | undefined;
  /** A line that is not a message. */
  onNoise(line: string): void;
  /** It cannot go on: `reason` completes the sentence "It …". Called once. */
  onBroken(reason: string): void;
  /** How much it may send altogether, in characters; default: as much as an agent in one attempt. */
  most?: number;
}

const MB = 1024 * 1024;

/** In characters, or bytes. A message may hold a whole file before and after its change. */
const RPC_LIMITS = {
  line: 20 * MB,
  all: 500 * MB,
  unread: 20 * MB,
  /** Lines that are not messages, and answers to nothing. */
  noise: 1000,
  requests: 100,
};

const QUOTED_METHOD = 60;

export class RpcConnection {
  private partial: string[] = [];
  private partialLength = 0;
  private received = 0;
  private noise = 0;
  private lastId = 0;
  private open = 0;
  private isClosed = false;
  private readonly waiting = new Map<number, (answer: RpcAnswer) => void>();

  constructor(private readonly peer: RpcPeer) {}

  /** `onAnswered` is called before the next message is read. */
  request(method: string, params: JsonObject, onAnswered = () => {}): Promise<RpcAnswer> {
    if (this.isClosed) return Promise.resolve({ status: 'closed' });
    const id = ++this.lastId;
    return new Promise((resolve) => {
      this.waiting.set(id, (answer) => {
        onAnswered();
        resolve(answer);
      });
      this.send({ jsonrpc: '2.0', id, method, params });
    });
  }

  /** A request that is withdrawn when `signal` is aborted: what the peer still answers does not count. */
  requestUntil(method: string, params: JsonObject, signal: AbortSignal): Promise<RpcAnswer> {
    if (signal.aborted) return Promise.resolve({ status: 'closed' });
    return new Promise((resolve) => {
      const over = new AbortController();
      const withdraw = () => {
        this.notify(ACP_METHODS.withdraw, { requestId: id });
        resolve({ status: 'closed' });
      };
      signal.addEventListener('abort', withdraw, { once: true, signal: over.signal });
      const id = this.lastId + 1;
      void this.request(method, params, () => over.abort()).then((answer) => {
        over.abort();
        resolve(answer);
      });
    });
  }

  notify(method: string, params: JsonObject): void {
    this.send({ jsonrpc: '2.0', method, params });
  }

  /** Nothing is sent or read after it. */
  close(): void {
    this.isClosed = true;
    for (const resolve of this.waiting.values()) resolve({ status: 'closed' });
    this.waiting.clear();
  }

  /** A piece of the agent's output. */
  receive(text: string): void {
    if (this.isClosed) return;
    const [first = '', ...lines] = text.split('\n');
    this.received += text.length;
    this.partial.push(first);
    this.partialLength += first.length;
    const exceeded = this.findExceeded();
    if (exceeded !== undefined) this.break(exceeded);
    if (lines.length === 0) return;
    const rest = lines.pop()!;
    const complete = [this.partial.join(''), ...lines];
    this.partial = [rest];
    this.partialLength = rest.length;
    for (const line of complete) if (!this.isClosed && /\S/.test(line)) this.take(line);
  }

  private findExceeded(): string | undefined {
    if (this.partialLength > RPC_LIMITS.line) return `sent a message of more than ${RPC_LIMITS.line / MB} MB`;
    const { most = RPC_LIMITS.all } = this.peer;
    return this.received > most ? `sent more than ${most / MB} MB` : undefined;
  }

  private break(reason: string): void {
    if (this.isClosed) return;
    this.close();
    this.peer.onBroken(reason);
  }

  private send(message: JsonObject): void {
    if (this.isClosed) return;
    this.peer.send(`${JSON.stringify(message)}\n`);
    if (this.peer.unread() > RPC_LIMITS.unread) this.break('does not read what it is sent');
  }

  private take(line: string): void {
    const message = readMessage(line);
    if (message === undefined) {
      this.peer.onNoise(line);
      this.countNoise('printed more than 1,000 lines that are not messages of the protocol');
      return;
    }
    const method = textAt(message, 'method');
    if (method === null) this.settle(message);
    else if (Object.hasOwn(message, 'id')) this.answer(method, message);
    else this.peer.onNotification(method, valueAt(message, 'params') ?? null);
  }

  private countNoise(reason: string): void {
    if (++this.noise > RPC_LIMITS.noise) this.break(reason);
  }

  private settle(message: JsonObject): void {
    const id = valueAt(message, 'id');
    const resolve = typeof id === 'number' ? this.waiting.get(id) : undefined;
    // Answered twice, or never asked.
    if (resolve === undefined) {
      this.countNoise('sent more than 1,000 answers to nothing');
      return;
    }
    this.waiting.delete(id as number);
    const value = valueAt(message, 'result');
    resolve(value === undefined ? readError(message) : { status: 'result', value });
  }

  private answer(method: string, message: JsonObject): void {
    const id = valueAt(message, 'id') ?? null;
    const reply = (answer: { result: JsonObject } | { error: RpcError }) =>
      this.send({ jsonrpc: '2.0', id, ...answer } as unknown as JsonObject);
    const refuse = (code: number, text: string) => reply({ error: { code, message: text } });
    const isBusy = this.open >= RPC_LIMITS.requests;
    const answered = isBusy ? undefined : this.peer.onRequest(method, valueAt(message, 'params') ?? null);
    if (isBusy) refuse(ACP_ERRORS.invalidRequest, 'Too many requests are waiting for an answer.');
    else if (answered === undefined)
      refuse(ACP_ERRORS.methodNotFound, `teddy does not offer ${method.slice(0, QUOTED_METHOD)}.`);
    if (answered === undefined) return;
    this.open++;
    void answered.then((answer) => {
      this.open--;
      if ('error' in answer) return reply(answer);
      reply({ result: answer.result });
      answer.after?.();
    });
  }
}

/** Half a character as an escape, from an agent that sends its text in pieces. */
const HALF =
  /\\u[dD][89abAB][\da-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][\da-fA-F]{2})\\u[dD][c-fC-F][\da-fA-F]{2}/g;

/** Undefined if it is not an object, or too deep. */
function readMessage(line: string): JsonObject | undefined {
  if (!line.trimStart().startsWith('{')) return undefined;
  const read = readJson(line);
  if (read.status === 'value') return isJsonObject(read.value) ? read.value : undefined;
  if (read.problem.code !== 'json-half-character') return undefined;
  const again = readJson(line.replace(HALF, '\\ufffd'));
  return again.status === 'value' && isJsonObject(again.value) ? again.value : undefined;
}

function readError(message: JsonObject): RpcAnswer {
  const error = valueAt(message, 'error');
  if (!isJsonObject(error)) return { status: 'error', code: null, message: 'neither a result nor an error' };
  const code = valueAt(error, 'code');
  const data = valueAt(error, 'data');
  const details = isJsonObject(data) ? textAt(data, 'details') : typeof data === 'string' ? data : null;
  const said = [textAt(error, 'message'), details].filter(Boolean);
  return {
    status: 'error',
    code: typeof code === 'number' ? code : null,
    message: said.length === 0 ? 'no message' : said.join(': '),
  };
}
