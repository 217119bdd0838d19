import { SyntaxReader, type Token, type TokenKind } from '../../../core/syntax.js';
import type { Style } from '../output.js';
import type { Span } from '../terminal/line.js';

// Colours for code. Spans are split and styled; their text stays the same to the letter, whatever a tokenizer takes
// it for. A line that is not shown as it is (hidden characters, marked spaces) keeps the style it has.

/** Colours the lines of one text, in order. */
export class SyntaxColours {
  readonly #reader: SyntaxReader;

  constructor(path: string) {
    this.#reader = new SyntaxReader(path);
  }

  paint(text: string, spans: readonly Span[]): Span[] {
    const tokens = this.#reader.readLine(text);
    if (tokens.length === 0 || spans.map((span) => span.text).join('') !== text) return [...spans];
    return splitSpans(spans, tokens);
  }
}

const PLAIN: Readonly<Record<TokenKind, Style>> = {
  comment: 'dim',
  string: 'string',
  keyword: 'keyword',
  number: 'number',
};

/** Added and removed lines keep their colour: keywords are bold in it, comments dim. */
function styleOf(kind: TokenKind, style: Style | undefined): Style | undefined {
  if (style === undefined) return PLAIN[kind];
  if (style === 'added') return kind === 'keyword' ? 'addedStrong' : kind === 'comment' ? 'addedDim' : style;
  if (style === 'removed')
    return kind === 'keyword' ? 'removedStrong' : kind === 'comment' ? 'removedDim' : style;
  return style;
}

function splitSpans(spans: readonly Span[], tokens: readonly Token[]): Span[] {
  const parts: Span[] = [];
  let start = 0;
  let next = 0;
  for (const { text, style } of spans) {
    const end = start + text.length;
    for (let at = start; at < end; ) {
      while (next < tokens.length && tokens[next]!.to <= at) next++;
      const token = tokens[next];
      const isInside = token !== undefined && token.from <= at;
      const to = Math.min(end, token === undefined ? end : isInside ? token.to : token.from);
      const own = isInside ? styleOf(token.kind, style) : style;
      parts.push({ text: text.slice(at - start, to - start), style: own });
      at = to;
    }
    start = end;
  }
  return parts;
}
