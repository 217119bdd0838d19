import type { Action } from '../../../src/core/plan/types.js';
import { writePlan } from '../../../src/core/plan/write.js';
import { makeFolder } from '../../folder.js';
import { TestTerminal } from '../pty/terminal.js';
import { TEDDY } from '../teddy.js';

const common = { line: 0, metadata: {}, description: 'Because.' };
export const create = (path: string, content: string): Action => ({
  ...common,
  type: 'CREATE',
  path,
  content,
  overwrite: false,
});
export const execute = (command: string): Action => ({
  ...common,
  type: 'EXECUTE',
  expectedOutcome: 'Nothing.',
  cwd: null,
  env: {},
  command,
  timeout: null,
  allowFailure: false,
});
export const chat = (message: string): Action => ({ line: 0, metadata: {}, type: 'CHAT_WITH_USER', message });

export function planOf(...actions: Action[]): string {
  return writePlan({
    title: 'Decide on this',
    metadata: { Status: 'Green', 'Plan Type': 'Implementation', Agent: 'Developer' },
    rationale: '### 1. Synthesis\n### 2. Justification\n### 3. Expected Outcome\n### 4. State Dashboard\n',
    activeContext: [],
    memos: [],
    actions,
  });
}

/** `teddy execute` of a plan at a terminal, in a folder of its own. */
export function start(
  plan: string,
  { files = {}, words = ['execute', 'plan.md', '--no-copy'], ...options }: StartOptions = {},
) {
  const cwd = makeFolder({ 'plan.md': plan, ...files });
  const env = { XDG_STATE_HOME: makeFolder(), ...options.env };
  const command = options.shell ?? [process.execPath, TEDDY, ...words];
  const terminal = new TestTerminal(command, { cwd, columns: 100, rows: 40, ...options, env });
  return { cwd, terminal };
}

interface StartOptions {
  files?: Record<string, string>;
  words?: string[];
  shell?: string[];
  columns?: number;
  rows?: number;
  env?: Record<string, string>;
}

/** Waits for the question of that number, and for its keys. */
export async function asked(terminal: TestTerminal, number: number): Promise<void> {
  await terminal.until(
    () =>
      terminal.text().includes(`${number} of `) && /n skip/.test(terminal.rows()[terminal.cursor.row] ?? ''),
    `question ${number}`,
  );
}
