export interface Word {
  text: string;
  /** Some of it stands in quotes. */
  isQuoted: boolean;
}

/** Words as a shell parts them, near enough; undefined where a quote does not end. */
export function splitWords(line: string): Word[] | undefined {
  const words: Word[] = [];
  let from = -1;
  let isQuoted = false;
  const end = (to: number) => {
    if (from !== -1) words.push({ text: line.slice(from, to), isQuoted });
    from = -1;
    isQuoted = false;
  };
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!;
    if (c === '"' || c === "'") {
      if (from === -1) from = i;
      isQuoted = true;
      const close = closingQuote(line, i);
      if (close === -1) return undefined;
      i = close;
    } else if (c === '\\') {
      if (from === -1) from = i;
      i++;
    } else if (c === ' ' || c === '\t') {
      end(i);
    } else if (c === ';' || c === '|' || (c === '&' && line[i - 1] !== '>' && line[i + 1] !== '>')) {
      end(i);
      const isDouble = line[i + 1] === c || (c === '|' && line[i + 1] === '&');
      words.push({ text: line.slice(i, isDouble ? i + 2 : i + 1), isQuoted: false });
      if (isDouble) i++;
    } else if (from === -1) {
      from = i;
    }
  }
  end(line.length);
  return words;
}

function closingQuote(line: string, at: number): number {
  for (let i = at + 1; i < line.length; i++) {
    if (line[i] === '\\' && line[at] === '"') i++;
    else if (line[i] === line[at]) return i;
  }
  return -1;
}
