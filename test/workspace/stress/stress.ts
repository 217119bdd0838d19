import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Random } from '../../corpus/random.js';
import { checkStress, Watcher } from './check.js';
import { COUNTERS, counterBytes, JOURNAL, TALLIES, type Work } from './worker.js';

export interface Figures {
  commits: number;
  kills: number;
  violations: string[];
}

interface Settings {
  seconds: number;
  processes: number;
  seed: number;
  /** Where the root is made. */
  folder?: string;
  /** The bundle that processes are started from. */
  program: string;
}

/**
 * Processes commit to the same files. Every other one is killed, half of these from outside at a random
 * moment, half by themselves before a random file call, and another takes its place.
 */
export async function stress({ seconds, processes, seed, folder, program }: Settings): Promise<Figures> {
  const house = realpathSync(mkdtempSync(join(folder ?? tmpdir(), 'teddy-stress-')));
  const { root, records } = furnish(house);
  // Processes started from here on seal with a key that goes with the house.
  process.env.XDG_STATE_HOME = join(house, 'state');
  const random = new Random(seed);
  const until = Date.now() + seconds * 1000;
  const watcher = new Watcher(root);
  const watching = setInterval(() => watcher.look(), 20);
  const crashed: string[] = [];
  let kills = 0;
  const live = async (slot: number) => {
    while (Date.now() < until) {
      const work: Work = { root, records, seed: random.below(2 ** 32), until };
      const isVictim = slot % 2 === 1;
      if (isVictim && slot % 4 === 1) work.dieBefore = 1 + random.below(300);
      const child = spawn(process.execPath, [program, 'worker', JSON.stringify(work)], { stdio: 'inherit' });
      if (isVictim) killLater(child, 150 + random.below(2000), until);
      const { code, signal } = await ended(child);
      if (signal === 'SIGKILL') kills++;
      else if (code !== 0) crashed.push(`a process ended with ${code ?? signal}`);
    }
  };
  await Promise.all(Array.from({ length: processes }, (_, slot) => live(slot)));
  clearInterval(watching);
  watcher.look();
  const lock = statSync(join(root, '.teddy/lock')).ino;
  const { commits, violations: found } = await checkStress(root, records, kills);
  if (statSync(join(root, '.teddy/lock')).ino !== lock) found.push('the lock file was replaced');
  const violations = [...crashed, ...watcher.violations, ...found];
  if (violations.length === 0) rmSync(house, { recursive: true, force: true });
  else violations.push(`what is left stands in ${house}`);
  return { commits, kills, violations };
}

function furnish(house: string): { root: string; records: string } {
  const [root, records] = [join(house, 'root'), join(house, 'records')];
  mkdirSync(root);
  mkdirSync(records);
  for (const path of [...COUNTERS, ...TALLIES]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), counterBytes(0, new Random(0)));
  }
  writeFileSync(join(root, JOURNAL), '');
  return { root, records };
}

/** Not past the end: who is still alive then ends in peace. */
function killLater(child: ChildProcess, delay: number, until: number): void {
  if (Date.now() + delay >= until) return;
  const timer = setTimeout(() => child.kill('SIGKILL'), delay);
  child.once('exit', () => clearTimeout(timer));
}

function ended(child: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}
