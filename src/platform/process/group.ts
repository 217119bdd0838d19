import { readdirSync, readFileSync } from 'node:fs';

/**
 * A process that was started as the leader of its own group and session, in a form that can be written down. A number
 * is used again after a process has ended; `born` tells the two apart, also after a restart of the machine.
 */
export type ProcessMark = { pid: number; born: string };

/** A process of ours, before it was waited for. Where its birth cannot be told the mark is of no later process. */
export function markProcess(pid: number): ProcessMark {
  return { pid, born: findProcess(pid)?.born ?? 'unknown' };
}

/** Whether that very process runs. One that has ended and was not yet waited for does not. */
export function isAlive(mark: ProcessMark): boolean {
  const found = findProcess(mark.pid);
  return found !== undefined && found.born === mark.born && !found.dead;
}

/**
 * Ends the group of a process that an earlier teddy started, at once; false when none of it can be found. Where the
 * leader has gone, its group is known by its session, on Linux only: elsewhere what may be another's is left alone.
 */
export function killGroup(mark: ProcessMark): boolean {
  const leader = findProcess(mark.pid);
  if (leader !== undefined && leader.born !== mark.born) return false;
  if (leader === undefined && !hasOrphans(mark)) return false;
  return signalGroup(mark.pid, 'SIGKILL');
}

/** After a restart of the machine the number may be that of another session, whose leader has gone as well. */
function hasOrphans({ pid, born }: ProcessMark): boolean {
  const boot = readBoot();
  if (boot === undefined || !born.startsWith(`${boot}/`)) return false;
  return liveMembers(pid)?.some((member) => member.session === pid) ?? false;
}

/** Whether any of it could be signalled. */
export function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  return sendToGroup(pid, signal) === 'sent';
}

export function isGroupAlive(pid: number): boolean {
  if (sendToGroup(pid, 0) === 'gone') return false;
  // A zombie can be signalled too, and where nobody waits for orphans it stays for ever.
  const members = liveMembers(pid);
  return members === undefined || members.length > 0;
}

function sendToGroup(pid: number, signal: NodeJS.Signals | 0): 'sent' | 'gone' | 'forbidden' {
  try {
    process.kill(-pid, signal);
    return 'sent';
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM' ? 'forbidden' : 'gone';
  }
}

type Stat = { state: string; group: number; session: number; startTicks: string };

/** undefined where the system has no /proc to ask. */
function liveMembers(group: number): Stat[] | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => readStat(Number(name)))
      .filter((stat) => stat !== undefined)
      .filter((stat) => stat.group === group && !isDead(stat));
  } catch {
    return undefined;
  }
}

type Found = { born: string; dead: boolean };

function findProcess(pid: number): Found | undefined {
  return process.platform === 'linux' ? findOnLinux(pid) : findElsewhere(pid);
}

function findOnLinux(pid: number): Found | undefined {
  const stat = readStat(pid);
  const boot = readBoot();
  if (stat === undefined || boot === undefined) return undefined;
  return { born: `${boot}/${stat.startTicks}`, dead: isDead(stat) };
}

let knownBoot: string | undefined;

/** Names the time since the machine was started, which no process outlives; undefined where nothing tells it. */
function readBoot(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    knownBoot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Whoever has no /proc has no marks either.
  }
  return knownBoot;
}

function findElsewhere(pid: number): Found | undefined {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const ps = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    timeout: 5000,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
  });
  const [, state, born] = /^\s*(\S+)\s+(\S.*)$/.exec(ps.stdout?.trimEnd() ?? '') ?? [];
  return state && born ? { born, dead: state.startsWith('Z') } : undefined;
}

/** The second field is the program's name in brackets, and may itself hold spaces and brackets. */
function readStat(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, , group, session] = fields as [string, string, string, string];
    return { state, group: Number(group), session: Number(session), startTicks: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

function isDead({ state }: Stat): boolean {
  return state === 'Z' || state === 'X' || state === 'x';
}
