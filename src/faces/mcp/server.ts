import {
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { shorten, visibleLine } from '../../core/text.js';
import { UserError } from '../../node/errors.js';
import { MB } from '../../node/files.js';
import { inputEnded, writeError } from '../../node/terminal/terminal.js';
import type { Workspace } from '../../workspace/workspace.js';
import { TOOLS, type ToolDefinition } from './tools.js';
import type { CallContext } from './types.js';

// `teddy mcp`: agents propose through these tools, and none of them decides anything. Only names and schemas are loaded
// until the first call. The root is fixed for as long as the server lives.

interface McpOptions {
  workspace: Workspace;
  version: string;
}

/** More than any document that teddy takes. */
const LARGEST_MESSAGE = 32 * MB;

/** Serves one client on standard input and output, in either era of the protocol, until its input ends. */
export async function serveMcp(options: McpOptions): Promise<void> {
  const transport = new StdioServerTransport(undefined, undefined, { maxBufferSize: LARGEST_MESSAGE });
  const handle = serveStdio(() => buildServer(options), {
    transport,
    onerror: reportError,
  });
  await inputEnded();
  await handle.close();
}

const LONGEST_ERROR = 300;

/** On one line: clients show it in a log, and it may quote what an agent sent. */
function reportError({ message }: Error): void {
  writeError(`teddy mcp: ${visibleLine(shorten(message.replace(/\s+/g, ' '), LONGEST_ERROR))}\n`);
}

const INSTRUCTIONS =
  'teddy runs only what the user has approved. Propose changes with submit_plan; read get_guide workflow first.';

function buildServer(options: McpOptions): McpServer {
  const { version } = options;
  const server = new McpServer({ name: 'teddy', version }, { instructions: INSTRUCTIONS });
  for (const tool of TOOLS) addTool(server, tool, options);
  addResources(server, options);
  return server;
}

function addTool(server: McpServer, tool: ToolDefinition, { workspace }: McpOptions): void {
  const { name, description, input, output, readOnly } = tool;
  server.registerTool(
    name,
    {
      description,
      inputSchema: schemaOf(input, checkArguments(tool)),
      outputSchema: schemaOf(output, () => []),
      annotations: readOnly ? { readOnlyHint: true } : { destructiveHint: false, openWorldHint: false },
    },
    async (given, context) => {
      try {
        const { CALLS } = await import('./calls.js');
        const {
          structured,
          text,
          isError = false,
        } = await CALLS[name](given as never, {
          workspace,
          client: clientOf(server, context),
          signal: context.mcpReq.signal,
          report: (message) => sendProgress(context, message),
        } satisfies CallContext);
        return { content: [{ type: 'text', text }], structuredContent: structured, isError };
      } catch (error) {
        return refuseCall(error);
      }
    },
  );
}

/** A tool's own refusal is for the model to read; only bugs are reported in the terminal, too. */
function refuseCall(error: unknown): ToolError {
  const isExpected = error instanceof UserError;
  const message = error instanceof Error ? error.message : String(error);
  if (!isExpected) reportError(new Error(`unexpected error: ${message}`));
  const text = isExpected ? message : `This is a bug in teddy: ${message}`;
  return { content: [{ type: 'text', text }], isError: true };
}

interface ToolError extends Record<string, unknown> {
  content: { type: 'text'; text: string }[];
  isError: true;
}

function checkArguments({ input }: ToolDefinition): (value: unknown) => Promise<string[]> {
  return async (value) => {
    const { findArgumentFaults } = await import('./arguments.js');
    return findArgumentFaults(input, value);
  };
}

/** Our own schema, in the form that the SDK takes. */
function schemaOf(
  schema: Readonly<Record<string, unknown>>,
  findFaults: (value: unknown) => string[] | Promise<string[]>,
) {
  return {
    '~standard': {
      version: 1 as const,
      vendor: 'teddy',
      async validate(value: unknown) {
        const faults = await findFaults(value);
        if (faults.length > 0) return { issues: faults.map((message) => ({ message })) };
        return { value: value as Record<string, unknown> };
      },
      jsonSchema: { input: () => ({ ...schema }), output: () => ({ ...schema }) },
    },
  };
}

const LONGEST_NAME = 60;

/** The client's own name for itself, on one line. */
function clientOf(server: McpServer, { mcpReq }: ServerContext): string {
  const envelope = mcpReq.envelope as Readonly<Record<string, { name?: unknown } | undefined>> | undefined;
  const info = envelope?.['io.modelcontextprotocol/clientInfo'] ?? server.server.getClientVersion();
  const name = typeof info?.name === 'string' ? info.name.replace(/[\p{C}\s]+/gu, ' ').trim() : '';
  return name === '' ? 'an agent' : name.slice(0, LONGEST_NAME);
}

let progress = 0;

async function sendProgress({ mcpReq }: ServerContext, message: string): Promise<void> {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined) return;
  progress += 1;
  const params = { progressToken: token, progress, message };
  await mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
}

/** What the tools also give, for clients that show resources to their user. */
function addResources(server: McpServer, { workspace }: McpOptions): void {
  const read = async (uri: URL) => {
    const { readResource } = await import('./resources.js');
    const found = await readResource(workspace, uri.href);
    if (found === undefined) throw new ResourceNotFoundError(uri.href);
    return { contents: [{ uri: uri.href, ...found }] };
  };
  const list = async () => (await import('./resources.js')).listResources(workspace);
  server.registerResource(
    'state',
    'teddy://state',
    { mimeType: 'application/json', description: 'Tasks that can start, and open questions' },
    read,
  );
  server.registerResource(
    'guide',
    new ResourceTemplate('teddy://guide/{topic}', {
      list: async () => ({ resources: (await list()).guides }),
    }),
    { mimeType: 'text/markdown', description: 'How to write for teddy' },
    read,
  );
  server.registerResource(
    'report',
    new ResourceTemplate('teddy://report/{run}', {
      list: async () => ({ resources: (await list()).reports }),
    }),
    { mimeType: 'text/markdown', description: 'The report of a run' },
    read,
  );
}
