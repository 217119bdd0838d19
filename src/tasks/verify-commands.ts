import type { Verify } from '../core/task-plan/types.js';
import { findNoTestsMessage } from '../core/task-result/vacuous.js';
import type { ProcessMark } from '../node/process/process-table.js';
import { type CommandCheck, runCheck } from '../runs/run-command.js';
import type { CommandContext } from '../runs/run-context.js';
import type { VerificationRun } from './types.js';

export interface VerifyContext extends CommandContext {
  /** Receives the mark of each command's processes soon after they start. */
  onStart?(mark: ProcessMark): void;
}

export interface VerifyOptions {
  /** Runs a failed command once more; if it then passes, it is flaky and counts as passed. */
  repeat: boolean;
  /** For each command; overrides the settings. */
  timeoutMs?: number;
}

export type VerifyEnd =
  | { status: 'run'; run: VerificationRun }
  /** Nothing was verified. `reason` is a full sentence. */
  | { status: 'not-run'; reason: string }
  /** `context.signal` was aborted. */
  | { status: 'interrupted' };

type Ended = Extract<CommandCheck, { status: 'run' }>;

/**
 * Runs the commands of a task's `<verify>` one after the other, each in its own shell, up to the first that fails. Output is
 * masked. Never throws.
 */
export async function verifyCommands(
  verify: Verify,
  context: VerifyContext,
  { repeat, timeoutMs }: VerifyOptions,
): Promise<VerifyEnd> {
  const onStart = (mark: ProcessMark) => context.onStart?.(mark);
  const run = (command: string) => runCheck(command, context, { onStart, timeoutMs });
  const ends: Ended[] = [];
  let flaky = false;
  let durationMs = 0;
  for (const command of verify.commands) {
    let check = await run(command);
    // A hanging command is not repeated, and there is one repeat for all commands together.
    const again = check.status === 'run' && check.exitCode !== 0 && !check.timedOut && repeat && !flaky;
    if (again && !context.signal.aborted) {
      durationMs += (check as Ended).durationMs;
      const second = await run(command);
      flaky = second.status === 'run' && second.exitCode === 0;
      check = second;
    }
    if (context.signal.aborted) return { status: 'interrupted' };
    if (check.status === 'not-run') return check;
    durationMs += check.durationMs;
    ends.push(check);
    if (check.exitCode !== 0) break;
  }
  const last = ends.at(-1);
  if (!last) return { status: 'not-run', reason: 'The task has no verify command.' };
  const passed = last.exitCode === 0;
  const silence = passed ? findNoTestsMessage(ends.map(({ output }) => output).join('\n')) : null;
  return {
    status: 'run',
    run: {
      command: context.redactor.mask(verify.command ?? verify.text),
      exitCode: last.exitCode,
      durationMs,
      outputSummary: silence === null ? last.summary : withLine(last.summary, silence),
      ...(silence !== null && { vacuous: true }),
      ...(passed && flaky && { flaky: true }),
    },
  };
}

/** The summary must show the reason by itself. */
function withLine(summary: string, line: string): string {
  return findNoTestsMessage(summary) === null ? `${line}\n${summary}` : summary;
}
