import { agentEnvironment } from '../../confine/agents.js';
import type { ProcessOptions, ProcessOutput } from '../../node/process/types.js';
import type { ExecutorIO, TaskAssignment } from './types.js';

// How the programs of executors are started, and the words for how they ended.

type ProgramCommand = { shell: string } | { file: string; args: readonly string[] };

export interface StartedProgram {
  command(place: { confined: boolean; budgetUsd: number | undefined }): ProgramCommand;
  /** Whose state and keys it has where it is confined, if it is known. */
  agent: string | undefined;
  /** Added to the environment; undefined removes a variable. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** Confined, it has only the variables that its agent needs. */
export function describeStart(
  { agent, command, environment }: StartedProgram,
  assignment: TaskAssignment,
  io: ExecutorIO,
): Pick<ProcessOptions, 'command' | 'env'> {
  const start = command({ confined: io.confinement !== null, budgetUsd: assignment.budgetUsd });
  const own = { ...variablesOf(assignment), ...environment };
  if (io.confinement === null) return { command: start, env: { ...io.environment, ...own } };
  const [program, args] = 'shell' in start ? ['/bin/sh', ['-c', start.shell]] : [start.file, start.args];
  const env = { ...agentEnvironment(io.environment, agent), ...own };
  return io.confinement.start({ program, args, agent, env, cwd: assignment.cwd });
}

/** PWD too, because some programs work in the folder that it names. */
function variablesOf({ planPath, taskId, taskIndex, taskName, attempt, cwd }: TaskAssignment) {
  return {
    PWD: cwd,
    TEDDY_PLAN: planPath,
    TEDDY_TASK_ID: taskId,
    TEDDY_TASK_INDEX: String(taskIndex),
    TEDDY_TASK_NAME: taskName,
    TEDDY_ATTEMPT: String(attempt),
  };
}

export const SET_UP =
  'Check that it is installed in a version that supports these flags, logged in, and allowed to use its model.';

/** The shell's message about a program that it cannot run. */
export function describeMissing(exitCode: number | null, { head }: ProcessOutput): string | null {
  const line = head.trim().split('\n').at(-1) ?? '';
  if (exitCode === 127 && line.includes('not found')) {
    return `The program was not found: ${line}. Install it, or add its folder to PATH.`;
  }
  if (exitCode === 126 && /permission denied/i.test(line)) return `The program is not executable: ${line}.`;
  return null;
}

/** `30m`, `90s`, `1.5s`. */
export function describeTime(ms: number): string {
  return ms >= 60_000 && ms % 60_000 === 0 ? `${ms / 60_000}m` : `${ms / 1000}s`;
}

const LIMITED =
  /rate[ _-]?limit|too many requests|overloaded|resource[ _]exhausted|usage limit|\b(?:429|529)\b|hit your .{0,30}limit/i;
/** A failing program says why at its end; earlier output may come from its tools. */
const LOOKED_AT = 4000;

/** Whether the output of a failed program mentions a rate limit. */
export function saysLimited(printed: string): boolean {
  return LIMITED.test(printed.slice(-LOOKED_AT));
}

const LAST_LINES = 10;
const LAST_CHARACTERS = 2000;
const COLOUR = /\u001b\[[0-9;:]{0,40}m/g;

/** The last lines of the error output, otherwise of the output, to follow a sentence. */
export function describeOutput({
  stdout,
  stderr,
}: {
  stdout?: ProcessOutput;
  stderr: ProcessOutput;
}): string {
  const error = lastLines(stderr);
  if (error !== '') return ` Its last error output:\n${error}`;
  if (stdout === undefined) return '';
  const output = lastLines(stdout);
  return output === '' ? ' It printed nothing.' : ` Its last output:\n${output}`;
}

function lastLines({ head, tail }: ProcessOutput): string {
  const end = (tail || head).slice(-LAST_CHARACTERS).replace(COLOUR, '');
  return end.trim().split('\n').slice(-LAST_LINES).join('\n');
}
