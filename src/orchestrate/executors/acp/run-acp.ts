import { shortenCounted } from '../../../core/text.js';
import { monotonicMs, timeAfter, waitUnless } from '../../../node/clock.js';
import { openInput } from '../../../node/process/input.js';
import { runProcess } from '../../../node/process/run.js';
import type { ProcessResult } from '../../../node/process/types.js';
import { Milestone } from '../../concurrency.js';
import {
  describeMissing,
  describeOutput,
  describeStart,
  describeTime,
  describeUnseen,
  type StartedProgram,
  saysLimited,
} from '../program.js';
import type { ExecutorEnd, ExecutorIO, ExecutorOutcome, TaskAssignment } from '../types.js';
import { AgentSession, type TalkEnd } from './agent-session.js';
import { createJudge } from './judge.js';

/** How long an agent may take to answer before it has a session: it may have to fetch something first. */
const START_MS = 120_000;
/** How long it has to end its turn when it is asked to, and itself once its input has ended. */
const CANCEL_MS = 2000;
const END_MS = 1000;
const CHECKED_EVERY_MS = 50;
const ERROR_OUTPUT_BYTES = 100_000;

/**
 * An attempt with an agent that speaks the Agent Client Protocol on its standard streams: it gets the prompt in a session of its
 * own, and its last message is the answer. Never throws, and leaves no process.
 */
export async function runAcp(
  name: string,
  program: StartedProgram,
  assignment: TaskAssignment,
  io: ExecutorIO,
): Promise<ExecutorEnd> {
  const input = openInput();
  const killed = new AbortController();
  const halted = new Milestone<ExecutorOutcome>();
  const transcript = new Transcript(io);
  const time = new WorkTime();
  const session = new AgentSession({
    cwd: assignment.cwd,
    judge: createJudge(name, assignment, io, {
      time,
      onWait: (title) => transcript.line(`Waiting for you: ${title}`),
    }),
    peer: { send: (line) => input.write(line), unread: () => input.waiting },
    onText: (text) => transcript.text(text),
    onWork: (line) => transcript.line(line),
    onCost: (costUsd) => {
      const exceeded = describeBudget(costUsd, assignment);
      if (exceeded !== undefined) halted.reach(exceeded);
    },
    onBroken: (reason) => halted.reach({ status: 'crashed', reason: `It ${reason}.`, limited: false }),
  });
  const running = runProcess({
    ...describeStart(program, assignment, io),
    cwd: assignment.cwd,
    input: input.stream,
    signal: killed.signal,
    capture: { bytes: ERROR_OUTPUT_BYTES },
    onStart: (mark) => io.onStart(mark),
    onOutput: (stream, text) => (stream === 'stdout' ? session.receive(text) : transcript.error(text)),
  });
  void running.then(() => session.close());
  const endWatch = watchLimits(assignment, io.signal, {
    time,
    session,
    halt: (end) => halted.reach(end),
  });
  const talk = session.run(assignment.prompt);
  const end = await Promise.race([talk, halted.reached]);
  endWatch();
  if (!isTalk(end)) await cancel(session, talk);
  session.close();
  input.end();
  await waitUnless(running, timeAfter(END_MS));
  killed.abort();
  const result = await running;
  transcript.close();
  const { usage, remarks } = session;
  const outcome = isTalk(end) ? describeTalk(end, result, remarks) : end;
  const unseen = isTalk(end) && end.status === 'gone' ? describeUnseen(program, assignment, io) : null;
  const ending: ExecutorOutcome =
    unseen === null
      ? outcome
      : { status: 'unusable', reason: `${unseen}${describeOutput({ stderr: result.stderr })}` };
  return { durationMs: Math.round(result.durationMs), usage, ...maskOutcome(ending, transcript) };
}

function isTalk(end: TalkEnd | ExecutorOutcome): end is TalkEnd {
  return ['answered', 'failed', 'gone'].includes(end.status);
}

/** The agent may end its turn first, and report what it cost. */
async function cancel(session: AgentSession, talk: Promise<TalkEnd>): Promise<void> {
  session.cancel();
  if (session.isStarting) return;
  await waitUnless(talk, timeAfter(CANCEL_MS));
}

/** How long the agent has worked: not while the user, who is there, thinks. */
class WorkTime {
  private readonly started = monotonicMs();
  private asking = 0;
  private askedAt = 0;
  private waited = 0;

  get elapsedMs(): number {
    const now = this.asking > 0 ? this.askedAt : monotonicMs();
    return now - this.started - this.waited;
  }

  get isAsking(): boolean {
    return this.asking > 0;
  }

  async whileAsking<T>(answer: Promise<T>): Promise<T> {
    if (this.asking++ === 0) this.askedAt = monotonicMs();
    try {
      return await answer;
    } finally {
      if (--this.asking === 0) this.waited += monotonicMs() - this.askedAt;
    }
  }
}

