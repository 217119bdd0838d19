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
  /** The whole environment; nothing is inherited. */
  env: Readonly<Record<string, string | undefined>>;
  /** Standard input; empty if missing. A stream that breaks off ends the command: 'aborted'. */
  input?: string | Uint8Array | Readable | undefined;
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** The time between SIGTERM and SIGKILL. Default: 2 s. */
  graceMs?: number;
  /** For processes that outlive a command which ended by itself: 'end' is the default; with 'leave' they are not marked. */
  background?: 'end' | 'leave';
  capture: {
    /** The bytes of each stream to keep in memory: half from its beginning, half from its end. */
    bytes: number;
    /** Files to create for larger streams, with the whole text up to `most` bytes plus the end in memory. */
    spill?: { stdout: string; stderr: string; most?: number };
  };
  /** Makes the mask for one stream. All text passes it before it is kept, shown or stored. */
  mask?: () => OutputMask;
  /**
   * Called with the mark of its processes, to record it: the command starts when this returns, and not if it throws.
   */
  onStart?: (mark: ProcessMark) => void;
  /** Called with each piece of text. Must not throw. */
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
  /** The bytes that did not fit into the file; a line in it marks the place. */
  omitted?: number;
  /** Why the file is missing or incomplete. */
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
    /** The command ended by itself, and processes that it left behind were ended then. */
    backgroundEnded: boolean;
    /** Processes of the command may still run: they hid from us, cannot be signalled, or were meant to stay. */
    leftovers: boolean;
  };
