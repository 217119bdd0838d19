import { lineEnd, lineNumberAt, lineStartAt, looseContent } from './lines.js';
import { LineCursor } from './scan.js';

/** A line of the file that is much like a line of FIND. Only ever shown, never edited. */
export interface SimilarLine {
  /** 1-based line of the file, and index of FIND's line. */
  number: number;
  index: number;
}

interface Probe {
  index: number;
  content: string;
}

interface Candidate {
  probe: Probe;
  start: number;
  similarity: number;
}

const PROBES = 3;
const TOKENS = 8;
/** How many characters may be searched for rare words: all of a small file several times, a huge one once. */
const SEARCHED = 5_000_000;
const LINES_PER_TOKEN = 20;
/** Content past this column is not looked at. */
const COMPARED = 400;
const ENOUGH = 0.5;
const PLENTY = 0.75;

export function findSimilarLine(text: string, core: readonly string[]): SimilarLine | undefined {
  const probes = pickProbes(core);
  const best = findByEdges(text, probes) ?? findByToken(text, probes);
  if (!best || best.similarity < ENOUGH) return undefined;
  return { number: lineNumberAt(text, best.start), index: best.probe.index };
}

/** The longest lines of FIND identify its place best. */
function pickProbes(core: readonly string[]): Probe[] {
  return core
    .map((line, index) => ({ index, content: looseContent(line).slice(0, COMPARED) }))
    .sort((one, other) => other.content.length - one.content.length)
    .slice(0, PROBES);
}

/** Compares the first lines that contain one of the longest words. */
function findByToken(text: string, probes: readonly Probe[]): Candidate | undefined {
  const tokens = probes.flatMap((probe) => readTokens(probe.content).map((token) => ({ probe, token })));
  tokens.sort((one, other) => other.token.length - one.token.length);
  let best: Candidate | undefined;
  let searched = 0;
  for (const { probe, token } of tokens.slice(0, TOKENS)) {
    const starts = findLinesWith(text, token);
    for (const start of starts) {
      const content = looseContent(text.slice(start, Math.min(lineEnd(text, start), start + COMPARED)));
      best = better(best, { probe, start, similarity: compare(probe.content, content) });
    }
    if (starts.length < LINES_PER_TOKEN) searched += text.length;
    if (searched > SEARCHED || (best && best.similarity >= PLENTY)) return best;
  }
  return best;
}

function findLinesWith(text: string, token: string): number[] {
  const starts: number[] = [];
  let at = text.indexOf(token);
  while (at !== -1 && starts.length < LINES_PER_TOKEN) {
    starts.push(lineStartAt(text, at));
    const newline = text.indexOf('\n', at);
    at = newline === -1 ? -1 : text.indexOf(token, newline);
  }
  return starts;
}

/** The line whose beginning and end are most alike, as a typo leaves them; undefined if none is half alike. */
function findByEdges(text: string, probes: readonly Probe[]): Candidate | undefined {
  let best: Candidate | undefined;
  let similarity = ENOUGH;
  const line = new LineCursor(text);
  while (line.next()) {
    const length = Math.min(line.to - line.from, COMPARED);
    for (const probe of probes) {
      const { content } = probe;
      const longer = Math.max(length, content.length);
      const needed = similarity * longer;
      if (Math.min(length, content.length) <= needed) continue;
      if (!canBeAlike(content, text, line.from, line.from + length, needed >> 1)) continue;
      const alike = countAlikeEdges(content, text, line.from, line.from + length) / longer;
      if (alike <= similarity) continue;
      similarity = alike;
      best = { probe, start: line.start, similarity };
    }
  }
  return best;
}

/** Edges with more than twice `half` characters in common have one with more than `half`: so it shows there. */
function canBeAlike(wanted: string, text: string, from: number, to: number, half: number): boolean {
  return (
    wanted.charCodeAt(half) === text.charCodeAt(from + half) ||
    wanted.charCodeAt(wanted.length - 1 - half) === text.charCodeAt(to - 1 - half)
  );
}

function better(best: Candidate | undefined, other: Candidate): Candidate {
  return best && best.similarity >= other.similarity ? best : other;
}

/** From 0 to 1. A FIND may be a part of its line, so that the words in common count too, a little less. */
function compare(wanted: string, content: string): number {
  const edges = countAlikeEdges(wanted, content, 0, content.length) / Math.max(wanted.length, content.length);
  const tokens = readTokens(wanted);
  const shared = tokens.filter((token) => content.includes(token));
  return Math.max(edges, (0.9 * totalLength(shared)) / totalLength(tokens));
}

function countAlikeEdges(wanted: string, text: string, from: number, to: number): number {
  const shorter = Math.min(wanted.length, to - from);
  let head = 0;
  while (head < shorter && wanted.charCodeAt(head) === text.charCodeAt(from + head)) head++;
  let tail = 0;
  const last = wanted.length - 1;
  while (tail < shorter - head && wanted.charCodeAt(last - tail) === text.charCodeAt(to - 1 - tail)) tail++;
  return head + tail;
}

/** Long words come in pieces: the engine's own search takes quadratic time on long patterns. */
function readTokens(content: string): string[] {
  return [...new Set(content.match(/[\p{L}\p{N}_]{3,64}/gu))];
}

function totalLength(tokens: readonly string[]): number {
  return tokens.reduce((sum, token) => sum + token.length, 0);
}
