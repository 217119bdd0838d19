import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Check } from './table.js';

const TEDDY = resolve('bin/teddy.cjs');
const ROUNDS = 15;

/** From the start of `teddy web` to its first answer, against a Node that does nothing. The least time of each, in turns. */
export async function benchWebStart(): Promise<Check[]> {
  const cwd = mkdtempSync(join(tmpdir(), 'teddy-bench-'));
  mkdirSync(join(cwd, '.git'));
  const env = { ...process.env, HOME: cwd, XDG_STATE_HOME: '', XDG_CACHE_HOME: '', XDG_CONFIG_HOME: '' };
  const best = { node: Number.POSITIVE_INFINITY, web: Number.POSITIVE_INFINITY };
  try {
    // The first round compiles the code.
    for (let round = 0; round <= ROUNDS; round++) {
      const begin = performance.now();
      spawnSync(process.execPath, ['-e', '0'], { env });
      const node = performance.now() - begin;
      const web = await timeFirstAnswer(cwd, env);
      if (round > 0) {
        best.node = Math.min(best.node, node);
        best.web = Math.min(best.web, web);
      }
    }
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
  return [
    {
      name: 'teddy web to its first answer / node -e 0',
      value: best.web / best.node,
      limit: 3,
      bound: 'at most',
      unit: '×',
      detail: `${best.web.toFixed(0)} ms`,
    },
  ];
}

async function timeFirstAnswer(cwd: string, env: NodeJS.ProcessEnv): Promise<number> {
  const begin = performance.now();
  const child = spawn(process.execPath, [TEDDY, 'web', '--no-open', '--json'], { cwd, env });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  try {
    const line = await new Promise<string>((resolve) =>
      child.stdout.once('data', (chunk) => resolve(String(chunk))),
    );
    const { port } = JSON.parse(line) as { port: number };
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    await answer.text();
    if (!answer.ok) throw new Error(`teddy web answers ${answer.status}`);
    return performance.now() - begin;
  } finally {
    child.kill();
    await ended;
  }
}
