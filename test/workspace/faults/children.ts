import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Task } from './worker.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const program = `${root}node_modules/.cache/teddy-faults/worker.mjs`;

/** Bundles the worker. It stands in the project's node_modules, so that it finds the packages. */
export async function buildWorker(): Promise<void> {
  const { build } = await import('esbuild');
  await build({
    absWorkingDir: root,
    entryPoints: ['test/workspace/faults/worker.ts'],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
}

export type Child = { how: 'killed' } | { how: 'returned'; calls: number; status: string };

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
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve({ how: 'killed' });
      else if (code === 0) resolve({ how: 'returned', ...JSON.parse(output) });
      else reject(new Error(`the worker ended with ${code ?? signal}`));
    });
  });
}

/** Does `work` for each item, `width` at a time. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = [...items];
  const lane = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: width }, lane));
}
