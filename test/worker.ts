import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

export type WorkerEnd<T> = { how: 'killed' } | ({ how: 'returned' } & T);

/**
 * A program of a test's own, in a process of its own: it takes a task as JSON, prints its answer as JSON, or is killed on
 * the way. Bundled before the tests of the file that calls this.
 */
export function workerOf<Task, Answer>(entry: string): (task: Task) => Promise<WorkerEnd<Answer>> {
  // In the project's node_modules, so that it finds the packages; one for each file of tests, which run side by side.
  const program = `${root}node_modules/.cache/teddy-faults/${randomUUID()}.mjs`;
  beforeAll(async () => {
    const { build } = await import('esbuild');
    await build({
      absWorkingDir: root,
      entryPoints: [entry],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      loader: { '.md': 'text' },
      logLevel: 'warning',
    });
  });
  afterAll(() => rmSync(program, { force: true }));
  return (task) => runProgram(program, task);
}

function runProgram<Answer>(program: string, task: unknown): Promise<WorkerEnd<Answer>> {
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
      if (code === 0) resolve({ how: 'returned', ...(JSON.parse(output) as Answer) });
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
