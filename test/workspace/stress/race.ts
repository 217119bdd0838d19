import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFileSeam } from '../../../src/node/file-calls.js';
import { readPlace } from '../../../src/workspace/commit/entries.js';
import { Jail } from '../../../src/workspace/jail.js';
import { Workspace } from '../../../src/workspace/workspace.js';
import { Random } from '../../corpus/random.js';

/** Pairs that the other process swaps: what belongs in the root, and a link to outside. */
const SWAPS: [string, string][] = [
  ['a', 'a-link'],
  ['b/mid', 'b/mid-link'],
  ['c/file.txt', 'c/file-link'],
  ['.teddy/tx', '.teddy/tx-link'],
  ['.teddy', 'teddy-link'],
];
const TARGETS = ['a/x.txt', 'a/new/deep.txt', 'b/mid/in/x.txt', 'c/file.txt'];
const SECRET = 'What stands outside is nobody’s business.';

export interface RaceFigures {
  commits: number;
  reads: number;
  swaps: number;
  /** How often commits and reads were answered what. */
  answers: Record<string, number>;
  violations: string[];
}

/** Commits and reads while another process swaps links to outside into the way. Linux only. */
export async function race(seconds: number, seed: number, program: string): Promise<RaceFigures> {
  const house = realpathSync(mkdtempSync(join(tmpdir(), 'teddy-race-')));
  const [root, outside] = [join(house, 'root'), join(house, 'outside')];
  furnish(root, outside);
  // Processes started from here on seal with a key that goes with the house.
  process.env.XDG_STATE_HOME = join(house, 'state');
  const before = fingerprint(outside);
  const swapper = spawn(process.execPath, [program, 'swapper', root, String(seed)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let told = '';
  swapper.stdout.on('data', (chunk) => {
    told += String(chunk);
  });
  const figures: RaceFigures = { commits: 0, reads: 0, swaps: 0, answers: {}, violations: [] };
  watchCalls(outside, figures.violations);
  const until = Date.now() + seconds * 1000;
  while (Date.now() < until) await commitAndRead(root, figures);
  setFileSeam(undefined);
  swapper.stdin.end();
  const code = await new Promise((resolve) => swapper.once('close', resolve));
  if (code !== 0) figures.violations.push(`the swapping process ended with ${code}`);
  figures.swaps = Number(told);
  if (JSON.stringify(fingerprint(outside)) !== JSON.stringify(before))
    figures.violations.push('something outside was changed');
  const recovery = await new Workspace(root).recover();
  count(figures.answers, `recovery at the end: ${recovery.status}`);
  if (figures.violations.length === 0) rmSync(house, { recursive: true, force: true });
  else figures.violations.push(`what is left stands in ${house}`);
  return figures;
}

async function commitAndRead(root: string, figures: RaceFigures): Promise<void> {
  const workspace = new Workspace(root, root, 2000);
  for (const path of TARGETS) {
    const now = read(root, path, figures);
    const after = Buffer.from(`${path} ${figures.commits}`);
    const result = await workspace.commit([
      { path, before: now === undefined ? null : createHash('sha256').update(now).digest('hex'), after },
    ]);
    figures.commits++;
    count(figures.answers, `commit: ${result.status}`);
    for (let i = 0; i < 5; i++) read(root, path, figures);
  }
}

/** What the jail lets see at a path. */
function read(root: string, path: string, figures: RaceFigures): Uint8Array | undefined {
  let jail: Jail | undefined;
  figures.reads++;
  try {
    jail = new Jail(root);
    const located = jail.locate(path, { purpose: 'read' });
    if (located.status === 'refused') {
      count(figures.answers, `read: refused, ${located.code}`);
      return undefined;
    }
    if (!located.place.stats?.isFile()) {
      count(figures.answers, 'read: no file');
      return undefined;
    }
    const bytes = readPlace(located.place)!;
    if (Buffer.from(bytes).includes(SECRET)) figures.violations.push(`${path} gave what stands outside`);
    count(figures.answers, 'read: a file');
    return bytes;
  } catch {
    count(figures.answers, 'read: thrown');
    return undefined;
  } finally {
    jail?.close();
  }
}

function count(answers: Record<string, number>, answer: string): void {
  answers[answer] = (answers[answer] ?? 0) + 1;
}

/** No file that is opened may stand outside, whatever is done with it then. */
function watchCalls(outside: string, violations: string[]): void {
  setFileSeam((call, perform) => {
    const result = perform(call.args);
    if (call.name === 'open') {
      const opened = readlinkSync(`/proc/self/fd/${result}`);
      if (opened.startsWith(outside)) violations.push(`${opened} was opened`);
    }
    return result;
  });
}

function furnish(root: string, outside: string): void {
  for (const path of ['a', 'b/mid/in', 'c', '.teddy/tx']) mkdirSync(join(root, path), { recursive: true });
  for (const path of ['new', 'in', 'tx', 'runs']) mkdirSync(join(outside, path), { recursive: true });
  for (const path of ['x.txt', 'new/deep.txt', 'in/x.txt', 'file.txt', 'lock', '.gitignore', 'tx/x.log'])
    writeFileSync(join(outside, path), `${SECRET}\n`);
  for (const path of TARGETS.filter((each) => !each.includes('new')))
    writeFileSync(join(root, path), 'first');
  for (const [real, link] of SWAPS)
    symlinkSync(
      join(outside, real.endsWith('file.txt') ? 'file.txt' : real.endsWith('tx') ? 'tx' : ''),
      join(root, link),
    );
}

/** Swaps pairs by one call each until its input ends, then puts everything back. Prints how often. */
export function swap(root: string, seed: number): void {
  const { swapSync } = createRequire(import.meta.url)('fs-native-extensions') as {
    swapSync(from: string, to: string): void;
  };
  const random = new Random(seed);
  const swapped = SWAPS.map(() => false);
  let swaps = 0;
  const exchange = (i: number) => {
    const [real, link] = SWAPS[i]!;
    try {
      swapSync(join(root, real), join(root, link));
      swapped[i] = !swapped[i];
      swaps++;
    } catch {
      // A commit replaced the link in the place of a file, or its folder is swapped away itself.
    }
  };
  const some = () => {
    for (let k = 0; k < 40; k++) {
      // The tool's own folder mostly stays, or there would be no commit to attack.
      const i = random.chance(0.05) ? 3 + random.below(2) : random.below(3);
      exchange(i);
      for (let pause = random.below(3000); pause > 0; pause--) swaps += 0;
      if (i >= 3) exchange(i);
    }
    if (!over) setImmediate(some);
    else {
      for (const i of [4, 3, 2, 1, 0]) if (swapped[i]) exchange(i);
      process.stdout.write(String(swaps));
    }
  };
  let over = false;
  process.stdin.on('end', () => {
    over = true;
  });
  process.stdin.resume();
  some();
}

function fingerprint(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const stats = lstatSync(join(folder, path), { bigint: true });
    const content = stats.isFile() ? readFileSync(join(folder, path), 'utf8') : '';
    found[path] = `${stats.mode} ${stats.ino} ${stats.nlink} ${stats.mtimeNs} ${stats.ctimeNs} ${content}`;
  }
  return found;
}
