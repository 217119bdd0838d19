import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import type { Task } from './worker.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** One for each file of tests: they run side by side, and each builds its own. */
const program = `${root}node_modules/.cache/teddy-faults/run-worker-${randomUUID()}.mjs`;
afterAll(() => rmSync(program, { force: true }));

/** Bundles the worker. It stands in the project's node_modules, so that it finds the packages. */
export async function buildWorker(): Promise<void> {
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: root,
    entryPoints: ['test/run/kill/worker.ts'],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
}

export type Child =
  | { how: 'killed' }
  | { how: 'returned'; calls: number; recovered: string[]; run?: { id: string; overall: string } };

export function runWorker(task: Task): Promise<Child> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, JSON.stringify(task)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      // A command that outlives its teddy is none of our pipe's business.
      if (signal === 'SIGKILL') resolve({ how: 'killed' });
      else if (code !== 0) reject(new Error(`the worker ended with ${code ?? signal}`));
    });
    child.on('close', (code) => {
      if (code === 0) resolve({ how: 'returned', ...JSON.parse(output) });
    });
  });
}
