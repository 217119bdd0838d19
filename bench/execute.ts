import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Action, Plan } from '../src/core/plan/types.js';
import { writePlan } from '../src/core/plan/write.js';
import type { Check } from './table.js';

const TEDDY = resolve('bin/teddy.cjs');
const FILES = 2000;
const GB = 1_000_000_000;
const CONTENT = 'A line of a file that says nothing in particular.\n'.repeat(40);

/** `teddy execute -y` against the least that its work could cost. */
export function benchExecute(): Check[] {
  if (!fs.existsSync('dist')) {
    console.log('skipped: not built yet (npm run build)');
    return [];
  }
  const state = fs.mkdtempSync(join(tmpdir(), 'teddy-bench-'));
  try {
    return [manyCreates(state), oneGigabyte(state)];
  } finally {
    fs.rmSync(state, { recursive: true, force: true });
  }
}

function manyCreates(state: string): Check {
  const text = planOf(Array.from({ length: FILES }, (_, i) => create(i)));
  const plain = (root: string) => {
    for (let i = 0; i < FILES; i++) writeAndRename(join(root, `file-${i}.txt`));
  };
  const value = compare(5, (root) => execute(root, text, state), plain);
  const name = `execute -y of ${FILES} CREATEs / write, fsync, rename`;
  return { name, value, limit: 2.5, bound: 'at most', unit: '×' };
}

/** The most memory that teddy itself holds while a command prints a gigabyte. */
function oneGigabyte(state: string): Check {
  const root = fs.mkdtempSync(join(tmpdir(), 'teddy-bench-'));
  try {
    const command = `head -c ${GB} /dev/zero | tr '\\0' 'x' | fold -w 99\n`;
    const peak = join(root, 'peak');
    // Asked at its exit, of the kernel: the largest that it has been.
    const ask = join(root, 'ask.cjs');
    fs.writeFileSync(
      ask,
      `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(peak)}, String(process.resourceUsage().maxRSS)));`,
    );
    execute(root, planOf([executeAction(command)]), state, ['--require', ask]);
    const megabytes = Number(fs.readFileSync(peak, 'utf8')) / 1024;
    return {
      name: 'memory while a command prints 1 GB, MB',
      value: megabytes,
      limit: 200,
      bound: 'at most',
      unit: '',
    };
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
}

/** The least time of each, taken in turns in fresh folders so that both meet the same weather. */
function compare(rounds: number, subject: (root: string) => void, base: (root: string) => void): number {
  const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds * 2; round++) {
    const root = fs.mkdtempSync(join(tmpdir(), 'teddy-bench-'));
    try {
      const start = process.hrtime.bigint();
      (round % 2 === 0 ? subject : base)(root);
      best[round % 2] = Math.min(best[round % 2]!, Number(process.hrtime.bigint() - start));
    } finally {
      fs.rmSync(root, { recursive: true, force: true });
    }
  }
  return best[0]! / best[1]!;
}

function execute(root: string, plan: string, state: string, node: string[] = []): void {
  const env = { PATH: process.env.PATH, HOME: root, XDG_STATE_HOME: state };
  const { status, stderr } = spawnSync(
    process.execPath,
    [...node, TEDDY, 'execute', '-', '-y', '--root', root],
    {
      cwd: root,
      env,
      input: plan,
      encoding: 'utf8',
      maxBuffer: GB,
    },
  );
  if (status !== 0) throw new Error(`teddy execute ends with ${status}: ${stderr}`);
}

function writeAndRename(path: string): void {
  const file = fs.openSync(`${path}.new`, 'wx');
  fs.writeSync(file, CONTENT);
  fs.fsyncSync(file);
  fs.closeSync(file);
  fs.renameSync(`${path}.new`, path);
}

export function create(i: number): Action {
  return {
    type: 'CREATE',
    line: 0,
    metadata: {},
    path: `file-${i}.txt`,
    description: 'One of many.',
    content: CONTENT,
    overwrite: false,
  };
}

export function executeAction(command: string): Action {
  return {
    type: 'EXECUTE',
    line: 0,
    metadata: {},
    description: 'Print a lot.',
    expectedOutcome: 'Much.',
    cwd: null,
    env: {},
    command,
    timeout: null,
    allowFailure: false,
  };
}

export function planOf(actions: Action[]): string {
  const plan: Plan = {
    title: 'A plan to measure with',
    metadata: { Status: 'Green', 'Plan Type': 'Implementation', Agent: 'Nobody' },
    rationale: '### 1. Synthesis\n### 2. Justification\n### 3. Expected Outcome\n### 4. State Dashboard\n',
    activeContext: [],
    memos: [],
    actions,
  };
  return writePlan(plan);
}
