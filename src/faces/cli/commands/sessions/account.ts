import type { AssembledInput } from '../../../../sessions/context/types.js';
import type { Paint } from '../../output.js';
import { type Cell, cell, tableLines } from '../../table.js';
import { countWords } from '../../words.js';

const MOST_LINES = 30;

/** What a model is told, by tokens, and what it is not. */
export function accountLines(input: AssembledInput, paint: Paint): string[] {
  const { resources, tree, tokens, budget } = input;
  const files = `${countWords(tree.files)} ${tree.files === 1 ? 'file' : 'files'}`;
  const rows: Cell[][] = [
    ...some(resources).map(({ target, from, tokens: count }) => [
      cell(countWords(count)),
      cell(target),
      cell(from, 'dim'),
    ]),
    [
      cell(countWords(tree.tokens)),
      cell(`the project's tree: ${files}${tree.shown === 'all' ? '' : ', by folders'}`),
    ],
  ];
  return [
    ...(resources.length > MOST_LINES
      ? [`${countWords(resources.length)} resources, of which the first:`]
      : []),
    ...tableLines(rows, { flexible: 1, paint }),
    ...leftOutLines(input, paint),
    `In all about ${countWords(tokens)} tokens${budget === 0 ? '' : ` of ${countWords(budget)}`}.`,
  ];
}

/** What it is not told; nothing where there is nothing. */
export function leftOutLines({ leftOut }: AssembledInput, paint: Paint): string[] {
  if (leftOut.length === 0) return [];
  const rows = some(leftOut).map(({ target, reason }) => [cell(''), cell(`${target} ${reason}`, 'yellow')]);
  return [paint('yellow', 'Left out:'), ...tableLines(rows, { flexible: 1, paint }), ...rest(leftOut.length)];
}

function some<T>(items: readonly T[]): readonly T[] {
  return items.slice(0, MOST_LINES);
}

function rest(count: number): string[] {
  return count > MOST_LINES ? [`  and ${countWords(count - MOST_LINES)} more`] : [];
}

/** For JSON. */
export function accountJson({ resources, leftOut, tree, tokens, budget }: AssembledInput) {
  return { tokens, budget, tree, resources, leftOut };
}
