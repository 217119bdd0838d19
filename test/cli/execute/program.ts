import { type SpawnOptions, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { homeOf, listContent, PROGRAM_ENV } from '../../folder.js';
import { leaveOutRoot, TEDDY } from '../teddy.js';

interface Options {
  cwd: string;
  /** On top of an environment that holds nothing of this machine. */
  env?: Record<string, string | undefined>;
  input?: string;
}

export interface Ended {
  exit: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs the built teddy without holding up this process, and in a session of its own: there is no terminal in reach, from
 * wherever the tests are run.
 */
export function execTeddy(words: readonly string[], { cwd, env, input = '' }: Options): Promise<Ended> {
  const home = homeOf(cwd);
  const options: SpawnOptions = {
    cwd,
    detached: true,
    env: { ...PROGRAM_ENV, HOME: home, XDG_STATE_HOME: home, ...env },
  };
  const child = spawn(process.execPath, [TEDDY, ...words], options);
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let stdout = '';
  let stderr = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin!.on('error', () => {}).end(input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exit) => resolve({ exit, stdout, stderr: leaveOutRoot(stderr) }));
  });
}

/** The ids of the runs in a project, the oldest first. */
export function runIds(project: string): string[] {
  return listContent(join(project, '.teddy/runs')).sort();
}

/** Changes the first entry of a run's journal as another version of teddy would have written it. */
export function resealFirstNote(
  state: string,
  path: string,
  change: (note: Record<string, unknown>) => Record<string, unknown>,
): void {
  const key = readFileSync(join(state, 'teddy/key'), 'utf8').trim();
  const notes = readFileSync(path, 'utf8').split('\n');
  const body = JSON.stringify(change(JSON.parse(notes[0]!.slice(65))));
  notes[0] = `${createHmac('sha256', key).update(body).digest('hex')} ${body}`;
  writeFileSync(path, notes.join('\n'));
}

export function readRunFile(project: string, id: string, name: string): string {
  return readFileSync(join(project, '.teddy/runs', id, name), 'utf8');
}

/** A plan with these actions, whole enough to give no warning. */
export function planOf(title: string, ...actions: string[]): string {
  return `# ${title}
- **Status:** Green 🟢
- **Plan Type:** Implementation
- **Agent:** Developer

## Rationale
\`\`\`\`text
### 1. Synthesis
### 2. Justification
### 3. Expected Outcome
### 4. State Dashboard
\`\`\`\`

## Action Plan

${actions.join('\n')}`;
}

export function createAction(path: string, content = 'text\n', more = ''): string {
  return `### \`CREATE\`
- **File Path:** [${path}](</${path}>)
- **Description:** A file.
${more}\`\`\`\`text
${content}\`\`\`\`
`;
}

export function editAction(path: string, find: string, replace: string): string {
  return `### \`EDIT\`
- **File Path:** [${path}](/${path})
- **Description:** A change.

\`FIND:\`
\`\`\`\`text
${find}\`\`\`\`
\`REPLACE:\`
\`\`\`\`text
${replace}\`\`\`\`
`;
}

export function executeAction(command: string, more = ''): string {
  return `### \`EXECUTE\`
- **Description:** A command.
- **Expected Outcome:** It ends well.
${more}\`\`\`\`shell
${command}
\`\`\`\`
`;
}
