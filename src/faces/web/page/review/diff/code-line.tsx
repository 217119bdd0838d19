import { Foreign } from '../../parts/foreign.js';
import { cutLine, type LineLooks } from './line-pieces.js';

interface CodeLineProps extends LineLooks {
  text: string;
  from?: number;
  to?: number;
}

/** One line of code: coloured, with what is hidden in it made visible, and nothing left out. */
export function CodeLine({ text, from = 0, to = text.length, ...looks }: CodeLineProps) {
  return (
    <span class="code">
      {cutLine(text, looks, from, to).map((piece, at) =>
        piece.looks === '' ? (
          <Foreign key={at} text={piece.text} />
        ) : (
          <span key={at} class={piece.looks}>
            <Foreign text={piece.text} />
          </span>
        ),
      )}
      {from === to && '\u200b'}
    </span>
  );
}

export const NO_LOOKS: LineLooks = { tokens: [], changed: undefined, matches: [], spaces: false };
