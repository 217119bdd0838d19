// The one reader of command lines as a shell reads them. A deny rule does not use it: it looks for
// its pattern in every way that a text could be read (review/shell-views.ts).

export interface ShellToken {
  kind: 'word' | 'operator' | 'comment';
  /** As written, with its quotes. */
  text: string;
  from: number;
  to: number;
}

/** The pattern goes deeper with every character of a word. */
const LONGEST = 100_000;
const TOKEN =
  /([ \t]+|\\\n)|(#[^\n]*)|(&&|\|\||\|&?|;|&(?!>)|\n)|(?:"(?:[^"\\]|\\[\s\S])*"|'[^']*'|\$\([^()]*(?:\([^()]*\)[^()]*)*\)|[<>]&\d|&>|\\[^\n]|[^\s"'`()|&;\\])+/y;

/** Words, operators and comments as a shell divides them; undefined if a quote or a parenthesis does not end. */
export function readShellTokens(line: string): ShellToken[] | undefined {
  if (line.length > LONGEST) return undefined;
  const tokens: ShellToken[] = [];
  for (let at = 0; at < line.length; ) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(line);
    if (!found) return undefined;
    const [text, blank, comment, operator] = found;
    const to = at + text.length;
    const kind = operator ? 'operator' : comment ? 'comment' : 'word';
    if (!blank) tokens.push({ kind, text, from: at, to });
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
