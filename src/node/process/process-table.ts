import { openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { monotonicMs, pauseBlocking } from '../clock.js';
import { errorCode } from '../errors.js';
import { randomId } from '../ids.js';

/** A process as the system lists it, except zombies. */
export interface ProcessEntry {
  pid: number;
  parent: number;
  group: number;
  /** The session's id, or the group's if the system does not show sessions. */
  session: number;
  /** Its start time, in a form that distinguishes it from any other process with its id, also after a reboot. */
  born: string;
  /** The program's name, as in `ps`. */
  name: string;
  /** `TEDDY_MARK` when its program was started; '' if unreadable, as for another user's process. */
  marks: string;
}

/** In the environment of a command's processes: its own token, after those of all outer teddys. */
export const MARK_VARIABLE = 'TEDDY_MARK';

/** With a range, only those in it: reading a process takes time. */
export function listProcesses(range = ALL): ProcessEntry[] {
  return process.platform === 'linux' ? listOnLinux(range) : listElsewhere();
}

/** Undefined if it has ended, even as a zombie. */
export function findProcess(pid: number): Pick<ProcessEntry, 'born'> | undefined {
  const found = lookUp(pid);
  return found?.hasEnded === false ? found : undefined;
}

/** When a child of ours was started, until it is waited for; undefined if unknown. */
function birthOf(pid: number): string | undefined {
  return lookUp(pid)?.born;
}

function lookUp(pid: number): { born: string; hasEnded: boolean } | undefined {
  if (process.platform === 'linux') return readStat(String(pid));
  const [, state, born] = /^\s*(\S+)\s+(\S.*)$/.exec(askPs(['-o', 'stat=,lstart=', '-p', String(pid)])) ?? [];
  return state && born ? { born: born.trimEnd(), hasEnded: state.startsWith('Z') } : undefined;
}

/** The newest process id at some moment. */
export interface LastNumber {
  number: number;
  atMs: number;
}

/** Undefined if the system does not show it. */
export function lastNumber(): LastNumber | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const number = Number(readFileSync('/proc/loadavg', 'latin1').trimEnd().split(' ').at(-1));
    return number > 0 ? { number, atMs: monotonicMs() } : undefined;
  } catch {
    return undefined;
  }
}

/** Numbers of processes: above `after`, up to `last`. */
interface NumberRange {
  after: number;
  last: number;
}

const ALL: NumberRange = { after: 0, last: Number.POSITIVE_INFINITY };
/** Process ids wrap around after at least 32,768, which is too many for this time. */
const SAME_ROUND_MS = 250;

/** The range of ids of everything started since; any id once they may have wrapped around. */
function numbersSince(before: LastNumber | undefined): NumberRange {
  const now = lastNumber();
  if (before === undefined || now === undefined || now.number < before.number) return ALL;
  return now.atMs - before.atMs > SAME_ROUND_MS ? ALL : { after: before.number, last: now.number };
}

function listOnLinux({ after, last }: NumberRange): ProcessEntry[] {
  const user = process.geteuid?.();
  return readdirSync('/proc')
    .filter((name) => Number(name) > after && Number(name) <= last)
    .flatMap((name) => {
      const stat = readStat(name);
      if (stat === undefined || stat.hasEnded) return [];
      // Kernel threads have no environment.
      return [{ ...stat, marks: stat.isKernels ? '' : readMarks(name, user) }];
    });
}

type Stat = Omit<ProcessEntry, 'marks'> & { hasEnded: boolean; isKernels: boolean };

const KERNEL_THREAD = 0x200000;

/** The second field is the program's name in brackets, which may contain spaces and brackets. */
function readStat(pid: string): Stat | undefined {
  const boot = readBoot();
  if (boot === undefined) return undefined;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [open, close] = [text.indexOf('('), text.lastIndexOf(')')];
    const fields = text.slice(close + 2).split(' ');
    const [state, parent, group, session] = fields as [string, string, string, string];
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      born: `${boot}/${fields[19]}`,
      name: text.slice(open + 1, close),
      hasEnded: /[ZXx]/.test(state),
      isKernels: (Number(fields[6]) & KERNEL_THREAD) !== 0,
    };
  } catch {
    return undefined;
  }
}

/** Only of this user's processes, also where this user may read all of them. */
function readMarks(pid: string, user: number | undefined): string {
  try {
    if (statSync(`/proc/${pid}`).uid !== user) return '';
    const start = `\0${MARK_VARIABLE}=`;
    const text = `\0${readEnvironment(pid)}\0`;
    const at = text.indexOf(start);
    return at === -1 ? '' : text.slice(at + start.length, text.indexOf('\0', at + 1));
  } catch {
    return '';
  }
}

/** During exec, a process's environment is empty for a moment; for some it stays empty. */
function readEnvironment(pid: string): string {
  for (let looks = 1; ; looks++) {
    const text = readFileSync(`/proc/${pid}/environ`, 'latin1');
    if (text !== '' || looks === LOOKS) return text;
    pauseBlocking(1);
  }
}

