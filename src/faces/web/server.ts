import { type LocalServer, openLocalServer } from '../../node/http/local-server.js';
import { Access } from './access.js';
import type { Api, ApiOptions } from './api-app.js';
import { EventHub } from './events.js';
import { refuseRequest } from './guard.js';
import { openPageFiles } from './page-files.js';

// The page's server: on this machine's loopback address only. Every request passes the guard, then needs a token unless
// it asks for a file of the page or exchanges a code. Takes answers to open questions, and nothing that acts otherwise.

export interface WebServerOptions extends ApiOptions {
  port: number;
  /** Stops after this long without a request. */
  idleMs: number;
}

export interface WebServer {
  port: number;
  /** A link with a new code, which works once. */
  newLink(lifeMs?: number): string;
  /** Settles once the server was idle for too long. */
  idle: Promise<void>;
  /** Whether a page follows it. */
  hasPage(): boolean;
  /** Settles once no page follows it any more: at once where none does. */
  left(): Promise<void>;
  close(): Promise<void>;
}

export async function openWebServer(options: WebServerOptions): Promise<WebServer> {
  const access = new Access();
  const idle = new IdleTimer(options.idleMs);
  const files = openPageFiles();
  // It brings all modules of the project, and the page itself needs none of them.
  let api: Promise<Api> | undefined;
  const hub = new EventHub();
  const local: LocalServer = await openLocalServer({
    port: options.port,
    refuse: refuseRequest,
    answer: async (request, { keep, isOtherUser }) => {
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const file = isRead ? files(new URL(request.url).pathname) : undefined;
      if (file !== undefined) return file;
      const onAccess = () => {
        keep();
        idle.restart();
      };
      api ??= import('./api-app.js').then(({ buildApi }) => buildApi(access, hub, options));
      return (await api).app.fetch(request, { onAccess, isOtherUser });
    },
  });
  return {
    port: local.port,
    newLink: (lifeMs) => `http://127.0.0.1:${local.port}/#c=${access.issueCode(lifeMs)}`,
    idle: idle.over,
    hasPage: () => hub.isOpen,
    left: () => hub.left(),
    close: async () => {
      idle.stop();
      await (await api)?.close();
      hub.close();
      await local.close();
    },
  };
}

/** Runs out after the last request. */
export class IdleTimer {
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
