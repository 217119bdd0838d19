import { type Lines, lineText } from '../../markdown/lines.js';
import { firstAt } from './landmarks.js';

const START = /(?<!<)<<-?\s{0,3}(?:'([A-Za-z_]\w{0,99})'|"([A-Za-z_]\w{0,99})"|\\?([A-Za-z_]\w{0,99}))/;

interface Line {
  line: number;
}

interface Heredoc extends Line {
  word: string;
}

/** The here-documents of a text's shell commands: what is inside one is content, whatever it looks like. */
export class Heredocs {
  private readonly starts: Heredoc[] = [];
  private readonly ends = new Map<string, Line[]>();

  constructor(lines: Lines) {
    if (!lines.text.includes('<<')) return;
    for (let line = 0; line < lines.count; line++) {
      const text = lineText(lines, line).slice(0, 1000);
      const match = text.includes('<<') ? START.exec(text) : null;
      const word = match?.[1] ?? match?.[2] ?? match?.[3];
      if (word === undefined) continue;
      this.starts.push({ line, word });
      this.ends.set(word, []);
    }
    for (let line = 0; line < lines.count; line++)
      this.ends.get(lineText(lines, line).trim())?.push({ line });
  }

  /** Tells, for lines in their order, whether each is inside a here-document of the command that begins after `from`. */
  reader(from: number): (line: number) => boolean {
    let at = firstAt(this.starts, from + 1);
    let end = -1;
    return (line) => {
      for (; end <= line && at < this.starts.length && this.starts[at]!.line < line; at++) {
        const { line: start, word } = this.starts[at]!;
        if (start < end) continue;
        const ends = this.ends.get(word)!;
        end = ends[firstAt(ends, start + 1)]?.line ?? Number.POSITIVE_INFINITY;
      }
      return line < end;
    };
  }
}
