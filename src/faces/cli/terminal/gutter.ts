import type { Line, Span } from './line.js';
import type { Look, Style } from './look.js';

export function splitText(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** What begins each row of somebody else's text: number, gutter, sign. */
export function leads(
  { glyphs }: Look,
  number: string,
  sign: string,
  style?: Style,
  gutter = glyphs.gutter,
): Pick<Line, 'lead' | 'more'> {
  const before = number === '' ? '  ' : `  ${number} `;
  const signs = (text: string): Span[] => (sign === '' ? [] : [{ text, style }]);
  return {
    lead: [
      { text: before, style: 'dim' },
      { text: gutter, style: 'dim' },
      ...(sign === '' ? [{ text: ' ' }] : signs(sign)),
    ],
    more: [
      { text: ' '.repeat(before.length), style: 'dim' },
      { text: glyphs.more, style: 'dim' },
      ...(sign === '' ? [{ text: ' ' }] : signs(sign)),
    ],
  };
}
