import { constants } from 'node:fs';
import type { CommitResult } from '../../../src/workspace/commit/change.js';
import {
  type Arrangement,
  attempt,
  commit,
  dieBefore,
  type Ended,
  FAULTS,
  type Fault,
  fail,
  type Injection,
  MemoryMachine,
  nothing,
  prepared,
  recovering,
} from './machine.js';
import { crashStates, type Depth } from './power-cut.js';
import type { Scenario } from './scenario.js';
import type { Tally } from './tally.js';
import {
  differences,
  isWhole,
  sideOf,
  withoutOwnNames,
  wrongAfterRecovery,
  wrongInLaterCommit,
} from './verdict.js';

/** A commit that nothing disturbed, and the machine before and after it. */
interface Undisturbed {
  start: MemoryMachine;
  end: MemoryMachine;
  /** The calls it made, for a person to read. */
  calls: string[];
}

export async function undisturbed(scenario: Scenario, arrangement: Arrangement): Promise<Undisturbed> {
  const start = await prepared(scenario, arrangement);
  const end = start.fork();
  const calls: string[] = [];
  const ended = await attempt(
    end,
    (_index, { name, args }, perform) => {
      calls.push(`${name} ${args.filter((arg) => typeof arg !== 'object').join(' ')}`);
      return perform();
    },
    commit(scenario),
  );
  const side = sideOf(scenario, end.snapshot());
  if (ended.how !== 'returned' || ended.value.status !== 'committed' || side !== 'after')
    throw new Error(`${scenario.name}, ${arrangement}: ${JSON.stringify(ended)}, tree ${side}`);
  if (end.openHandles > 0) throw new Error(`${scenario.name}: ${end.openHandles} files stay open`);
  return { start, end, calls };
}

/**
 * The calls before which a process must be killed to find the disk in each state that it goes through, with
 * how many calls each stands for: calls that change nothing leave the disk as the one before them did.
 */
function killPoints(machine: MemoryMachine, calls: number): { at: number; replacesAgent: number }[] {
  const changed = [...new Set(machine.disk.operations.map(({ at }) => at + 1))].filter((at) => at < calls);
  const points = [...new Set([0, ...changed])];
  return points.map((at, i) => ({ at, replacesAgent: (points[i + 1] ?? calls) - at }));
}

/** Ends the process before every call of the commit, and again before every call of the recovery. */
export async function sweepKills(scenario: Scenario, arrangement: Arrangement, tally: Tally): Promise<void> {
  const { start, end, calls } = await undisturbed(scenario, arrangement);
  for (const { at, replacesAgent } of killPoints(end, calls.length)) {
    const where = `${scenario.name}, ${arrangement}, killed before call ${at} (${calls[at]})`;
    const killed = start.fork();
    const ended = await attempt(killed, dieBefore(at), commit(scenario));
    const machine = killed.fork();
    const wrong = ended.how === 'died' ? await wrongAfterRecovery(scenario, machine) : `it ${ended.how}`;
    const side = sideOf(scenario, machine.snapshot());
    tally.add(
      where,
      wrong ?? (isWhole(side) ? await wrongInLaterCommit(scenario, machine, side) : side),
      replacesAgent,
    );
    await sweepRecoveryKills(scenario, killed, where, replacesAgent, tally);
  }
}

async function sweepRecoveryKills(
  scenario: Scenario,
  killed: MemoryMachine,
  where: string,
  replacesAgent: number,
  tally: Tally,
): Promise<void> {
  const whole = killed.fork();
  const { calls } = await attempt(whole, nothing, recovering);
  for (const point of killPoints(whole, calls)) {
    const machine = killed.fork();
    await attempt(machine, dieBefore(point.at), recovering);
    const wrong = await wrongAfterRecovery(scenario, machine.fork());
    tally.add(
      `${where}, recovery killed before call ${point.at}`,
      wrong,
      replacesAgent * point.replacesAgent,
    );
  }
}

/** Fails every call of the commit, once or from there on. */
export async function sweepFaults(
  scenario: Scenario,
  arrangement: Arrangement,
  lasting: boolean,
  tally: Tally,
): Promise<void> {
  const { start, calls } = await undisturbed(scenario, arrangement);
  for (const fault of FAULTS) {
    for (const [n, call] of calls.entries()) {
      const machine = start.fork();
      const when = (index: number) => (lasting ? index >= n : index === n);
      const ended = await attempt(machine, fail(fault, when), commit(scenario));
      // A file that was opened, and the call failed all the same, nobody can close.
      const leaks = machine.openHandles - (fault === 'EIO after' && call.startsWith('open ') ? 1 : 0);
      const wrong =
        !lasting && leaks > 0
          ? `${leaks} files stay open`
          : await wrongAfterFault(scenario, machine, ended, lasting ? 'lasting' : 'once');
      tally.add(
        `${scenario.name}, ${arrangement}, ${fault} ${lasting ? 'from' : 'at'} call ${n} (${call})`,
        wrong,
      );
    }
  }
}

