import type { ComponentChildren } from 'preact';
import type { MetricsView } from '../../api.js';
import { BarChart, LineChart } from '../parts/charts.js';
import { CommandLine, EmptyState, Skeleton } from '../parts/controls.js';
import { Foreign } from '../parts/foreign.js';
import { PageHead } from '../parts/page-head.js';
import { asPercent, countNoun, inDollars, shortTime } from '../parts/words.js';
import { useLoaded } from '../store.js';
import { linkToResults } from './metric-results.js';

/** How well executors and agents do; every figure links to the results behind it. */
export function MetricsPage() {
  const { value } = useLoaded<MetricsView>('/api/metrics');
  if (value === null)
    return (
      <div class="wide">
        <Skeleton rows={6} />
      </div>
    );
  if (value.executors.length === 0 && value.days.length === 0 && value.calibration.length === 0)
    return (
      <div class="column">
        <PageHead title="Metrics" />
        <EmptyState icon="metrics" title="Nothing to measure yet">
          <p>Figures appear once tasks have results. To run tasks with coding agents:</p>
          <CommandLine command="teddy orchestrate" />
        </EmptyState>
      </div>
    );
  return (
    <div class="wide metrics">
      <PageHead title="Metrics" />
      <Figures metrics={value} />
      <div class="metric-grid">
        <Panel
          title="False claims by executor"
          note="Success was claimed, and the verification or git disagreed."
        >
          <FalseClaims executors={value.executors} />
        </Panel>
        <Panel title="Duration" note="Average time of a result, by day.">
          <LineChart
            label="Average duration by day"
            points={value.days.map(({ day, averageMs }) => ({
              name: day,
              value: averageMs,
              link: linkToResults('day', day),
            }))}
            format={shortTime}
          />
        </Panel>
        <Panel title="Results" note="Results by day; the filled part succeeded.">
          <BarChart
            label="Results by day"
            bars={value.days.map(({ day, results, successes }) => ({
              name: day,
              value: results,
              part: successes,
              link: linkToResults('day', day),
            }))}
            format={String}
          />
        </Panel>
        <Panel title="Cost" note="By day, where the executor reports it.">
          <BarChart
            label="Cost by day"
            bars={value.days.map(({ day, costUsd }) => ({
              name: day,
              value: costUsd ?? 0,
              part: costUsd ?? 0,
              link: linkToResults('cost', day),
            }))}
            format={inDollars}
          />
        </Panel>
        <Panel title="Calibration of confidence" note="An agent is well calibrated where both marks meet.">
          <Calibration rows={value.calibration} />
        </Panel>
      </div>
    </div>
  );
}

function Figures({ metrics }: { metrics: MetricsView }) {
  const results = metrics.days.reduce((sum, one) => sum + one.results, 0);
  const falseClaims = metrics.executors.reduce((sum, one) => sum + one.falseClaims, 0);
  const cost = metrics.days.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
  return (
    <dl class="figures">
      <Figure name="Results" value={results.toLocaleString('en')} link={linkToResults('results')} />
      <Figure
        name="False claims"
        value={falseClaims.toLocaleString('en')}
        link={linkToResults('false-claims')}
        bad={falseClaims > 0}
      />
      <Figure
        name="Passed first time"
        value={metrics.firstAttemptRate === null ? '–' : asPercent(metrics.firstAttemptRate)}
        link={linkToResults('first')}
      />
      <Figure name="Cost" value={inDollars(cost)} link={linkToResults('cost')} />
    </dl>
  );
}

interface FigureProps {
  name: string;
  value: string;
  link: string;
  bad?: boolean;
}

function Figure({ name, value, link, bad = false }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={bad ? 'bad-figure' : ''}>
        <a href={link}>{value}</a>
      </dd>
    </div>
  );
}

function Panel({ title, note, children }: { title: string; note: string; children: ComponentChildren }) {
  return (
    <section class="panel metric-panel">
      <h2>{title}</h2>
      <p class="muted">{note}</p>
      {children}
    </section>
  );
}

function FalseClaims({ executors }: { executors: MetricsView['executors'] }) {
  if (executors.length === 0) return <p class="muted">No results yet.</p>;
  return (
    <ul class="claims plain-list">
      {executors.map(({ name, results, falseClaims }) => (
        <li key={name}>
          <div class="claims-head">
            <span>
              <Foreign text={name} />
            </span>
            <span>
              <a href={linkToResults('false-claims', name)}>{falseClaims}</a> of{' '}
              <a href={linkToResults('executor', name)}>{countNoun(results, 'result')}</a>
              <span class="muted"> ({asPercent(results === 0 ? 0 : falseClaims / results)})</span>
            </span>
          </div>
          <div class="claims-bar" aria-hidden="true">
            <span class="claims-false" style={{ width: `${(falseClaims / Math.max(1, results)) * 100}%` }} />
          </div>
        </li>
      ))}
    </ul>
  );
}

function Calibration({ rows }: { rows: MetricsView['calibration'] }) {
  if (rows.length === 0) return <p class="muted">No agent report has been decided yet.</p>;
  return (
    <ul class="calibration plain-list">
      {rows.map(({ agent, decided, meanConfidence, acceptedRate }) => (
        <li key={agent}>
          <div class="claims-head">
            <span>
              <Foreign text={agent} />
            </span>
            <a href={linkToResults('reports', agent)}>{countNoun(decided, 'report')}</a>
          </div>
          <div class="dumbbell" aria-hidden="true">
            <span
              class="dumbbell-line"
              style={{
                left: `${Math.min(meanConfidence, acceptedRate) * 100}%`,
                width: `${Math.abs(meanConfidence - acceptedRate) * 100}%`,
              }}
            />
            <span class="dumbbell-mark said" style={{ left: `${meanConfidence * 100}%` }} />
            <span class="dumbbell-mark was" style={{ left: `${acceptedRate * 100}%` }} />
          </div>
          <p class="muted calibration-words">
            <span class="key said" aria-hidden="true" /> confidence {asPercent(meanConfidence)}
            <span class="key was" aria-hidden="true" /> accepted {asPercent(acceptedRate)}
          </p>
        </li>
      ))}
    </ul>
  );
}
