import type { Act, Conversation, OfferedTool } from './scripted-model.js';
import { TOKENS } from './scripted-model.js';

/** A client that the project's script installed, or could not. */
export interface InstalledClient {
  client: ClientName;
  version: string;
  /** Of its program; null if it is not available. */
  folder: string | null;
  /** Of the program by which it speaks the Agent Client Protocol. */
  acp: string | null;
}

export type ClientName = 'claude' | 'codex' | 'gemini' | 'opencode';

/** How a client is pointed at the scripted model, and what its model sees. */
export interface RealClient {
  environment(url: string): Record<string, string>;
  /** In the home folder. */
  files(url: string): Record<string, string>;
  /** The tool that runs a shell command, with its input. */
  run(tools: readonly OfferedTool[], command: string): Use;
  /** `touch refused.txt` is refused, by these files in the home folder. */
  refusal: Record<string, string>;
  /** Versions without such files. */
  refusesNothing?: readonly string[];
  /** Titles and the like are requests without tools, which some clients leave out of what they count. */
  countsAsides: boolean;
  /** What one answer of that model costs, by the client's own prices; null if it does not tell. */
  priceOf(model: string): number | null;
  /** Versions that try again after HTTP 429 and 500 for as long as they may. */
  triesOn?: readonly string[];
  /** Runs a prompt without a terminal, with what the project's settings connect. */
  ask: readonly string[];
  /** By version: words that approve a project's server, where `ask` leaves it out until the user has approved it in a dialog. */
  approval?: Readonly<Record<string, readonly string[]>>;
  /** Versions that take no servers from a project's settings. */
  ignoresProject?: readonly string[];
  /** What trusts that project, where a file does. */
  trust?(root: string): Record<string, string>;
}

type Use = NonNullable<Extract<Act, { use?: unknown }>['use']>;

const CLAUDE: RealClient = {
  environment: (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: 'a-token',
    ANTHROPIC_MODEL: 'claude-sonnet-4-20250514',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  files: () => ({}),
  run: (tools, command) => ({ tool: toolNamed(tools, 'Bash'), input: { command, description: 'Run it' } }),
  refusal: {
    '.claude/settings.json': JSON.stringify({ permissions: { deny: ['Bash(touch refused.txt)'] } }),
  },
  countsAsides: true,
  // Older versions also ask the smaller model, for titles and the like.
  priceOf: (model) =>
    priceOf(/haiku-3|3-5-haiku/.test(model) ? [0.8, 4] : /haiku/.test(model) ? [1, 5] : [3, 15]),
  ask: ['claude', '-p', '--permission-mode', 'bypassPermissions'],
  approval: { '1.0.128': ['--settings', JSON.stringify({ enabledMcpjsonServers: ['teddy'] })] },
};

const CODEX: RealClient = {
  environment: () => ({ OPENAI_API_KEY: 'a-key' }),
  files: (url) => ({
    '.codex/config.toml': `model = "gpt-5.1-codex"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 1
stream_max_retries = 1
`,
  }),
  run(tools, command) {
    const tool = toolNamed(tools, 'exec_command', 'shell_command', 'shell');
    if (tool.name === 'exec_command') return { tool, input: { cmd: command, yield_time_ms: 30_000 } };
    const words = tool.name === 'shell' ? ['bash', '-lc', command] : command;
    // 0.60.1 ends what runs longer than 10 s, unless told otherwise.
    return { tool, input: { command: words, timeout_ms: 600_000 } };
  },
  refusal: {
    '.codex/rules/default.rules': 'prefix_rule(pattern = ["touch", "refused.txt"], decision = "forbidden")\n',
  },
  refusesNothing: ['0.60.1'],
  ignoresProject: ['0.60.1'],
  countsAsides: true,
  priceOf: () => null,
  ask: ['codex', 'exec', '--dangerously-bypass-approvals-and-sandbox'],
  trust: (root) => ({
    '.codex/config.toml': `\n[projects.${JSON.stringify(root)}]\ntrust_level = "trusted"\n`,
  }),
};

const GEMINI: RealClient = {
  environment: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'a-key' }),
  files: () => ({
    '.gemini/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { maxAttempts: 1, disableAutoUpdate: true, enableAutoUpdate: false },
    }),
  }),
  run: (tools, command) => ({ tool: toolNamed(tools, 'run_shell_command'), input: { command } }),
  refusal: {
    '.gemini/policies/refused.toml':
      '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "touch refused.txt"\ndecision = "deny"\npriority = 999\n',
  },
  refusesNothing: ['0.20.2'],
  countsAsides: true,
  priceOf: () => null,
  ask: ['gemini', '--approval-mode', 'yolo', '-p'],
  trust: (root) => ({ '.gemini/trustedFolders.json': JSON.stringify({ [root]: 'TRUST_FOLDER' }) }),
};

const OPENCODE: RealClient = {
  environment: (url) => ({
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      model: 'scripted/test',
      provider: {
        scripted: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${url}/v1`, apiKey: 'a-key' },
          models: {
            test: {
              name: 'test',
              cost: { input: 1, output: 2 },
              limit: { context: 100_000, output: 10_000 },
            },
          },
        },
      },
      permission: { bash: { '*': 'allow', 'touch refused*': 'deny' } },
    }),
  }),
  files: () => ({}),
  run: (tools, command) => ({ tool: toolNamed(tools, 'bash'), input: { command, description: 'Run it' } }),
  refusal: {},
  countsAsides: false,
  priceOf: () => priceOf([1, 2]),
  triesOn: ['1.14.41'],
  ask: ['opencode', 'run'],
};

export const REAL_CLIENTS: Readonly<Record<ClientName, RealClient>> = {
  claude: CLAUDE,
  codex: CODEX,
  gemini: GEMINI,
  opencode: OPENCODE,
};

function toolNamed(tools: readonly OfferedTool[], ...names: string[]): OfferedTool {
  const found = names.map((name) => tools.find((tool) => tool.name === name)).find(Boolean);
  if (found === undefined)
    throw new Error(`No ${names.join(' or ')} among the tools: ${tools.map(({ name }) => name).join(', ')}`);
  return found;
}

/** Dollars for a million tokens of input and output. */
function priceOf([input, output]: [number, number]): number {
  return (TOKENS.input * input + TOKENS.output * output) / 1e6;
}

/** What the answers of the model add up to. */
export function usageOf(all: readonly Conversation[], { priceOf, countsAsides }: RealClient) {
  const answered = all.filter(({ tools }) => countsAsides || tools.length > 0);
  const prices = answered.map(({ model }) => priceOf(model));
  return {
    inputTokens: answered.length * TOKENS.input,
    outputTokens: answered.length * TOKENS.output,
    costUsd: prices.includes(null)
      ? null
      : Number(prices.reduce<number>((sum, price) => sum + price!, 0).toFixed(9)),
  };
}
