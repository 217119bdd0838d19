import type { ExecuteAction } from '../../../src/core/plan/types.js';
import { runCommand } from '../../../src/runs/run-command.js';
import type { RunContext } from '../../../src/runs/run-context.js';
import { execute as makeExecute } from '../../review/actions.js';

/** The command ends as a plan's does, with a newline. */
export function execute(command: string, context: RunContext, action: Partial<ExecuteAction> = {}) {
  return runCommand(makeExecute(command, action), '4', context, () => {});
}
