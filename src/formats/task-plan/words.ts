export interface Word {
  text: string;
  /** Some of it stands in quotes. */
  isQuoted: boolean;
}

/**
 * Words as a shell parts them, near enough: operators, parentheses and the ends of lines are words, comments are none,
 * and `$(…)` belongs to the word that it stands in. Undefined where a quote or a parenthesis in a word does not end.
 */
export function splitWords(text: string): Word[] | undefined {
  const words: Word[] = [];
  let from = -1;
  let isQuoted = false;
  const end = (to: number) => {
    if (from !== -1) words.push({ text: text.slice(from, to), isQuoted });
    from = -1;
    isQuoted = false;
  };
  const add = (at: number, length: number) => {
    end(at);
    words.push({ text: text.slice(at, at + length), isQuoted: false });
  };
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === '"' || c === "'") {
      if (from === -1) from = i;
      isQuoted = true;
      i = closingQuote(text, i);
      if (i === -1) return undefined;
    } else if (c === '\\' && text[i + 1] === '\n') {
      end(i++);
    } else if (c === '\\') {
      if (from === -1) from = i;
      i++;
    } else if (c === '\n') {
      add(i, 1);
    } else if (isBlank(c)) {
      end(i);
    } else if (c === '#' && from === -1 && (i + 1 === text.length || isBlank(text[i + 1]!))) {
      i = endOfLine(text, i) - 1;
    } else if (c === '(' && from !== -1) {
      i = closingParenthesis(text, i);
      if (i === -1) return undefined;
    } else if (c === '(' || c === ')') {
      add(i, 1);
    } else if (c === ';' || c === '|' || (c === '&' && text[i - 1] !== '>' && text[i + 1] !== '>')) {
      const isDouble = text[i + 1] === c || (c === '|' && text[i + 1] === '&');
      add(i, isDouble ? 2 : 1);
      if (isDouble) i++;
    } else if (from === -1) {
      from = i;
    }
  }
  end(text.length);
  return words;
}

function isBlank(c: string): boolean {
  return c === ' ' || c === '\t' || ((c < ' ' || c > '~') && /\s/.test(c));
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

function closingQuote(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\' && text[at] === '"') i++;
    else if (text[i] === text[at]) return i;
  }
  return -1;
}

function closingParenthesis(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const c = text[i];
    if (c === '"' || c === "'") {
      i = closingQuote(text, i);
      if (i === -1) return -1;
    } else if (c === '\\') i++;
    else if (c === '(') depth++;
    else if (c === ')' && --depth === 0) return i;
  }
  return -1;
}
