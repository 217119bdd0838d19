import type { Budget } from '../budget.js';
import { WORD } from './characters.js';
import type { Program } from './program.js';
import type { Edge } from './syntax.js';

/** Numbers kept in the table of what follows what, before it is begun anew. */
const MOST_CELLS = 20_000;
const MOST_KNOWN_CHARACTERS = 5_000;
/** Where the units that are half of a character begin. */
const FIRST_HALF = 0xd800;
/** Numbers kept on what sorts of characters there are. */
const MOST_SORT_CELLS = 500_000;
/** To remember a state, in steps of the budget. */
const WORK_PER_STATE = 10;

type Behind = 'nothing' | 'word' | 'other';

/** Where a match stands between two characters: the states that it may be in, and what lies behind. */
interface Situation {
  readonly states: readonly number[];
  readonly behind: Behind;
  /** What follows, by the number of the symbol that comes. */
  readonly next: (Situation | undefined)[];
  /** It has matched, or nothing that comes can make it match. */
  readonly isDecided: boolean;
}

/** Characters between which the pattern cannot tell. */
interface CharacterSort {
  readonly index: number;
  /** For each set of the program whether it is in there. */
  readonly sets: Uint8Array;
  readonly isWord: boolean;
}

const MATCHED: Situation = { states: [], behind: 'other', next: [], isDecided: true };
const LOST: Situation = { ...MATCHED };

/**
 * Whether a pattern occurs in a text. All ways to match go forward side by side, so no text takes longer than its length
 * times the size of the pattern; and what follows from where is remembered, so most take about their length.
 * `size`: how long the pattern is as it was written.
 */
export function createMatcher(program: Program, size: number): (text: string, budget: Budget) => boolean {
  const { states, start, sets } = program;
  const hasWordEdges = states.some((state) => state.type === 'edge' && state.edge.endsWith('word-edge'));
  const end: CharacterSort = { index: 0, sets: new Uint8Array(sets.length), isWord: false };
  const symbols = new Map<string, CharacterSort>();
  const symbolOf = new Map<number, CharacterSort>();
  const symbolOfAscii: (CharacterSort | undefined)[] = new Array(128);
  const situations = new Map<string, Situation>();
  const marks = new Int32Array(states.length);
  const isAnchored = canOnlyStart(program);
  let mark = 0;
  let cells = 0;

  const classify = (codePoint: number, budget: Budget): CharacterSort => {
    const known = budget.left < 0 ? end : symbolOf.get(codePoint);
    if (known) return known;
    budget.left -= 2 * size;
    const membership = Uint8Array.from(sets, (set) => Number(set.has(codePoint)));
    const isWord = hasWordEdges && WORD.has(codePoint);
    const key = `${isWord ? 'w' : ''}${membership.join('')}`;
    const symbol = symbols.get(key) ?? { index: symbols.size + 1, sets: membership, isWord };
    symbols.set(key, symbol);
    if (symbolOf.size >= MOST_KNOWN_CHARACTERS) symbolOf.clear();
    symbolOf.set(codePoint, symbol);
    if (codePoint < 128) symbolOfAscii[codePoint] = symbol;
    return symbol;
  };

  const remember = (within: number[], behind: Behind): Situation => {
    const key = `${behind}:${within.join()}`;
    const known = situations.get(key);
    if (known) return known;
    const situation: Situation = {
      states: within,
      behind,
      next: [],
      isDecided: isAnchored && behind !== 'nothing' && within.length === 0,
    };
    cells += within.length + symbols.size;
    situations.set(key, situation);
    return situation;
  };

  /** Where one symbol leads: through all states that need no character, then over it. */
  const step = (from: Situation, symbol: CharacterSort, budget: Budget): Situation => {
    const { behind } = from;
    const after: number[] = [];
    const isWordEdge = (behind === 'word') !== symbol.isWord;
    const holds: Record<Edge, boolean> = {
      start: behind === 'nothing',
      end: symbol === end,
      'word-edge': isWordEdge,
      'no-word-edge': !isWordEdge,
    };
    // The pattern may begin anywhere, so its start is always among the states.
    const open = [...from.states, start];
    mark++;
    while (open.length > 0) {
      const at = open.pop()!;
      if (marks[at] === mark) continue;
      marks[at] = mark;
      budget.left--;
      const state = states[at]!;
      if (state.type === 'match') return MATCHED;
      if (state.type === 'split') open.push(state.next, state.other);
      else if (state.type === 'edge') holds[state.edge] && open.push(state.next);
      else if (symbol.sets[state.set]) after.push(state.next);
    }
    budget.left -= after.length * WORK_PER_STATE;
    return remember(sortUnique(after), symbol.isWord ? 'word' : 'other');
  };

  const advance = (from: Situation, symbol: CharacterSort, budget: Budget): Situation => {
    if (budget.left < 0) return LOST;
    const next = step(from, symbol, budget);
    from.next[symbol.index] = next;
    if (cells > MOST_CELLS) forgetSituations();
    return next;
  };

  /** What is at work is kept by itself; the next text begins with an empty table. */
  const forgetSituations = () => {
    situations.clear();
    cells = 0;
    beginning = remember([], 'nothing');
  };

  /** Between two texts only, since situations go by the numbers of these. */
  const forgetSorts = () => {
    symbols.clear();
    symbolOf.clear();
    symbolOfAscii.fill(undefined);
    forgetSituations();
  };

  let beginning = remember([], 'nothing');
  return (text, budget) => {
    budget.left -= text.length >> 2;
    if (symbols.size * sets.length > MOST_SORT_CELLS) forgetSorts();
    let situation = beginning;
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      const codePoint = unit < FIRST_HALF ? unit : text.codePointAt(index)!;
      if (codePoint > 0xffff) index++;
      const symbol = (unit < 128 ? symbolOfAscii[unit] : undefined) ?? classify(codePoint, budget);
      const next = situation.next[symbol.index] ?? advance(situation, symbol, budget);
      if (next === situation) continue;
      if (next.isDecided) return next === MATCHED;
      situation = next;
    }
    return (situation.next[end.index] ?? advance(situation, end, budget)) === MATCHED;
  };
}

/** Whether it begins with `^` in every way, so that it can match at the start of a text or not at all. */
function canOnlyStart({ states, start }: Program): boolean {
  const open = [start];
  const seen = new Set<number>();
  while (open.length > 0) {
    const at = open.pop()!;
    const state = states[at]!;
    if (seen.has(at)) continue;
    seen.add(at);
    if (state.type === 'split') open.push(state.next, state.other);
    else if (state.type === 'edge' && state.edge !== 'start') open.push(state.next);
    else if (state.type !== 'edge') return false;
  }
  return true;
}

function sortUnique(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}
