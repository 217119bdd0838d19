/** A text whose fenced blocks are gone, with a note in the place of each. */
export interface Unfenced {
  text: string;
  /** How many lines stood between the fences. */
  lines: number;
  blocks: number;
}

/** Quotes and lists may stand before a fence; so many, since without end they take more stack than there is. */
const OPENING = /^((?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){0,20}[ \t]*)(`{3,}|~{3,})(.*)$/s;
const CLOSING = /^([ \t>]*)(`{3,}|~{3,})[ \t]*$/;

interface Open {
  /** All that stands before the fence, and then before the note. */
  before: string;
  fence: string;
  /** The end of the line. */
  end: string;
  lines: number;
}

/**
 * Fences are read as people mean them where CommonMark is stricter: one that was opened in a list item may be closed
 * further to the left. One that nobody closes goes on to the end.
 */
export function leaveOutFences(text: string): Unfenced {
  if (!holdsFence(text)) return { text, lines: 0, blocks: 0 };
  const kept: string[] = [];
  let lines = 0;
  let blocks = 0;
  let open: Open | null = null;
  const conclude = (block: Open, end: string) => {
    kept.push(block.before, writeNote(block.lines), end);
    lines += block.lines;
    blocks++;
  };

  // Every line is followed by its end; that of the last one is missing.
  const pieces = text.split(/(\r\n|\n|\r)/);
  for (let index = 0; index < pieces.length; index += 2) {
    const line = pieces[index]!;
    const end = pieces[index + 1] ?? '';
    if (open !== null) {
      const isLeft = isOutside(line, open);
      const isClosed = !isLeft && closes(line, open);
      if (!isLeft && !isClosed) {
        open.lines++;
        continue;
      }
      conclude(open, isClosed ? end : open.end);
      open = null;
      if (isClosed) continue;
    }
    const opening = holdsFence(line) ? OPENING.exec(line) : null;
    const [, before = '', fence = '', info = ''] = opening ?? [];
    if (opening === null) kept.push(line, end);
    // Code within a line, although it begins like a block.
    else if (fence.startsWith('`') && info.includes('`')) kept.push(line.replace(/`{3,}/g, '`'), end);
    else open = { before, fence, end, lines: 0 };
  }
  if (open !== null) conclude(open, '');
  return { text: kept.join(''), lines, blocks };
}

function holdsFence(text: string): boolean {
  return text.includes('```') || text.includes('~~~');
}

function closes(line: string, { before, fence }: Open): boolean {
  const [, indent = '', mark = ''] = (holdsFence(line) && CLOSING.exec(line)) || [];
  return mark[0] === fence[0] && mark.length >= fence.length && indent.length <= before.length + 3;
}

/** Whether a line stands outside of the quote that a block was opened in. */
function isOutside(line: string, { before }: Open): boolean {
  return before.includes('>') && !/^[ \t]*>/.test(line);
}

function writeNote(lines: number): string {
  if (lines === 0) return '(an empty block left out)';
  return `(${lines} ${lines === 1 ? 'line' : 'lines'} left out)`;
}
