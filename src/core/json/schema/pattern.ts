import { RE2JS } from 're2js';
import { quoteJson } from './words.js';

/** A regular expression that takes linear time, whatever the text. */
export interface Pattern {
  test(text: string): boolean;
}

/** `message` is a whole sentence. */
export type PatternRead = { status: 'compiled'; pattern: Pattern } | { status: 'refused'; message: string };

const LONGEST_SOURCE = 10_000;

export function compilePattern(source: string): PatternRead {
  if (source.length > LONGEST_SOURCE) return refuse(source, `it has more than ${LONGEST_SOURCE} characters`);
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(source));
    return { status: 'compiled', pattern };
  } catch (error) {
    const detail = (error as Error).message.replace(/^error parsing regexp: /, '');
    return refuse(source, `${detail} (lookaround and references back to a group are not supported)`);
  }
}

function refuse(source: string, reason: string): PatternRead {
  return { status: 'refused', message: `The pattern ${quoteJson(source)} cannot be used: ${reason}.` };
}
