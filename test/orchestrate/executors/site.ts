import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRedactor } from '../../../src/core/redact/redactor.js';
import { sha256 } from '../../../src/node/ids.js';
import type { ProcessMark } from '../../../src/node/process/process-table.js';
import type { ExecutorIO, TaskAssignment } from '../../../src/orchestrate/executors/types.js';
import { makeFolder } from '../../folder.js';

export const KEY = 'sk-abcdefghijklmnopqrstuvwxyz0123456789';

export interface Seen {
  marks: ProcessMark[];
  stdout: string;
  stderr: string;
}

/** A folder in which programs are found first, and a site that notes all that is told to it. */
export function openTestSite(
  programs: Record<string, string> = {},
  environment: Record<string, string> = {},
): { folder: string; site: ExecutorIO; seen: Seen; stop: AbortController } {
  const folder = makeFolder();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), script);
    chmodSync(join(bin, name), 0o755);
  }
  const seen: Seen = { marks: [], stdout: '', stderr: '' };
  const stop = new AbortController();
  const redactor = createRedactor({ hash: sha256, secrets: [KEY] });
  const site: ExecutorIO = {
    environment: { PATH: `${bin}:/usr/bin:/bin`, ...environment },
    signal: stop.signal,
    confinement: null,
    mask: () => redactor.stream(),
    onStart: (mark) => seen.marks.push(mark),
    onOutput: (stream, text) => {
      seen[stream] += text;
    },
  };
  return { folder, site, seen, stop };
}

export function assignmentIn(cwd: string, more: Partial<TaskAssignment> = {}): TaskAssignment {
  return {
    taskId: '03-01:2',
    taskIndex: 2,
    taskName: 'Task 2: Check the port',
    planPath: '/project/03-01-PLAN.md',
    attempt: 1,
    prompt: 'Do it.\n',
    cwd,
    timeoutMs: 20_000,
    ...more,
  };
}

export const RESULT = `status: success
task_name: "Task 2: Check the port"
files_modified: []
verification:
  command: "true"
  exit_code: 0
  output_summary: "ok"
done_criteria_met: true
evidence: "It holds."
error: null
`;

/** A shell script that prints this text exactly. */
export function printing(text: string, then = ''): string {
  return `#!/bin/sh\ncat > /dev/null\ncat <<'END_OF_TEXT'\n${text.replace(/\n$/, '')}\nEND_OF_TEXT\n${then}\n`;
}
