import type { ExecutorAttempts } from '../../../../orchestrate/attempt-records.js';
import type { FailureKind } from '../../../../orchestrate/events.js';
import type { ExecutorMetrics } from '../../../../tasks/metrics/metrics.js';
import type { Paint } from '../../paint.js';
import type { CellStyle } from '../../table.js';
import { type Cell, cell, tableLines } from '../../table.js';
import { costWords } from '../sessions/amounts.js';
import { exactTime, percent } from '../tasks/amounts.js';
import { factLines } from './metrics-lines.js';

/** Failures that leave no result, and that no number of results tells of. */
const WITHOUT_RESULT: readonly [FailureKind, string][] = [
  ['crash', 'crashed'],
  ['time-out', 'timed out'],
  ['rate-limit', 'rate limit'],
  ['invalid', 'invalid'],
];

/** All attempts together, for the numbers of the project; none where there are no attempts. */
export function attemptFactLines(attempts: readonly ExecutorAttempts[], paint: Paint): string[] {
  if (attempts.length === 0) return [];
  const sum = (of: (each: ExecutorAttempts) => number) =>
    attempts.reduce((total, each) => total + of(each), 0);
  const count = sum((each) => each.attempts);
  const total = sum(({ duration }) => duration.total);
  const cutOff = sum((each) => each.cutOff);
  const retries = sum((each) => each.retries);
  const costs = attempts.flatMap(({ costUsd }) => costUsd ?? []);
  const said = [
    `${count} by teddy orchestrate, ${retries === 1 ? '1 retry' : `${retries} retries`}`,
    ...(count === 0 ? [] : [`${exactTime(total)} in all, ${exactTime(total / count)} each`]),
    ...(cutOff === 0 ? [] : [`${cutOff} more cut off, and not counted`]),
  ].join('; ');
  const costUsd = costs.length === 0 ? null : costs.reduce((all, each) => all + each, 0);
  return factLines(
    [
      ['Attempts', said],
      ['Cost', costUsd === null ? null : `${costWords({ costUsd })}, as far as executors said`],
    ],
    paint,
  );
}

/** How far each executor's word can be relied on. */
export function executorLines(executors: readonly ExecutorMetrics[], paint: Paint): string[] {
  const heads = ['results', 'success', 'verified', 'false claims'];
  const rows = executors.map((each) => [
    cell(`  ${each.executor}`),
    cell(String(each.results)),
    cell(each.successRate === null ? '-' : percent(each.successRate)),
    cell(String(each.verified)),
    each.falseClaimRate === null ? cell('-') : shareCell(each.falseClaims, each.falseClaimRate, 'red'),
  ]);
  return layOut('By executor', heads, rows, paint);
}

/** How their attempts ended, those without a result among them. */
export function attemptTableLines(attempts: readonly ExecutorAttempts[], paint: Paint): string[] {
  const kinds = WITHOUT_RESULT.filter(([kind]) => attempts.some(({ failures }) => failures[kind] > 0));
  const heads = ['made', 'done', ...kinds.map(([, word]) => word), 'time each'];
  const rows = attempts.map(({ executor, attempts: made, done, failures, duration }) => [
    cell(`  ${executor}`),
    cell(String(made)),
    made === 0 ? cell('-') : shareCell(done, done / made),
    ...kinds.map(([kind]) => cell(String(failures[kind]), failures[kind] > 0 ? 'red' : undefined)),
    cell(duration.average === null ? '-' : exactTime(duration.average)),
  ]);
  return layOut('Attempts', heads, rows, paint);
}

/** `1 (25%)` */
function shareCell(count: number, share: number, style?: CellStyle): Cell {
  return cell(`${count} (${percent(share)})`, count > 0 ? style : undefined);
}

function layOut(title: string, heads: readonly string[], rows: readonly Cell[][], paint: Paint): string[] {
  const head = [cell(title), ...heads.map((text) => cell(text, 'dim'))];
  return tableLines([head, ...rows], { flexible: heads.length, paint });
}
