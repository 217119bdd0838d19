import {
  closes,
  columnOf,
  contentText,
  type FenceMark,
  firstInk,
  type Lines,
  mayBeFence,
  readFenceAt,
} from './lines.js';

/** Lines `at` to `end - 1`, counted from 0. */
interface Span {
  at: number;
  end: number;
}

export type Block = Heading | Fence | List | Rule | Text;

export interface Heading extends Span {
  type: 'heading';
  level: number;
  text: string;
  /** False for `#Title`, which CommonMark takes for text. */
  spaced: boolean;
}

export interface Fence extends Span {
  type: 'fence';
  mark: FenceMark;
  closed: boolean;
  /** Columns that the content is moved to the left by: those of the opening fence. */
  base: number;
}

export interface List extends Span {
  type: 'list';
  items: ListItem[];
}

export interface ListItem extends Span {
  /** Offset and column at which the item's content starts on its first line. */
  offset: number;
  column: number;
}

/** A thematic break. */
interface Rule extends Span {
  type: 'rule';
}

/** Anything else: paragraphs, quotes, HTML, indented code. */
export interface Text extends Span {
  type: 'text';
}

/** The blocks of a whole document. */
export function scanBlocks(lines: Lines): Block[] {
  return scan(lines, { from: 0, to: lines.count, base: 0 });
}

/** The blocks inside a list item. */
export function scanItem(lines: Lines, item: ListItem): Block[] {
  return scan(lines, {
    from: item.at,
    to: item.end,
    base: item.column,
    offset: item.offset,
    comments: false,
  });
}

/**
 * Lines of an item further left than its content: CommonMark lets them continue its last
 * paragraph. Given as the line that they start at; the item's end if there are none.
 */
export function lazyFrom(lines: Lines, item: ListItem): number {
  for (let line = item.at + 1; line < item.end; line++) {
    const ink = firstInk(lines, line);
    if (ink < lines.ends[line]! && columnOf(lines.text, lines.starts[line]!, ink) < item.column) return line;
  }
  return item.end;
}

/** The text between the fences, `\n` at the end of its last line. */
export function fenceText(lines: Lines, fence: Fence): string {
  const to = fence.closed ? fence.end - 1 : fence.end;
  let text = contentText(lines, fence.at + 1, to);
  if (fence.mark.indent > 0) text = outdent(text, fence.mark.indent);
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** The lines of a container: `base` is the column that its content starts in. */
interface Container {
  from: number;
  to: number;
  base: number;
  /** Where the first line's content starts, when that is not its first character. */
  offset?: number;
  /** False once no comment can close any more, so that hostile text is not searched again and again. */
  comments?: boolean;
}

function scan(lines: Lines, box: Container): Block[] {
  const { text } = lines;
  const blocks: Block[] = [];
  let at = box.from;
  while (at < box.to) {
    const ink = at === box.from && box.offset !== undefined ? box.offset : firstInk(lines, at);
    if (ink >= lines.ends[at]!) {
      at++;
      continue;
    }
    const indent = columnOf(text, lines.starts[at]!, ink) - box.base;
    const block =
      indent > 3
        ? scanText(lines, at, box)
        : (scanFence(lines, at, ink, box) ??
          scanHeading(lines, at, ink) ??
          scanRule(lines, at, ink) ??
          scanList(lines, at, ink, box) ??
          scanComment(lines, at, ink, box) ??
          scanText(lines, at, box));
    blocks.push(block);
    at = block.end;
  }
  return blocks;
}

function scanFence(lines: Lines, at: number, ink: number, box: Container): Fence | undefined {
  const mark = readFenceAt(lines, at, ink);
  if (!mark) return undefined;
  for (let i = at + 1; i < box.to; i++) {
    const start = firstInk(lines, i);
    if (!mayBeFence(lines.text, start)) continue;
    const closer = readFenceAt(lines, i, start);
    if (closer && closes(closer, mark, box.base)) {
      return { type: 'fence', at, end: i + 1, mark, closed: true, base: box.base };
    }
  }
  return { type: 'fence', at, end: box.to, mark, closed: false, base: box.base };
}

const HASH = 35;

function scanHeading(lines: Lines, at: number, ink: number): Heading | undefined {
  const { text } = lines;
  if (text.charCodeAt(ink) !== HASH) return undefined;
  const end = lines.ends[at]!;
  let stop = ink;
  while (stop < end && text.charCodeAt(stop) === HASH) stop++;
  const level = stop - ink;
  const next = text[stop];
  const spaced = stop === end || next === ' ' || next === '\t';
  if (level > 6 || (!spaced && level > 3)) return undefined;
  const heading = text.slice(stop, end).trim();
  return { type: 'heading', at, end: at + 1, level, spaced, text: dropClosingHashes(heading) };
}

function dropClosingHashes(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '#') end--;
  if (end === text.length) return text;
  if (end === 0) return '';
  return text[end - 1] === ' ' || text[end - 1] === '\t' ? text.slice(0, end).trimEnd() : text;
}

function scanRule(lines: Lines, at: number, ink: number): Rule | undefined {
  const char = lines.text[ink];
  if (char !== '-' && char !== '*' && char !== '_') return undefined;
  let count = 0;
  for (let i = ink; i < lines.ends[at]!; i++) {
    const c = lines.text[i];
    if (c === char) count++;
    else if (c !== ' ' && c !== '\t') return undefined;
  }
  return count >= 3 ? { type: 'rule', at, end: at + 1 } : undefined;
}

interface Marker {
  kind: string;
  offset: number;
  column: number;
}

