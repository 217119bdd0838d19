import { type CommandGlob, type CommandWord, readSimpleCommand } from '../config/command.js';
import { matchPieces, type Pieces } from '../core/glob.js';
import type { ExecuteAction } from '../core/plan/types.js';

/**
 * Whether an allow rule covers a command. Narrow: one simple command, its words compared one by one, in the root and
 * with nothing set in its environment. In doubt, a command is not covered.
 */
export function coversCommand(glob: CommandGlob | null, action: ExecuteAction): boolean {
  if (action.cwd !== null || Object.keys(action.env).length > 0) return false;
  const words = readSimpleCommand(action.command);
  if (words === undefined) return false;
  return glob === null || matchWords(glob.words, words);
}

function matchWords(pattern: readonly CommandWord[], words: readonly string[]): boolean {
  const last = pattern.at(-1);
  const open = last === '*' || last === '**';
  const fixed = open ? pattern.slice(0, -1) : pattern;
  const rest = words.slice(fixed.length);
  if (words.length < fixed.length || (!open && rest.length > 0)) return false;
  if (last === '*' && !rest.every(isPlain)) return false;
  return fixed.every((word, at) => matchWord(word as Pieces, words[at]!));
}

/** What makes another thing of a word: a path, an address, an assignment. A `*` inside a word matches none of these. */
const MARKS = ['/', ':', '@', '='] as const;

function matchWord(pieces: Pieces, word: string): boolean {
  if (pieces.length === 1) return word === pieces[0];
  if (!matchPieces(pieces, word) || goesUp(word)) return false;
  const written = pieces.join('');
  if (MARKS.some((mark) => count(mark, word) > count(mark, written))) return false;
  return pieces[0] !== '' || mayBegin(word);
}

/**
 * A word that is most likely what it looks like, a name or a path inside the project: no option, no assignment, no
 * address, nothing that programs take for an order. Some programs split their words again: each part counts.
 */
function isPlain(word: string): boolean {
  return word.split(' ').every((part) => mayBegin(part) && !/[:@=]/.test(part) && !goesUp(part));
}

function mayBegin(word: string): boolean {
  return /^[^-+@:/~]/.test(word);
}

function goesUp(word: string): boolean {
  return word.split('/').includes('..');
}

function count(mark: string, text: string): number {
  return text.split(mark).length - 1;
}
