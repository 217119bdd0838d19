/** One attempt at a task. It can be written as JSON: a worker may be on another machine and know nothing else. */
export interface Job<Payload> extends JobName {
  payload: Payload;
}

export interface JobName {
  /** `03-01:2` */
  task: string;
  /** From 1. */
  attempt: number;
}

/** A job that a worker has taken. */
export interface Lease<Payload> {
  job: Job<Payload>;
  /** Higher with every lease, and never used twice: of two leases of a task, the one with the lower token is superseded. */
  token: number;
  worker: string;
}

/** The end of a lease. `superseded`: the job was cancelled or leased again before, so this end does not count. */
export type QueueEvent<Result> = JobName & { token: number; superseded: boolean } & (
    | { type: 'completed'; result: Result }
    | { type: 'failed'; reason: string }
  );

export type JobState<Result> = JobName &
  (
    | { state: 'waiting' }
    | { state: 'leased'; token: number; worker: string }
    | { state: 'completed'; token: number; result: Result }
    | { state: 'failed'; token: number; reason: string }
  );

/**
 * Jobs between a coordinator and its workers, delivered at least once. The coordinator knows from its own files what has
 * started and what is recorded: a queue may forget a job without an end, and may report an end again after a restart.
 * An end is on disk before it is reported and before `complete` or `fail` returns.
 */
export interface Queue<Payload, Result> {
  /** Offers jobs. A job whose task and attempt are known is not offered again. */
  enqueue(jobs: readonly Job<Payload>[]): Promise<void>;
  /** Waits for a job; undefined once the queue is closed or `signal` aborts. */
  lease(worker: string, signal?: AbortSignal): Promise<Lease<Payload> | undefined>;
  /** Called at least every `heartbeatMs`. False: the job was cancelled, or another worker has it. */
  heartbeat(lease: Lease<Payload>): Promise<boolean>;
  /** False: superseded; the end is kept and reported anyway. Throws if it cannot be written; nothing more can be then. */
  complete(lease: Lease<Payload>, result: Result): Promise<boolean>;
  /** The worker could not run it, which says nothing about the task. */
  fail(lease: Lease<Payload>, reason: string): Promise<boolean>;
  /** Forgets all jobs and ends of a task. An end that comes later is superseded. */
  cancel(task: string): Promise<void>;
  /**
   * Makes the cancellation of a task survive a power cut. Called before an attempt number is used again: otherwise the end
   * of the earlier attempt could be taken for that of the new one. Throws if it cannot be written.
   */
  flush(task: string): Promise<void>;
  /** Reports every end that is not cancelled, starting with those that exist already. */
  listen(listener: (event: QueueEvent<Result>) => void): () => void;
  list(): Promise<JobState<Result>[]>;
  readonly heartbeatMs: number;
  /** Hands out no more jobs. */
  close(): Promise<void>;
}
