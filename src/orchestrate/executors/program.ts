import { isAbsolute } from 'node:path';
import { agentEnvironment } from '../../confine/agents.js';
import { readShellTokens, readWordParts } from '../../core/shell-words.js';
import type { ProcessOptions, ProcessOutput } from '../../node/process/types.js';
import type { ConfinedProgram, ExecutorIO, TaskAssignment } from './types.js';

// How the programs of executors are started, and the words for how they ended.

type ProgramCommand = { shell: string } | { file: string; args: readonly string[] };

type StartPlace = { confined: boolean } & Pick<TaskAssignment, 'budgetUsd' | 'answerSchema'>;

export interface StartedProgram {
  command(place: StartPlace): ProgramCommand;
  /** Whose state and keys it has where it is confined, if it is known. */
  agent: string | undefined;
  /** Added to the environment; undefined removes a variable. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** Confined, it has only the variables that its agent needs. */
export function describeStart(
  started: StartedProgram,
  assignment: TaskAssignment,
  io: ExecutorIO,
): Pick<ProcessOptions, 'command' | 'env'> {
  if (io.confinement !== null) return io.confinement.start(confinedProgram(started, assignment, io));
  const { command, environment } = started;
  const start = command({ ...assignment, confined: false });
  return { command: start, env: { ...io.environment, ...variablesOf(assignment), ...environment } };
}

function confinedProgram(
  { agent, command, environment }: StartedProgram,
  assignment: TaskAssignment,
  io: ExecutorIO,
): ConfinedProgram {
  const start = command({ ...assignment, confined: true });
  const [program, args] = 'shell' in start ? ['/bin/sh', ['-c', start.shell]] : [start.file, start.args];
  const env = { ...agentEnvironment(io.environment, agent), ...variablesOf(assignment), ...environment };
  return { program, args, agent, env, cwd: assignment.cwd };
}

/** Why a confined program could not work: its command names files that it cannot see. Null if that is not why. */
export function describeUnseen(
  started: StartedProgram,
  assignment: TaskAssignment,
  io: ExecutorIO,
): string | null {
  if (io.confinement === null) return null;
  const start = started.command({ ...assignment, confined: true });
  const words = 'shell' in start ? wordsOf(start.shell, io.environment.HOME) : [start.file, ...start.args];
  const [first] = io.confinement.listUnseen(
    confinedProgram(started, assignment, io),
    words.filter(isAbsolute),
  );
  if (first === undefined) return null;
  return `${first} exists, but the executor is confined and cannot see it. Commit it to the project, move it to a folder that all programs share, such as /usr/local/bin, or use --unconfined.`;
}

/** The words of a command line as paths: `~` and `$HOME` are the home folder. */
function wordsOf(command: string, home = '~'): string[] {
  const words = (readShellTokens(command) ?? []).filter(({ kind }) => kind === 'word');
  return words.map(({ text }) =>
    readWordParts(text)
      .map((part) => part.text)
      .join('')
      .replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, () => home),
  );
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
