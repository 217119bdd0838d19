// The one reader of command lines, for whoever wants to know what a shell makes of one. A deny rule does not: it looks for
// its pattern in every way that a text could be read (review/shell-views.ts).

export interface ShellToken {
  kind: 'word' | 'operator' | 'comment';
  /** As it is written, with its quotes. */
  text: string;
  from: number;
  to: number;
}

/** The pattern goes deeper with every character of a word. */
const LONGEST = 100_000;
const TOKEN =
  /(?<blank>[ \t]+|\\\n)|(?<comment>#[^\n]*)|(?<operator>&&|\|\||\|&?|;|&(?!>)|\n)|(?<word>(?:"(?:[^"\\]|\\[\s\S])*"|'[^']*'|\$\([^()]*(?:\([^()]*\)[^()]*)*\)|[<>]&\d|&>|\\[^\n]|[^\s"'`()|&;\\])+)/y;

/** Words, operators and comments as a shell divides them; undefined where a quote or a parenthesis does not end. */
export function readShellTokens(text: string): ShellToken[] | undefined {
  if (text.length > LONGEST) return undefined;
  const tokens: ShellToken[] = [];
  for (let at = 0; at < text.length; ) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (!found) return undefined;
    const { blank, comment, word } = found.groups!;
    const to = at + found[0].length;
    const kind = word ? 'word' : comment ? 'comment' : 'operator';
    if (!blank) tokens.push({ kind, text: found[0], from: at, to });
    at = to;
  }
  return tokens;
}

/** A part of a word between quotes, or between such parts. */
export interface WordPart {
  quote: '"' | "'" | '';
  text: string;
}

/** The parts of a word as `readShellTokens` gives it; joined, they are what a program gets where nothing is expanded. */
export function readWordParts(word: string): WordPart[] {
  const parts = word.matchAll(/"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|([^"']+)/g);
  return [...parts].map(([, double, single, bare]) => {
    if (double !== undefined) return { quote: '"', text: double };
    return single === undefined ? { quote: '', text: bare! } : { quote: "'", text: single };
  });
}
