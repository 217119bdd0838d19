// Regular expressions of schemas, matched in linear time. In comes a pattern as ECMAScript writes it with the flag `u`; out
// a test of texts, or why it is not read. Nothing here goes back and tries again, so no text makes it slow.
import type { Budget } from '../budget.js';
import { MOST_PATTERN_STATES } from '../limits.js';
import { quote } from '../words.js';
import { createMatcher } from './match.js';
import { parsePattern } from './parse.js';
import { writeProgram } from './program.js';

export interface Pattern {
  /** How large it is. */
  states: number;
  /** Whether it occurs in the text. Without budget left there is no verdict. */
  test(text: string, budget: Budget): boolean;
}

/** `message` is a whole sentence. */
export type PatternRead = { status: 'compiled'; pattern: Pattern } | { status: 'refused'; message: string };

export function compilePattern(source: string): PatternRead {
  if (source.length > MOST_SOURCE) return refuse(source, `has more than ${MOST_SOURCE} characters`);
  const parsed = parsePattern(source);
  if (parsed.status === 'refused') return refuse(source, parsed.problem);
  const program = writeProgram(parsed.part);
  if (program === null)
    return refuse(
      source,
      `has more than ${MOST_PATTERN_STATES} states with its repetitions written out; \
make them smaller, or say it with minLength and maxLength`,
    );
  return {
    status: 'compiled',
    pattern: { states: program.states.length, test: createMatcher(program, source.length) },
  };
}

const MOST_SOURCE = 10_000;

function refuse(source: string, problem: string): PatternRead {
  return { status: 'refused', message: `The pattern ${quote(source)} ${problem}.` };
}
