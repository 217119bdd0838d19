// An orchestrator of a test: it takes the project, begins a command, and is killed or tells what it came to.

import { runProcess } from '../../src/node/process/run.js';
import { openProcessList } from '../../src/orchestrate/processes.js';
import { holdProject } from '../../src/orchestrate/state-files.js';
import { Workspace } from '../../src/workspace/workspace.js';

export interface Task {
  root: string;
  /** It is killed as soon as the command prints something. */
  command: string | null;
}

export interface Answer {
  /** Why the project is not to be had. */
  refused: string | null;
}

const { root, command } = JSON.parse(process.argv[2]!) as Task;
const workspace = new Workspace(root);
let refused: string | null = null;
try {
  await holdProject(workspace);
  if (command !== null) {
    const processes = openProcessList(workspace);
    await runProcess({
      command: { shell: command },
      cwd: root,
      env: { PATH: process.env.PATH },
      capture: { bytes: 1000 },
      onStart: (mark) => processes.note(mark, 'a command'),
      onOutput: () => process.kill(process.pid, 'SIGKILL'),
    });
  }
} catch (error) {
  refused = (error as Error).message;
}
process.stdout.write(JSON.stringify({ refused } satisfies Answer));
