import type { Job, Lease, Queue } from './queue/types.js';

export interface WorkerOptions<P, R> {
  queue: Queue<P, R>;
  name: string;
  /** `signal`: it is not to go on, because this worker is to end or another has the job by now. */
  run(job: Job<P>, signal: AbortSignal): Promise<R>;
  /** No further job is begun; what one that runs still brings is kept. */
  signal: AbortSignal;
}

/** Works on jobs, one after the other, until the queue is closed or `signal` says so. Throws where the queue does. */
export async function runWorker<P, R>(options: WorkerOptions<P, R>): Promise<void> {
  const { queue, name, signal } = options;
  for (let lease = await queue.lease(name, signal); lease; lease = await queue.lease(name, signal))
    await workOn(lease, options);
}

async function workOn<P, R>(lease: Lease<P>, { queue, run, signal }: WorkerOptions<P, R>): Promise<void> {
  const halt = new AbortController();
  const stop = () => halt.abort();
  let isLost = false;
  const beat = async () => {
    if (await queue.heartbeat(lease)) return;
    isLost = true;
    stop();
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  // One that fails is as good as none: if that goes on, the queue takes the job away.
  const clock = setInterval(() => void beat().catch(() => {}), queue.heartbeatMs / 2);
  try {
    const end = await endOf(() => run(lease.job, halt.signal));
    if (isLost) return;
    await ('result' in end ? queue.complete(lease, end.result) : queue.fail(lease, end.reason));
  } finally {
    clearInterval(clock);
    signal.removeEventListener('abort', stop);
  }
}

async function endOf<R>(run: () => Promise<R>): Promise<{ result: R } | { reason: string }> {
  try {
    return { result: await run() };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}
