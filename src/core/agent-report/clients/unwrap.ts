import { closes, readFence } from '../../markdown/fence.js';
import { splitLines } from '../../markdown/lines.js';

/** What an answer holds that stands wholly in one fence, for JSON or for nothing named; else null. */
export function unwrapFence(answer: string): string | null {
  const lines = splitLines(answer.trim());
  const last = lines.count - 1;
  const opener = last < 2 ? undefined : readFence(lines, 0);
  if (!opener || !/^(?:json)?$/i.test(opener.info)) return null;
  for (let line = 1; line <= last; line++) {
    const mark = readFence(lines, line);
    if (!mark || !closes(mark, opener)) continue;
    const inside = lines.text.slice(lines.starts[1], lines.ends[line - 1]);
    return line === last && /\S/.test(inside) ? inside : null;
  }
  return null;
}
