import type { Token } from '../../../../../core/syntax.js';

/** A part of a line with the looks that it has. The parts of a line are the line, to the letter. */
export interface LinePiece {
  text: string;
  looks: string;
}

export interface LineLooks {
  tokens: readonly Token[];
  /** The part that differs from its counterpart. */
  changed: readonly [from: number, to: number] | undefined;
  /** Matches of a search; `current` is the one that the user is at. */
  matches: readonly { from: number; to: number; current: boolean }[];
  /** White space is shown as what it is: tabs, and spaces at the end. */
  spaces: boolean;
}

interface Range {
  from: number;
  to: number;
  look: string;
}

/** The part of a line from one offset to another, cut wherever its look changes. */
export function cutLine(text: string, looks: LineLooks, from = 0, to = text.length): LinePiece[] {
  const ranges = rangesOf(text, looks).filter((range) => range.from < to && range.to > from);
  if (ranges.length === 0) return [{ text: text.slice(from, to), looks: '' }];
  const cuts = new Set([from, to]);
  for (const range of ranges) for (const at of [range.from, range.to]) if (at > from && at < to) cuts.add(at);
  const ends = [...cuts].sort((a, b) => a - b);
  return ends.slice(1).map((end, at) => {
    const start = ends[at]!;
    const names = ranges.filter((range) => range.from <= start && range.to >= end).map(({ look }) => look);
    return { text: text.slice(start, end), looks: names.join(' ') };
  });
}

function rangesOf(text: string, { tokens, changed, matches, spaces }: LineLooks): Range[] {
  const ranges: Range[] = tokens.map(({ from, to, kind }) => ({ from, to, look: `syntax-${kind}` }));
  if (changed !== undefined && changed[1] > changed[0])
    ranges.push({ from: changed[0], to: changed[1], look: 'part' });
  for (const { from, to, current } of matches)
    ranges.push({ from, to, look: current ? 'match current' : 'match' });
  if (!spaces) return ranges;
  for (const { index } of text.matchAll(/\t/g)) ranges.push({ from: index, to: index + 1, look: 'tab' });
  const trailing = text.length - text.replace(/ +$/, '').length;
  if (trailing > 0) ranges.push({ from: text.length - trailing, to: text.length, look: 'trail' });
  return ranges;
}
