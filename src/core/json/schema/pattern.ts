import { RE2JS } from 're2js';
import { quoteJson } from '../path.js';

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
    const pattern = RE2JS.compile(RE2JS.translateRegExp(spellOut(source)));
    return { status: 'compiled', pattern };
  } catch (error) {
    const detail = (error as Error).message.replace(/^error parsing regexp: /, '');
    return refuse(source, `${detail} (lookaround and references back to a group are not supported)`);
  }
}

const LINE_ENDS = String.raw`\n\r\u2028\u2029`;
const SPACES = String.raw`\t\v\f ${LINE_ENDS}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\ufeff`;
/** All others: a class cannot hold one that is negated. */
const INK = String.raw`\x00-\x08\x0e-\x1f!-\x9f\u00a1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-\u{10ffff}`;

/** What RE2 reads otherwise than JavaScript, whose expressions JSON Schema has: `.`, `\s`, `\S` and names of scripts. */
function spellOut(source: string): string {
  let inClass = false;
  return source.replace(/\\[pP]\{(?:Script|sc)=\w+\}|\\[\s\S]|[[\].]/g, (part) => {
    if (part === '[') inClass = true;
    else if (part === ']') inClass = false;
    else if (part === '.' && !inClass) return `[^${LINE_ENDS}]`;
    else if (part === '\\s') return inClass ? SPACES : `[${SPACES}]`;
    else if (part === '\\S') return inClass ? INK : `[${INK}]`;
    else if (part.length > 2) return part.replace(/(?:Script|sc)=/, '');
    return part;
  });
}

function refuse(source: string, reason: string): PatternRead {
  return { status: 'refused', message: `The pattern ${quoteJson(source)} cannot be used: ${reason}.` };
}
