import { formatDuration } from '../../../../core/text.js';
import type { ExecutorAttempts } from '../../../../orchestrate/attempt-records.js';
import type { FailureKind } from '../../../../orchestrate/events.js';
import type {
  DailyMetrics,
  ExecutorMetrics,
  ResultMetrics,
  SetMetrics,
  TaskMetrics,
  TrendMetrics,
} from '../../../../tasks/metrics/metrics.js';
import { type Paint, visibleLine } from '../../output.js';
import { type Cell, type CellStyle, cell, tableLines } from '../../table.js';
import { costWords, exactTime, percent, plural } from '../../words.js';

/** How many bars a chart has. */
const MOST_BARS = 12;
const BAR = 30;

/** The data of one bar. */
export interface BarRow extends Ends {
  name: string;
  results: number;
  totalDuration: number;
}

/** The metrics of a set of results, without those that were not measured. */
export function metricsLines(
  name: string,
  found: DailyMetrics | SetMetrics | TaskMetrics,
  paint: Paint,
): string[] {
  const ends = [
    `${found.succeeded} succeeded`,
    ...(found.failed > 0 ? [`${found.failed} failed`] : []),
    ...(found.blocked > 0 ? [`${found.blocked} blocked`] : []),
  ].join(', ');
  const tasks = 'tasks' in found ? ` of ${plural(found.tasks, 'task')}` : '';
  const first = 'firstAttemptSuccessRate' in found ? found.firstAttemptSuccessRate : null;
  const facts: [string, string | null][] = [
    ['Success', found.results === 0 ? null : percent(found.succeeded / found.results)],
    ['First attempt', first === null ? null : `${percent(first)} of tasks succeeded`],
    ['Retries', String(found.retries)],
    ['Time', describeTime(found.duration)],
    ['Files touched', String(found.filesTouched)],
    ['Verified', 'verification' in found ? describeVerified(found.verification) : null],
  ];
  return [
    `${paint('bold', visibleLine(name))}: ${plural(found.results, 'result')}${tasks}, ${ends}`,
    ...factLines(facts, paint),
  ];
}

export function taskLines(id: string, found: TaskMetrics, paint: Paint): string[] {
  return [
    ...metricsLines(`${id} ${found.name}`, found, paint),
    ...factLines(
      [
        ['First result', found.firstAttemptSuccess ? 'succeeded' : 'did not succeed'],
        ['Last result', `${found.lastStatus}, ${found.lastAt}`],
      ],
      paint,
    ),
  ];
}

/** A bar for each of the last days. */
export function dayLines(days: readonly DailyMetrics[], paint: Paint): string[] {
  const rows = days.map((day) => ({ name: day.date, totalDuration: day.duration.total, ...day }));
  return [`By day    ${barLegend(paint)}`, ...barLines(rows, paint)];
}

/** A bar for each plan or task, sorted by id; only the last ones if there are many. */
export function planLines(what: string, rows: readonly BarRow[], paint: Paint): string[] {
  const left = rows.length - MOST_BARS;
  return [
    `${what}   ${barLegend(paint)}`,
    ...(left > 0 ? [`  ${paint('dim', `${left} more before these`)}`] : []),
    ...barLines(rows.slice(-MOST_BARS), paint),
  ];
}

/** How long the last task files took, oldest first. */
export function trendLines({ trend, plans }: TrendMetrics, paint: Paint): string[] {
  if (plans.length === 0) return ['No completed task file with recorded times yet.'];
  const inTime = [...plans].reverse();
  const line = sparkline(inTime.map(({ durationMs }) => durationMs));
  const colour = trend === 'Improving' ? 'green' : trend === 'Declining' ? 'red' : 'yellow';
  return [
    `Last ${plural(plans.length, 'task file')}  ${paint('cyan', line)}  ${paint(colour, trend)}`,
    ...tableLines(
      inTime.map(({ id, durationMs, completedAt }) => [
        cell(` ${id}`),
        cell(formatDuration(durationMs)),
        cell(completedAt, 'dim'),
      ]),
      { flexible: 2, paint },
    ),
  ];
}

