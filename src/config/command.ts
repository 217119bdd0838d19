import type { Pieces } from '../core/glob.js';
import { readShellTokens, readWordParts, type WordPart } from '../core/shell-words.js';
import type { Taken } from '../core/taken.js';

/** A pattern for commands. `words` is how an allow rule compares it, word by word. */
export interface CommandGlob {
  text: string;
  words: readonly CommandWord[];
}

/** `*` and `**` are words of their own, at the end: further plain words, and any further words. */
export type CommandWord = Pieces | '*' | '**';

const LONGEST = 1000;

// What no simple command of ours may hold, quoted or not: whatever joins, nests, expands or redirects, all controls
// and separators but the plain space, and what cannot be seen.
const NEVER = /[;&|$`<>\\\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u;

// What the shell may act on where it is not quoted.
const UNQUOTED = /[*?[\]{}()~#!^]/;

/**
 * The words of one simple command, with its quotes taken off; undefined for everything else. What a shell would do
 * more with than to split it at spaces is no simple command.
 */
export function readSimpleCommand(command: string): string[] | undefined {
  const words = splitWords(command.replace(/\n$/, ''));
  if (words === undefined || words.length === 0) return undefined;
  if (words.some((word) => word.pieces.length > 1 || UNQUOTED.test(word.bare))) return undefined;
  const plain = words.map((word) => word.pieces[0]!);
  // NAME=value before a command sets a variable for it.
  return plain[0] === '' || plain[0]!.includes('=') ? undefined : plain;
}

export function readCommandGlob(value: unknown, verb: 'allow' | 'ask' | 'deny'): Taken<CommandGlob> {
  if (typeof value !== 'string' || value.trim() === '') return refuse('is not a text; write a command');
  if (value.length > LONGEST) return refuse(`is longer than ${LONGEST} characters`);
  if (verb !== 'allow') return { status: 'ok', value: { text: value, words: [] } };
  const split = splitWords(value);
  if (split === undefined || split.some(({ bare }) => UNQUOTED.test(bare.replaceAll('*', '')))) {
    return refuse('is more than one simple command; an allow rule takes only simple ones');
  }
  const words = split.map(readCommandWord);
  if (words.slice(0, -1).some((word) => word === '*' || word === '**')) {
    return refuse('has * or ** before the last word; they match further words only at the end');
  }
  const [first] = words;
  if (first === '**') return { status: 'ok', value: { text: value, words } };
  if (first === '*' || first === undefined || first.length > 1 || first[0]!.includes('=')) {
    return refuse('does not start with the name of a program; ** alone allows every simple command');
  }
  return { status: 'ok', value: { text: value, words } };
}

function readCommandWord({ pieces }: SplitWord): CommandWord {
  if (pieces.every((piece) => piece === '')) {
    if (pieces.length === 2) return '*';
    if (pieces.length === 3) return '**';
  }
  return pieces;
}

interface SplitWord {
  /** Its text, divided at each `*` that is not quoted. */
  pieces: string[];
  /** The part of it that is not quoted. */
  bare: string;
}

function splitWords(text: string): SplitWord[] | undefined {
  const tokens = NEVER.test(text) ? undefined : readShellTokens(text);
  if (!tokens?.every(({ kind }) => kind === 'word')) return undefined;
  const words = tokens.map((token) => readWordParts(token.text));
  // In double quotes a "!" may still mean something to some shells.
  if (words.flat().some((part) => part.quote === '"' && part.text.includes('!'))) return undefined;
  return words.map((parts) => ({
    pieces: piecesOf(parts),
    bare: parts.map((part) => (part.quote === '' ? part.text : '')).join(''),
  }));
}

function piecesOf(parts: readonly WordPart[]): string[] {
  const pieces = [''];
  for (const { quote, text } of parts) {
    const [first = '', ...others] = quote === '' ? text.split('*') : [text];
    pieces.push(pieces.pop()! + first, ...others);
  }
  return pieces;
}

function refuse(reason: string): Taken<CommandGlob> {
  return { status: 'refused', reason };
}
