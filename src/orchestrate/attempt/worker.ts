import { makeNewFolder, removeTree } from '../../node/files.js';
import { nameTemporaryFolder } from '../../node/user-folders.js';
import { confineExecutor } from '../confinement.js';
import type { AgentDecisions, ExecutorEnd, ExecutorIO, TaskAssignment } from '../executors/types.js';
import type { Worktree } from '../isolation/types.js';
import { CANCELLED, type Orchestration, type Running } from '../orchestration.js';
import type { Job, Lease, Queue } from '../queue/types.js';
import { outputFile } from '../state-files.js';

export interface WorkerOptions<P, R> {
  queue: Queue<P, R>;
  name: string;
  /** `signal` aborts if this worker must stop, or the job is not wanted any more. */
  run(job: Job<P>, signal: AbortSignal): Promise<R>;
  /** Starts no further job, and ends the current one; its end is kept. */
  signal: AbortSignal;
}

/** Works on jobs, one after another, until the queue is closed or `signal` aborts. Throws if an end cannot be written. */
export async function runWorker<P, R>(options: WorkerOptions<P, R>): Promise<void> {
  const { queue, name, signal } = options;
  for (let lease = await queue.lease(name, signal); lease; lease = await queue.lease(name, signal)) {
    const end = await runJob(lease, options);
    if (end === 'lost') continue;
    if ('result' in end) await queue.complete(lease, end.result);
    else await queue.fail(lease, end.reason);
  }
}

/** `lost`: the job was cancelled, or another worker has it. */
async function runJob<P, R>(
  lease: Lease<P>,
  { queue, run, signal }: WorkerOptions<P, R>,
): Promise<{ result: R } | { reason: string } | 'lost'> {
  const lost = new AbortController();
  const beat = async () => {
    if (!(await queue.heartbeat(lease))) lost.abort();
  };
  // A failed heartbeat is like none.
  const clock = setInterval(() => void beat().catch(() => {}), queue.heartbeatMs / 2);
  try {
    const result = await run(lease.job, AbortSignal.any([signal, lost.signal]));
    return lost.signal.aborted ? 'lost' : { result };
  } catch (error) {
    return lost.signal.aborted ? 'lost' : { reason: error instanceof Error ? error.message : String(error) };
  } finally {
    clearInterval(clock);
  }
}

/** Works on the attempts of a run. An end is reported only after its start is recorded. */
export async function workOnAttempts(name: string, signal: AbortSignal, o: Orchestration): Promise<void> {
  await runWorker({
    queue: o.queue,
    name,
    signal,
    async run({ payload }, until) {
      const running = o.running.get(payload.taskId);
      if (!running) return CANCELLED;
      try {
        return await executeJob(payload, running, until, o);
      } finally {
        await running.recorded.reached;
      }
    },
  });
}

export async function executeJob(
  assignment: TaskAssignment,
  { cancelling, taken, over, place }: Running,
  signal: AbortSignal,
  o: Orchestration,
): Promise<ExecutorEnd> {
  try {
    const { io, close } = openExecutorIO(assignment, place, AbortSignal.any([signal, cancelling.signal]), o);
    const end = o.executor.run(assignment, io).finally(close);
    taken.reach();
    return await end;
  } finally {
    taken.reach();
    over.reach();
  }
}

/** How often the last line is shown. */
const SHOWN_EVERY_MS = 100;
const LONGEST_LINE = 500;
/** In characters. */
const LARGEST_OUTPUT = 20 * 1024 * 1024;
const CUT = '[teddy: output beyond 20 MB was dropped]';

/** What the executor of one attempt works with. Its output is appended to a file; throws `UserError` if that is impossible. */
function openExecutorIO(
  { taskId, taskName, attempt }: TaskAssignment,
  place: Worktree | undefined,
  signal: AbortSignal,
  o: Orchestration,
): { io: ExecutorIO; close(): void } {
  const { options, redactor, processes, emit } = o;
  const { workspace, environment } = options;
  const file = workspace.grow(outputFile(taskId, attempt), { fleeting: true });
  const lines = new LastLine((line) => emit({ type: 'output', task: { id: taskId, name: taskName }, line }));
  let room = LARGEST_OUTPUT;
  const keep = (text: string) => {
    if (room <= 0) return;
    room -= text.length;
    file.write(room > 0 ? text : `${text.slice(0, room + text.length)}\n${CUT}\n`);
  };
  const marks: Parameters<ExecutorIO['onStart']>[0][] = [];
  const confinement = place ? confineExecutor(place, o) : null;
  // Clients leave files there; a confined one has a private folder anyway.
  const temporary = confinement === null ? nameTemporaryFolder() : undefined;
  return {
    io: {
      environment: { ...environment, ...(temporary && { TMPDIR: temporary }) },
      signal,
      confinement,
      decisions: openDecisions(taskId, o),
      mask: () => redactor.stream(),
      onStart(mark) {
        processes.note(mark, `${taskId}, attempt ${attempt}`, temporary);
        if (temporary) makeNewFolder(temporary, 0o700);
        marks.push(mark);
      },
      onOutput(_, text, shown = text) {
        keep(text);
        lines.push(shown);
      },
    },
    close() {
      lines.close();
      file.close();
      if (temporary) removeTree(temporary);
      for (const mark of marks) processes.remove(mark);
    },
  };
}

/** Every face shows that an agent asks something: it waits for the answer. */
function openDecisions(taskId: string, { options, emit }: Orchestration): AgentDecisions {
  const { policy, person, askForAgent } = options;
  const ask: AgentDecisions['ask'] =
    askForAgent &&
    ((asked, signal) => {
      const title = asked.question.trim().split('\n', 1)[0]!;
      emit({ type: 'note', message: `${taskId} waits for you (teddy inbox): ${title}` });
      return askForAgent(asked, signal);
    });
  return { policy, hasUser: person !== undefined, ...(ask && { ask }) };
}

/** Shows the newest line that is not empty, at most every `SHOWN_EVERY_MS`. */
class LastLine {
  private partial = '';
  private newest: string | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly show: (line: string) => void) {}

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
    if (this.newest !== undefined) this.show(this.newest);
  }
}
