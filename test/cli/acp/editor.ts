import { type ChildProcess, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import { onTestFinished } from 'vitest';
import { TEDDY } from '../teddy.js';

export type Permission = acp.RequestPermissionRequest;

/** The project, and the folder and variables of whoever works there. */
interface EditedProject {
  base: string;
  root: string;
  env: Record<string, string>;
}

/** What the user of the editor does with a question. */
export interface EditorUser {
  /** The name of an option; null cancels. */
  permit(asked: Permission): Promise<string | null> | string | null;
  /** What is typed into a form; undefined: the editor has no forms. */
  fill?(message: string): string | null;
}

/** The SDK's own client, with a `teddy acp` of its own. */
export class Editor {
  readonly updates: acp.SessionUpdate[] = [];
  readonly asked: Permission[] = [];
  readonly forms: string[] = [];
  session = '';

  private constructor(
    readonly child: ChildProcess,
    private readonly connection: acp.ClientConnection,
    readonly site: EditedProject,
  ) {}

  static async open(site: EditedProject, user: EditorUser, words: readonly string[] = []): Promise<Editor> {
    const child = spawn(process.execPath, [TEDDY, 'acp', ...words], {
      cwd: site.base,
      env: site.env,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    let editor: Editor;
    const app = acp
      .client({ name: 'tester' })
      .onNotification('session/update', ({ params }) => {
        editor.updates.push(params.update);
      })
      .onRequest('session/request_permission', async ({ params }) => {
        editor.asked.push(params);
        const name = await user.permit(params);
        const option = params.options.find((each) => each.name === name);
        return {
          outcome: option
            ? { outcome: 'selected' as const, optionId: option.optionId }
            : { outcome: 'cancelled' as const },
        };
      })
      .onRequest('elicitation/create', async ({ params }) => {
        editor.forms.push(params.message);
        const text = user.fill?.(params.message) ?? null;
        return text === null ? { action: 'decline' } : { action: 'accept', content: { text } };
      });
    const stream = acp.ndJsonStream(
      Writable.toWeb(child.stdin!) as WritableStream<Uint8Array>,
      Readable.toWeb(child.stdout!) as ReadableStream<Uint8Array>,
    );
    const connection = app.connect(stream);
    editor = new Editor(child, connection, site);
    await connection.agent.request('initialize', {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientInfo: { name: 'tester', version: '1.0.0' },
      clientCapabilities: user.fill ? { elicitation: { form: {} } } : {},
    });
    return editor;
  }

  get agent() {
    return this.connection.agent;
  }

  async start(): Promise<string> {
    const { sessionId } = await this.agent.request('session/new', { cwd: this.site.root, mcpServers: [] });
    this.session = sessionId;
    return sessionId;
  }

  async load(session: string): Promise<void> {
    this.session = session;
    await this.agent.request('session/load', { cwd: this.site.root, mcpServers: [], sessionId: session });
  }

  async prompt(text: string): Promise<acp.StopReason> {
    const request: acp.PromptRequest = { sessionId: this.session, prompt: [{ type: 'text', text }] };
    const { stopReason } = await this.agent.request<acp.PromptResponse>('session/prompt', request);
    return stopReason;
  }

  async cancel(): Promise<void> {
    await this.agent.notify('session/cancel', { sessionId: this.session });
  }

  /** What the agent has said since the `from`th update. */
  said(from = 0, kind: acp.SessionUpdate['sessionUpdate'] = 'agent_message_chunk'): string {
    return this.updates
      .slice(from)
      .map((update) =>
        update.sessionUpdate === kind && 'content' in update && update.content && 'text' in update.content
          ? update.content.text
          : '',
      )
      .join('');
  }

  /** The tool calls as they are now, by id. */
  calls(): Map<string, Record<string, unknown>> {
    const calls = new Map<string, Record<string, unknown>>();
    for (const update of this.updates)
      if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update')
        calls.set(update.toolCallId, { ...calls.get(update.toolCallId), ...update });
    return calls;
  }

  /** Closes its input, and waits for the end. */
  async end(): Promise<number | null> {
    this.child.stdin!.end();
    return this.exited();
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited();
  }

  private exited(): Promise<number | null> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
    return new Promise((resolve) => child.on('exit', (code) => resolve(code)));
  }
}
