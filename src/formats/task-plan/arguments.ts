import { FOLDERS, JUDGEMENTS, PROSE } from './programs.js';
import type { Word } from './words.js';

export const NONE: ReadonlySet<string> = new Set();

/** How many arguments no sentence would have: flags, paths, quotes, variables, redirections. */
export function countEvidence(args: readonly Word[]): number {
  return args.filter(({ text, isQuoted }) => isQuoted || isFlag(text) || isRedirect(text) || isShaped(text))
    .length;
}

/** How many arguments are words like those of a sentence. */
export function countStray(args: readonly Word[], allowed: ReadonlySet<string> = NONE): number {
  return args.filter((word, i) => isBare(word) && !isFlagValue(args, i) && !allowed.has(word.text)).length;
}

/** `eslint . clean`, `rm -rf discouraged` */
export function endsInJudgement(args: readonly Word[]): boolean {
  const last = args.at(-1);
  const word = last && isBare(last) ? last.text.toLowerCase() : '';
  return JUDGEMENTS.has(word) || (/^\w{3,}[^e]ed$/.test(word) && word !== 'expected' && word !== 'embed');
}

export function isBare({ text, isQuoted }: Word): boolean {
  return !isQuoted && /^[\p{L}\p{N}][\p{L}\p{N}_'.-]*$/u.test(text) && !isShaped(text);
}

export function isFlagValue(args: readonly Word[], at: number): boolean {
  return at > 0 && (/^--?[A-Za-z]|^--$/.test(args[at - 1]!.text) || /^(?:\d?>|<)$/.test(args[at - 1]!.text));
}

export function isFlag(text: string): boolean {
  return /^--?[A-Za-z]|^-\d+$|^--$/.test(text);
}

export function isRedirect(text: string): boolean {
  return /^(?:\d|&)?(?:>>?|<)/.test(text);
}

/** No word of a language looks like that: a path, a file's name, a host, a variable, a pattern. */
function isShaped(text: string): boolean {
  return /[/$*@=~{}[\]]|^\.{1,3}$|^\.\w|\w:\w|\w\.[A-Za-z]\w{0,7}$|^HEAD|^localhost$/.test(text);
}

/** A path that is no "read/write" or "on/off". */
export function isPlace(written: string): boolean {
  const text = written.replace(/^["']|["']$/g, '');
  if (/^(?:\.{0,2}\/|~\/|\.{1,2}$|\$|\.\w)/.test(text) || /^[\w@./*-]*\w\.[A-Za-z]\w{0,7}$/.test(text))
    return true;
  return text.includes('/') ? text.endsWith('/') || FOLDERS.has(text.split('/', 1)[0]!) : text.includes('*.');
}

export function isArgument(text: string, next: string, program: string): boolean {
  if (PROSE.has(text.toLowerCase())) return false;
  if (/^[\u2013\u2014\u2192\u21d2\u2713\u2714\u2705\u2026]|^(?:->|=>|>=|<=|\.\.\.)$/.test(text)) return false;
  // A code span, a placeholder such as `<file>`, a remark in parentheses, `exit 0` as what is hoped for.
  if ((/[,:?]$/.test(text) && !/^-\w,$/.test(text)) || text.includes('`') || /[^>&\d]>$/.test(text))
    return false;
  if (text === 'exit' || text.startsWith('(')) return false;
  if ((text === '=' || text === '==') && !/^(?:test|\[|\[\[)$/.test(program)) return false;
  // `npm test - all green`
  if (text === '-' && /^\p{L}/u.test(next)) return false;
  // `grep -c x file > 0` compares in a sentence; a shell would write a file called 0.
  return !((text === '>' || text === '<') && /^\d+$/.test(next));
}
