import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { PageEvent } from '../../src/faces/web/api.js';

const PAGE = join(import.meta.dirname ?? '', '../../dist/page');
const NONCE = 'fixture-nonce';
const TOKEN = 'fixture-token';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  `style-src 'nonce-${NONCE}'`,
  "require-trusted-types-for 'script'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Posted {
  method: string;
  path: string;
  body: unknown;
}

/** What a request gets: a value, as JSON; or a status with a sentence. */
type Reply = { status: number; error: string } | { value: unknown };

/** The page's files with the real headers, and canned answers in place of a project: for large and bad states. */
export class FixtureServer {
  /** By path: the answers to GET. */
  readonly answers = new Map<string, unknown>();
  /** Every other request, in order. */
  readonly posted: Posted[] = [];
  /** What saving a draft gets; undefined: it is saved. */
  draftRefusal: { status: number; error: string } | undefined;
  /** Saved drafts are sent after it. */
  draftsReadable: Promise<void> = Promise.resolve();
  /** The codes of links that were redeemed. */
  readonly codes: string[] = [];
  /** Decides on what is posted; without it, everything is accepted. */
  onPost: (posted: Posted) => Reply = () => ({ value: { status: 'accepted' } });
  readonly #streams = new Set<ServerResponse>();
  #server: Server | undefined;
  #port = 0;
  #lastEvent = 0;

  readonly #folder: string;

  /** `folder` holds the page's files. */
  constructor(answers: Record<string, unknown>, folder = PAGE) {
    this.#folder = folder;
    for (const [path, value] of Object.entries(answers)) this.answers.set(path, value);
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get url(): string {
    return `${this.origin}/#c=once`;
  }

  /** Again on the same port, after `stop`. */
  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#handle(request, response));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const server = this.#server!;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    this.#streams.clear();
    await closed;
  }

  forgetDrafts(): void {
    for (const path of this.answers.keys()) if (path.endsWith('/draft')) this.answers.delete(path);
  }

  emit(event: PageEvent): void {
    const text = `id: ${++this.#lastEvent}\ndata: ${JSON.stringify(event)}\n\n`;
    for (const stream of this.#streams) stream.write(text);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURI(request.url!.replace(/\?.*$/, ''));
    response.setHeader('content-security-policy', POLICY);
    response.setHeader('cache-control', 'no-store');
    if (!path.startsWith('/api/')) return this.#serveFile(path, response);
    if (path === '/api/session') {
      this.codes.push((JSON.parse(await readBody(request)) as { code: string }).code);
      return reply(response, { value: { token: TOKEN } });
    }
    if (request.headers.authorization !== `Bearer ${TOKEN}`)
      return reply(response, { status: 401, error: 'This page has no token.' });
    if (path === '/api/events') return this.#openStream(response);
    if (request.method === 'GET') {
      if (path.endsWith('/draft')) await this.draftsReadable;
      const found = this.answers.has(path);
      if (!found && path.endsWith('/draft')) return reply(response, { value: { text: null } });
      return reply(
        response,
        found ? { value: this.answers.get(path) } : { status: 404, error: 'There is no such thing.' },
      );
    }
    const posted = { method: request.method!, path, body: JSON.parse(await readBody(request)) };
    this.posted.push(posted);
    if (path.endsWith('/draft') && this.draftRefusal) return reply(response, this.draftRefusal);
    if (path.endsWith('/draft')) this.answers.set(path, posted.body);
    reply(response, path.endsWith('/draft') ? { value: {} } : this.onPost(posted));
  }

  #serveFile(path: string, response: ServerResponse): void {
    const name = path === '/' ? 'index.html' : path.slice(1);
    if (!readdirSync(this.#folder).includes(name)) {
      response.writeHead(404).end();
      return;
    }
    const bytes = readFileSync(join(this.#folder, name));
    response.setHeader('content-type', TYPES[extname(name)]!);
    response.end(name === 'index.html' ? bytes.toString('utf8').replaceAll('__NONCE__', NONCE) : bytes);
  }

  #openStream(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': open\n\n');
    this.#streams.add(response);
    response.on('close', () => this.#streams.delete(response));
  }
}

function reply(response: ServerResponse, answer: Reply): void {
  response.setHeader('content-type', 'application/json');
  if ('error' in answer) response.statusCode = answer.status;
  response.end(JSON.stringify('error' in answer ? { error: answer.error } : answer.value));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
