import type { ExecutorPreset } from '../../config/types.js';
import { readClientEnd } from '../../core/agent-report/clients/read-end.js';
import { RESULT_LIMIT } from '../../core/task-result/read.js';
import { MB } from '../../node/files.js';
import { createProgramExecutor, type ExecutorAnswer, type Printed, TOO_LARGE } from './command.js';
import { type Executor, type ExecutorIO, NOTHING_USED } from './types.js';

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
    args: ['-p', '--output-format', 'stream-json', '--verbose', '--permission-mode', 'bypassPermissions'],
    environment: {
      // It does not start where it seems to be inside another session of its own.
      CLAUDECODE: undefined,
      // Whatever ends in the background, or wakes it later, would take another turn behind the result.
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
      CLAUDE_CODE_DISABLE_CRON: '1',
      // It would put any file that the prompt names behind an `@` into what the model gets, masked by nobody.
      CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
    },
  },
  codex: {
    args: ['exec', '--json', '--sandbox', 'workspace-write', '--skip-git-repo-check', '-'],
    environment: {},
  },
  gemini: {
    args: ['--output-format', 'stream-json', '--approval-mode', 'yolo'],
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
    ...(preset === 'claude' && { writePrompt: withoutMentions }),
    outputLimit: OUTPUT_LIMIT,
    readAnswer: (printed) => readAnswer(preset, printed),
  });
}

/**
 * Why a preset cannot be used as this user, as a sentence and what to do; undefined where it can. claude lets nobody run
 * it as root without asking, unless it is told that it is confined.
 */
export function findRootRefusal(
  preset: ExecutorPreset,
  { IS_SANDBOX }: ExecutorIO['environment'],
  user: number | undefined,
): string | undefined {
  if (preset !== 'claude' || user !== 0 || IS_SANDBOX === '1') return undefined;
  return 'claude refuses to work without asking (bypassPermissions) as root. Run teddy as another user; or, if root is confined here, as in a container, set IS_SANDBOX=1.';
}

/** Of events that are too many the last ones hold the answer; what the first ones took is not known then. */
function readAnswer(preset: ExecutorPreset, { stdout, stderr, exitCode }: Printed): ExecutorAnswer {
  const { head, tail, truncated } = stdout;
  const output = truncated ? tail.slice(tail.indexOf('\n') + 1) : head;
  const error = stderr.truncated ? stderr.tail : stderr.head;
  const { text, measured, issues, failed } = readClientEnd(preset, {
    stdout: output,
    stderr: error,
    exitCode,
  });
  const { inputTokens, outputTokens, costUsd } = measured;
  const usage = truncated ? NOTHING_USED : { inputTokens, outputTokens, costUsd };
  if (text !== null && text.length > RESULT_LIMIT)
    return { text: null, usage, trouble: TOO_LARGE, kind: null };
  const failure = issues.find(({ code }) => code === 'client-error');
  const kind = failed === 'unusable' || failed === 'limited' || failed === 'cut-off' ? failed : null;
  return { text, usage, trouble: failure?.message ?? null, kind };
}

/**
 * An `@` at which a word begins, as claude takes it for a file that it is to put in; behind a letter or a digit, as in an
 * address of mail, only one that begins a path.
 */
const MENTION = /(?<![\p{L}\p{N}_])@(?=[^\s@])|@(?=[/~.\\])/gu;

const NOTE = `In this text a space stands behind every at sign at which a word begins, as in "@ name", so that no file is put in by its
name. Wherever you write such a word, write it without that space.

`;

/** The same text without mentions of files, and a note on how they are written, where there is one. */
export function withoutMentions(prompt: string): string {
  const plain = prompt.replace(MENTION, '@ ');
  return plain === prompt ? prompt : `${NOTE}${plain}`;
}
