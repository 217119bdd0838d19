import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RealClient } from './real-clients.js';
import type { Act, Conversation } from './scripted-model.js';

// What the scripted model does in the project of `openClientSite`, which has one task.

export const RESULT = `status: success
task_name: "Task 1: Part 1"
files_modified: [made-01-01-1.txt]
verification:
  command: "test -s made-01-01-1.txt"
  exit_code: 0
  output_summary: "it printed nothing"
done_criteria_met: true
evidence: "I wrote it, and the command passed."
error: null
`;

export const MAKE = 'echo alpha > made-01-01-1.txt';

/** Without tools a client asks for a title, or how hard the work is. */
export const ASIDE = {
  text: '{"title": "A title", "complexity_reasoning": "It is small.", "complexity_score": 1}',
};

/** Runs these commands one after the other, then says that the task is done. */
export function running(real: RealClient, ...commands: string[]) {
  return async ({ tools, results }: Conversation): Promise<Act> => {
    if (tools.length === 0) return ASIDE;
    if (UNREADY.test(results.at(-1) ?? '')) await sleep(3000);
    const command = commands[results.filter((result) => !UNREADY.test(result)).length];
    if (command === undefined) return { text: RESULT };
    return { text: 'I work.', use: real.run(tools, command) };
  };
}

/** gemini 0.20.2 says this of any command until it has loaded its parser. */
const UNREADY = /could not be parsed safely/;

let sleeps = 0;

/** A command that waits, and which no other process on the machine is like. */
export function waiting(): { command: string; isRunning: () => boolean } {
  const time = `86${process.pid}.${++sleeps}`;
  const words = ['sleep', time].join('\0');
  const isRunning = () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .some((pid) => readCommand(pid).startsWith(words));
  return { command: `sleep ${time}`, isRunning };
}

function readCommand(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
