import { firstInk, isBlank, type Lines, lineText } from '../markdown/lines.js';
import { isRuleLine, readResultLine } from './line-kinds.js';
import type { FieldPath } from './types.js';

/** A field as its lines show it, whether or not they are YAML. */
export interface Entry {
  path: FieldPath;
  /** The line of its key or dash, from 0. */
  line: number;
  /** Offsets of its value, from behind the colon or the dash. */
  from: number;
  to: number;
  /** Offset of the end of the last line under it. */
  end: number;
}

const KEY = /^[ \t]*(["']?)([\w.-]{1,60})\1[ \t]*:(?=[ \t]|$)/;
const ITEM = /^[ \t]*-(?=[ \t]|$)/;

/** The fields of a result in block style, those of its mappings and the items of its lists included. */
export function listEntries(lines: Lines, first = 0): Entry[] {
  return split(lines, first, lines.count, KEY, []).flatMap((entry) => {
    if (/[^\s]/.test(lines.text.slice(entry.from, lines.ends[entry.line]!).replace(/[ \t]#.*/, '')))
      return [entry];
    const last = lastLine(lines, entry);
    const inside = (form: RegExp) => split(lines, entry.line + 1, last + 1, form, entry.path);
    if (entry.path[0] === 'files_modified') return inside(ITEM);
    if (entry.path[0] === 'verification' || entry.path[0] === 'metadata') return inside(KEY);
    return [entry];
  });
}

function lastLine(lines: Lines, { line, end }: Entry): number {
  let last = line;
  while (last + 1 < lines.count && lines.starts[last + 1]! < end) last++;
  return last;
}

/** The entries at the indent of the first, up to a line that is indented less. */
function split(lines: Lines, from: number, to: number, form: RegExp, above: FieldPath): Entry[] {
  const entries: Entry[] = [];
  let margin = -1;
  for (let line = from; line < to; line++) {
    if (isBlank(lines, line)) continue;
    const indent = firstInk(lines, line) - lines.starts[line]!;
    const found = margin === -1 || indent === margin ? form.exec(lineText(lines, line)) : null;
    const isComment = isRuleLine(readResultLine(lines, line));
    if (found && !isComment) {
      margin = indent;
      const start = lines.starts[line]! + found[0].length;
      const path = [...above, form === ITEM ? entries.length : found[2]!];
      entries.push({ path, line, from: start, to: lines.ends[line]!, end: lines.ends[line]! });
    } else if (margin !== -1 && indent < margin && !isComment) {
      break;
    } else if (entries.length > 0 && !(isComment && indent <= margin)) {
      const entry = entries.at(-1)!;
      entry.to = entry.end = lines.ends[line]!;
    }
  }
  return entries;
}
