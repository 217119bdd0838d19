import { type ChildProcess, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import type { Site } from '../sessions/site.js';
import { TEDDY } from '../teddy.js';

// biome-ignore lint/suspicious/noExplicitAny: whatever an agent sends
export type Message = any;

/** An editor that sends whatever bytes it likes, and reads all that comes. */
export class RawEditor {
  readonly messages: Message[] = [];
  readonly child: ChildProcess;
  stderr = '';
  /** Answers what the agent asks for; without it, nothing is answered. */
  onRequest: ((message: Message) => void) | undefined;
  private rest = '';
  private lastId = 1000;
  private readonly waiting = new Set<() => void>();
  private readonly exited: Promise<number | null>;

  /** `node`: options of Node itself. */
  constructor(
    readonly site: Site,
    words: readonly string[] = [],
    node: readonly string[] = [],
  ) {
    this.child = spawn(process.execPath, [...node, TEDDY, 'acp', ...words], {
      cwd: site.base,
      env: site.env,
    });
    onTestFinished(() => {
      this.child.kill('SIGKILL');
    });
    this.exited = new Promise((resolve) => this.child.on('exit', (code) => resolve(code)));
    void this.exited.then(() => this.wake());
    this.child.stdin!.on('error', () => {});
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => this.read(text));
  }

  send(message: unknown): void {
    this.write(`${JSON.stringify(message)}\n`);
  }

  write(bytes: string | Uint8Array): void {
    this.child.stdin!.write(bytes);
  }

  /** Sends a request, and resolves with its whole answer. */
  async call(method: string, params: unknown): Promise<Message> {
    const id = ++this.lastId;
    this.send({ jsonrpc: '2.0', id, method, params });
    return this.find((message) => message.id === id && message.method === undefined);
  }

  /** The first message of all that fits; waits for it. */
  async find(fits: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(fits);
      if (found !== undefined) return found;
      if (this.child.exitCode !== null) throw new Error(`It ended: ${this.stderr}`);
      await new Promise<void>((resolve) => {
        this.waiting.add(resolve);
      });
    }
  }

  async open(): Promise<string> {
    await this.call('initialize', { protocolVersion: 1, clientInfo: { name: 'raw', version: '1' } });
    const { result } = await this.call('session/new', { cwd: this.site.root, mcpServers: [] });
    return result.sessionId;
  }

  prompt(sessionId: string, text: string): Promise<Message> {
    return this.call('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  }

  /** Closes its input, and waits for the end. */
  async end(): Promise<number | null> {
    this.child.stdin!.end();
    return this.exited;
  }

  /** Kills the agent. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  private wake(): void {
    const all = [...this.waiting];
    this.waiting.clear();
    for (const wake of all) wake();
  }

  private read(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop()!;
    for (const line of lines) {
      // Nothing but messages is on its output.
      const message = JSON.parse(line);
      this.messages.push(message);
      if (message.method !== undefined && message.id !== undefined) this.onRequest?.(message);
    }
    this.wake();
  }
}
