import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkConfinement } from '../src/confine/check.js';
import { confine } from '../src/confine/confine.js';
import { lendFolders } from '../src/confine/lend.js';
import { createCopy } from '../src/workspace/copy/create-copy.js';
import { makeRepository } from './context-repository.js';
import type { Check } from './table.js';

const FILES = 6_500;
const DEPENDENCIES = 500;
const DEPENDENCY_BYTES = 1_000_000;
const ROUNDS = 3;
const LIMIT = 2.5;

/** A copy and a confined `true`, against a worktree of the same repository and a Node that does nothing. The least of each, in turns. */
export async function benchWrap(): Promise<Check[]> {
  const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'teddy-bench-')));
  const root = join(folder, 'project');
  try {
    fs.mkdirSync(root);
    makeRepository(root, FILES);
    addDependencies(root);
    const [worktrees, wraps]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      worktrees.push(await timeOf(() => addWorktree(root, join(folder, `worktree-${round}`))));
      wraps.push(await timeOf(() => wrapTrue(root, join(folder, `changes-${round}`), join(folder, 'home'))));
    }
    const [worktree, wrap] = [Math.min(...worktrees), Math.min(...wraps)];
    return [
      {
        ...{ name: 'copy and confined true / git worktree add and node -e 0', value: wrap / worktree },
        ...{ limit: LIMIT, bound: 'at most', unit: '×' },
        detail: `${wrap.toFixed(0)} ms, ${worktree.toFixed(0)} ms`,
      },
    ];
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function addDependencies(root: string): void {
  const bytes = Buffer.alloc(DEPENDENCY_BYTES, 'x');
  for (let i = 0; i < DEPENDENCIES; i++) {
    const at = join(root, 'node_modules', `package-${i % 250}`);
    fs.mkdirSync(at, { recursive: true });
    fs.writeFileSync(join(at, `file-${i}.js`), bytes);
  }
}

async function timeOf(work: () => void | Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function addWorktree(root: string, at: string): void {
  execFileSync('git', ['worktree', 'add', '-q', '--detach', at], { cwd: root });
  execFileSync(process.execPath, ['-e', '0']);
}

async function wrapTrue(root: string, folder: string, home: string): Promise<void> {
  fs.mkdirSync(folder);
  const checked = await checkConfinement({ root, environment: process.env });
  if (!checked.available) throw new Error(checked.cause);
  const made = await createCopy(root, folder);
  if (made.status !== 'ok') throw new Error(made.reason);
  const { copy } = made.copy;
  const { lent, how } = await lendFolders(made.copy, checked.tools, process.env);
  if (how !== 'overlay') throw new Error('There is no overlay here.');
  const command = { program: '/bin/true', args: [], cwd: root, env: { PATH: process.env.PATH, HOME: home } };
  const confinement = { root, copy, lent, network: true, home: 'private', terminal: false } as const;
  const { program, args, env } = confine(command, confinement, checked.tools);
  execFileSync(program, args, { env, cwd: '/' });
  // A whole start of teddy is measured where the command is: here only its Node is missing.
  execFileSync(process.execPath, ['-e', '0']);
}
