import { section } from './markdown-parts.js';
import { tokensOf } from './tokens.js';

/** A part of the input: pieces of text that follow each other, an empty line between them. */
export interface Part {
  name: string;
  /** Each ends its last line. */
  pieces: readonly string[];
}

/** In characters, each piece with the empty line behind it. */
export function lengthOf(parts: readonly Part[]): number {
  return parts.reduce((all, { pieces }) => pieces.reduce((sum, piece) => sum + piece.length + 1, all), 0);
}

/** The section that says what each part takes, and the whole: its own characters count, too. */
export function writeBudget(parts: readonly Part[], budget: number): { text: string; tokens: number } {
  const others = lengthOf(parts);
  const items = parts.map((part) => item(part.name, String(tokensOf(lengthOf([part])))));
  const write = (total: number) =>
    section('## Budget', [...items, item('Total', describeTotal(total, budget))].join('\n'));
  // The total grows with its own digits, and never shrinks by them, so this comes to an end.
  for (let total = 0; ; ) {
    const text = write(total);
    const tokens = tokensOf(others + text.length);
    if (tokens === total) return { text, tokens };
    total = tokens;
  }
}

function item(name: string, value: string): string {
  return `- **${name}:** ${value}`;
}

function describeTotal(total: number, budget: number): string {
  if (budget === 0) return `${total} tokens, without a limit`;
  const over = total > budget ? '; what always stands is more than the budget' : '';
  return `${total} of ${budget} tokens${over}`;
}
