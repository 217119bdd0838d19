import { Hono } from 'hono';
import { AnswerRefused } from '../../inbox/run-answers.js';
import { UserError } from '../../node/errors.js';
import { type LocalServer, openLocalServer } from '../../node/http/local-server.js';
import { Access } from './access.js';
import type { ApiError, SessionStart } from './api.js';
import { EventHub } from './events.js';
import { refuseRequest } from './guard.js';
import { openPageFiles } from './page-files.js';
import { type ApiEnv, ApiProblem, readObject, replyJson, requireText } from './requests.js';
import { addRoutes, type WebProject } from './routes.js';

// The page's server: on this machine's loopback address only. Every request passes the guard, then needs a token unless
// it asks for a file of the page or exchanges a code. Takes answers to open questions, and nothing that acts otherwise.

export interface WebServerOptions {
  project: WebProject;
  version: string;
  port: number;
  /** Stops after this long without a request. */
  idleMs: number;
  /** A sentence that the user should see in the terminal. */
  onNotice(sentence: string): void;
}

export interface WebServer {
  port: number;
  /** A link with a new code, which works once. */
  newLink(lifeMs?: number): string;
  /** Settles once the server was idle for too long. */
  idle: Promise<void>;
  /** Settles once no page follows it any more: at once where none does. */
  left(): Promise<void>;
  close(): Promise<void>;
}

export async function openWebServer(options: WebServerOptions): Promise<WebServer> {
  const access = new Access();
  const idle = new IdleTimer(options.idleMs);
  const files = openPageFiles();
  const hub = new EventHub();
  const app = buildApi(access, hub, options);
  const local: LocalServer = await openLocalServer({
    port: options.port,
    refuse: refuseRequest,
    answer: async (request, keep) => {
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const file = isRead ? files(new URL(request.url).pathname) : undefined;
      if (file !== undefined) return file;
      const onAccess = () => {
        keep();
        idle.restart();
      };
      return app.fetch(request, { onAccess });
    },
  });
  return {
    port: local.port,
    newLink: (lifeMs) => `http://127.0.0.1:${local.port}/#c=${access.issueCode(lifeMs)}`,
    idle: idle.over,
    left: () => hub.left(),
    close: () => {
      idle.stop();
      hub.close();
      return local.close();
    },
  };
}

function buildApi(
  access: Access,
  hub: EventHub,
  { project, version, onNotice }: WebServerOptions,
): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.use(async (c, next) => {
    if (c.req.method === 'POST' && c.req.path === '/api/session') return next();
    const session = access.sessionOf(c.req.header('authorization'));
    if (session === undefined) return refuseAccess(access, 'Open the link that teddy web printed.');
    c.env.onAccess();
    c.set('session', session);
    await next();
  });
  app.post('/api/session', async (c) => {
    const code = requireText(await readObject(c.req.raw, ['code']), 'code');
    const redeemed = access.redeem(code);
    if (redeemed.status === 'token') {
      c.env.onAccess();
      const start: SessionStart = { token: redeemed.token, root: project.workspace.root, version };
      return replyJson(start);
    }
    if (redeemed.again) {
      hub.endRevoked();
      onNotice(USED_TWICE);
    }
    return refuseAccess(access, 'This link was used before, or is not one of ours.');
  });
  addRoutes(app, { project, hub, hasAccess: (session) => access.has(session) });
  app.notFound(() => replyJson({ error: 'There is nothing at this address.' } satisfies ApiError, 404));
  app.onError((error) => {
    if (error instanceof AnswerRefused) return replyJson({ error: error.message }, 400);
    if (error instanceof ApiProblem) return replyJson({ error: error.message }, error.status);
    if (error instanceof UserError) return replyJson({ error: error.message }, 409);
    return replyJson({ error: `This is a bug in teddy: ${error.message}` }, 500);
  });
  return app;
}

const USED_TWICE =
  'A link was used twice: both pages that opened it are locked now. Press Enter for a new link.';

async function refuseAccess(access: Access, error: string): Promise<Response> {
  const isInTurn = await access.slowDown();
  return isInTurn ? replyJson({ error }, 401) : replyJson({ error: 'Too many wrong tokens.' }, 429);
}

/** Runs out after the last request. */
class IdleTimer {
  readonly over: Promise<void>;
  readonly #ms: number;
  #end!: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.restart();
  }

  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#end, this.#ms);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