const LOOKS = 4;

let knownBoot: string | undefined;

/** Identifies this boot of the machine; undefined if unknown. */
function readBoot(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    knownBoot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Without /proc there are no marks either.
  }
  return knownBoot;
}

/** macOS shows the environment of the user's programs, but not of system programs. */
function listElsewhere(): ProcessEntry[] {
  const columns = 'pid=,ppid=,pgid=,uid=,stat=,lstart=,command=';
  return parsePs(askPs(['-axwwE', '-o', columns]), process.geteuid?.());
}

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(\S+)(.*)$/;

/** Lines of `pid ppid pgid uid stat lstart command environment`. */
export function parsePs(text: string, user: number | undefined): ProcessEntry[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, group, owner, state, born, command, rest] = PS_LINE.exec(line) ?? [];
    if (pid === undefined || state!.startsWith('Z')) return [];
    const marks = Number(owner) === user ? new RegExp(` ${MARK_VARIABLE}=(\\S+)`).exec(rest!)?.[1] : '';
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        session: Number(group),
        born: born!,
        name: command!.slice(command!.lastIndexOf('/') + 1),
        marks: marks ?? '',
      },
    ];
  });
}

function askPs(words: readonly string[]): string {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const ps = spawnSync('ps', words, {
    encoding: 'utf8',
    timeout: 5000,
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
  });
  return (ps.stdout ?? '').trimEnd();
}

/**
 * A process that leads its own session, in a form that can be stored. Numbers are reused; `born` distinguishes two
 * processes, also after a restart of the machine. `token` is in the environment of everything that it starts; without
 * one only its session is known.
 */
export type ProcessMark = { pid: number; born: string; token?: string };

/** Must be unguessable: every process that has it is ended with the command. */
export function makeToken(): string {
  return randomId(26);
}

/** After the tokens of outer teddys, whatever `env` says. */
export function withToken<T>(
  env: Readonly<Record<string, T>>,
  token: string,
): Record<string, T | string | undefined> {
  const around = process.env[MARK_VARIABLE];
  return { ...env, [MARK_VARIABLE]: around === undefined ? token : `${around}:${token}` };
}

/** Marks a child of ours before it was waited for. If its birth is unknown, the mark fits no later process. */
export function markProcess(pid: number, token?: string): ProcessMark {
  return { pid, born: birthOf(pid) ?? 'unknown', ...(token !== undefined && { token }) };
}

/** Whether exactly this process runs. Zombies do not. */
export function isAlive({ pid, born }: ProcessMark): boolean {
  return findProcess(pid)?.born === born;
}

/**
 * All listed processes of the marks: in their sessions, with their tokens, descendants of these, and in sessions that
 * they lead. `known` collects them, so that one that later clears its environment is still known. Never this process or
 * its ancestors.
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

/** While a process of a session lives, the session's id is not reused; after a reboot it may be. */
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

/** A process, for messages. */
export type ProcessName = { pid: number; name: string };

/** The running processes of a command. */
export function listMarked(mark: ProcessMark): ProcessName[] {
  return findOf(mark).map(({ pid, name }) => ({ pid, name }));
}

/** Whether any of it runs. Checks only processes started after `before`. */
export function isAnyMarked(mark: ProcessMark, before: LastNumber | undefined): boolean {
  return findOf(mark, numbersSince(before)).length > 0;
}

function findOf(mark: ProcessMark, range?: NumberRange): ProcessEntry[] {
  if (mark.token === undefined && !hasGroup(mark.pid)) return [];
  return findMarked(listProcesses(range), [mark], new Map());
}

function hasGroup(pid: number): boolean {
  try {
    return process.kill(-pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** The close-on-exec flag in `/proc/self/fdinfo`. Node sets it on every handle it opens. */
const CLOSED_ON_START = 0o2000000;

type Stream = 'ignore' | 'pipe' | number;

let known: { inherited: readonly number[]; nothing: number } | undefined;

/**
 * The streams of a process to start, with handles closed that teddy inherited: a program that must not open a file
 * could read it through one of them. Only on Linux.
 */
export function closeInherited(...streams: Stream[]): Stream[] {
  known ??= findInherited();
  for (const handle of known.inherited) {
    while (streams.length <= handle) streams.push('ignore');
    if (streams[handle] === 'ignore') streams[handle] = known.nothing;
  }
  return streams;
}

function findInherited(): NonNullable<typeof known> {
  const inherited = listHandles().filter((handle) => handle > 2 && isPassedOn(handle));
  return { inherited, nothing: inherited.length === 0 ? -1 : openSync('/dev/null', 'r+') };
}

function listHandles(): number[] {
  try {
    return readdirSync('/proc/self/fdinfo').map(Number);
  } catch {
    return [];
  }
}

function isPassedOn(handle: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${handle}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_ON_START) === 0;
  } catch {
    return false;
  }
}