/** Fails one call and then another, `apart` calls later: taking back is disturbed too. */
export async function sweepDoubleFaults(
  scenario: Scenario,
  arrangement: Arrangement,
  distances: readonly number[],
  tally: Tally,
): Promise<void> {
  const { start, calls } = await undisturbed(scenario, arrangement);
  for (const fault of ['EIO', 'EIO after'] as const) {
    for (const n of calls.keys()) {
      for (const distance of distances) {
        const machine = start.fork();
        const when = (index: number) => index === n || index === n + distance;
        const ended = await attempt(machine, fail(fault, when), commit(scenario));
        const wrong = await wrongAfterFault(scenario, machine, ended, 'lasting');
        tally.add(`${scenario.name}, ${arrangement}, ${fault} at calls ${n} and ${n + distance}`, wrong);
      }
    }
  }
}

/** Fails one call and ends the process before every later one: it dies while it takes back. */
export async function sweepFaultsThenKills(
  scenario: Scenario,
  arrangement: Arrangement,
  tally: Tally,
): Promise<void> {
  const { start, calls } = await undisturbed(scenario, arrangement);
  for (const fault of ['EIO', 'EIO after'] as const) {
    for (const [n, call] of calls.entries()) {
      const once = fail(fault, (index) => index === n);
      const whole = start.fork();
      const ended = await attempt(whole, once, commit(scenario));
      whole.dropHandles();
      for (const { at, replacesAgent } of killPoints(whole, ended.calls)) {
        if (at <= n) continue;
        const machine = start.fork();
        await attempt(machine, dieBefore(at, once), commit(scenario));
        const where = `${scenario.name}, ${arrangement}, ${fault} at call ${n} (${call}), killed before call ${at}`;
        tally.add(where, await wrongAfterRecovery(scenario, machine.fork()), replacesAgent);
      }
    }
  }
}

/** What is wrong with how a commit took a fault. */
async function wrongAfterFault(
  scenario: Scenario,
  machine: MemoryMachine,
  ended: Ended<CommitResult>,
  fault: 'once' | 'lasting',
): Promise<string | undefined> {
  if (ended.how !== 'returned') return `it ${ended.how} ${'error' in ended ? ended.error : ''}`;
  const { status } = ended.value;
  const told = JSON.stringify(ended.value);
  // Where a clean-up failed, recovery does it; until then the commit's own names may stand next to the user's.
  const side = sideOf(scenario, withoutOwnNames(machine.snapshot()));
  if (fault === 'once' && !['committed', 'failed', 'refused'].includes(status)) return told;
  const kept = status === 'committed' ? 'after' : 'before';
  if (status !== 'stuck' && side !== kept) return `${told}, but the tree is ${side}`;
  machine.dropHandles();
  const recovered = machine.fork();
  const allowed = status === 'stuck' ? (['before', 'after'] as const) : ([kept] as const);
  const wrong = await wrongAfterRecovery(scenario, recovered, allowed);
  if (wrong) return `${told}, then ${wrong}`;
  if (status === 'stuck') return undefined;
  const later = await wrongInLaterCommit(scenario, machine, kept);
  return later && `${told}, then ${later}`;
}

/** Cuts the power at every moment of the commit; `nested` also at every moment of the recovery. */
export async function sweepPowerCuts(
  scenario: Scenario,
  arrangement: Arrangement,
  depth: Depth,
  nested: Depth | undefined,
  tally: Tally,
): Promise<void> {
  const { end, calls } = await undisturbed(scenario, arrangement);
  const seen = new Set<string>();
  const seenNested = new Set<string>();
  for (const { calls: made, label, disk } of crashStates(end.disk, depth, seen)) {
    const where = `${scenario.name}, ${arrangement}, power cut after call ${made - 1} (${calls[made - 1]}), ${label}`;
    const allowed = made === calls.length ? (['after'] as const) : (['before', 'after'] as const);
    const wrong = await wrongAfterRecovery(scenario, new MemoryMachine(disk).fork(), allowed);
    tally.add(where, wrong);
    if (wrong || !nested) continue;
    const recovering2 = new MemoryMachine(disk).fork();
    await attempt(recovering2, nothing, recovering);
    for (const again of crashStates(recovering2.disk, nested, seenNested)) {
      const wrongAgain = await wrongAfterRecovery(scenario, new MemoryMachine(again.disk));
      tally.add(`${where}; again in recovery after call ${again.calls - 1}, ${again.label}`, wrongAgain);
    }
  }
}

