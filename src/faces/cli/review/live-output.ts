import { monotonicMs } from '../../../node/clock.js';
import { plural } from '../issue-lines.js';
import { foreign, type Line, leads, say } from '../terminal/line.js';
import type { Look } from '../terminal/look.js';

type Stream = 'stdout' | 'stderr';

/** More lines a second than this are read by nobody, and would hold the command up. */
const LINES_PER_SECOND = 400;
/** Of what was left out, the last lines are shown when the command has ended. */
const TAIL = 10;
/** A line that does not end is shown in pieces of this length. */
const LONGEST = 4000;
const COLOUR = /\u001b\[[0-9;:]{0,40}m/g;

/** What a command prints, as it comes: line by line behind our gutter, so that nothing in it moves the cursor. */
export class LiveOutput {
  readonly #look: Look;
  readonly #print: (lines: Line[]) => void;
  readonly #pending: Record<Stream, string> = { stdout: '', stderr: '' };
  #allowance = LINES_PER_SECOND;
  #filledAt = monotonicMs();
  #leftOut = 0;
  #tail: Line[] = [];

  constructor(look: Look, print: (lines: Line[]) => void) {
    this.#look = look;
    this.#print = print;
  }

  push(stream: Stream, text: string): void {
    // A lone carriage return begins a row of its own: what it would have written over stays to be seen.
    const parts = (this.#pending[stream] + text).split(/\r\n|\n|\r(?!$)/);
    this.#pending[stream] = parts.pop()!;
    if (this.#pending[stream].length > LONGEST) {
      parts.push(this.#pending[stream]);
      this.#pending[stream] = '';
    }
    this.#show(parts.map((part) => this.#line(stream, part)));
  }

  /** What stands in the line that has not ended. */
  get unfinished(): Line | undefined {
    const stream = this.#pending.stdout === '' ? 'stderr' : 'stdout';
    return this.#pending[stream] === '' ? undefined : this.#line(stream, this.#pending[stream]);
  }

  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (this.#pending[stream] !== '')
        this.#show([this.#line(stream, this.#pending[stream].replace(/\r$/, ''))]);
      this.#pending[stream] = '';
    }
    const last = this.#tail;
    this.#leftOut -= last.length;
    this.#tail = [];
    this.#print([...this.#takeNote(), ...last]);
  }

  #show(lines: Line[]): void {
    const now = monotonicMs();
    this.#allowance = Math.min(
      LINES_PER_SECOND,
      this.#allowance + ((now - this.#filledAt) / 1000) * LINES_PER_SECOND,
    );
    this.#filledAt = now;
    // Once lines were left out, it waits until it is worth going on.
    const room =
      this.#leftOut > 0 && this.#allowance < LINES_PER_SECOND / 4 ? 0 : Math.floor(this.#allowance);
    const shown = lines.slice(0, room);
    if (shown.length > 0) {
      this.#print([...this.#takeNote(), ...shown]);
      this.#tail = [];
      this.#allowance -= shown.length;
    }
    const rest = lines.slice(room);
    this.#leftOut += rest.length;
    this.#tail = [...this.#tail, ...rest.slice(-TAIL)].slice(-TAIL);
  }

  #takeNote(): Line[] {
    const count = this.#leftOut;
    this.#leftOut = 0;
    if (count <= 0) return [];
    return [say(`${this.#look.glyphs.dots} ${plural(count, 'line')} not shown here`, 'flag')];
  }

  #line(stream: Stream, text: string): Line {
    const { glyphs } = this.#look;
    const errors = stream === 'stderr';
    const gutter = errors ? glyphs.errors : glyphs.gutter;
    return {
      ...leads(this.#look, '', '', undefined, gutter),
      spans: foreign(text.replace(COLOUR, ''), this.#look),
      wrap: 'cells',
    };
  }
}
