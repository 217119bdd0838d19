import type { ChildProcess } from 'node:child_process';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { PageEvent } from '../../../src/faces/web/api.js';
import { makeFolder } from '../../folder.js';
import { startTeddy } from '../teddy.js';

/** A `teddy web` that runs, and what its terminal shows. */
export interface RunningServer {
  cwd: string;
  port: number;
  origin: string;
  /** Of the link that it printed first. */
  code: string;
  process: ChildProcess;
  /** What it wrote to standard error so far. */
  notices(): string;
  /** The next line of standard output. */
  nextLine(): Promise<string>;
}

export async function startServer(cwd = makeFolder(), words: string[] = []): Promise<RunningServer> {
  const child = startTeddy(['web', '--no-open', '--json', ...words], cwd);
  let notices = '';
  child.stderr!.on('data', (chunk) => {
    notices += chunk;
  });
  const lines = createInterface(child.stdout!)[Symbol.asyncIterator]();
  const nextLine = async () => {
    const { done, value } = await lines.next();
    if (done) throw new Error(`teddy web has ended: ${notices}`);
    return value as string;
  };
  const { url, port } = JSON.parse(await nextLine()) as { url: string; port: number };
  const [origin, code] = url.split('/#c=') as [string, string];
  return { cwd, port, origin, code, process: child, notices: () => notices, nextLine };
}

/** The server of a command that prints its link on standard error. */
export async function serverOf(child: ChildProcess, cwd: string): Promise<RunningServer> {
  let notices = '';
  const link = new Promise<string>((resolve) => {
    child.stderr!.on('data', (chunk) => {
      notices += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+\/#c=[\w-]{43}\n/.exec(notices);
      if (found) resolve(found[0].trim());
    });
  });
  const [origin, code] = (await link).split('/#c=') as [string, string];
  const port = Number(origin.slice(origin.lastIndexOf(':') + 1));
  const nextLine = () => Promise.reject(new Error('It prints no lines.'));
  return { cwd, port, origin, code, process: child, notices: () => notices, nextLine };
}

interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

interface Sent {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Uint8Array;
}

/** One request with exactly these headers, and Host as given or as the address has it. */
export function send({ port }: RunningServer, path: string, sent: Sent = {}): Promise<Reply> {
  const { method = 'GET', body } = sent;
  const headers = { ...sent.headers };
  // Node leaves it out for methods that seldom have a body: the body would be read as another request.
  if (body !== undefined && headers['transfer-encoding'] === undefined)
    headers['content-length'] = String(Buffer.byteLength(body));
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port, path, method, headers, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** Bytes as they are, and everything that comes back until the server closes. `ends`: nothing more will be sent. */
export function sendRaw(
  { port }: RunningServer,
  bytes: string | Uint8Array,
  { ends = false } = {},
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => (ends ? socket.end(bytes) : socket.write(bytes)));
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => resolve(text));
    socket.on('close', () => resolve(text));
  });
}

/** What the page does: it exchanges the code, and sends the token with every request. */
export class PageClient {
  private constructor(
    readonly server: RunningServer,
    readonly token: string,
  ) {}

  static async open(server: RunningServer, code = server.code): Promise<PageClient> {
    const reply = await redeem(server, code);
    if (reply.status !== 200) throw new Error(`no token: ${reply.text}`);
    return new PageClient(server, (JSON.parse(reply.text) as { token: string }).token);
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` };
  }

  async get<T>(path: string): Promise<T> {
    const reply = await send(this.server, path, { headers: this.headers });
    if (reply.status !== 200) throw new Error(`GET ${path}: ${reply.status} ${reply.text}`);
    return JSON.parse(reply.text) as T;
  }

  /** Follows the events from now on. */
  async follow(after?: number): Promise<EventReader> {
    const opened = await openStream(this.server, `/api/events?after=${after ?? 0}`, this.headers);
    return new EventReader(opened);
  }

  /** POST, or another method, with a JSON body. */
  post(path: string, body: unknown, method = 'POST'): Promise<Reply> {
    return send(this.server, path, {
      method,
      headers: { ...this.headers, ...jsonHeaders(this.server) },
      body: JSON.stringify(body),
    });
  }
}

function openStream(
  { port }: RunningServer,
  path: string,
  headers: Record<string, string>,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      if (response.statusCode === 200) resolve(response);
      else reject(new Error(`the stream was refused: ${response.statusCode}`));
    });
    request.on('error', reject);
    request.end();
  });
}

/** The events of a stream, as they come. */
export class EventReader {
  readonly received: PageEvent[] = [];
  readonly ended: Promise<void>;
  isOpen = true;
  #rest = '';
  #wake: (() => void) | undefined;

  constructor(private readonly response: IncomingMessage) {
    response.setEncoding('utf8');
    response.on('data', (chunk) => this.#read(chunk));
    response.on('error', () => {});
    response.on('close', () => {
      this.isOpen = false;
    });
    this.ended = new Promise((resolve) => response.on('close', resolve));
  }

  /** The first event that fits, of those that came and those that will. */
  async until(fits: (event: PageEvent) => boolean): Promise<PageEvent> {
    for (;;) {
      const event = this.received.find(fits);
      if (event) return event;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.response.destroy();
  }

  #read(chunk: string): void {
    const blocks = (this.#rest + chunk).split('\n\n');
    this.#rest = blocks.pop()!;
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data !== undefined) this.received.push(JSON.parse(data) as PageEvent);
    }
    this.#wake?.();
  }
}

export function jsonHeaders({ origin }: RunningServer): Record<string, string> {
  return { origin, 'content-type': 'application/json' };
}

export function redeem(server: RunningServer, code: string): Promise<Reply> {
  return send(server, '/api/session', {
    method: 'POST',
    headers: jsonHeaders(server),
    body: JSON.stringify({ code }),
  });
}
