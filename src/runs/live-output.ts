import type { Captured } from '../core/report/record.js';
import { LIVE_OUTPUT, type RunFolder } from '../workspace/runs/run-folder.js';
import type { Workspace } from '../workspace/workspace.js';
import type { RunEvent } from './events.js';

// What commands of a run print, masked, in a file that other processes follow while the run lives. It is not synced:
// the record has the output once the command has ended.

const FLUSH_MS = 100;
const FLUSH_LENGTH = 64 * 1024;
/** A command that prints more is shown up to here, and whole once it has ended. */
const MOST_LENGTH = 8 * 1024 * 1024;

export interface LiveChunk {
  number: number;
  stream: 'stdout' | 'stderr';
  text: string;
}

/** Writes the output of a run's commands as it comes. Never throws. */
export class LiveOutputWriter {
  #pending = '';
  #length = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly folder: () => RunFolder) {}

  listen(event: RunEvent): void {
    if (event.kind === 'output') this.#add(event);
    else if (event.kind === 'action-ended') this.#flush();
    else if (event.kind === 'run-ended') this.#end();
  }

  #end(): void {
    clearTimeout(this.#timer);
    try {
      if (this.#length > 0) this.folder().removeLive();
    } catch {
      // It goes with its run.
    }
  }

  #add({ number, stream, text }: LiveChunk): void {
    if (this.#length > MOST_LENGTH) return;
    const line = `${JSON.stringify({ number, stream, text } satisfies LiveChunk)}\n`;
    this.#length += line.length;
    this.#pending += line;
    if (this.#pending.length > FLUSH_LENGTH) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending === '') return;
    try {
      this.folder().appendLive(this.#pending);
    } catch {
      // Nothing is lost: the record has it.
    }
    this.#pending = '';
  }
}

/** The chunks in a text of whole lines. */
export function readLiveChunks(text: string): LiveChunk[] {
  return text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as LiveChunk];
    } catch {
      return [];
    }
  });
}

/** What a command has printed so far. */
export function readLiveOutput(workspace: Workspace, run: string, number: number): Captured {
  const text = workspace.readRunFile(run, LIVE_OUTPUT) ?? '';
  const chunks = readLiveChunks(text).filter((chunk) => chunk.number === number);
  return { text: chunks.map((chunk) => chunk.text).join('') };
}
