import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Action } from '../../../src/core/plan/types.js';
import { writePlan } from '../../../src/core/plan/write.js';
import { makeFolder } from '../../folder.js';
import { noPython, TestTerminal } from '../pty/terminal.js';
import { HOSTILE_STRINGS } from '../review/hostile-strings.js';
import { TEDDY } from '../teddy.js';

const common = { line: 0, metadata: {}, description: 'Because.' };
const execute = (command: string): Action => ({
  ...common,
  type: 'EXECUTE',
  expectedOutcome: 'Nothing.',
  cwd: null,
  env: {},
  command,
  timeout: null,
  allowFailure: false,
});

function planOf(...actions: Action[]): string {
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
function start(
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
async function asked(terminal: TestTerminal, number: number): Promise<void> {
  await terminal.until(
    () =>
      terminal.text().includes(`${number} of `) && /n skip/.test(terminal.rows()[terminal.cursor.row] ?? ''),
    `question ${number}`,
  );
}

describe.skipIf(noPython)(`teddy execute at a terminal${noPython}`, () => {
  const usable = HOSTILE_STRINGS.filter(
    ({ text }) => !text.includes('\0') && Buffer.from(text).toString() === text,
  );

  test(`${usable.length} hostile commands: what is shown is what runs, byte for byte`, async () => {
    const actions = usable.map(({ text }, at) => execute(`cat > out-${at} <<'THE END'\n${text}\nTHE END\n`));
    const { cwd, terminal } = start(planOf(...actions), { columns: 420, rows: 60 });
    await terminal.shows('Enter start review');
    terminal.send('\r');
    for (const [at, { what, shown }] of usable.entries()) {
      await asked(terminal, at + 1);
      const screen = terminal.text().split(` ${at + 1} of ${usable.length}  `)[1]!;
      for (const line of shown) expect(screen, what).toContain(line);
      terminal.send('y');
    }
    expect(await terminal.ended).toEqual({ exit: 0, signal: null });
    for (const [at, { what, text }] of usable.entries())
      expect(readFileSync(join(cwd, `out-${at}`), 'utf8'), what).toBe(`${text}\n`);
  });
});
