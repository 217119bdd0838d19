import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { MetricResults, ReportItem, ResultItem } from '../../api.js';
import { linkToFile } from '../editor-link.js';
import { moveFocus, useKeys } from '../keys.js';
import { Chip, EmptyState, Skeleton } from '../parts/controls.js';
import { Foreign } from '../parts/foreign.js';
import { PageHead } from '../parts/page-head.js';
import { VirtualList } from '../parts/virtual-list.js';
import { asPercent, asPlainLine, countNoun, inDollars, shortTime, timeAgo } from '../parts/words.js';
import { linkTo } from '../route.js';
import { inbox, useLoaded } from '../store.js';
import { TaskStatusChip } from '../tasks/task-status.js';

/** What a figure counts: a kind of results, and of which executor, day or agent where there are several. */
type FigureName = 'results' | 'false-claims' | 'first' | 'cost' | 'executor' | 'day' | 'reports';

export function linkToResults(figure: FigureName, of?: string): string {
  return of === undefined ? linkTo('metrics', figure) : linkTo('metrics', figure, of);
}

const ROW_HEIGHT = 44;

/** The results behind one figure of the metrics. */
export function MetricResultsPage({ figure, of }: { figure: string; of: string | undefined }) {
  const { value } = useLoaded<MetricResults>('/api/metrics/results');
  const list = useRef<HTMLDivElement>(null);
  useKeys({ j: () => moveFocus(list.current, 1), k: () => moveFocus(list.current, -1) });
  const rows = value === null ? null : rowsOf(value, figure, of);
  return (
    <div class="column">
      <PageHead parent="metrics" title={titleOf(figure, of)}>
        {rows !== null && (
          <p class="muted">
            {countNoun(rows.length, figure === 'reports' ? 'agent report' : 'result')}, newest first
          </p>
        )}
      </PageHead>
      {rows === null && <Skeleton rows={6} />}
      {rows?.length === 0 && <EmptyState icon="metrics" title="Nothing is counted here" />}
      {rows !== null && rows.length > 0 && (
        <div ref={list}>
          <VirtualList
            list
            label="Results"
            class="lines"
            count={rows.length}
            source={rows}
            estimate={() => ROW_HEIGHT}
            render={(row) => rows[row]}
          />
        </div>
      )}
    </div>
  );
}

function rowsOf({ results, reports }: MetricResults, figure: string, of: string | undefined) {
  if (figure === 'reports')
    return reports.filter(({ agent }) => agent === of).map((item) => <ReportRow report={item} />);
  return selectResults(results, figure, of).map((item) => <ResultRow result={item} />);
}

/** The results that a figure counts. An attempt without a result counts only for what it cost. */
function selectResults(all: readonly ResultItem[], figure: string, of: string | undefined): ResultItem[] {
  const isOf = (value: string | null) => of === undefined || value === of;
  if (figure === 'cost') return all.filter(({ costUsd, at }) => costUsd !== null && isOf(at.slice(0, 10)));
  const results = all.filter(({ log }) => log !== null);
  switch (figure) {
    case 'false-claims':
      return results.filter((result) => isFalse(result) && isOf(result.executor));
    case 'executor':
      return results.filter(({ executor }) => isOf(executor));
    case 'day':
      return results.filter(({ at }) => isOf(at.slice(0, 10)));
    case 'first': {
      const firsts = new Map(results.map((result) => [result.task, result]));
      return [...firsts.values()];
    }
    default:
      return results;
  }
}

function isFalse({ claimed, status }: ResultItem): boolean {
  return claimed === 'success' && status !== 'success';
}

function titleOf(figure: string, of: string | undefined): ComponentChildren {
  const name = of === undefined ? null : <Foreign text={of} />;
  switch (figure) {
    case 'false-claims':
      return name === null ? 'False claims' : <>False claims of {name}</>;
    case 'executor':
    case 'day':
      return <>Results of {name}</>;
    case 'first':
      return 'First results';
    case 'cost':
      return name === null ? 'Costs' : <>Costs of {name}</>;
    case 'reports':
      return <>Agent reports of {name}</>;
    default:
      return 'Results';
  }
}

function ResultRow({ result }: { result: ResultItem }) {
  const { task, attempt, executor, durationMs, costUsd, log } = result;
  const facts = [
    executor === null ? null : asPlainLine(executor),
    attempt === null ? null : `attempt ${attempt}`,
    durationMs === null ? null : shortTime(durationMs),
    costUsd === null ? null : inDollars(costUsd),
  ];
  return (
    <div class="result-line">
      <TaskStatusChip status={result.status} />
      <span class="result-main">
        <a class="mono" href={linkTo('tasks', task)}>
          <Foreign text={task} />
        </a>
        {isFalse(result) && <Chip tone="bad">Claimed success</Chip>}
        <span class="muted">{facts.filter((fact) => fact !== null).join(' · ')}</span>
      </span>
      {log !== null && (
        <a class="result-log" href={linkToFile(inbox.value?.root ?? '', log, 1)} title={asPlainLine(log)}>
          Log
        </a>
      )}
      <time class="muted" dateTime={result.at}>
        {timeAgo(result.at)}
      </time>
    </div>
  );
}

function ReportRow({ report: { taskId, confidence, held, at } }: { report: ReportItem }) {
  return (
    <div class="result-line">
      <Chip tone={held ? 'good' : 'bad'} icon={held ? 'check' : 'cross'}>
        {held ? 'Held' : 'Did not hold'}
      </Chip>
      <span class="result-main">
        <a class="mono" href={linkTo('tasks', taskId)}>
          <Foreign text={taskId} />
        </a>
        <span class="muted">confidence {asPercent(confidence)}</span>
      </span>
      <time class="muted" dateTime={at}>
        {timeAgo(at)}
      </time>
    </div>
  );
}
