import type { AssembledInput } from '../../../../sessions/context/types.js';
import type { Paint } from '../../paint.js';
import { type Cell, cell, tableLines } from '../../table.js';

const MOST_LINES = 30;

/** What a model is told, by tokens, and what it is not. */
export function accountLines(input: AssembledInput, paint: Paint): string[] {
  const { resources, tree, tokens, budget } = input;
  const rows: Cell[][] = [
    ...some(resources).map(({ target, from, tokens: count }) => [
      cell(amount(count)),
      cell(target),
      cell(from, 'dim'),
    ]),
    [
      cell(amount(tree.tokens)),
      cell(
        `the project's tree: ${amount(tree.files)} ${tree.files === 1 ? 'file' : 'files'}${shownAs(tree.shown)}`,
      ),
    ],
  ];
  return [
    ...(resources.length > MOST_LINES ? [`${amount(resources.length)} resources, of which the first:`] : []),
    ...tableLines(rows, { flexible: 1, paint }),
    ...leftOutLines(input, paint),
    `In all about ${amount(tokens)} tokens${budget === 0 ? '' : ` of ${amount(budget)}`}.`,
  ];
}

/** What it is not told; nothing where there is nothing. */
export function leftOutLines({ leftOut }: AssembledInput, paint: Paint): string[] {
  if (leftOut.length === 0) return [];
  const rows = some(leftOut).map(({ target, reason }) => [cell(''), cell(`${target} ${reason}`, 'yellow')]);
  return [paint('yellow', 'Left out:'), ...tableLines(rows, { flexible: 1, paint }), ...rest(leftOut.length)];
}

function shownAs(shown: AssembledInput['tree']['shown']): string {
  return shown === 'all' ? '' : ', by folders';
}

function some<T>(items: readonly T[]): readonly T[] {
  return items.slice(0, MOST_LINES);
}

function rest(count: number): string[] {
  return count > MOST_LINES ? [`  and ${amount(count - MOST_LINES)} more`] : [];
}

/** `12,340` */
export function amount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** For JSON. */
export function accountJson({ resources, leftOut, tree, tokens, budget }: AssembledInput) {
  return { tokens, budget, tree, resources, leftOut };
}
