import { Client, type ClientCapabilities } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { homeOf, PROGRAM_ENV } from '../../folder.js';
import { TEDDY } from '../teddy.js';

/** The two handshakes of the protocol: `initialize`, and a claim in every request. */
export const ERAS = ['legacy', { pin: '2026-07-28' }] as const;

type Era = (typeof ERAS)[number];

export interface ToolAnswer {
  isError: boolean;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each tool has a shape of its own
  structured: any;
}

interface OpenOptions {
  era?: Era;
  name?: string;
  capabilities?: ClientCapabilities;
  home?: string;
}

/** The SDK's own client, with a `teddy mcp` of its own. */
export class McpClient {
  private constructor(
    readonly client: Client,
    readonly pid: number,
  ) {}

  /** `home`: the folder whose home folder is the user's. */
  static async open(cwd: string, options: OpenOptions = {}) {
    const { era = 'legacy', name = 'tester', capabilities = {}, home = cwd } = options;
    const client = new Client(
      { name, version: '1.0.0' },
      { versionNegotiation: { mode: era }, capabilities },
    );
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [TEDDY, 'mcp'],
      cwd,
      env: { ...(PROGRAM_ENV as Record<string, string>), HOME: homeOf(home) },
      stderr: 'ignore',
    });
    onTestFinished(() => client.close());
    await client.connect(transport);
    return new McpClient(client, transport.pid!);
  }

  async call(name: string, given: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const { content, structuredContent, isError } = await this.client.callTool(
      { name, arguments: given },
      { timeout: 300_000 },
    );
    const text = (content as { text: string }[]).map((part) => part.text).join('\n');
    return { isError: isError === true, text, structured: structuredContent };
  }

  /** As a machine that stops would. */
  kill(): void {
    process.kill(this.pid, 'SIGKILL');
  }
}
