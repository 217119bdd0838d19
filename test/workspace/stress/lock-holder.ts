import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setFileSeam } from '../../../src/node/file-calls.js';
import { Folder } from '../../../src/node/folder.js';
import { acquireLock } from '../../../src/workspace/lock.js';
import { Workspace } from '../../../src/workspace/workspace.js';

/** A process for the tests of locks. It says on its output what it has done, one word a line. */
const say = (word: string) => void process.stdout.write(`${word}\n`);

const DEEDS: Record<string, (root: string, argument: string) => Promise<void>> = {
  /** Holds the lock until a line comes in. */
  async hold(root) {
    const lock = await acquireLock(Folder.open(join(root, '.teddy')), 'lock', 60_000);
    say('held');
    await new Promise<void>((resolve) => createInterface(process.stdin).once('line', () => resolve()));
    lock!.release();
    say('released');
  },

  /** Holds the lock, and starts a child meanwhile that outlives it. */
  async parent(root) {
    await acquireLock(Folder.open(join(root, '.teddy')), 'lock', 60_000);
    const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    child.unref();
    say(String(child.pid));
    setInterval(() => {}, 1000);
  },

  /** Stops itself in the middle of a commit, past its commit point. */
  async 'stop-inside'(root) {
    setFileSeam((call, perform) => {
      const result = perform(call.args);
      if (call.name === 'rename' && String(call.args[1]).endsWith('.log')) {
        say('stopping');
        process.kill(process.pid, 'SIGSTOP');
      }
      return result;
    });
    const after = Buffer.from('stopped and went on');
    const result = await new Workspace(root).commit([{ path: 'slow.txt', before: null, after }]);
    say(result.status);
  },

  /** Enters and leaves so many times, and notes both, and who was inside. */
  async turns(root, times) {
    const folder = Folder.open(join(root, '.teddy'));
    const [notes, inside] = [join(root, 'notes'), join(root, 'inside')];
    for (let i = 0; i < Number(times); i++) {
      const lock = await acquireLock(folder, 'lock', 60_000);
      appendFileSync(notes, `${process.pid} in\n`);
      const count = Number(readFileSync(inside, 'utf8')) + 1;
      await new Promise((resolve) => setTimeout(resolve, i % 3));
      appendFileSync(inside, '', { flag: 'w' });
      appendFileSync(inside, String(count));
      appendFileSync(notes, `${process.pid} out\n`);
      lock!.release();
    }
  },
};

const [deed, root, argument] = process.argv.slice(2);
await DEEDS[deed!]!(root!, argument ?? '');
