import { MOST_PATTERN_STATES } from '../limits.js';
import type { CharacterSet, Edge, Part } from './syntax.js';

/** One state of the machine that a pattern becomes. `next` and `other` are positions among the states. */
type State =
  | { type: 'one-of'; set: number; next: number }
  | { type: 'split'; next: number; other: number }
  | { type: 'edge'; edge: Edge; next: number }
  | { type: 'match' };

export interface Program {
  states: readonly State[];
  start: number;
  sets: readonly CharacterSet[];
}

/** Null: repetitions written out, it has too many states. */
export function writeProgram(pattern: Part): Program | null {
  const states: State[] = [{ type: 'match' }];
  const sets = new Map<string, { index: number; set: CharacterSet }>();

  const add = (state: State): number => states.push(state) - 1;

  const indexOf = (set: CharacterSet): number => {
    const known = sets.get(set.source);
    if (known) return known.index;
    sets.set(set.source, { index: sets.size, set });
    return sets.size - 1;
  };

  const isFull = () => states.length > MOST_PATTERN_STATES;

  // From the end to the beginning: each part is told where to go on, and says where it starts.
  const write = (part: Part, next: number): number => {
    if (isFull()) return next;
    switch (part.type) {
      case 'one-of':
        return add({ type: 'one-of', set: indexOf(part.characters), next });
      case 'edge':
        return add({ type: 'edge', edge: part.edge, next });
      case 'sequence':
        return part.parts.reduceRight((after, inner) => write(inner, after), next);
      case 'choice':
        return part.options
          .map((option) => write(option, next))
          .reduceRight((other, start) => add({ type: 'split', next: start, other }));
      case 'repeat':
        return writeRepeat(part, next);
    }
  };

  const writeRepeat = ({ part, least, most }: Part & { type: 'repeat' }, next: number): number => {
    let start = next;
    if (most === Number.POSITIVE_INFINITY) {
      const loop = { type: 'split', next, other: next } satisfies State;
      start = add(loop);
      loop.next = write(part, start);
    }
    const optional = most === Number.POSITIVE_INFINITY ? 0 : most - least;
    for (let count = 0; count < optional && !isFull(); count++) {
      const inner = write(part, start);
      if (inner === start) break;
      start = add({ type: 'split', next: inner, other: next });
    }
    for (let count = 0; count < least && !isFull(); count++) {
      const inner = write(part, start);
      if (inner === start) break;
      start = inner;
    }
    return start;
  };

  const start = write(pattern, 0);
  return isFull() ? null : { states, start, sets: [...sets.values()].map(({ set }) => set) };
}
