// A process that goes on with a session, and kills itself before the call numbered `killBefore` of those that change what is
// on disk. What it was told of the answer stands in `seen`, beside the root.

import { appendFileSync } from 'node:fs';
import { setFileSeam } from '../../src/node/file-calls.js';
import { changesDisk } from '../workspace/faults/changing-calls.js';
import { goOn } from './session-step.js';

export interface Task {
  root: string;
  url: string;
  seen: string;
  now: string;
  killBefore: number | null;
}

const { root, url, seen, now, killBefore } = JSON.parse(process.argv[2]!) as Task;
process.env.TEDDY_NOW = now;
let calls = 0;
setFileSeam((call, perform) => {
  if (changesDisk(call) && calls++ === killBefore) process.kill(process.pid, 'SIGKILL');
  return perform(call.args);
});

await goOn({
  root,
  url,
  emit: (event) => {
    if (event.kind === 'text') appendFileSync(seen, event.text);
    if (event.kind === 'answered') appendFileSync(seen, '\0');
  },
});
process.stdout.write(JSON.stringify({ calls }));