function readMarker(lines: Lines, at: number, ink: number): Marker | undefined {
  const { text } = lines;
  const end = lines.ends[at]!;
  let stop = ink;
  while (stop < end && stop - ink < 9 && text[stop]! >= '0' && text[stop]! <= '9') stop++;
  const kind = text[stop];
  const bullet = stop === ink ? '-*+' : '.)';
  if (stop >= end || kind === undefined || !bullet.includes(kind)) return undefined;
  stop++;
  if (stop < end && text[stop] !== ' ' && text[stop] !== '\t') return undefined;
  const start = lines.starts[at]!;
  const after = columnOf(text, start, stop);
  let offset = stop;
  while (offset < end && (text[offset] === ' ' || text[offset] === '\t')) offset++;
  const column = columnOf(text, start, offset);
  if (offset === end || column - after > 4)
    return { kind, offset: Math.min(stop + 1, end), column: after + 1 };
  return { kind, offset, column };
}

function scanList(lines: Lines, at: number, ink: number, box: Container): List | undefined {
  let marker = readMarker(lines, at, ink);
  if (!marker) return undefined;
  const kind = marker.kind;
  const items: ListItem[] = [];
  let next = at;
  while (marker?.kind === kind) {
    const end = itemEnd(lines, next, marker, box);
    items.push({
      at: next,
      end: trimBlankEnd(lines, next, end),
      offset: marker.offset,
      column: marker.column,
    });
    next = end;
    if (next >= box.to) break;
    const start = firstInk(lines, next);
    const indent = columnOf(lines.text, lines.starts[next]!, start) - box.base;
    marker = indent <= 3 && !scanRule(lines, next, start) ? readMarker(lines, next, start) : undefined;
  }
  return { type: 'list', at, end: items[items.length - 1]!.end, items };
}

/** An item continues while lines are indented to its content, blank, or continue its paragraph. */
function itemEnd(lines: Lines, at: number, marker: Marker, box: Container): number {
  let fence = readFenceAt(lines, at, marker.offset);
  let inParagraph = !fence && marker.offset < lines.ends[at]!;
  let i = at + 1;
  for (; i < box.to; i++) {
    const ink = firstInk(lines, i);
    if (ink === lines.ends[i]) {
      inParagraph = false;
      continue;
    }
    if (columnOf(lines.text, lines.starts[i]!, ink) >= marker.column) {
      const mark = readFenceAt(lines, i, ink);
      if (fence) {
        if (mark && closes(mark, fence, marker.column)) fence = undefined;
        inParagraph = false;
      } else {
        fence = mark;
        inParagraph = !mark && !scanHeading(lines, i, ink) && !scanRule(lines, i, ink);
      }
    } else if (!inParagraph || startsBlock(lines, i, ink) || isSibling(lines, i, ink, marker, box)) {
      break;
    }
  }
  return i;
}

/** Any number continues a list that is there; only a 1 starts one in the middle of a paragraph. */
function isSibling(lines: Lines, at: number, ink: number, { kind }: Marker, box: Container): boolean {
  const indent = columnOf(lines.text, lines.starts[at]!, ink) - box.base;
  return indent >= 0 && indent <= 3 && readMarker(lines, at, ink)?.kind === kind;
}

function trimBlankEnd(lines: Lines, at: number, end: number): number {
  let last = end;
  while (last > at + 1 && firstInk(lines, last - 1) === lines.ends[last - 1]) last--;
  return last;
}

/** An HTML comment that closes: what is in it is not part of the document. Not inside lists. */
function scanComment(lines: Lines, at: number, ink: number, box: Container): Text | undefined {
  if (box.comments === false || !lines.text.startsWith('<!--', ink)) return undefined;
  const close = lines.text.indexOf('-->', ink + 4);
  if (close === -1) {
    box.comments = false;
    return undefined;
  }
  let end = at + 1;
  while (end < box.to && lines.starts[end]! <= close) end++;
  return { type: 'text', at, end };
}

function scanText(lines: Lines, at: number, box: Container): Text {
  let end = at + 1;
  for (; end < box.to; end++) {
    const ink = firstInk(lines, end);
    if (ink === lines.ends[end]) break;
    if (columnOf(lines.text, lines.starts[end]!, ink) - box.base <= 3 && startsBlock(lines, end, ink)) break;
  }
  return { type: 'text', at, end };
}

/** Whether a line starts a block that interrupts a paragraph. */
function startsBlock(lines: Lines, at: number, ink: number): boolean {
  if (lines.text[ink] === '>' || readFenceAt(lines, at, ink)) return true;
  if (scanHeading(lines, at, ink) || scanRule(lines, at, ink)) return true;
  const marker = readMarker(lines, at, ink);
  if (!marker || marker.offset >= lines.ends[at]!) return false;
  return '-*+'.includes(marker.kind) || (lines.text[ink] === '1' && lines.text[ink + 1] === marker.kind);
}

/** Takes columns of white space off each line; a tab that is cut in two leaves spaces. */
function outdent(text: string, columns: number): string {
  const out: string[] = [];
  let start = 0;
  while (start < text.length) {
    const lf = text.indexOf('\n', start);
    const stop = lf === -1 ? text.length : lf + 1;
    let at = start;
    let column = 0;
    while (column < columns && (text[at] === ' ' || text[at] === '\t')) {
      column += text[at] === '\t' ? 4 - (column % 4) : 1;
      at++;
    }
    out.push(' '.repeat(Math.max(0, column - columns)), text.slice(at, stop));
    start = stop;
  }
  return out.join('');
}
