// The words, strings, numbers and comments of code, for colours only: nothing is left out or changed.

interface Language {
  lineComments: readonly string[];
  /** Comments and strings that may have several lines, from one mark to the other. */
  blocks: readonly (readonly [open: string, close: string, kind: TokenKind])[];
  quotes: string;
  keywords: ReadonlySet<string>;
}

export type TokenKind = 'comment' | 'string' | 'keyword' | 'number';

/** Longer lines are not written by hand. */
const LONGEST = 2000;

/** The block that a line is in when it starts. */
type State = Language['blocks'][number] | undefined;

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const C_COMMENTS = { lineComments: ['//'], blocks: [['/*', '*/', 'comment']] } as const;
const SCRIPT = words(
  'abstract as async await break case catch class const continue default delete do else enum export extends false finally for from function if implements import in instanceof interface let new null of private protected public readonly return static super switch this throw true try type typeof undefined var void while yield',
);
const C_LIKE = words(
  'abstract auto bool boolean break byte case catch char class const continue default defer do double else enum extends extern false final finally float fn for foreach fun func go goto if impl implements import in int interface internal let long loop match mod mut namespace new nil null nullptr override package private protected pub public return self short signed sizeof static string struct super switch template this throw throws trait true try type typedef typename union unsigned use using val var virtual void where while',
);
const PYTHON = words(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield',
);
const SHELL = words(
  'case do done elif else esac exit export fi for function if in local return set shift then until while',
);
const SQL = words(
  'ALTER AND AS ASC BY COMMIT CREATE DELETE DESC DISTINCT DROP FROM GROUP HAVING INDEX INSERT INTO IS JOIN LEFT LIMIT NOT NULL ON OR ORDER PRIMARY KEY REFERENCES SELECT SET TABLE UPDATE VALUES WHERE',
);
const RUBY = words(
  'class def do else elsif end ensure false if in module nil not or rescue return self super then true unless until when while yield',
);
const LITERALS = words('true false null yes no');

const script: Language = {
  ...C_COMMENTS,
  blocks: [...C_COMMENTS.blocks, ['`', '`', 'string']],
  quotes: `"'`,
  keywords: SCRIPT,
};
const cLike: Language = { ...C_COMMENTS, quotes: `"'`, keywords: C_LIKE };
const hash = (keywords: ReadonlySet<string>, blocks: Language['blocks'] = []): Language => ({
  lineComments: ['#'],
  blocks,
  quotes: `"'`,
  keywords,
});

const LANGUAGES: Readonly<Record<string, Language>> = {
  ...forEach('js mjs cjs jsx ts mts cts tsx', script),
  ...forEach('c h cc cpp hpp cs go java kt php rs scala swift dart', cLike),
  ...forEach(
    'py pyi',
    hash(PYTHON, [
      ['"""', '"""', 'string'],
      ["'''", "'''", 'string'],
    ]),
  ),
  ...forEach('sh bash zsh', hash(SHELL)),
  ...forEach('rb', hash(RUBY)),
  ...forEach('yaml yml toml ini conf', hash(LITERALS)),
  ...forEach('json jsonc', { ...C_COMMENTS, quotes: '"', keywords: LITERALS }),
  ...forEach('css scss', {
    lineComments: [],
    blocks: [['/*', '*/', 'comment']],
    quotes: `"'`,
    keywords: words(''),
  }),
  ...forEach('sql', { lineComments: ['--'], blocks: [['/*', '*/', 'comment']], quotes: `"'`, keywords: SQL }),
};

function forEach(endings: string, language: Language): Record<string, Language> {
  return Object.fromEntries(endings.split(' ').map((ending) => [ending, language]));
}

/** Reads the lines of one text, in their order. */
export class SyntaxReader {
  readonly #language: Language | undefined;
  #state: State;

  constructor(path: string) {
    const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
    this.#language = Object.hasOwn(LANGUAGES, ending) ? LANGUAGES[ending] : undefined;
  }

  /** The tokens of the next line, in order; what is between them is plain. */
  readLine(text: string): Token[] {
    if (this.#language === undefined || text.length > LONGEST) return [];
    const { tokens, state } = tokenize(text, this.#language, this.#state);
    this.#state = state;
    return tokens;
  }
}

export interface Token {
  from: number;
  to: number;
  kind: TokenKind;
}

function tokenize(text: string, language: Language, begun: State): { tokens: Token[]; state: State } {
  const tokens: Token[] = [];
  let state = begun;
  for (let at = 0; at < text.length; ) {
    const from = at;
    const block = state ?? language.blocks.find(([open]) => text.startsWith(open, at));
    if (block !== undefined) {
      const [open, close, kind] = block;
      const end = text.indexOf(close, state === undefined ? at + open.length : at);
      state = end === -1 ? block : undefined;
      at = end === -1 ? text.length : end + close.length;
      tokens.push({ from, to: at, kind });
    } else if (language.lineComments.some((mark) => startsComment(text, at, mark))) {
      at = text.length;
      tokens.push({ from, to: at, kind: 'comment' });
    } else if (language.quotes.includes(text[at]!)) {
      at = endOfString(text, at);
      tokens.push({ from, to: at, kind: 'string' });
    } else {
      const word = /^(?:\d[\w.]*|[A-Za-z_$][\w$]*)/.exec(text.slice(at, at + 100))?.[0] ?? '';
      at += Math.max(1, word.length);
      if (/^\d/.test(word)) tokens.push({ from, to: at, kind: 'number' });
      else if (language.keywords.has(word)) tokens.push({ from, to: at, kind: 'keyword' });
    }
  }
  return { tokens, state };
}

/** `#` inside a word is no comment: `$#`, `a#b`. */
function startsComment(text: string, at: number, mark: string): boolean {
  return text.startsWith(mark, at) && (mark !== '#' || at === 0 || /\s/.test(text[at - 1]!));
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === text[from]) return at + 1;
  }
  return text.length;
}
