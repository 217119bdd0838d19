import { basename } from 'node:path';

/** What an agent keeps in the home folder, and the variables that hold its keys. */
export interface AgentState {
  /** Files and folders from the home folder that it may write. */
  state: readonly string[];
  /** Within these: settings that name commands. A later, unconfined start of the agent would run them. */
  settings: readonly string[];
  /** Names of variables, `*` at the end for a prefix. */
  variables: readonly string[];
}

const ANTHROPIC = ['ANTHROPIC_*', 'CLAUDE_*'];
const OPENAI = ['OPENAI_*'];
const GOOGLE = ['GEMINI_*', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_*'];
const OPEN_MODELS = [
  'OPENROUTER_*',
  'OLLAMA_*',
  'MISTRAL_API_KEY',
  'GROQ_API_KEY',
  'DEEPSEEK_API_KEY',
  'XAI_API_KEY',
];
const ANY_MODEL = [...ANTHROPIC, ...OPENAI, ...GOOGLE, ...OPEN_MODELS];

export const AGENTS: Readonly<Record<string, AgentState>> = {
  claude: {
    state: ['.claude', '.claude.json', '.config/claude', '.cache/claude', '.local/state/claude'],
    settings: [
      ...['.claude/settings.json', '.claude/settings.local.json', '.claude/CLAUDE.md', '.claude/hooks'],
      ...['.claude/commands', '.claude/agents', '.claude/skills', '.claude/plugins', '.claude/output-styles'],
    ],
    variables: [
      ...ANTHROPIC,
      'IS_SANDBOX',
      'DISABLE_TELEMETRY',
      'DISABLE_AUTOUPDATER',
      'MAX_THINKING_TOKENS',
    ],
  },
  codex: {
    state: ['.codex'],
    settings: ['.codex/config.toml', '.codex/AGENTS.md', '.codex/prompts', '.codex/rules', '.codex/skills'],
    variables: ['CODEX_*', ...OPENAI],
  },
  gemini: {
    state: ['.gemini'],
    settings: ['.gemini/settings.json', '.gemini/GEMINI.md', '.gemini/commands', '.gemini/extensions'],
    variables: GOOGLE,
  },
  opencode: {
    state: ['.local/share/opencode', '.local/state/opencode', '.cache/opencode', '.config/opencode'],
    settings: [
      ...[
        '.config/opencode/opencode.json',
        '.config/opencode/opencode.jsonc',
        '.config/opencode/config.json',
      ],
      ...['plugin', 'plugins', 'command', 'commands', 'agent', 'agents', 'AGENTS.md'].map(
        (name) => `.config/opencode/${name}`,
      ),
    ],
    variables: ['OPENCODE_*', ...ANY_MODEL],
  },
  aider: { state: ['.aider'], settings: [], variables: ['AIDER_*', ...ANY_MODEL] },
  'cursor-agent': {
    state: ['.cursor', '.config/cursor'],
    settings: [
      '.cursor/mcp.json',
      '.cursor/hooks.json',
      '.cursor/cli-config.json',
      '.cursor/rules',
      '.cursor/commands',
    ],
    variables: ['CURSOR_*'],
  },
  goose: {
    state: ['.config/goose', '.local/share/goose', '.local/state/goose'],
    settings: ['.config/goose/config.yaml', '.config/goose/recipes'],
    variables: ['GOOSE_*', ...ANY_MODEL],
  },
  amp: {
    state: ['.config/amp', '.local/share/amp', '.cache/amp'],
    settings: ['.config/amp/settings.json', '.config/amp/AGENTS.md'],
    variables: ['AMP_*'],
  },
  qwen: {
    state: ['.qwen'],
    settings: ['.qwen/settings.json', '.qwen/QWEN.md', '.qwen/commands', '.qwen/extensions'],
    variables: ['QWEN_*', 'DASHSCOPE_*', ...OPENAI],
  },
  copilot: {
    state: ['.copilot'],
    settings: ['.copilot/mcp-config.json', '.copilot/config.json'],
    variables: ['COPILOT_*'],
  },
  crush: {
    state: ['.local/share/crush', '.config/crush'],
    settings: ['.config/crush/crush.json'],
    variables: ['CRUSH_*', ...ANY_MODEL],
  },
};

/** Of an agent that is not in the table nothing is known: it has no state, and gets no keys. */
const UNKNOWN: AgentState = { state: [], settings: [], variables: [] };

export function stateOf(agent: string | undefined): AgentState {
  return agent !== undefined && Object.hasOwn(AGENTS, agent) ? AGENTS[agent]! : UNKNOWN;
}

/** What terminals, locales and tools go by. None of it holds a secret, but for a proxy's password. */
const PASSED = [
  ...['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'],
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'PWD', 'LANG', 'LANGUAGE', 'LC_*', 'TZ', 'CI'],
  ...[
    'TERM',
    'COLORTERM',
    'TERM_PROGRAM',
    'TERM_PROGRAM_VERSION',
    'COLUMNS',
    'LINES',
    'NO_COLOR',
    'FORCE_COLOR',
  ],
  ...['CLICOLOR', 'CLICOLOR_FORCE', 'LS_COLORS', 'EDITOR', 'VISUAL', 'PAGER', 'LESS'],
  ...[
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'ALL_PROXY',
    'http_proxy',
    'https_proxy',
    'no_proxy',
    'all_proxy',
  ],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'JAVA_HOME', 'GOPATH', 'GOROOT', 'CARGO_HOME'],
  ...[
    'RUSTUP_HOME',
    'NVM_DIR',
    'PYENV_ROOT',
    'VIRTUAL_ENV',
    'VOLTA_HOME',
    'BUN_INSTALL',
    'PNPM_HOME',
    'TEDDY_*',
  ],
];

/** The agent that a command is, by the name of its program. */
export function agentOf(command: readonly string[]): string | undefined {
  const name = basename(command[0] ?? '');
  return Object.hasOwn(AGENTS, name) ? name : undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What an agent gets of an environment. As root, claude needs a variable which says that it is confined. */
export function agentEnvironment(environment: Environment, agent?: string): Record<string, string> {
  const { variables } = stateOf(agent);
  const isPassed = (name: string) => [...PASSED, ...variables].some((each) => matches(name, each));
  const passed = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isPassed(entry[0]),
  );
  return { ...Object.fromEntries(passed), ...(agent === 'claude' && { IS_SANDBOX: '1' }) };
}

function matches(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
