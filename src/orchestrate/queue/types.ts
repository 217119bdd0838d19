/**
 * One attempt at a task, to be carried out by whoever leases it. What it holds can be written as JSON: a worker may run
 * on another machine, and has nothing else to go by.
 */
export interface Job<Payload> {
  /** `03-01:2` */
  task: string;
  /** From 1. */
  attempt: number;
  payload: Payload;
}

/** A job that one worker has, until it says that it is done or is not heard of for too long. */
export interface Lease<Payload> {
  job: Job<Payload>;
  /**
   * Higher with every lease of the queue, and never given twice, not even after a lease that was forgotten. Whoever
   * holds a lower one of the same task was superseded.
   */
  token: number;
  worker: string;
}

/** What the coordinator hears, at least once: after a restart whatever was not taken back is told again. */
export type QueueEvent<Result> =
  | { type: 'completed'; task: string; attempt: number; token: number; result: Result; superseded: boolean }
  | { type: 'failed'; task: string; attempt: number; token: number; reason: string; superseded: boolean }
  /** Its worker was not heard of: it is offered again, with another token. */
  | { type: 'expired'; task: string; attempt: number; token: number };

/** How a job stands. */
export type JobState<Payload, Result> = Job<Payload> &
  (
    | { state: 'waiting' }
    | { state: 'leased'; token: number; worker: string }
    | { state: 'completed'; token: number; result: Result }
    | { state: 'failed'; token: number; reason: string }
  );

/**
 * Jobs between a coordinator and its workers, delivered at least once: whoever applies a result has to know whether it
 * was applied before.
 *
 * What a worker brings is written down, with all that happened before it, before the coordinator is told and before
 * `complete` or `fail` returns; where the machine dies right after that, it may be forgotten. All else is in effect at
 * once and may be forgotten where the process dies before the next `complete`, `fail`, `flush` or `close`: then a job is
 * not known or waits again, and what was taken back is there again and is told again. The coordinator has to know from
 * elsewhere what it had begun, and what it has dealt with.
 */
export interface Queue<Payload, Result> {
  /** Offers jobs. One whose task and attempt are known already is not offered again. */
  enqueue(jobs: readonly Job<Payload>[]): Promise<void>;
  /** Waits for a job; undefined once the queue is closed or `signal` says so. */
  lease(worker: string, signal?: AbortSignal): Promise<Lease<Payload> | undefined>;
  /** To be called at least every `heartbeatMs`. False: another has the job by now, or nobody wants it done. */
  heartbeat(lease: Lease<Payload>): Promise<boolean>;
  /**
   * False: superseded. Then the coordinator is told all the same, and what came is kept. Throws where the queue can no
   * longer be written; then nothing more is taken by this process.
   */
  complete(lease: Lease<Payload>, result: Result): Promise<boolean>;
  /** The worker could not run it: that says nothing about the task. */
  fail(lease: Lease<Payload>, reason: string): Promise<boolean>;
  /** Takes back whatever there is of a task. What comes of it later is superseded. */
  cancel(task: string): Promise<void>;
  /**
   * Makes it last that a task was taken back, even where the machine dies. To be called before an attempt is begun under
   * a number that one before it may have had: else what came of that one could be taken for what came of this. Throws
   * where it cannot be written.
   */
  flush(task: string): Promise<void>;
  /** Tells of everything that is completed or failed and not taken back, first of what is so already. */
  listen(listener: (event: QueueEvent<Result>) => void): () => void;
  list(): Promise<JobState<Payload, Result>[]>;
  readonly heartbeatMs: number;
  /** No job is handed out from here on. What workers still bring is kept. */
  close(): Promise<void>;
}