interface Watched {
  time: WorkTime;
  session: AgentSession;
  halt(end: ExecutorOutcome): void;
}

/** Halts the agent when its time is up or the user ends it. Returns what ends the watch. */
function watchLimits(
  { timeoutMs }: TaskAssignment,
  signal: AbortSignal,
  { time, session, halt }: Watched,
): () => void {
  const check = () => {
    const ms = time.elapsedMs;
    if (signal.aborted) halt({ status: 'cancelled' });
    else if (timeoutMs !== null && ms > timeoutMs) {
      const reason = `It ran longer than ${describeTime(timeoutMs)} and was stopped.`;
      halt({ status: 'timed-out', reason });
    } else if (session.isStarting && ms > START_MS) {
      const reason = `It did not start a session within ${describeTime(START_MS)}. Check that it speaks the Agent Client Protocol.`;
      halt({ status: 'unusable', reason });
    }
  };
  const timer = setInterval(check, CHECKED_EVERY_MS);
  signal.addEventListener('abort', check);
  check();
  return () => {
    clearInterval(timer);
    signal.removeEventListener('abort', check);
  };
}

function describeBudget(costUsd: number, { budgetUsd }: TaskAssignment): ExecutorOutcome | undefined {
  if (budgetUsd === undefined || costUsd <= budgetUsd) return undefined;
  const reason = `It was stopped: it has cost $${costUsd.toFixed(2)}, more than the $${budgetUsd.toFixed(2)} left in the budget.`;
  return { status: 'crashed', reason, limited: false };
}

const LONGEST_REASON = 1000;

function describeTalk(end: TalkEnd, result: ProcessResult, remarks: readonly string[]): ExecutorOutcome {
  switch (end.status) {
    case 'answered': {
      const exitCode = result.status === 'exited' ? result.code : null;
      return { status: 'returned', text: end.text, exitCode, ...(remarks.length > 0 && { remarks }) };
    }
    case 'failed': {
      const { kind, reason } = end.failure;
      const sentence = `It ${shortenCounted(reason, LONGEST_REASON)}.`;
      const isLimited = saysLimited(reason);
      if (kind === 'unusable' && !isLimited) return { status: 'unusable', reason: sentence };
      return { status: 'crashed', reason: `${sentence}${describeErrors(result)}`, limited: isLimited };
    }
    case 'gone':
      return describeGone(end.during, result);
  }
}

/** The program ended before it had answered. */
function describeGone(during: string, result: ProcessResult): ExecutorOutcome {
  if (result.status === 'not-started') {
    const { code, reason } = result;
    if (code === 'command-missing') return { status: 'unusable', reason };
    return { status: 'crashed', reason, limited: false };
  }
  const exitCode = result.status === 'exited' ? result.code : null;
  const missing = describeMissing(exitCode, result.stderr);
  if (missing !== null) return { status: 'unusable', reason: missing };
  const how = result.status === 'signalled' ? `was killed by ${result.signal}` : `exited with ${exitCode}`;
  const reason = `It ${how} before it answered ${during}.${describeErrors(result)}`;
  return { status: 'crashed', reason, limited: saysLimited(result.stderr.tail || result.stderr.head) };
}

function describeErrors({ stderr }: ProcessResult): string {
  return /\S/.test(stderr.head) ? describeOutput({ stderr }) : '';
}

function maskOutcome(outcome: ExecutorOutcome, { mask }: Transcript): ExecutorOutcome {
  if (outcome.status === 'returned') {
    const { remarks } = outcome;
    return { ...outcome, text: mask(outcome.text), ...(remarks && { remarks: remarks.map(mask) }) };
  }
  return 'reason' in outcome ? { ...outcome, reason: mask(outcome.reason) } : outcome;
}

/** What the user sees of the work, masked: the agent's messages, and a line for everything that it does. */
class Transcript {
  private readonly out: ReturnType<ExecutorIO['mask']>;
  private readonly err: ReturnType<ExecutorIO['mask']>;
  private isMidLine = false;

  constructor(private readonly io: ExecutorIO) {
    this.out = io.mask();
    this.err = io.mask();
  }

  text(text: string): void {
    if (text === '') return;
    this.isMidLine = !text.endsWith('\n');
    this.io.onOutput('stdout', this.out.push(text));
  }

  line(line: string): void {
    const shown = shortenCounted(line.trim().split(/[\r\n]/, 1)[0]!, LONGEST_REASON);
    this.text(`${this.isMidLine ? '\n' : ''}${shown}\n`);
  }

  error(text: string): void {
    this.io.onOutput('stderr', this.err.push(text));
  }

  close(): void {
    this.io.onOutput('stdout', `${this.out.end()}${this.isMidLine ? '\n' : ''}`);
    this.io.onOutput('stderr', this.err.end());
  }

  /** A text of its own. */
  readonly mask = (text: string): string => {
    const stream = this.io.mask();
    return stream.push(text) + stream.end();
  };
}