function barLines(rows: readonly BarRow[], paint: Paint): string[] {
  const most = Math.max(...rows.map(({ results }) => results));
  const width = Math.min(BAR, Math.max(most, 1));
  const names = rows.map(({ name }) => visibleLine(name));
  const widest = Math.max(...names.map((name) => name.length));
  return rows.map((row, at) => {
    const share = percent(row.succeeded / row.results).padStart(4);
    const time = row.totalDuration > 0 ? `  ${formatDuration(row.totalDuration)}` : '';
    return `  ${names[at]!.padEnd(widest)}  ${bar(row, most, width, paint)}  ${String(row.succeeded).padStart(String(most).length)} of ${String(row.results).padStart(String(most).length)} ${share}${time}`;
  });
}

function factLines(facts: readonly (readonly [string, string | null])[], paint: Paint): string[] {
  return facts.flatMap(([name, value]) =>
    value === null ? [] : [`  ${paint('dim', name.padEnd('First attempt'.length))}  ${visibleLine(value)}`],
  );
}

function describeTime({ count, total, average, ...range }: DailyMetrics['duration']): string | null {
  if (count === 0 || average === null) return null;
  const { min, max } = range as Partial<ResultMetrics['duration']>;
  const between =
    min != null && max != null && min !== max ? ` (${exactTime(min)} to ${exactTime(max)})` : '';
  return `${exactTime(total)} in all, ${exactTime(average)} each${between}`;
}

function describeVerified({ count, average, falseClaims }: ResultMetrics['verification']): string | null {
  if (count === 0 || average === null) return null;
  const untrue = falseClaims === 0 ? 'all claims true' : `${plural(falseClaims, 'claim')} false`;
  return `${count} by teddy, ${untrue}, ${exactTime(average)} each`;
}

/** How often each outcome occurred. */
interface Ends {
  succeeded: number;
  failed: number;
  blocked: number;
}

// Distinguishable without colours too.
const PARTS = [
  ['succeeded', '█', 'green'],
  ['failed', '▒', 'red'],
  ['blocked', '░', 'yellow'],
] as const satisfies readonly (readonly [keyof Ends, string, Parameters<Paint>[0]])[];

/** The legend of the bars. */
function barLegend(paint: Paint): string {
  return PARTS.map(([name, block, style]) => `${paint(style, block)} ${name}`).join('  ');
}

/** A bar in proportion to `most`, which fills the width. Values above 0 are always visible. */
export function bar(ends: Ends, most: number, width: number, paint: Paint): string {
  const cells = PARTS.map(([name, block, style]) => {
    const count = ends[name];
    const length = count === 0 ? 0 : Math.max(1, Math.round((count / most) * width));
    return { length, block, style };
  });
  // The largest part makes room for small parts that were enlarged.
  const largest = cells.reduce((one, other) => (other.length > one.length ? other : one));
  const over = cells.reduce((sum, { length }) => sum + length, 0) - width;
  if (over > 0) largest.length -= over;
  const drawn = cells.map(({ length, block, style }) =>
    length === 0 ? '' : paint(style, block.repeat(length)),
  );
  const length = cells.reduce((sum, each) => sum + each.length, 0);
  return drawn.join('') + ' '.repeat(Math.max(0, width - length));
}

const STEPS = '▁▂▃▄▅▆▇█';

/** One block for each value, in proportion to the largest. */
export function sparkline(values: readonly number[]): string {
  const most = Math.max(0, ...values);
  return values
    .map((value) => STEPS[most === 0 ? 0 : Math.round((value / most) * (STEPS.length - 1))])
    .join('');
}

/** Failures without a result, which counts of results leave out. */
const WITHOUT_RESULT: readonly [FailureKind, string][] = [
  ['crash', 'crashed'],
  ['time-out', 'timed out'],
  ['rate-limit', 'rate limit'],
  ['invalid', 'invalid'],
];

/** The totals of all attempts for the project; empty without attempts. */
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
    ...(cutOff === 0 ? [] : [`${cutOff} more interrupted (not counted)`]),
  ].join('; ');
  const costUsd = costs.length === 0 ? null : costs.reduce((all, each) => all + each, 0);
  return factLines(
    [
      ['Attempts', said],
      ['Cost', costUsd === null ? null : `${costWords({ costUsd })}, as reported by executors`],
    ],
    paint,
  );
}

/** How reliable each executor's claims are. */
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

/** How attempts ended, including those without a result. */
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
