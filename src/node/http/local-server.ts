import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { errorCode, UserError } from '../errors.js';
import { isOtherUser } from './peer-user.js';

const ADDRESS = '127.0.0.1';
/** Beyond this many connections, the oldest one without access is closed. */
const MOST_CONNECTIONS = 200;
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;

/** The head of a request. */
export interface RequestHead {
  method: string;
  /** As it was sent. */
  target: string;
  /** Every value that was sent under this lower-case name. */
  header(name: string): string[];
}

export interface PlainResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

interface LocalServerOptions {
  /** 0: any free port. */
  port: number;
  /** Checks every request first, upgrades included. */
  refuse(head: RequestHead, port: number): PlainResponse | undefined;
  answer(request: Request, connection: Connection): Promise<Response>;
}

/** Who sent a request. */
interface Connection {
  /** The client has access: its connection is not closed in favour of newer ones. */
  keep(): void;
  /** Whether another user of this machine opened it, as far as the system says. */
  isOtherUser(): boolean;
}

export interface LocalServer {
  port: number;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** A web server that only this machine reaches. Throws `UserError` where the port is taken. */
export async function openLocalServer({ port, refuse, answer }: LocalServerOptions): Promise<LocalServer> {
  const { createServer } = process.getBuiltinModule('node:http');
  const connections = new Connections();
  let ownPort = port;
  const listener = getRequestListener(
    (request, { incoming }) => {
      const { socket } = incoming as IncomingMessage;
      return answer(request, {
        keep: () => connections.keep(socket),
        isOtherUser: () => isOtherUser(socket),
      });
    },
    { overrideGlobalObjects: false, errorHandler: () => new Response(null, { status: 400 }) },
  );
  const lastAnswers = new WeakMap<Duplex, ServerResponse>();
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    lastAnswers.set(incoming.socket, outgoing);
    const refusal = refuse(headOf(incoming), ownPort);
    if (refusal === undefined) return listener(incoming, outgoing);
    outgoing.shouldKeepAlive = false;
    outgoing.writeHead(refusal.status, refusal.headers);
    outgoing.end(incoming.method === 'HEAD' ? undefined : refusal.body);
    // The rest of a body that nothing will read.
    outgoing.on('finish', () => incoming.socket.destroySoon());
  };
  const server = createServer(
    {
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: 16 * 1024,
    },
    onRequest,
  );
  server.on('connection', (socket) => connections.add(socket));
  // Node itself would answer these before our checks.
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', onRequest);
  // Without a listener, an upgrade would bypass our checks.
  server.on('upgrade', (_request, socket) => socket.destroy());
  server.on('connect', (_request, socket) => socket.destroy());
  server.on('clientError', (_error, socket) => {
    const last = lastAnswers.get(socket);
    // In or after a connection's last answer, it would be read as part of it.
    const takesAnswer = last === undefined || (last.writableFinished && last.shouldKeepAlive);
    if (socket.writable && takesAnswer) socket.end(BAD_REQUEST, () => socket.destroy());
    else socket.destroy();
  });
  ownPort = await new Promise<number>((resolve, reject) => {
    server.once('error', (cause) => {
      const why = errorCode(cause) === 'EADDRINUSE' ? 'is in use' : `cannot be used (${errorCode(cause)})`;
      reject(new UserError(`Port ${port} ${why}. Choose another with --port.`, { cause }));
    });
    server.listen(port, ADDRESS, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
  return {
    port: ownPort,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const BAD_REQUEST = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

function headOf({ method = '', url = '', rawHeaders }: IncomingMessage): RequestHead {
  return {
    method,
    target: url,
    header(name) {
      return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === name);
    },
  };
}

/** The open connections, oldest first. Many strangers cannot block the page. */
class Connections {
  readonly #strangers = new Set<Socket>();
  readonly #kept = new Set<Socket>();

  add(socket: Socket): void {
    this.#strangers.add(socket);
    socket.on('close', () => {
      this.#strangers.delete(socket);
      this.#kept.delete(socket);
    });
    const [oldest] = this.#strangers;
    if (this.#strangers.size + this.#kept.size > MOST_CONNECTIONS) oldest?.destroy();
  }

  keep(socket: Socket): void {
    if (this.#strangers.delete(socket)) this.#kept.add(socket);
  }
}
