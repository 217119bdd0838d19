import type { ExecutorPreset } from '../../config/index.js';
import { readClientOutput } from '../../formats/agent-report/index.js';
import { RESULT_LIMIT } from '../../formats/task-result/index.js';
import { MB, type ProcessOutput } from '../../platform/index.js';
import { type Answer, createProgramExecutor, TOO_LARGE } from './command.js';
import { type Executor, NOTHING_USED } from './types.js';

/** What clients print holds what their tools printed: far more than the result. */
const OUTPUT_LIMIT = 40 * MB;

interface CommandLine {
  args: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Each takes its prompt from standard input, prints JSON, and asks nobody: it edits and runs commands by itself, which
 * whoever starts it has agreed to. `codex` keeps to the folder and off the network.
 */
const COMMAND_LINES: Readonly<Record<ExecutorPreset, CommandLine>> = {
  claude: {
    args: ['-p', '--output-format', 'json', '--permission-mode', 'bypassPermissions'],
    // It does not start where it seems to be inside another session of its own.
    environment: { CLAUDECODE: undefined },
  },
  codex: {
    args: ['exec', '--json', '--sandbox', 'workspace-write', '--skip-git-repo-check', '-'],
    environment: {},
  },
  gemini: {
    args: ['--output-format', 'json', '--approval-mode', 'yolo'],
    // In a folder that nobody has trusted by hand, such as a new worktree, it would not start.
    environment: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  },
  opencode: {
    // Later versions call it `--auto`, and know this name too.
    args: ['run', '--format', 'json', '--dangerously-skip-permissions'],
    environment: {},
  },
};

/** A known program, under a name of one's own or its own. */
export function createPresetExecutor(name: string, preset: ExecutorPreset): Executor {
  const { args, environment } = COMMAND_LINES[preset];
  return createProgramExecutor(name, {
    command: { file: preset, args },
    environment,
    outputLimit: OUTPUT_LIMIT,
    readAnswer: (stdout) => readAnswer(preset, stdout),
  });
}

/** Of events that are too many the last ones hold the answer; what the first ones took is not known then. */
function readAnswer(preset: ExecutorPreset, { head, tail, truncated }: ProcessOutput): Answer {
  const output = truncated ? tail.slice(tail.indexOf('\n') + 1) : head;
  const { text, measured, issues } = readClientOutput(preset, output);
  const { inputTokens, outputTokens, costUsd } = measured;
  const usage = truncated ? NOTHING_USED : { inputTokens, outputTokens, costUsd };
  if (text !== null && text.length > RESULT_LIMIT) return { text: null, usage, trouble: TOO_LARGE };
  const failure = issues.find(({ code }) => code === 'client-error');
  return { text, usage, trouble: failure?.message ?? null };
}
