import type { Readable } from 'node:stream';
import type { Cleared } from './end.js';
import type { ProcessMark } from './process-table.js';

export type ProcessOptions = {
  /**
   * A text for `/bin/sh -c`, or a program (looked up in the PATH of `env`) with its words. `gated`: within it something from
   * `onceReady` waits for its start, as in everything that is confined.
   */
  command: { shell: string } | { file: string; args: readonly string[]; gated?: true };
  cwd: string;
  /** The whole environment: nothing is inherited. */
  env: Readonly<Record<string, string | undefined>>;
  /** For standard input, which otherwise is empty. A stream that breaks off ends the command: 'aborted'. */
  input?: string | Uint8Array | Readable | undefined;
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** How long its processes have between SIGTERM and SIGKILL. 2 s unless said. */
  graceMs?: number;
  /** For processes that outlive a command which ended by itself: 'end' is the default; with 'leave' they are not marked. */
  background?: 'end' | 'leave';
  capture: {
    /** How much of each stream is kept in memory: half from its beginning, half from its end. */
    bytes: number;
    /** Files to be created for a stream that is larger: there it is whole, up to `most` bytes and what is in memory. */
    spill?: { stdout: string; stderr: string; most?: number };
  };
  /** Makes the mask for one stream. What is kept, shown or spilled has gone through it. */
  mask?: () => OutputMask;
  /**
   * Called with the mark of its processes, so that it can be written down: the command begins when it returns. When it
   * throws the command does not begin.
   */
  onStart?: (mark: ProcessMark) => void;
  /** Called with text as it comes. Must not throw. */
  onOutput?: (stream: OutputName, text: string) => void;
};

export type OutputName = 'stdout' | 'stderr';

/** A filter over text in pieces: it may hold back what could be the beginning of a match. Must not throw. */
export type OutputMask = { push(text: string): string; end(): string };

/** One stream, after decoding and masking; sizes are those of this text in UTF-8. */
export type ProcessOutput = {
  /** All of it, or the beginning when `truncated`. */
  head: string;
  /** Empty, or the end when `truncated`. Both are cut between characters. */
  tail: string;
  bytes: number;
  /** A last line without its newline counts. */
  lines: number;
  truncated: boolean;
  /** False if it was not all UTF-8: U+FFFD replaces each wrong byte. */
  valid: boolean;
  /** The file that holds all of it, but for `omitted`. */
  spilled?: string;
  /** So many bytes were too many for the file; a line in it says where. */
  omitted?: number;
  /** Why there is no such file, or only its beginning. */
  spillFailed?: string;
};

export type ProcessEnd =
  | { status: 'exited'; code: number }
  | { status: 'signalled'; signal: string }
  | { status: 'timed-out' }
  /** `reason` is a whole sentence. */
  | { status: 'aborted'; reason: string }
  /** `reason` is a whole sentence. */
  | { status: 'not-started'; code: 'command-missing' | 'folder-missing' | 'refused'; reason: string };

export type ProcessResult = ProcessEnd &
  Cleared & {
    durationMs: number;
    stdout: ProcessOutput;
    stderr: ProcessOutput;
    /** The command ended by itself, and processes that it had left were ended then. */
    backgroundEnded: boolean;
    /** Something of the command may still run: it hid from us, may not be signalled, or was to be left. */
    leftovers: boolean;
  };
