// A process that does what `teddy execute`, `teddy undo` or `teddy redo` does, or recovers what one left, and kills itself before the call numbered
// `killBefore` of those that change what is on disk.

import { DEFAULTS } from '../../../src/config/config-file.js';
import { setFileSeam } from '../../../src/node/file-calls.js';
import { environmentVariables, onSignals } from '../../../src/node/terminal/terminal.js';
import { yesReviewer } from '../../../src/review/compose.js';
import type { Reviewer } from '../../../src/review/question.js';
import { executePlan } from '../../../src/runs/execute-plan.js';
import { findRun } from '../../../src/runs/run-list.js';
import { redoRun, undoRun } from '../../../src/runs/undo-run.js';
import { recoverRuns } from '../../../src/sessions/recover-runs.js';
import { openTree } from '../../../src/workspace/tree.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { changesDisk } from '../../workspace/faults/changing-calls.js';

export interface Task {
  root: string;
  work: 'execute' | 'recover' | 'undo' | 'redo';
  plan?: string;
  /** Someone is asked about each action, and says yes. */
  person?: boolean;
  killBefore: number | null;
}

const task = JSON.parse(process.argv[2]!) as Task;
let calls = 0;
setFileSeam((call, perform) => {
  if (changesDisk(call) && calls++ === task.killBefore) process.kill(process.pid, 'SIGKILL');
  return perform(call.args);
});

const person: Reviewer = {
  resolve: () => undefined,
  ask: async (question) => ({ decision: 'approve', by: 'person', hash: question.hash }),
};

const workspace = new Workspace(task.root);
const recovered = await recoverRuns(workspace);
const run = task.work === 'execute' ? await execute() : undefined;
if (task.work === 'undo') await undo();
if (task.work === 'redo') await redoRun(workspace);

function execute() {
  return executePlan(task.plan!, {
    workspace,
    tree: openTree(task.root),
    path: null,
    reviewer: task.person ? person : yesReviewer(),
    settings: DEFAULTS,
    keepGoing: false,
    tip: DEFAULTS.report.tip,
    keep: DEFAULTS.runs.keep,
    environment: environmentVariables(),
    interrupts: onSignals,
    emit: () => {},
  });
}

async function undo(): Promise<void> {
  const found = findRun(workspace, undefined);
  if (found.status === 'found') await undoRun(workspace, found.run);
}

process.stdout.write(
  JSON.stringify({
    calls,
    recovered: recovered.map(({ id }) => id),
    run: run && { id: run.id, overall: run.overall },
  }),
);
