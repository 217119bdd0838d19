// A process that does what `teddy result submit` does, and kills itself before the call numbered `killBefore` of those
// that touch files.
import { DEFAULTS } from '../../src/config/config-file.js';
import { setFileSeam } from '../../src/node/file-calls.js';
import { submitResult } from '../../src/tasks/capture-results.js';
import { Workspace } from '../../src/workspace/workspace.js';

export interface Task {
  root: string;
  text: string;
  killBefore: number | null;
}

const { root, text, killBefore } = JSON.parse(process.argv[2]!) as Task;
let calls = 0;
setFileSeam((call, perform) => {
  if (calls++ === killBefore) process.kill(process.pid, 'SIGKILL');
  return perform(call.args);
});
const { status } = await submitResult({
  workspace: new Workspace(root),
  config: DEFAULTS,
  policy: { rules: [] },
  text,
  plan: '03-01',
  session: 'sess-1',
  verify: false,
  environment: {},
});
process.stdout.write(JSON.stringify({ calls, status }));
