import { randomId } from '../ids.js';
import { birthOf, findProcess, MARK_VARIABLE, type ProcessEntry, readBoot } from './process-table.js';

/**
 * A process that was started as the leader of its own session, in a form that can be written down. A number is used
 * again after a process has ended; `born` tells the two apart, also after a restart of the machine. `token` is in the
 * environment of all that it starts; without one only its session is known.
 */
export type ProcessMark = { pid: number; born: string; token?: string };

/** Not to be guessed: whoever carries it is ended with the command. */
export function makeToken(): string {
  return randomId(26);
}

/** Behind the tokens of the teddys that this one runs inside, whatever `env` says of them. */
export function withToken<T>(
  env: Readonly<Record<string, T>>,
  token: string,
): Record<string, T | string | undefined> {
  const around = process.env[MARK_VARIABLE];
  return { ...env, [MARK_VARIABLE]: around === undefined ? token : `${around}:${token}` };
}

/** A process of ours, before it was waited for. Where its birth cannot be told the mark is of no later process. */
export function markProcess(pid: number, token?: string): ProcessMark {
  return { pid, born: birthOf(pid) ?? 'unknown', ...(token !== undefined && { token }) };
}

/** Whether that very process runs. One that has ended and was not yet waited for does not. */
export function isAlive({ pid, born }: ProcessMark): boolean {
  return findProcess(pid)?.born === born;
}

/**
 * All processes of the marks among those listed: their sessions, whatever carries their tokens, the descendants of
 * these, and whatever sessions they lead. `known` gets what is found, so that a process that clears its environment
 * later is still known. Never this process or one that it descends from.
 */
export function findMarked(
  listed: readonly ProcessEntry[],
  marks: readonly ProcessMark[],
  known: Map<number, string>,
): ProcessEntry[] {
  const byPid = new Map(listed.map((entry) => [entry.pid, entry]));
  const tokens = new Set(marks.flatMap(({ token }) => (token === undefined ? [] : [token])));
  const sessions = new Set(marks.filter((mark) => isSessionOf(mark, byPid)).map(({ pid }) => pid));
  const exempt = lineOf(process.pid, byPid);
  const found = new Set(
    listed.filter(
      ({ pid, born, session, marks: carried }) =>
        known.get(pid) === born ||
        sessions.has(session) ||
        (carried !== '' && carried.split(':').some((token) => tokens.has(token))),
    ),
  );
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    const pids = new Set([...found].map(({ pid }) => pid));
    // A session whose leader is neither ours nor gone, such as that of a terminal, is not ours.
    const own = new Set(
      [...found].map(({ session }) => session).filter((id) => pids.has(id) || !byPid.has(id)),
    );
    for (const entry of listed) if (pids.has(entry.parent) || own.has(entry.session)) found.add(entry);
  }
  const ours = [...found].filter(({ pid }) => !exempt.has(pid));
  for (const { pid, born } of ours) known.set(pid, born);
  return ours;
}

/** While one of a session lives its number is not given to another; after a restart of the machine it may be. */
function isSessionOf({ pid, born }: ProcessMark, byPid: ReadonlyMap<number, ProcessEntry>): boolean {
  const leader = byPid.get(pid);
  if (leader !== undefined) return leader.born === born;
  const boot = readBoot();
  return boot !== undefined && born.startsWith(`${boot}/`);
}

function lineOf(pid: number, byPid: ReadonlyMap<number, ProcessEntry>): Set<number> {
  const line = new Set<number>();
  for (let at: number | undefined = pid; at !== undefined && !line.has(at); at = byPid.get(at)?.parent)
    line.add(at);
  return line;
}
