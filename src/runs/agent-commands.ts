/** How agents are started at a terminal. */
interface AgentCommand {
  /** Works without asking: for where it is confined, and its changes are reviewed. */
  free: readonly string[];
  /** Starts with a message; undefined where the agent takes none. */
  message?: (text: string) => readonly string[];
}

export interface AgentStart {
  command: readonly string[];
  /** It starts with the message that it was to get. */
  hasMessage: boolean;
}

const first = (text: string) => [text];

const COMMANDS: Readonly<Record<string, AgentCommand>> = {
  claude: { free: ['--permission-mode', 'bypassPermissions'], message: first },
  // Its own sandbox needs user namespaces, which a confined program cannot create.
  codex: { free: ['--sandbox', 'danger-full-access', '--ask-for-approval', 'never'], message: first },
  gemini: { free: ['--approval-mode', 'yolo'], message: (text) => ['--prompt-interactive', text] },
  qwen: { free: ['--approval-mode', 'yolo'], message: (text) => ['--prompt-interactive', text] },
  opencode: { free: [], message: (text) => ['--prompt', text] },
  aider: { free: ['--yes-always'], message: (text) => ['--message', text] },
  'cursor-agent': { free: ['--force'], message: first },
};

/** The command of an agent in the table of agents; without a message where it takes none. */
export function commandOfAgent(
  agent: string,
  { confined, message }: { confined: boolean; message?: string | undefined },
): AgentStart {
  const known = COMMANDS[agent];
  const told = message === undefined ? undefined : known?.message?.(message);
  return {
    command: [agent, ...(confined ? (known?.free ?? []) : []), ...(told ?? [])],
    hasMessage: told !== undefined,
  };
}
