import { useMemo } from 'preact/hooks';
import type { TaskBoard, TimelineEntry } from '../../api.js';
import { EmptyState } from '../parts/controls.js';
import { Foreign, ForeignLine } from '../parts/foreign.js';
import { VirtualList } from '../parts/virtual-list.js';
import { asPlainLine, shortTime } from '../parts/words.js';
import { linkTo } from '../route.js';
import { allTasks } from './task-status.js';

interface Lane {
  task: string;
  name: string;
  isCritical: boolean;
  bars: { attempt: number; from: number; to: number; ok: boolean | null; ms: number }[];
}

const LANE_HEIGHT = 30;

/** Attempts over time, one line for each task; those on the critical path are marked. */
export function Timeline({ board, selected }: { board: TaskBoard; selected: string | undefined }) {
  const { lanes, total, critical } = useMemo(() => lanesOf(board), [board]);
  if (lanes.length === 0)
    return (
      <EmptyState icon="clock" title="No orchestrate run yet">
        <p>Once tasks have run, their attempts are shown here against the critical path.</p>
      </EmptyState>
    );
  return (
    <div class="timeline">
      <p class="muted">
        {shortTime(total)} in all, {shortTime(critical)} of work on the critical path:
      </p>
      <CriticalPath ids={board.criticalPath} />
      <Legend />
      <div class="timeline-axis" aria-hidden="true">
        {[0, 0.25, 0.5, 0.75, 1].map((part) => (
          <span key={part} style={{ left: `${part * 100}%` }}>
            {tickTime(total * part, total)}
          </span>
        ))}
      </div>
      <VirtualList
        list
        label="Timeline"
        class="lanes"
        count={lanes.length}
        source={lanes}
        estimate={() => LANE_HEIGHT}
        keyOf={(at) => lanes[at]!.task}
        render={(at) => <LaneRow lane={lanes[at]!} isSelected={lanes[at]!.task === selected} />}
      />
    </div>
  );
}

const TEN_MINUTES = 600_000;

/** Of a long run, whole minutes. */
function tickTime(ms: number, total: number): string {
  return shortTime(total > TEN_MINUTES ? Math.round(ms / 60_000) * 60_000 : ms);
}

/** The tasks that decide how long the whole run takes, in their order. */
function CriticalPath({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return null;
  return (
    <ol class="critical-path" aria-label="Critical path">
      {ids.map((id) => (
        <li key={id}>
          <a class="mono" href={linkTo('tasks', id)}>
            <Foreign text={id} />
          </a>
        </li>
      ))}
    </ol>
  );
}

const LEGEND = [
  ['ok', 'succeeded'],
  ['not-ok', 'failed'],
  ['open', 'running'],
  ['critical', 'on the critical path'],
] as const;

function Legend() {
  return (
    <ul class="legend muted" aria-label="Legend">
      {LEGEND.map(([look, words]) => (
        <li key={look} class={look === 'critical' ? 'critical' : ''}>
          <span class={`bar ${look === 'critical' ? 'ok' : look}`} aria-hidden="true" />
          {words}
        </li>
      ))}
    </ul>
  );
}

function LaneRow({ lane, isSelected }: { lane: Lane; isSelected: boolean }) {
  return (
    <a
      class={`lane ${lane.isCritical ? 'critical' : ''}`}
      href={linkTo('tasks', lane.task)}
      {...(isSelected ? { 'aria-current': 'true' as const } : {})}
    >
      <span class="lane-name" title={asPlainLine(lane.name)}>
        <span class="mono">
          <Foreign text={lane.task} />
        </span>
        <span class="lane-task">
          {' '}
          <ForeignLine text={lane.name} />
        </span>
        {lane.isCritical && <span class="unseen"> on the critical path</span>}
      </span>
      <span class="lane-bars">
        {lane.bars.map((bar) => (
          <span
            key={bar.attempt}
            class={`bar ${bar.ok === null ? 'open' : bar.ok ? 'ok' : 'not-ok'}`}
            style={{ left: `${bar.from * 100}%`, width: `${Math.max(0.4, (bar.to - bar.from) * 100)}%` }}
            title={`Attempt ${bar.attempt}: ${shortTime(bar.ms)}`}
          >
            <span class="unseen">
              attempt {bar.attempt}, {shortTime(bar.ms)},{' '}
              {bar.ok === null ? 'running' : bar.ok ? 'succeeded' : 'failed'}
            </span>
          </span>
        ))}
      </span>
    </a>
  );
}

function lanesOf(board: TaskBoard): { lanes: Lane[]; total: number; critical: number } {
  const { timeline, criticalPath } = board;
  const names = new Map(allTasks(board).map(({ id, name }) => [id, name]));
  const now = Date.now();
  const endOf = (entry: TimelineEntry) => (entry.endedAt === null ? now : Date.parse(entry.endedAt));
  const start = timeline.reduce((least, entry) => Math.min(least, Date.parse(entry.startedAt)), now);
  const end = timeline.reduce((most, entry) => Math.max(most, endOf(entry)), start);
  const total = Math.max(1, end - start);
  const onPath = new Set(criticalPath);
  const lanes = new Map<string, Lane>();
  let critical = 0;
  for (const entry of timeline) {
    const { task } = entry;
    const isCritical = onPath.has(task);
    const lane = lanes.get(task) ?? { task, name: names.get(task) ?? '', isCritical, bars: [] };
    const from = Date.parse(entry.startedAt);
    const ms = endOf(entry) - from;
    if (lane.isCritical) critical += ms;
    lane.bars.push({
      attempt: entry.attempt,
      from: (from - start) / total,
      to: (from - start + ms) / total,
      ok: entry.ok,
      ms,
    });
    lanes.set(task, lane);
  }
  return { lanes: [...lanes.values()], total, critical };
}
