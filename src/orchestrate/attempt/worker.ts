import type { AppendFile } from '../../workspace/append-file.js';
import type { ExecutorEnd, ExecutorIO, TaskAssignment } from '../executors/types.js';
import { CANCELLED, type Orchestration, type Running } from '../orchestration.js';
import type { Job, Lease, Queue } from '../queue/types.js';
import { outputFile } from '../state-files.js';

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

/** Works on the attempts of a run. An end is told after the beginning was recorded. */
export async function workOnAttempts(name: string, signal: AbortSignal, o: Orchestration): Promise<void> {
  await runWorker({
    queue: o.queue,
    name,
    signal,
    async run({ payload }, ends) {
      const running = o.running.get(payload.taskId);
      if (!running) return CANCELLED;
      try {
        return await executeJob(payload, running, ends, o);
      } finally {
        await running.recorded.reached;
      }
    },
  });
}

export async function executeJob(
  assignment: TaskAssignment,
  { cancelling, taken, over }: Running,
  signal: AbortSignal,
  o: Orchestration,
): Promise<ExecutorEnd> {
  try {
    const until = AbortSignal.any([signal, cancelling.signal]);
    const { io, open, close } = openExecutorIO(assignment, until, o);
    const end = o.executor.run(assignment, io).finally(close);
    // Its process is on its way by now, and whatever it prints comes later.
    try {
      open();
    } catch (error) {
      cancelling.abort();
      await end;
      throw error;
    }
    taken.reach();
    return await end;
  } finally {
    taken.reach();
    over.reach();
  }
}

/** A line is shown no more often than this. */
const SHOWN_EVERY_MS = 100;
const LONGEST_LINE = 500;
/** In characters. */
const LARGEST_OUTPUT = 20 * 1024 * 1024;
const CUT = '[teddy: output beyond 20 MB was dropped]';

/**
 * What one attempt's executor works with: all that it prints is in a file of its own as it comes. `open` throws
 * `UserError` where there can be no such file.
 */
function openExecutorIO(
  { taskId, taskName, attempt }: TaskAssignment,
  signal: AbortSignal,
  { options, redactor, processes, emit }: Orchestration,
): { io: ExecutorIO; open(): void; close(): void } {
  const { workspace, environment } = options;
  const task = { id: taskId, name: taskName };
  let file: AppendFile | undefined;
  const lines = new LastLine((line) => emit({ type: 'output', task, line }));
  let room = LARGEST_OUTPUT;
  let early = '';
  const write = (text: string) => {
    if (file) file.write(text);
    else early += text;
  };
  const keep = (text: string) => {
    if (room <= 0) return;
    room -= text.length;
    write(room > 0 ? text : `${text.slice(0, room + text.length)}\n${CUT}\n`);
  };
  const marks: Parameters<ExecutorIO['onStart']>[0][] = [];
  return {
    io: {
      environment,
      signal,
      mask: () => redactor.stream(),
      onStart(mark) {
        processes.note(mark, `${task.id}, attempt ${attempt}`);
        marks.push(mark);
      },
      onOutput(_, text) {
        keep(text);
        lines.push(text);
      },
    },
    open() {
      file = workspace.grow(outputFile(task.id, attempt), { fleeting: true });
      file.write(early);
    },
    close() {
      lines.close();
      file?.close();
      for (const mark of marks) processes.over(mark);
    },
  };
}

/** Tells the newest line that is not empty, now and then. */
class LastLine {
  private partial = '';
  private newest: string | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly tell: (line: string) => void) {}

  push(text: string): void {
    const lines = (this.partial + text).split(/\r\n|\n|\r/);
    this.partial = (lines.pop() ?? '').slice(-LONGEST_LINE);
    const last = lines.findLast((line) => line.trim() !== '');
    if (last === undefined) return;
    this.newest = last.slice(0, LONGEST_LINE);
    this.timer ??= setTimeout(() => this.flush(), SHOWN_EVERY_MS);
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private flush(): void {
    this.timer = undefined;
    if (this.newest !== undefined) this.tell(this.newest);
  }
}
