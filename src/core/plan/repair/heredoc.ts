import type { FenceMark } from '../../markdown/fence.js';
import { type Lines, lineText } from '../../markdown/lines.js';
import { firstAt } from './candidates.js';

const START = /(?<!<)<<(-?)\s{0,3}(?:'([A-Za-z_]\w{0,99})'|"([A-Za-z_]\w{0,99})"|\\?([A-Za-z_]\w{0,99}))/;

interface Line {
  line: number;
}

interface Heredoc extends Line {
  word: string;
  /** `<<-`: the word that ends it may be indented. */
  dash: boolean;
  /** `<<'EOF'`, even if nothing ends it; `1 << n` is none, then. */
  certain: boolean;
}

/** The lines that hold a word alone: all of them, and those where it begins the line. */
interface Ends {
  all: Line[];
  flush: Line[];
}

/** The here-documents of a text's shell commands: what is inside one is content, whatever it looks like. */
export class Heredocs {
  private readonly starts: Heredoc[] = [];
  private readonly ends = new Map<string, Ends>();

  constructor(lines: Lines) {
    if (!lines.text.includes('<<')) return;
    for (let line = 0; line < lines.count; line++) {
      const text = lineText(lines, line).slice(0, 1000);
      const match = text.includes('<<') ? START.exec(text) : null;
      if (!match || text.slice(0, match.index).includes('((')) continue;
      const [, dash, single, double, bare = ''] = match;
      const word = single ?? double ?? bare;
      this.starts.push({ line, word, dash: dash === '-', certain: !/^[a-z]/.test(bare) });
      this.ends.set(word, { all: [], flush: [] });
    }
    for (let line = 0; line < lines.count; line++) {
      const text = lineText(lines, line).trimEnd();
      const word = text.trimStart();
      this.ends.get(word)?.all.push({ line });
      if (word === text) this.ends.get(word)?.flush.push({ line });
    }
  }

  /** Tells, for lines in their order, whether each is inside a here-document of the command that `opener` opens. */
  reader(opener: FenceMark): (line: number) => boolean {
    let at = firstAt(this.starts, opener.line + 1);
    let end = -1;
    return (line) => {
      for (; end <= line && at < this.starts.length && this.starts[at]!.line < line; at++) {
        const { line: start, word, dash, certain } = this.starts[at]!;
        if (start < end) continue;
        const ends = this.ends.get(word)![dash || opener.indent > 0 ? 'all' : 'flush'];
        const last = ends[firstAt(ends, start + 1)]?.line;
        if (last !== undefined || certain) end = last ?? Number.POSITIVE_INFINITY;
      }
      return line < end;
    };
  }
}
