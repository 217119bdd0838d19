import type { Duplex } from 'node:stream';

// A program that teddy starts waits, on its fourth stream, until it may begin: so nothing runs that was not noted first.

export const GATE_STREAM = 3;

/**
 * In a confined program's own place, so that all that ends it with teddy is there when it begins. Had it begun before, a
 * teddy that is killed at that moment would leave it running.
 */
export const AWAIT_START = 'echo ready >&3; IFS= read -r _ <&3 || exit';

const GATE = `${AWAIT_START}; exec 3<&-;`;

/** What to start instead of a program: the program, once it may begin. */
export function onceReady(program: string, args: readonly string[]): [string, ...string[]] {
  return ['/bin/sh', '-c', `${GATE} exec "$@"`, 'sh', program, ...args];
}

/** The same for a text of the shell, in whose first line the shell itself waits. */
export function shellOnceReady(text: string): [string, ...string[]] {
  return ['/bin/sh', '-c', `${GATE} ${text}`];
}

/** Lets the program at the other end of the stream begin, as soon as it waits. */
export function openGate(stream: Duplex): void {
  stream.on('error', () => {});
  onLines(stream, (line) => void (line === 'ready' && stream.end('\n')));
}

export function onLines(stream: Duplex, listen: (line: string) => void): void {
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop()!.slice(-100);
    for (const line of lines) listen(line);
  });
}
