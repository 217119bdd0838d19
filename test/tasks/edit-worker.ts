// A process that does what `teddy task move` does, and kills itself before the call numbered `killBefore` of those that
// touch files.
import { DEFAULTS } from '../../src/config/config-file.js';
import { redactorFor } from '../../src/config/redactor.js';
import { TIP_LIMITS } from '../../src/core/report/markdown.js';
import { setFileSeam } from '../../src/node/file-calls.js';
import { changeTasks } from '../../src/tasks/plans/edit-tasks.js';
import { openCapture } from '../../src/tasks/project.js';
import { Workspace } from '../../src/workspace/workspace.js';

export interface Task {
  root: string;
  killBefore: number | null;
}

const { root, killBefore } = JSON.parse(process.argv[2]!) as Task;
let calls = 0;
setFileSeam((call, perform) => {
  if (calls++ === killBefore) process.kill(process.pid, 'SIGKILL');
  return perform(call.args);
});
const project = openCapture(new Workspace(root), DEFAULTS);
const options = { redactor: redactorFor(null, {}), tip: TIP_LIMITS, keep: 50 };
const { id } = await changeTasks(project, { kind: 'move', id: '03-01:3', to: 2 }, options);
process.stdout.write(JSON.stringify({ calls, id }));
