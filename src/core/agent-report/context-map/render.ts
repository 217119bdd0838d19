import { addToGroup } from '../../groups.js';
import { fenceFor, lineText, splitLines } from '../../markdown/lines.js';
import { countUnits, shortenCounted } from '../../text.js';
import type { Tree } from '../../tree.js';
import type { Reference, ReferencedLines } from '../types.js';
import { writeLines } from './reference.js';

export interface ContextMapOptions {
  /** How many lines are shown of one reference, */
  linesEach?: number;
  /** and of all of them. */
  linesInAll?: number;
  /** How many characters are shown of one line. */
  lineLength?: number;
}

type Limits = Required<ContextMapOptions>;

const LIMITS: Limits = { linesEach: 200, linesInAll: 4000, lineLength: 400 };

/** What is shown of a reference's lines. */
interface Cut {
  lines: ReferencedLines;
  shown: string[];
}

/**
 * A context map as Markdown, for a briefing: each entry's address, its text as a quotation, and the lines that it points
 * to, numbered, in a fence. Neither text nor lines can end what they are in. What is left out is counted.
 */
export function renderContextMap(
  references: readonly Reference[],
  tree: Tree,
  options: ContextMapOptions = {},
): string {
  const cuts = cutLines(references, tree, { ...LIMITS, ...options });
  return references.map((reference, at) => renderEntry(reference, at + 1, cuts.get(at))).join('\n');
}

function renderEntry({ text, uri, status, reason }: Reference, number: number, cut: Cut | undefined): string {
  const remark = reason === null ? '' : ` (${status}: it ${oneLine(reason)})`;
  const head = uri === null ? `**${number}.**` : `**${number}.** ${codeSpan(oneLine(uri))}${remark}`;
  return [head, '', ...quoteLines(text), ...(cut ? ['', ...fenceLines(cut)] : []), ''].join('\n');
}

function quoteLines(text: string): string[] {
  return text.split(/\r\n|\n|\r/).map((line) => (line === '' ? '>' : `> ${line}`));
}

function fenceLines({ lines, shown }: Cut): string[] {
  const left = lines.to - lines.from + 1 - shown.length;
  const first = lines.from + shown.length;
  const about = writeLines({ from: first, to: lines.to });
  const note = left === 0 ? [] : [`(${countUnits(left, 'line')} omitted: ${about}.)`];
  if (shown.length === 0) return note;
  const width = String(first - 1).length;
  const body = shown.map((line, at) => {
    const number = String(lines.from + at).padStart(width);
    return line === '' ? `${number} |` : `${number} | ${line}`;
  });
  const fence = fenceFor(body.join('\n'));
  return [fence, ...body, fence, ...(left === 0 ? [] : ['', ...note])];
}

/** The lines of each reference that has some, by its position. Files are opened one after the other, each once. */
function cutLines(references: readonly Reference[], tree: Tree, limits: Limits): Map<number, Cut> {
  const byFile = new Map<string, { at: number; lines: ReferencedLines; most: number }[]>();
  let left = limits.linesInAll;
  references.forEach(({ status, file, lines }, at) => {
    if (status !== 'ok' || file === null || lines === null) return;
    const most = Math.min(left, limits.linesEach, lines.to - lines.from + 1);
    left -= most;
    addToGroup(byFile, file, { at, lines, most });
  });
  const cuts = new Map<number, Cut>();
  for (const [file, wanted] of byFile) {
    const read = wanted.some(({ most }) => most > 0) ? tree.text(file) : undefined;
    const content = read?.status === 'text' ? splitLines(read.text) : undefined;
    for (const { at, lines, most } of wanted) {
      const there = Math.max(0, Math.min(most, (content?.count ?? 0) - lines.from + 1));
      const shown = Array.from({ length: there }, (_, line) =>
        shortenCounted(lineText(content!, lines.from - 1 + line), limits.lineLength),
      );
      cuts.set(at, { lines, shown });
    }
  }
  return cuts;
}

function codeSpan(text: string): string {
  const fence = fenceFor(text, '`', 1);
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${fence}${space}${text}${space}${fence}`;
}

function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ');
}
