import { type CommonmarkNode, childrenOf, descendantsOf, parseCommonmark } from './commonmark.js';
import { type Outline, outline, type Part } from './outline.js';

/** What CommonMark itself makes of a plan: no repair, every block as the standard reads it. */
export function readPlainly(text: string): Outline {
  const lines = linesOf(text);
  const unclosed: string[] = [];
  const parts: Part[] = [];
  for (const node of childrenOf(parseCommonmark(text))) {
    parts.push(partOf(node, lines));
    const inside = node.type === 'code_block' ? [node] : [...descendantsOf(node)];
    for (const block of inside) {
      if (block.type !== 'code_block' || !block._isFenced) continue;
      if (block !== node) parts.push({ ...partOf(block, lines), kind: 'block' });
      if (!isClosed(block, lines)) unclosed.push(`line ${block.sourcepos[0][0]}: an unclosed block`);
    }
  }
  const found = outline(parts, lines);
  return { ...found, leftover: [...found.leftover, ...unclosed] };
}

function partOf(node: CommonmarkNode, lines: string[]): Part {
  const [[first], [last]] = node.sourcepos;
  const source = lines.slice(first - 1, last).join('\n');
  const part = { from: first - 1, to: last, level: 0, text: source };
  switch (node.type) {
    case 'heading': {
      const title = [...descendantsOf(node)].map(({ literal }) => literal ?? '').join('');
      return { ...part, kind: 'heading', level: node.level, text: title };
    }
    case 'code_block':
      return { ...part, kind: node._isFenced ? 'block' : 'other', text: node.literal ?? '' };
    case 'list':
      return { ...part, kind: 'list' };
    case 'paragraph':
    case 'thematic_break':
      return { ...part, kind: 'prose' };
    default:
      return { ...part, kind: 'other' };
  }
}

function isClosed(block: CommonmarkNode, lines: string[]): boolean {
  const [[first], [last]] = block.sourcepos;
  const fence = lines[last - 1]?.trim() ?? '';
  return last > first && fence === block._fenceChar.repeat(Math.max(fence.length, block._fenceLength));
}

/**
 * The usual trick for fences in fences, as well as it can be done without knowing what a plan is: a fence
 * with an info string opens, a bare one closes the innermost that is open, and the block ends when the
 * outermost does. A fence around the whole answer and chatter before it are taken off.
 */
export function readByNesting(text: string): Outline {
  const lines = unwrap(linesOf(text));
  const parts: Part[] = [];
  for (let i = 0; i < lines.length; ) {
    const line = lines[i]!;
    const heading = line.match(/^(#{1,6}) +(.*?) *$/);
    const from = i;
    if (FENCE.test(line)) {
      const end = endOfBlock(lines, i);
      const text = lines.slice(i + 1, end).map((inner) => `${inner}\n`);
      i = end + 1;
      parts.push({ kind: 'block', from, to: i, level: 0, text: text.join('') });
    } else if (heading) {
      i++;
      const title = heading[2]!.replaceAll('`', '');
      parts.push({ kind: 'heading', from, to: i, level: heading[1]!.length, text: title });
    } else if (line.trim() === '') i++;
    else {
      while (i < lines.length && lines[i]!.trim() !== '' && !FENCE.test(lines[i]!) && !/^#/.test(lines[i]!))
        i++;
      const kind = line.startsWith('- ') ? 'list' : 'prose';
      if (i === from) i++;
      parts.push({ kind, from, to: i, level: 0, text: lines.slice(from, i).join('\n') });
    }
  }
  return outline(parts, lines);
}

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;

function endOfBlock(lines: string[], start: number): number {
  const open: string[] = [];
  for (let i = start; i < lines.length; i++) {
    const [, fence, info] = lines[i]!.match(FENCE) ?? [];
    if (fence === undefined) continue;
    if (info!.trim() !== '' || open.length === 0) open.push(fence);
    else if (fence.startsWith(open.at(-1)!)) open.pop();
    else if (open.some((outer) => fence.startsWith(outer))) {
      while (!fence.startsWith(open.pop()!));
    } else open.push(fence);
    if (open.length === 0) return i;
  }
  return lines.length;
}

function unwrap(lines: string[]): string[] {
  const title = lines.findIndex((line) => /^# /.test(line));
  if (title < 1) return lines;
  const rest = lines.slice(title);
  if (!FENCE.test(lines[title - 1]!)) return rest;
  const last = rest.findLastIndex((line) => FENCE.test(line));
  return rest.slice(0, last);
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
