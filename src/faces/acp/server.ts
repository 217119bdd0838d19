import {
  type EditorFacts,
  readInitialize,
  readListRequest,
  readNewSessionRequest,
  readPromptRequest,
  readSessionRequest,
  writeInitialized,
  writeSession,
  writeSessionList,
  writeTurnEnd,
  writeUpdate,
} from '../../core/acp/agent-messages.js';
import { RpcConnection, type RpcReply } from '../../core/acp/connection.js';
import { ACP_ERRORS, ACP_METHODS } from '../../core/acp/messages.js';
import type { JsonObject, JsonValue } from '../../core/json/values.js';
import type { Taken } from '../../core/taken.js';
import { UserError } from '../../node/errors.js';
import { openStandardStreams } from '../../node/terminal/streams.js';
import { onSignals, writeError } from '../../node/terminal/terminal.js';
import { visible } from '../cli/output.js';
import type { WrappedAgent } from './agent-conversation.js';
import type { EditorChannel } from './channel.js';
import type { EditorSession } from './editor-session.js';
import type { EditorProject } from './projects.js';

// `teddy acp`: teddy as an agent in an editor. The user of the editor is asked there, like in every other face; nothing
// that the editor sends approves anything but the question that it was asked. The rest is loaded with the first session.

interface AcpOptions {
  version: string;
  /** The only project that is served, if one is named. */
  root: string | undefined;
  /** Works in place of the model. */
  agent: WrappedAgent | undefined;
}

/** Serves one editor on standard input and output. False where the connection broke. */
export async function serveAcp(options: AcpOptions): Promise<boolean> {
  const streams = openStandardStreams();
  const server = new AcpServer(options, streams);
  streams.listen((text) => server.receive(text));
  const endSignals = onSignals(() => server.stop());
  await Promise.race([streams.ended, server.stopped]);
  endSignals();
  await server.close();
  await streams.drained();
  return !server.isBroken;
}

interface OpenSession extends EditorProject {
  session: EditorSession;
  name: string;
}

const MOST_SESSIONS = 1000;

class AcpServer {
  isBroken = false;
  readonly stopped: Promise<void>;
  stop!: () => void;
  #editor: EditorFacts | undefined;
  readonly #sessions = new Map<string, OpenSession>();
  readonly #connection: RpcConnection;
  readonly #options: AcpOptions;

