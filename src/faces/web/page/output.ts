import { type Signal, signal } from '@preact/signals';
import type { PageEvent } from '../api.js';

// The output of commands as it arrives, in lines. A page that is open for days keeps only so much of it.

const MOST_LINES = 50_000;

export interface OutputLine {
  text: string;
  stream: 'stdout' | 'stderr';
}

export class OutputLines {
  lines: OutputLine[] = [];
  /** Earlier lines that are no longer kept here. */
  dropped = 0;
  /** The last line has no end yet. */
  #isOpen = false;

  append(text: string, stream: OutputLine['stream']): void {
    const isEnded = text.endsWith('\n');
    const pieces = (isEnded ? text.slice(0, -1) : text).split('\n');
    const last = this.lines.at(-1);
    if (this.#isOpen && last?.stream === stream) last.text += pieces.shift()!;
    this.#isOpen = !isEnded;
    for (const piece of pieces) this.lines.push({ text: piece, stream });
    const extra = this.lines.length - MOST_LINES;
    if (extra > MOST_LINES / 10) {
      this.lines.splice(0, extra);
      this.dropped += extra;
    }
  }
}

interface Followed {
  output: OutputLines;
  /** Counts the changes: the lines are changed in place. */
  version: Signal<number>;
}

const followed = new Map<string, Followed>();

/** The output of one command, from the first event on. */
export function followOutput(run: string, number: number): Followed {
  const key = `${run}/${number}`;
  const found = followed.get(key);
  if (found) return found;
  const made = { output: new OutputLines(), version: signal(0) };
  followed.set(key, made);
  return made;
}

const changed = new Set<Followed>();

export function appendOutput(event: Extract<PageEvent, { type: 'output' }>): void {
  const entry = followOutput(event.run, event.number);
  entry.output.append(event.text, event.stream);
  if (changed.size === 0) requestAnimationFrame(showChanges);
  changed.add(entry);
}

/** Once a frame, however much arrives. */
function showChanges(): void {
  for (const entry of changed) entry.version.value++;
  changed.clear();
}
