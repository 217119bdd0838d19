import { pauseBlocking, sleep, timeAfter } from '../clock.js';
import {
  findMarked,
  findProcess,
  listProcesses,
  type ProcessEntry,
  type ProcessMark,
  type ProcessName,
} from './process-table.js';

/** The processes of a command that were ended, and those that survived. */
export type Cleared = {
  ended: ProcessName[];
  /** Still running: another user's, or blocked in the kernel. */
  survived: ProcessName[];
};

/** From SIGKILL to the end; only processes blocked in the kernel take so long. */
const DEATH_MS = 1000;
const LONGEST_PAUSE_MS = 100;
/** During a scan, a process may be replaced by its child. */
const LOOKS = 2;

/** The processes of a command while they are being ended: those that were seen and those that were signalled. */
class Hunt {
  readonly #marks: readonly ProcessMark[];
  readonly #known = new Map<number, string>();
  readonly #seen = new Map<string, ProcessName>();
  readonly #signalled = new Set<string>();

  constructor(marks: readonly ProcessMark[]) {
    this.#marks = marks;
  }

  find(): ProcessEntry[] {
    const found = findMarked(listProcesses(), this.#marks, this.#known);
    for (const entry of found) this.#seen.set(keyOf(entry), { pid: entry.pid, name: entry.name });
    return found;
  }

  /** SIGTERM once, so that no handler runs twice; to a whole group at once, so that none sees another end. */
  signal(found: readonly ProcessEntry[], signal: 'SIGTERM' | 'SIGKILL'): void {
    const fresh = signal === 'SIGKILL' ? found : found.filter((entry) => !this.#signalled.has(keyOf(entry)));
    const groups = new Set(
      this.#marks.map(({ pid }) => pid).filter((pid) => !this.#signalled.has(`${signal} ${pid}`)),
    );
    for (const group of new Set(fresh.map((entry) => entry.group))) {
      if (!groups.has(group)) continue;
      this.#signalled.add(`${signal} ${group}`);
      sendToGroup(group, signal);
    }
    for (const entry of fresh) {
      this.#signalled.add(keyOf(entry));
      if (!groups.has(entry.group)) send(entry, signal);
    }
  }

  result(left: readonly ProcessEntry[]): Cleared {
    const keys = new Set(left.map(keyOf));
    const all = [...this.#seen];
    return {
      ended: all.filter(([key]) => !keys.has(key)).map(([, name]) => name),
      survived: all.filter(([key]) => keys.has(key)).map(([, name]) => name),
    };
  }
}

/**
 * Ends all processes with these marks, of this run or an earlier one, until none is found: SIGTERM, and SIGKILL after the
 * grace time, if any. It misses one that cleared its environment and left the session, and whose parent has ended.
 */
export async function endProcesses(marks: readonly ProcessMark[], graceMs: number): Promise<Cleared> {
  const hunt = new Hunt(marks);
  if (marks.length === 0 || hunt.find().length === 0) return hunt.result([]);
  let left = graceMs > 0 ? await pursue(hunt, 'SIGTERM', graceMs) : undefined;
  if (left?.length !== 0) left = await pursue(hunt, 'SIGKILL', DEATH_MS);
  return hunt.result(left);
}

/** The processes that remain after that time. */
async function pursue(hunt: Hunt, signal: 'SIGTERM' | 'SIGKILL', withinMs: number): Promise<ProcessEntry[]> {
  const isLate = timeAfter(withinMs);
  let pause = 5;
  for (let missed = 0; missed < LOOKS; ) {
    const left = hunt.find();
    hunt.signal(left, signal);
    if (left.length > 0 && isLate()) return left;
    missed = left.length === 0 ? missed + 1 : 0;
    await sleep(missed > 0 ? 1 : pause);
    pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS);
  }
  return [];
}

/** The same for a process that is about to end: it blocks. */
export function endProcessesNow(marks: readonly ProcessMark[], graceMs: number): void {
  const hunt = new Hunt(marks);
  const isLate = timeAfter(graceMs);
  for (let left = hunt.find(); left.length > 0 && !isLate(); left = hunt.find()) {
    hunt.signal(left, 'SIGTERM');
    pauseBlocking(10);
  }
  for (let looks = 0, left = hunt.find(); left.length > 0 && looks < 20; looks++, left = hunt.find()) {
    hunt.signal(left, 'SIGKILL');
    pauseBlocking(5);
  }
}

function keyOf({ pid, born }: Pick<ProcessEntry, 'pid' | 'born'>): string {
  return `${pid} ${born}`;
}

function sendToGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // As below.
  }
}

/** Checks again that it is still the same process: its number may have been reused. */
function send({ pid, born }: ProcessEntry, signal: NodeJS.Signals): void {
  if (findProcess(pid)?.born !== born) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended, or may not be signalled: the next check shows which.
  }
}