  constructor(options: AcpOptions, streams: { write(text: string): void; readonly waiting: number }) {
    this.#options = options;
    this.stopped = new Promise((resolve) => {
      this.stop = resolve;
    });
    this.#connection = new RpcConnection({
      send: (line) => streams.write(line),
      unread: () => streams.waiting,
      onNotification: (method, params) => this.#notice(method, params),
      onRequest: (method, params) => this.#reply(method, params),
      onNoise: () => {},
      onBroken: (reason) => {
        this.isBroken = true;
        writeError(`teddy acp: the editor ${reason}.\n`);
        this.stop();
      },
      most: Number.POSITIVE_INFINITY,
    });
  }

  receive(text: string): void {
    this.#connection.receive(text);
  }

  /** Stops everything; all of it can be continued later. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#sessions.values()].map(({ session }) => session.close()));
    this.#connection.close();
  }

  #notice(method: string, params: JsonValue): void {
    const read = method === ACP_METHODS.cancel ? readSessionRequest(params) : undefined;
    if (read?.status === 'ok') this.#sessions.get(read.value.session)?.session.cancel();
  }

  #reply(method: string, params: JsonValue): Promise<RpcReply> | undefined {
    if (!Object.hasOwn(this.#methods, method)) return undefined;
    if (this.#editor === undefined && method !== ACP_METHODS.initialize)
      return Promise.resolve(refusal(ACP_ERRORS.invalidRequest, 'Send initialize first.'));
    return this.#methods[method]!(params).catch(explain);
  }

  readonly #methods: Readonly<Record<string, (params: JsonValue) => Promise<RpcReply>>> = {
    [ACP_METHODS.initialize]: async (params) =>
      taking(readInitialize(params), async (facts) => {
        this.#editor = facts;
        return { result: writeInitialized(this.#options.version) };
      }),
    [ACP_METHODS.newSession]: async (params) =>
      taking(readNewSessionRequest(params), async ({ cwd }) => {
        const { openProjectIn, nameSession } = await import('./projects.js');
        const opened = openProjectIn(cwd, this.#options.root);
        return this.#announce(await this.#open(opened, nameSession(this.#editor!.name)), writeSession);
      }),
    [ACP_METHODS.loadSession]: async (params) =>
      taking(readSessionRequest(params), async ({ session: name, cwd }) => {
        const { openProjectIn, hasSession } = await import('./projects.js');
        const open = this.#sessions.get(name);
        if (open?.session.isWorking)
          return refusal(ACP_ERRORS.invalidRequest, 'The session is at work: cancel it first.');
        const opened = openProjectIn(cwd ?? '', this.#options.root);
        if (!hasSession(opened, name))
          return refusal(ACP_ERRORS.notFound, `There is no session ${visible(name.slice(0, 60))} here.`);
        const loaded = await this.#open(opened, name);
        const { replaySession } = await import('./replay.js');
        await replaySession(
          opened.workspace,
          name,
          this.#options.agent !== undefined,
          this.#channelOf(name).show,
        );
        return this.#announce(loaded, () => ({}));
      }),
    [ACP_METHODS.listSessions]: async (params) => {
      const { cwd } = readListRequest(params);
      const { openProjectIn, listSessionsOf } = await import('./projects.js');
      if (cwd === null && this.#options.root === undefined) return { result: writeSessionList([]) };
      return { result: writeSessionList(await listSessionsOf(openProjectIn(cwd, this.#options.root))) };
    },
    [ACP_METHODS.closeSession]: async (params) =>
      this.#taking(readSessionRequest(params), async ({ name, session }) => {
        await session.close();
        this.#sessions.delete(name);
        return { result: {} };
      }),
    [ACP_METHODS.prompt]: async (params) => {
      const { nameResource } = await import('./projects.js');
      let text = '';
      const read = readPromptRequest(params, (uri) => nameResource(uri));
      if (read.status === 'ok') text = read.value.text;
      return this.#taking(read, async ({ session }) => {
        if (session.isBusy)
          return refusal(
            ACP_ERRORS.invalidRequest,
            'A prompt of this session is under way: cancel it first.',
          );
        return { result: writeTurnEnd(await session.prompt(text)) };
      });
    },
  };

  /** A request that names an open session. */
  async #taking(
    read: Taken<{ session: string }>,
    work: (open: OpenSession) => Promise<RpcReply>,
  ): Promise<RpcReply> {
    return taking(read, async ({ session }) => {
      const open = this.#sessions.get(session);
      if (open === undefined) return refusal(ACP_ERRORS.notFound, 'There is no such session: load it first.');
      return work(open);
    });
  }

  async #open(opened: EditorProject, name: string): Promise<OpenSession> {
    if (this.#sessions.size >= MOST_SESSIONS) await this.#closeOldest();
    const { EditorSession } = await import('./editor-session.js');
    const session = new EditorSession(opened.workspace, this.#channelOf(name), this.#options.agent);
    const open = { ...opened, session, name };
    this.#sessions.set(name, open);
    return open;
  }

  /** It is on disk, and can be loaded again. */
  async #closeOldest(): Promise<void> {
    const idle = [...this.#sessions.values()].find(({ session }) => !session.isWorking && !session.isBusy);
    if (idle === undefined) throw new UserError('Too many sessions are at work.');
    this.#sessions.delete(idle.name);
  }

  #announce({ name }: OpenSession, write: (name: string) => JsonObject): RpcReply {
    return {
      result: write(name),
      after: () => {
        void import('./editor-commands.js').then(({ EDITOR_COMMANDS }) =>
          this.#channelOf(name).show({ kind: 'commands', commands: EDITOR_COMMANDS }),
        );
      },
    };
  }

  #channelOf(name: string): EditorChannel {
    return {
      session: name,
      hasForms: this.#editor?.hasForms ?? false,
      show: (update) => this.#connection.notify(ACP_METHODS.update, writeUpdate(name, update)),
      request: (method, params, signal) => this.#connection.requestUntil(method, params, signal),
    };
  }
}

async function taking<T>(read: Taken<T>, work: (value: T) => Promise<RpcReply>): Promise<RpcReply> {
  return read.status === 'ok' ? work(read.value) : refusal(ACP_ERRORS.invalidParams, `${read.reason}.`);
}

function refusal(code: number, message: string): RpcReply {
  return { error: { code, message } };
}

function explain(error: unknown): RpcReply {
  const message = visible(error instanceof Error ? error.message : String(error));
  if (error instanceof UserError) return refusal(ACP_ERRORS.invalidParams, message);
  writeError(`teddy acp: unexpected error: ${message}\n`);
  return refusal(ACP_ERRORS.internal, `This is a bug in teddy: ${message}`);
}
