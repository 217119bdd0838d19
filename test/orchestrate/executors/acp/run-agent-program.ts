import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { listMarked } from '../../../../src/node/process/process-table.js';
import { createClientExecutor } from '../../../../src/orchestrate/executors/create-executor.js';
import type {
  AgentDecisions,
  ExecutorEnd,
  TaskAssignment,
} from '../../../../src/orchestrate/executors/types.js';
import { assignmentIn, KEY, openTestSite, type Seen } from '../site.js';

const AGENT = join(import.meta.dirname, 'agent.mjs');

interface Ran {
  end: ExecutorEnd;
  seen: Seen;
  /** What the agent noted, in order. */
  notes: unknown[];
}

interface RunOptions extends Partial<TaskAssignment> {
  decisions?: AgentDecisions;
  /** Aborts once the agent works. */
  stopAfterMs?: number;
  env?: Record<string, string>;
}

/** Runs the agent, and checks that it left no process. */
export async function runAgentProgram(
  behaviour: string,
  { decisions, stopAfterMs, env = {}, ...more }: RunOptions = {},
): Promise<Ran> {
  const { folder, site, seen, stop } = openTestSite({}, { TEST_KEY: KEY, ...env });
  const executors = { mine: { acp: `"${process.execPath}" "${AGENT}" "${behaviour}"` } };
  const executor = createClientExecutor('mine', { executors })!;
  if (stopAfterMs !== undefined) {
    const timer = setInterval(() => {
      if (!existsSync(join(folder, 'started'))) return;
      clearInterval(timer);
      setTimeout(() => stop.abort(), stopAfterMs);
    }, 10);
    onTestFinished(() => clearInterval(timer));
  }
  const io = { ...site, ...(decisions && { decisions }) };
  const end = await executor.run(assignmentIn(folder, more), io);
  expect(seen.marks.flatMap((mark) => listMarked(mark))).toEqual([]);
  const noted = join(folder, 'notes');
  const notes = existsSync(noted) ? readFileSync(noted, 'utf8').trimEnd().split('\n') : [];
  return { end, seen, notes: notes.map((line) => JSON.parse(line)) };
}
