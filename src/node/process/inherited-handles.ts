import { openSync, readdirSync, readFileSync } from 'node:fs';

/** As `/proc/self/fdinfo` has it: closed in whatever this process starts. Every handle that Node opens is. */
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
