import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// A kill counts only if the process was there to be killed: it is stopped first, looked at where it stands still, and killed then.

/** Where wrap is, from the start of teddy to the review after the program's end. */
export const WRAP_PHASES = ['starting', 'copying', 'preparing', 'running', 'reading', 'reviewing'] as const;
/** Where a review is, from its start to the removal of the copy. */
export const REVIEW_PHASES = [
  ...['reading', 'asking', 'verifying', 'staging', 'moving', 'recording', 'ending'],
] as const;

const RUN_ID = /^\d{8}-/;

function listNames(...path: string[]): string[] {
  try {
    return readdirSync(join(...path));
  } catch {
    return [];
  }
}

/** The ids of works that are complete on disk. */
export function listWorks(root: string): string[] {
  return listNames(root, '.teddy/changes').filter((name) => RUN_ID.test(name));
}

export function wrapPhase(root: string): string {
  const [id] = listWorks(root);
  if (id === undefined)
    return listNames(root, '.teddy/changes').some((name) => name.startsWith('new-')) ? 'copying' : 'starting';
  if (listNames(root, '.teddy/runs').some((name) => RUN_ID.test(name))) return 'reviewing';
  const { record } = JSON.parse(
    readFileSync(join(root, '.teddy/changes', id, 'work.json'), 'utf8').split('\n')[1]!,
  ) as { record: { processes?: object; end?: object } };
  return record.end ? 'reading' : record.processes ? 'running' : 'preparing';
}

/** `isLanded` looks at one file that landing changes. */
export function reviewPhase(root: string, id: string, isLanded: () => boolean): string {
  const run = listNames(root, '.teddy/runs').find((name) => RUN_ID.test(name));
  if (run === undefined) return 'reading';
  if (listNames(root, '.teddy/runs', run).includes('run.json')) return 'ending';
  const changing = listNames(root, '.teddy/tx').filter((name) => name !== '.gitignore');
  if (changing.some((name) => name.endsWith('.log'))) return 'moving';
  if (isLanded()) return 'recording';
  if (changing.length > 0) return 'staging';
  return listNames(root, '.teddy/changes', id).some((name) => name.startsWith('verify-'))
    ? 'verifying'
    : 'asking';
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Follows a process through its phases, in their order: how long each takes. */
export async function timePhases(
  phases: readonly string[],
  phase: () => string,
  isOver: () => boolean,
): Promise<Map<string, number>> {
  const seen = new Map(phases.map((name) => [name, 0]));
  for (let last = performance.now(); !isOver(); ) {
    const name = phase();
    await pause(1);
    const now = performance.now();
    seen.set(name, seen.get(name)! + now - last);
    last = now;
  }
  return seen;
}

/** Waits until a process is in this phase or past it. */
export async function reach(
  wanted: string,
  phases: readonly string[],
  phase: () => string,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver() && phases.indexOf(phase()) < phases.indexOf(wanted))
    await new Promise((resolve) => setImmediate(resolve));
}

/** Stops a process where it is. False if it has ended. */
export async function freeze(pid: number): Promise<boolean> {
  if (!signal(pid, 'SIGSTOP')) return false;
  for (;;) {
    const state = stateOf(pid);
    if (state === 'T') return true;
    if (state === undefined || state === 'Z') return false;
    await pause(1);
  }
}

/** Whether the process was there, and had not ended. */
export function killNow(pid: number): boolean {
  const state = stateOf(pid);
  return state !== undefined && state !== 'Z' && signal(pid, 'SIGKILL');
}

function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

function stateOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2)[0];
  } catch {
    return undefined;
  }
}

/** Processes of whose environment or command line this is a part. */
export function findMarked(mark: string): { pid: number; command: string }[] {
  return listNames('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ');
      if (!command.includes(mark) && !readFileSync(`/proc/${name}/environ`, 'latin1').includes(mark))
        return [];
      return [{ pid: Number(name), command }];
    } catch {
      return [];
    }
  });
}

/** How often who was killed in which phase. */
export class Kills {
  readonly #counts = new Map<string, number>();

  add(phase: string, victim: string): void {
    const key = `${victim}, ${phase}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((all, count) => all + count, 0);
  }

  get phases(): Set<string> {
    return new Set([...this.#counts.keys()].map((key) => key.split(', ')[1]!));
  }

  toString(): string {
    const counts = [...this.#counts].sort().map(([key, count]) => `${key}: ${count}`);
    return `${this.total} kills (${counts.join('; ')})`;
  }
}
