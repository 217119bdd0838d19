import {
  type ChildProcess,
  type SpawnSyncOptionsWithStringEncoding,
  spawn,
  spawnSync,
} from 'node:child_process';

import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { homeOf, PROGRAM_ENV } from '../folder.js';

export const TEDDY = fileURLToPath(new URL('../../bin/teddy.cjs', import.meta.url));

export const NOBODY = 65534;

/** For the title of what is skipped: why no other user can run this teddy; empty where one can. */
export const noOtherUser = whyNoOtherUser();

function whyNoOtherUser(): string {
  if (process.getuid?.() !== 0) return ' (skipped: only root can be another user)';
  const read = ['-e', 'require("node:fs").readFileSync(process.argv[1])', TEDDY];
  const { status } = spawnSync(process.execPath, read, { uid: NOBODY });
  return status === 0 ? '' : ' (skipped: this project lies where no other user can read it)';
}

/** A plan that asks nothing of the tree. */
export const PLAN = `# Ask before starting
- **Status:** Green 🟢
- **Plan Type:** Exploration
- **Agent:** Pathfinder

## Rationale
\`\`\`\`text
### 1. Synthesis
Nothing is known yet.

### 2. Justification
A question is cheaper than a wrong turn.

### 3. Expected Outcome
An answer.

### 4. State Dashboard
Waiting.
\`\`\`\`

## Action Plan

### \`CHAT_WITH_USER\`
Shall we begin?
`;

interface RunOptions {
  cwd: string;
  env?: NodeJS.ProcessEnv;
  input?: string | Uint8Array;
  node?: string[];
  uid?: number;
}

/** Runs the built teddy to its end, with no clipboard in reach unless `env` says otherwise. */
export function teddy(words: string[], { cwd, env, input = '', node = [], uid }: RunOptions) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...node, TEDDY, ...words], {
    cwd,
    env: { ...PROGRAM_ENV, HOME: homeOf(cwd), ...env },
    input,
    encoding: 'utf8',
    timeout: 300_000,
    maxBuffer: 100_000_000,
    // A session of its own: no terminal of whoever runs the tests is asked.
    detached: true,
    ...(uid === undefined ? {} : { uid }),
  } as SpawnSyncOptionsWithStringEncoding);
  return { exit: status, stdout, stderr: leaveOutRoot(stderr) };
}

/** Every command ends with a line that names the root; root.test.ts is about that, and the others need not be. */
export function leaveOutRoot(stderr: string): string {
  return stderr.replace(/(^|\n)Root: \/.*\n$/, '$1');
}

export function startTeddy(words: string[], cwd: string): ChildProcess {
  const child = spawn(process.execPath, [TEDDY, ...words], {
    cwd,
    env: { ...PROGRAM_ENV, HOME: homeOf(cwd) },
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

/** Keeps so many cores from doing anything else until the test is over. */
export function keepBusy(count: number): void {
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', 'for(;;);'], { stdio: 'ignore' }),
  );
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL');
  });
}