/** Fails one call, and cuts the power at every moment of what follows. */
export async function sweepFaultsThenPowerCuts(
  scenario: Scenario,
  arrangement: Arrangement,
  faults: readonly Fault[],
  depth: Depth,
  tally: Tally,
): Promise<void> {
  const { start, calls } = await undisturbed(scenario, arrangement);
  const seen = new Set<string>();
  for (const fault of faults) {
    for (const [n, call] of calls.entries()) {
      const machine = start.fork();
      const ended = await attempt(
        machine,
        fail(fault, (index) => index === n),
        commit(scenario),
      );
      machine.dropHandles();
      const status = ended.how === 'returned' ? ended.value.status : ended.how;
      const kept = status === 'committed' ? 'after' : 'before';
      for (const { calls: made, label, disk } of crashStates(machine.disk, depth, seen)) {
        const where = `${scenario.name}, ${arrangement}, ${fault} at call ${n} (${call}) → ${status}; power cut after call ${made - 1}, ${label}`;
        const allowed = made === machine.disk.calls ? ([kept] as const) : (['before', 'after'] as const);
        tally.add(where, await wrongAfterRecovery(scenario, new MemoryMachine(disk), allowed));
      }
    }
  }
}

/** Which syncs of a commit can be left out without any power cut showing it: their numbers and files. */
export async function syncsNotMissed(scenario: Scenario, depth: Depth): Promise<string[]> {
  const start = await prepared(scenario, 'plain');
  const paths = new Map<unknown, string>();
  const syncs: string[] = [];
  await attempt(
    start.fork(),
    (_index, { name, args }, perform) => {
      const result = perform();
      if (name === 'open') paths.set(result, String(args[0]).split('/').at(-1)!);
      if (name === 'sync') syncs.push(paths.get(args[0])!);
      return result;
    },
    commit(scenario),
  );
  const notMissed: string[] = [];
  for (const [left, file] of syncs.entries()) {
    const machine = start.fork();
    let made = 0;
    const leaveOut: Injection = (_index, call, perform) =>
      call.name === 'sync' && made++ === left ? undefined : perform();
    await attempt(machine, leaveOut, commit(scenario));
    if (!(await isNoticed(scenario, machine, depth))) notMissed.push(file);
  }
  return notMissed;
}

async function isNoticed(scenario: Scenario, machine: MemoryMachine, depth: Depth): Promise<boolean> {
  for (const { calls, disk } of crashStates(machine.disk, depth, new Set())) {
    const allowed = calls >= machine.disk.calls ? (['after'] as const) : (['before', 'after'] as const);
    if (await wrongAfterRecovery(scenario, new MemoryMachine(disk), allowed)) return true;
  }
  return false;
}

/**
 * Commits, lets another program write to one of the files and sync it, and cuts the power then: what it wrote
 * stays, whatever comes back of the commit.
 */
export async function sweepLaterWrites(
  scenario: Scenario,
  arrangement: Arrangement,
  path: string,
  content: Buffer,
  depth: Depth,
  tally: Tally,
): Promise<void> {
  const { end: machine, calls } = await undisturbed(scenario, arrangement);
  const file = machine.disk.call('open', [`/disk/${path}`, constants.O_WRONLY | constants.O_TRUNC]);
  machine.disk.call('write', [file, content, 0, content.length, null]);
  machine.disk.call('sync', [file]);
  machine.disk.call('close', [file]);
  const expected = machine.snapshot();
  const written = machine.disk.syncs.at(-1)!;
  for (const state of crashStates(machine.disk, depth, new Set())) {
    if (state.calls <= written || state.calls <= calls.length) continue;
    const crashed = new MemoryMachine(state.disk);
    const ended = await attempt(crashed, nothing, recovering);
    const status = ended.how === 'returned' ? ended.value.status : ended.how;
    const lines = differences(expected, crashed.snapshot());
    const wrong = status === 'recovered' && lines === '' ? undefined : `${JSON.stringify(ended)} ${lines}`;
    tally.add(`${scenario.name}, ${arrangement}, ${path} written afterwards, ${state.label}`, wrong);
  }
}

/** Commits, commits the opposite, and cuts the power at every moment of the second commit. */
export async function sweepOpposites(
  scenario: Scenario,
  opposite: Scenario,
  depth: Depth,
  tally: Tally,
): Promise<void> {
  const { end: machine, calls } = await undisturbed(scenario, 'plain');
  const ended = await attempt(machine, nothing, commit(opposite));
  if (ended.how !== 'returned' || ended.value.status !== 'committed' || machine.openHandles > 0)
    throw new Error(JSON.stringify(ended));
  for (const state of crashStates(machine.disk, depth, new Set())) {
    if (state.calls < calls.length) continue;
    const allowed =
      state.calls >= machine.disk.calls ? (['before'] as const) : (['before', 'after'] as const);
    const wrong = await wrongAfterRecovery(scenario, new MemoryMachine(state.disk), allowed);
    tally.add(`${scenario.name} and back, call ${state.calls}, ${state.label}`, wrong);
  }
}
