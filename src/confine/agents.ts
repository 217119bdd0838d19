import { basename } from 'node:path';
import { splitWords } from '../core/text.js';

/** What an agent keeps in the home folder, and the variables that hold its keys. */
export interface AgentState {
  /** Files and folders from the home folder that it may write. */
  state: readonly string[];
  /** Within these: settings that name commands, and programs. A later, unconfined start of the agent would run them. */
  settings: readonly string[];
  /** Names of variables, `*` at the end for a prefix. */
  variables: readonly string[];
}

const OPENAI = ['OPENAI_*'];
const GOOGLE = ['GEMINI_*', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_*', 'GOOGLE_GEMINI_*'];
const ANY_MODEL = [
  ...['ANTHROPIC_*', 'CLAUDE_*', ...OPENAI, ...GOOGLE, 'OPENROUTER_*', 'OLLAMA_*'],
  ...['MISTRAL_API_KEY', 'GROQ_API_KEY', 'DEEPSEEK_API_KEY', 'XAI_API_KEY'],
];

/** `settings` are below the first folder of `state`, but for those that start with a `.`. */
function agent(state: string, settings: string, variables: readonly string[]): AgentState {
  const [home = '', ...others] = splitWords(state);
  const place = (path: string) => (path.startsWith('.') ? path : `${home}/${path}`);
  return { state: [home, ...others], settings: splitWords(settings).map(place), variables };
}

export const AGENTS: Readonly<Record<string, AgentState>> = {
  claude: agent(
    '.claude .claude.json .config/claude .cache/claude .local/state/claude',
    'settings.json settings.local.json CLAUDE.md hooks commands agents skills plugins output-styles local',
    splitWords(`ANTHROPIC_* CLAUDE_* IS_SANDBOX DISABLE_TELEMETRY DISABLE_AUTOUPDATER MAX_THINKING_TOKENS`),
  ),
  codex: agent('.codex', 'config.toml AGENTS.md prompts rules skills', ['CODEX_*', ...OPENAI]),
  gemini: agent('.gemini', 'settings.json GEMINI.md commands extensions', GOOGLE),
  opencode: agent(
    '.config/opencode .local/share/opencode .local/state/opencode .cache/opencode',
    `opencode.json opencode.jsonc config.json plugin plugins command commands agent agents AGENTS.md
    .local/share/opencode/bin`,
    ['OPENCODE_*', ...ANY_MODEL],
  ),
  aider: agent('.aider', '', ['AIDER_*', ...ANY_MODEL]),
  'cursor-agent': agent(
    '.cursor .config/cursor',
    'mcp.json hooks.json cli-config.json rules commands extensions',
    ['CURSOR_*'],
  ),
  goose: agent('.config/goose .local/share/goose .local/state/goose', 'config.yaml recipes', [
    'GOOSE_*',
    ...ANY_MODEL,
  ]),
  amp: agent('.config/amp .local/share/amp .cache/amp', 'settings.json AGENTS.md', ['AMP_*']),
  qwen: agent('.qwen', 'settings.json QWEN.md commands extensions', ['QWEN_*', 'DASHSCOPE_*', ...OPENAI]),
  copilot: agent('.copilot', 'mcp-config.json config.json pkg', ['COPILOT_*']),
  crush: agent('.config/crush .local/share/crush', 'crush.json', ['CRUSH_*', ...ANY_MODEL]),
};

/** Of an agent that is not in the table nothing is known: it has no state, and gets no keys. */
const UNKNOWN: AgentState = { state: [], settings: [], variables: [] };

export function stateOf(agent: string | undefined): AgentState {
  return agent !== undefined && Object.hasOwn(AGENTS, agent) ? AGENTS[agent]! : UNKNOWN;
}

/** What terminals, locales and tools go by. None of it holds a secret, but for a proxy's password. */
const PASSED = splitWords(`
  GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL PATH HOME USER LOGNAME SHELL
  PWD LANG LANGUAGE LC_* TZ CI TERM COLORTERM TERM_PROGRAM TERM_PROGRAM_VERSION COLUMNS LINES NO_COLOR
  FORCE_COLOR CLICOLOR CLICOLOR_FORCE LS_COLORS EDITOR VISUAL PAGER LESS HTTP_PROXY HTTPS_PROXY
  NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy NODE_EXTRA_CA_CERTS SSL_CERT_FILE
  SSL_CERT_DIR JAVA_HOME GOPATH GOROOT CARGO_HOME RUSTUP_HOME NVM_DIR PYENV_ROOT VIRTUAL_ENV
  VOLTA_HOME BUN_INSTALL PNPM_HOME TEDDY_*
`);

/** Programs that start an agent of the table, by a protocol. */
const ADAPTERS: Readonly<Record<string, string>> = { 'claude-agent-acp': 'claude', 'codex-acp': 'codex' };

/** The agent that a command is, by the name of its program. */
export function agentOf(command: readonly string[]): string | undefined {
  const program = basename(command[0] ?? '');
  const name = Object.hasOwn(ADAPTERS, program) ? ADAPTERS[program]! : program;
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
