import { StringDecoder } from 'node:string_decoder';
import { timeAfter, waitUnless } from '../clock.js';

/** Standard input and output that another program talks to. */
export interface StandardStreams {
  /** Called with every piece of input; invalid UTF-8 becomes U+FFFD. */
  listen(take: (text: string) => void): void;
  /** The other program has closed the input or ended. */
  ended: Promise<void>;
  write(text: string): void;
  /** The number of bytes that the other program has not read yet. */
  readonly waiting: number;
  /** Waits, for a second at most, until all is read. */
  drained(): Promise<void>;
}

const DRAIN_MS = 1000;

export function openStandardStreams(): StandardStreams {
  const { stdin, stdout } = process;
  let isGone = false;
  let end!: () => void;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  for (const name of ['end', 'close', 'error'] as const) stdin.once(name, () => end());
  stdin.on('error', () => {});
  stdout.on('error', () => {
    isGone = true;
    end();
  });
  return {
    listen(take) {
      const decoder = new StringDecoder('utf8');
      stdin.on('data', (bytes: Buffer) => take(decoder.write(bytes)));
    },
    ended,
    write: (text) => void (isGone || stdout.write(text)),
    get waiting() {
      return isGone ? 0 : stdout.writableLength;
    },
    async drained() {
      if (isGone || stdout.writableLength === 0) return;
      const drain = new Promise<void>((resolve) => {
        stdout.once('drain', () => resolve());
      });
      await waitUnless(drain, timeAfter(DRAIN_MS));
    },
  };
}
