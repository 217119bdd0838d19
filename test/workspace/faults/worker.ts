// A process that commits or recovers, and kills itself before call `killBefore`.

import { setFileSeam } from '../../../src/node/file-calls.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { largeScenarios } from './scenario.js';

export interface Task {
  root: string;
  work: 'commit' | 'recover';
  scenario: number;
  large: number;
  killBefore: number | null;
}

const task = JSON.parse(process.argv[2]!) as Task;
const { changes, run } = largeScenarios(task.large)[task.scenario]!;
let calls = 0;
setFileSeam((call, perform) => {
  if (calls++ === task.killBefore) process.kill(process.pid, 'SIGKILL');
  return perform(call.args);
});
const workspace = new Workspace(task.root);
const result =
  task.work === 'commit'
    ? await workspace.commit(changes, run === undefined ? {} : { run })
    : await workspace.recover();
process.stdout.write(JSON.stringify({ calls, status: result.status }));
