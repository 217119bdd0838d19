import { DEEPEST_PATTERN } from '../limits.js';
import { complement, DOT, range, union } from './characters.js';
import { asSet, readEscape } from './escape.js';
import { fail, isAtEnd, next, peek, type Reader, skip, startReading, takeWhile } from './reader.js';
import type { CharacterSet, Edge, Part } from './syntax.js';

export type PatternParse = { status: 'parsed'; part: Part } | { status: 'refused'; problem: string };

/** Reads a regular expression of ECMAScript with the flag `u`, without lookaround and references back. */
export function parsePattern(source: string): PatternParse {
  const reader = startReading(source);
  const part = readChoice(reader, 0);
  if (!isAtEnd(reader)) fail(reader, 'has a ")" too many; as a character it is written \\)');
  return reader.problem === null
    ? { status: 'parsed', part }
    : { status: 'refused', problem: reader.problem };
}

const NOTHING: Part = { type: 'sequence', parts: [] };

function readChoice(reader: Reader, depth: number): Part {
  if (depth > DEEPEST_PATTERN) fail(reader, 'has too many groups one inside the other');
  const options = [readSequence(reader, depth)];
  while (skip(reader, '|')) options.push(readSequence(reader, depth));
  return options.length === 1 ? options[0]! : { type: 'choice', options };
}

function readSequence(reader: Reader, depth: number): Part {
  const parts: Part[] = [];
  while (!isAtEnd(reader) && peek(reader) !== '|' && peek(reader) !== ')')
    parts.push(readTerm(reader, depth));
  return parts.length === 1 ? parts[0]! : { type: 'sequence', parts };
}

function readTerm(reader: Reader, depth: number): Part {
  const edge = readEdge(reader);
  const part: Part = edge === null ? readAtom(reader, depth) : { type: 'edge', edge };
  const times = readTimes(reader);
  if (times === null) return part;
  if (edge !== null) fail(reader, 'repeats a place, such as ^ or $, which is not a character');
  return { type: 'repeat', part, ...times };
}

const EDGES: readonly (readonly [string, Edge])[] = [
  ['^', 'start'],
  ['$', 'end'],
  ['\\b', 'word-edge'],
  ['\\B', 'no-word-edge'],
];

function readEdge(reader: Reader): Edge | null {
  return EDGES.find(([written]) => skip(reader, written))?.[1] ?? null;
}

function readAtom(reader: Reader, depth: number): Part {
  const character = next(reader);
  switch (character) {
    case '.':
      return oneOf(DOT);
    case '(':
      return readGroup(reader, depth);
    case '[':
      return oneOf(readClass(reader));
    case '\\':
      return oneOf(readEscape(reader));
    case '*':
    case '+':
    case '?':
      fail(reader, `has a "${character}" with nothing before it that could be repeated`);
      return NOTHING;
    case '{':
    case '}':
    case ']':
      fail(reader, `has a "${character}" that must be written \\${character}`);
      return NOTHING;
    default:
      return oneOf(character.codePointAt(0)!);
  }
}

function oneOf(found: number | CharacterSet | null): Part {
  return found === null ? NOTHING : { type: 'one-of', characters: asSet(found) };
}

function readGroup(reader: Reader, depth: number): Part {
  if (skip(reader, '?')) readGroupSort(reader);
  const part = readChoice(reader, depth + 1);
  if (!skip(reader, ')')) fail(reader, 'has a "(" that is not closed; as a character it is written \\(');
  return part;
}

/** A named group is a group; what else may stand behind "(?" looks around, or changes the rules. */
function readGroupSort(reader: Reader): void {
  if (skip(reader, ':')) return;
  const around = ['=', '!', '<=', '<!'].find((mark) => skip(reader, mark));
  if (around) fail(reader, `looks ahead or behind with (?${around}…), which is not read here`);
  else if (skip(reader, '<')) readGroupName(reader);
  else fail(reader, `has a group that begins with (?${peek(reader)}, which is not read here; write (?:…)`);
}

function readGroupName(reader: Reader): void {
  const name = takeWhile(reader, /^[A-Za-z0-9_$]$/, 100);
  if (!/^[A-Za-z_$]/.test(name) || !skip(reader, '>') || reader.names.has(name))
    fail(reader, 'has a group without a plain name of its own; write (?:…)');
  reader.names.add(name);
}

function readTimes(reader: Reader): { least: number; most: number } | null {
  const times = readTimesOnce(reader);
  // The lazy form matches the same texts.
  if (times !== null) skip(reader, '?');
  return times;
}

function readTimesOnce(reader: Reader): { least: number; most: number } | null {
  if (skip(reader, '*')) return { least: 0, most: Number.POSITIVE_INFINITY };
  if (skip(reader, '+')) return { least: 1, most: Number.POSITIVE_INFINITY };
  if (skip(reader, '?')) return { least: 0, most: 1 };
  if (!skip(reader, '{')) return null;
  const least = readDigits(reader);
  const hasComma = skip(reader, ',');
  const most = hasComma ? readDigits(reader) : least;
  if (least === null || !skip(reader, '}'))
    return fail(reader, 'has a "{" that must be written \\{, or as in a{2,5}');
  if (most !== null && most < least)
    return fail(reader, `repeats something at least ${least} and at most ${most} times`);
  return { least, most: most ?? Number.POSITIVE_INFINITY };
}

function readDigits(reader: Reader): number | null {
  const digits = takeWhile(reader, /^[0-9]$/, 300);
  return digits === '' ? null : Number(digits);
}

function readClass(reader: Reader): CharacterSet {
  const negated = skip(reader, '^');
  const sets: CharacterSet[] = [];
  while (!isAtEnd(reader) && peek(reader) !== ']') {
    const from = readClassAtom(reader);
    const isRange = peek(reader) === '-' && peek(reader, 1) !== ']' && peek(reader, 1) !== '';
    const to = isRange && next(reader) === '-' ? readClassAtom(reader) : null;
    if (from === null) break;
    if (to === null) sets.push(asSet(from));
    else sets.push(readRange(reader, from, to));
  }
  if (!skip(reader, ']')) fail(reader, 'has a "[" that is not closed; as a character it is written \\[');
  return negated ? complement(union(sets)) : union(sets);
}

function readRange(reader: Reader, from: number | CharacterSet, to: number | CharacterSet): CharacterSet {
  if (typeof from === 'number' && typeof to === 'number' && from <= to) return range(from, to);
  fail(
    reader,
    'has a range in […] that does not go from a lower to a higher character; write \\- for a dash',
  );
  return asSet(from);
}

function readClassAtom(reader: Reader): number | CharacterSet | null {
  if (!skip(reader, '\\')) return next(reader).codePointAt(0)!;
  if (skip(reader, '-')) return 0x2d;
  return skip(reader, 'b') ? 0x08 : readEscape(reader);
}
