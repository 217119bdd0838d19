import { createRequire } from 'node:module';

export type WorkerEnd<Result> =
  | { status: 'done'; result: Result }
  | { status: 'timed-out' }
  /** It was stopped. */
  | { status: 'stopped' }
  /** It threw, or needed more memory than it may have. `reason` is what the system says. */
  | { status: 'failed'; reason: string };

export type WorkerLimits = { timeoutMs: number; memoryMb: number; signal?: AbortSignal };

/**
 * Runs a file's work (`answerParent`) in a thread, which is ended at the limit or when the caller asks. The thread gets no
 * environment and no input, and prints nothing. `file` is relative to the program's own file, or absolute. Never throws.
 */
export function runInWorker<Task, Result>(
  file: string,
  task: Task,
  { timeoutMs, memoryMb, signal }: WorkerLimits,
): Promise<WorkerEnd<Result>> {
  if (signal?.aborted) return Promise.resolve({ status: 'stopped' });
  return new Promise((resolve) => {
    const worker = start(file, task, memoryMb);
    if (!('thread' in worker)) return resolve(worker);
    const { thread } = worker;
    let ended = false;
    const end = (how: WorkerEnd<Result>) => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      void thread.terminate().then(() => resolve(how));
    };
    const onAbort = () => end({ status: 'stopped' });
    const timer = setTimeout(() => end({ status: 'timed-out' }), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    thread.once('message', (result: Result) => end({ status: 'done', result }));
    thread.once('error', (error) => end({ status: 'failed', reason: String(error) }));
    thread.once('exit', () => end({ status: 'failed', reason: 'It ended without a result.' }));
  });
}

function start(file: string, task: unknown, memoryMb: number) {
  try {
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    const thread = new Worker(createRequire(import.meta.url).resolve(file), {
      workerData: task,
      env: {},
      argv: [],
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 64 },
    });
    return { thread };
  } catch (error) {
    return { status: 'failed', reason: String(error) } as const;
  }
}

/** Called in a worker's file: does the work once, and returns its result to the parent. */
export function answerParent<Task, Result>(work: (task: Task) => Result): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  parentPort?.postMessage(work(workerData as Task));
}
