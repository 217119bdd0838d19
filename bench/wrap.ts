import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeRepository } from './context-repository.js';
import type { Check } from './table.js';

const TEDDY = resolve('bin/teddy.cjs');
const FILES = 6_500;
const DEPENDENCIES = 500;
const DEPENDENCY_BYTES = 1_000_000;
const ROUNDS = 7;
const LIMIT = 2.5;

/** `teddy wrap -- true`, against a worktree of the same repository and a Node that does nothing. The least of each, in turns. */
export function benchWrap(): Check[] {
  const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'teddy-bench-')));
  const root = join(folder, 'project');
  const home = join(folder, 'home');
  try {
    for (const path of [root, home]) fs.mkdirSync(path);
    makeRepository(root, FILES);
    addDependencies(root);
    const [worktrees, wraps]: [number[], number[]] = [[], []];
    // The first round makes the user's key and compiles the code.
    for (let round = 0; round <= ROUNDS; round++) {
      const worktree = timeOf(() => addWorktree(root, join(folder, `worktree-${round}`)));
      const wrap = timeOf(() => wrapTrue(root, home));
      if (round === 0) continue;
      worktrees.push(worktree);
      wraps.push(wrap);
    }
    const [worktree, wrap] = [Math.min(...worktrees), Math.min(...wraps)];
    return [
      {
        name: 'teddy wrap -- true / git worktree add and node -e 0',
        value: wrap / worktree,
        limit: LIMIT,
        bound: 'at most',
        unit: '×',
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

function timeOf(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function addWorktree(root: string, at: string): void {
  execFileSync('git', ['worktree', 'add', '-q', '--detach', at], { cwd: root });
  execFileSync(process.execPath, ['-e', '0']);
}

function wrapTrue(root: string, home: string): void {
  const env = { ...process.env, HOME: home, XDG_STATE_HOME: '', XDG_CACHE_HOME: '', XDG_CONFIG_HOME: '' };
  const { status, stderr } = spawnSync(process.execPath, [TEDDY, 'wrap', '--', 'true'], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  const isMeant = status === 0 && /Lent: .*node_modules.*its changes there are not kept/.test(stderr);
  if (!isMeant) throw new Error(`wrap ends with ${status}: ${stderr}`);
}
