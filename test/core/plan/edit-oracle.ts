/** The rules of the edit matcher, written as plainly and slowly as can be. */
import type { EditTier } from '../../../src/core/plan/edit/match.js';

export interface OracleAnswer {
  tier: EditTier;
  /** Offsets of every place; for the line tiers, where the first line that is not blank begins. */
  starts: number[];
}

const FOLDS: Record<string, string> = { '“': '"', '”': '"', '’': "'", '–': '-', '\u00a0': ' ' };

export function askOracle(text: string, find: string): OracleAnswer | undefined {
  const exact = countOverlapping(text, find);
  if (exact.length > 0) return { tier: 'exact', starts: exact };
  const core = find.split(/\r?\n/);
  while (core.length > 0 && trimBoth(foldAll(core[0]!)) === '') core.shift();
  while (core.length > 0 && trimBoth(foldAll(core.at(-1)!)) === '') core.pop();
  if (core.length === 0) return undefined;
  const lines = listLines(text);
  for (const tier of ['line-endings', 'trailing-space', 'indent', 'unicode', 'leading-space'] as const) {
    const starts: number[] = [];
    for (let at = 0; at + core.length <= lines.length; at++) {
      const window = lines.slice(at, at + core.length).map((line) => line.content);
      if (isSame(tier, window, core)) starts.push(lines[at]!.start);
    }
    if (starts.length > 0) return { tier, starts };
  }
  const inked = lines.filter(({ content }) => loose(content) !== '');
  const wanted = core.map(loose).filter((line) => line !== '');
  const starts = inked
    .filter((_, at) => wanted.every((line, index) => loose(inked[at + index]?.content ?? '') === line))
    .map(({ start }) => start);
  return starts.length > 0 ? { tier: 'blank-lines', starts } : undefined;
}

export function countOverlapping(text: string, find: string): number[] {
  const starts: number[] = [];
  for (let at = 0; at + find.length <= text.length; at++) if (text.startsWith(find, at)) starts.push(at);
  return starts;
}

export function listLines(text: string): Array<{ start: number; content: string }> {
  let start = text.startsWith('\ufeff') ? 1 : 0;
  const parts = text.slice(start).split('\n');
  return parts.flatMap((part, index) => {
    const isLast = index === parts.length - 1;
    const line = { start, content: !isLast && part.endsWith('\r') ? part.slice(0, -1) : part };
    start += part.length + 1;
    return isLast && part === '' ? [] : [line];
  });
}

function isSame(tier: EditTier, file: string[], find: string[]): boolean {
  if (tier === 'line-endings') return file.every((line, index) => line === find[index]);
  if (tier === 'trailing-space') return file.every((line, index) => trimEnd(line) === trimEnd(find[index]!));
  if (tier === 'leading-space') return file.every((line, index) => loose(line) === loose(find[index]!));
  if (tier === 'unicode') return isShifted(file.map(foldAll), find.map(foldAll));
  return isShifted(file, find);
}

function isShifted(file: string[], find: string[]): boolean {
  const pairs = file.map((line, index) => [trimEnd(line), trimEnd(find[index]!)] as const);
  if (pairs.some(([one, other]) => (one === '') !== (other === ''))) return false;
  const shown = pairs.filter(([one]) => one !== '');
  const [first, wanted] = shown[0]!;
  const added = first.slice(0, Math.max(0, first.length - wanted.length));
  const removed = wanted.slice(0, Math.max(0, wanted.length - first.length));
  if (trimBoth(added + removed) !== '') return false;
  return shown.every(([one, other]) => removed + one === added + other);
}

function loose(line: string): string {
  return trimBoth(foldAll(line));
}

function foldAll(line: string): string {
  return [...line].map((char) => FOLDS[char] ?? char).join('');
}

function trimEnd(line: string): string {
  return line.replace(/[ \t\r]+$/, '');
}

function trimBoth(line: string): string {
  return trimEnd(line).replace(/^[ \t\r]+/, '');
}
