import type { MemoryDisk, Operation, Survival } from './memory-disk.js';
import { seeded } from './random.js';

/** A disk as a power cut may leave it. */
export interface CrashState {
  /** How many calls had been made. */
  calls: number;
  /** What was lost, for a person to read. */
  label: string;
  disk: MemoryDisk;
}

interface Choice {
  label: string;
  survival: (operation: Operation) => Survival;
}

export interface Depth {
  /** How many pairs of operations at each moment; the others are left out by seed. */
  pairs: number;
  /** How many arbitrary subsets at each moment. */
  subsets: number;
  seed: number;
}

const SECTOR = 512;

/**
 * Every moment of what the disk recorded, with what was not safe at that moment lost in one way or another.
 * `seen` holds the disks that came up before; they are left out.
 */
export function* crashStates(disk: MemoryDisk, depth: Depth, seen: Set<string>): Generator<CrashState> {
  for (const calls of moments(disk)) {
    const unsafe = disk.unsafe(calls);
    for (const { label, survival } of choices(unsafe, depth, calls)) {
      const state = disk.crash(calls, survival);
      const key = `${calls > lastMoment(disk) ? 'end' : ''}${state.key()}`;
      if (seen.has(key)) continue;
      seen.add(key);
      yield { calls, label, disk: state };
    }
  }
}

/** After every call that changed the disk or made something safe. */
function moments(disk: MemoryDisk): number[] {
  const at = new Set([...disk.operations.map((operation) => operation.at), ...disk.syncs]);
  return [0, ...[...at].sort((a, b) => a - b).map((call) => call + 1), disk.calls];
}

function lastMoment(disk: MemoryDisk): number {
  return disk.calls - 1;
}

function* choices(unsafe: readonly Operation[], depth: Depth, moment: number): Generator<Choice> {
  yield { label: 'nothing lost', survival: () => 'whole' };
  if (unsafe.length === 0) return;
  yield { label: 'everything lost', survival: () => 'lost' };
  for (const one of unsafe) {
    for (const left of waysToLose(one)) {
      const survival = (operation: Operation): Survival => (operation === one ? left : 'whole');
      yield { label: `${left} of ${name(one)}`, survival };
      const alone = (operation: Operation): Survival => (operation === one ? left : 'lost');
      if (left !== 'lost') yield { label: `nothing but ${left} of ${name(one)}`, survival: alone };
    }
    yield {
      label: `only ${name(one)} kept`,
      survival: (operation) => (operation === one ? 'whole' : 'lost'),
    };
  }
  yield* pairsOf(unsafe, depth, moment);
  // In the order in which they were made, as far as they got.
  for (let kept = 1; kept < unsafe.length; kept++) {
    const first = new Set(unsafe.slice(0, kept));
    yield {
      label: `the first ${kept} kept`,
      survival: (operation) => (first.has(operation) ? 'whole' : 'lost'),
    };
    yield {
      label: `the first ${kept} lost`,
      survival: (operation) => (first.has(operation) ? 'lost' : 'whole'),
    };
  }
  yield* subsetsOf(unsafe, depth, moment);
}

function* pairsOf(unsafe: readonly Operation[], { pairs, seed }: Depth, moment: number): Generator<Choice> {
  const all = (unsafe.length * (unsafe.length - 1)) / 2;
  const random = seeded(seed + moment);
  for (const [i, one] of unsafe.entries()) {
    for (const other of unsafe.slice(i + 1)) {
      if (all > pairs && random() >= pairs / all) continue;
      const both = new Set([one, other]);
      yield {
        label: `${name(one)} and ${name(other)} lost`,
        survival: (operation) => (both.has(operation) ? 'lost' : 'whole'),
      };
      yield {
        label: `only ${name(one)} and ${name(other)} kept`,
        survival: (operation) => (both.has(operation) ? 'whole' : 'lost'),
      };
    }
  }
}

function* subsetsOf(
  unsafe: readonly Operation[],
  { subsets, seed }: Depth,
  moment: number,
): Generator<Choice> {
  if (unsafe.length < 3) return;
  for (let i = 0; i < subsets; i++) {
    const random = seeded(seed * 7919 + moment * 104_729 + i);
    const lefts = new Map<Operation, Survival>();
    for (const operation of unsafe) {
      const ways = waysToLose(operation);
      lefts.set(operation, random() < 0.5 ? 'whole' : ways[Math.floor(random() * ways.length)]!);
    }
    yield { label: `subset ${i}`, survival: (operation) => lefts.get(operation) ?? 'whole' };
  }
}

function waysToLose(operation: Operation): Survival[] {
  // File systems without a journal may leave both names.
  if (operation.call === 'rename') return ['lost', 'both names'];
  if (operation.kind !== 'data') return ['lost'];
  const { length } = operation.bytes;
  const cuts = [1, Math.floor(length / 2), SECTOR * Math.floor((length - 1) / SECTOR), length - 1];
  return ['lost', 'zeros', ...new Set(cuts.filter((cut) => cut > 0 && cut < length))];
}

function name(operation: Operation): string {
  const what =
    operation.kind === 'entries'
      ? operation.sets.map((set) => `${set.folder}/${set.name}`).join(' → ')
      : `#${operation.node}`;
  return `${operation.call} (call ${operation.at}, ${what})`;
}
