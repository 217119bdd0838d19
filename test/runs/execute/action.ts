import type { ExecuteAction } from '../../../src/core/plan/types.js';
import { runCommand } from '../../../src/runs/execute/run-command.js';
import type { RunContext } from '../../../src/runs/run-context.js';

/** The command ends as a plan's does, with a newline. */
export function execute(command: string, context: RunContext, action: Partial<ExecuteAction> = {}) {
  return runCommand(makeExecute(command, action), '4', context, () => {});
}

export function makeExecute(command: string, action: Partial<ExecuteAction> = {}): ExecuteAction {
  return {
    type: 'EXECUTE',
    line: 1,
    metadata: {},
    description: null,
    expectedOutcome: null,
    cwd: null,
    env: {},
    command: `${command}\n`,
    timeout: null,
    allowFailure: false,
    ...action,
  };
}
