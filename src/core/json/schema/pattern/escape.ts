import { CLASSES, property, single } from './characters.js';
import { fail, next, peek, type Reader, skip, takeWhile } from './reader.js';
import type { CharacterSet } from './syntax.js';

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['t', 0x09],
  ['n', 0x0a],
  ['v', 0x0b],
  ['f', 0x0c],
  ['r', 0x0d],
]);

/** What stands behind a backslash and means characters, in a class or not: one code point, or a set of them. */
export function readEscape(reader: Reader): number | CharacterSet | null {
  const letter = next(reader);
  const found = CLASSES.get(letter) ?? CONTROLS.get(letter);
  if (found !== undefined) return found;
  if (letter !== '' && '^$\\.*+?()[]{}|/'.includes(letter)) return letter.codePointAt(0)!;
  if (letter === 'p' || letter === 'P') return readProperty(reader, letter === 'P');
  if (letter === 'x') return readHex(reader, 2, '\\x must be followed by two digits, as in \\x41');
  if (letter === 'u') return readUnicode(reader);
  if (letter === 'c' && /^[A-Za-z]$/.test(peek(reader))) return next(reader).codePointAt(0)! % 32;
  if (letter === '0' && !/^[0-9]$/.test(peek(reader))) return 0;
  if (/^[0-9k]$/.test(letter))
    return fail(reader, `refers back to a group with \\${letter}, which is not read here`);
  if (letter === '') return fail(reader, 'ends with a backslash');
  return fail(reader, `has \\${letter}, which means nothing; write ${letter} without the backslash`);
}

function readProperty(reader: Reader, negated: boolean): CharacterSet | null {
  const open = skip(reader, '{');
  const name = takeWhile(reader, /^[A-Za-z0-9_=]$/, 80);
  const set = open && skip(reader, '}') ? property(name, negated) : null;
  return set ?? fail(reader, `has a property of characters that is not known; write it as \\p{L} or \\p{Lu}`);
}

function readHex(reader: Reader, digits: number, problem: string): number | null {
  const hex = takeWhile(reader, /^[0-9A-Fa-f]$/, digits);
  return hex.length === digits ? Number.parseInt(hex, 16) : fail(reader, problem);
}

const UNICODE_FORM = '\\u must be followed by four digits or by {…}, as in \\u00e9 or \\u{1f600}';

function readUnicode(reader: Reader): number | null {
  if (skip(reader, '{')) {
    const hex = takeWhile(reader, /^[0-9A-Fa-f]$/, 20);
    const codePoint = hex === '' ? Number.NaN : Number.parseInt(hex, 16);
    return skip(reader, '}') && codePoint <= 0x10ffff ? codePoint : fail(reader, UNICODE_FORM);
  }
  const lead = readHex(reader, 4, UNICODE_FORM);
  if (lead === null || lead < 0xd800 || lead > 0xdbff) return lead;
  // Two escapes may be the two halves of one character.
  const { at } = reader;
  const tail = skip(reader, '\\u') ? takeWhile(reader, /^[0-9A-Fa-f]$/, 4) : '';
  const trail = tail.length === 4 ? Number.parseInt(tail, 16) : 0;
  if (trail >= 0xdc00 && trail <= 0xdfff) return (lead - 0xd800) * 0x400 + (trail - 0xdc00) + 0x10000;
  reader.at = at;
  return lead;
}

export function asSet(found: number | CharacterSet): CharacterSet {
  return typeof found === 'number' ? single(found) : found;
}
