import type { Job, Lease, Queue } from './queue/types.js';

export interface WorkerOptions<P, R> {
  queue: Queue<P, R>;
  name: string;
  /** `signal`: it is not to go on, because this worker is to end or another has the job by now. */
  run(job: Job<P>, signal: AbortSignal): Promise<R>;
  /** No further job is begun; what one that runs still brings is kept. */
  signal: AbortSignal;
}

/**
 * Works on jobs, one after the other, until the queue is closed or `signal` says so. The next may begin while the queue
 * still writes down what came of the last. Throws where the queue does.
 */
export async function runWorker<P, R>(options: WorkerOptions<P, R>): Promise<void> {
  const { queue, name } = options;
  const failing = new AbortController();
  const signal = AbortSignal.any([options.signal, failing.signal]);
  let told: Promise<unknown> = Promise.resolve();
  for (let lease = await queue.lease(name, signal); lease; lease = await queue.lease(name, signal)) {
    const end = await workOn(lease, { ...options, signal });
    told = Promise.all([told, end && tell(lease, end, queue)]);
    told.catch(() => failing.abort());
  }
  await told;
}

type End<R> = { result: R } | { reason: string };

/** Undefined where another has the job by now. */
async function workOn<P, R>(
  lease: Lease<P>,
  { queue, run, signal }: WorkerOptions<P, R>,
): Promise<End<R> | undefined> {
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
    return isLost ? undefined : end;
  } finally {
    clearInterval(clock);
    signal.removeEventListener('abort', stop);
  }
}

function tell<P, R>(lease: Lease<P>, end: End<R>, queue: Queue<P, R>): Promise<boolean> {
  return 'result' in end ? queue.complete(lease, end.result) : queue.fail(lease, end.reason);
}

async function endOf<R>(run: () => Promise<R>): Promise<End<R>> {
  try {
    return { result: await run() };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}
