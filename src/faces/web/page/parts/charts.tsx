import { asPlainLine } from './words.js';

// Small charts, drawn by hand. Each has its figures as a table, too, for screen readers and the keyboard.

const WIDTH = 480;
const HEIGHT = 150;
const PLOT = { left: 74, right: WIDTH - 6, top: 8, bottom: HEIGHT - 22 };

interface ChartTableProps {
  label: string;
  rows: readonly { name: string; words: string; link: string }[];
}

function ChartTable({ label, rows }: ChartTableProps) {
  return (
    <details class="chart-table">
      <summary>Values</summary>
      <div class="chart-table-scroll">
        <table>
          <caption class="unseen">{label}</caption>
          <tbody>
            {rows.map(({ name, words, link }) => (
              <tr key={name}>
                <th scope="row">{asPlainLine(name)}</th>
                <td>
                  <a href={link}>{words}</a>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

interface AxesProps {
  most: number;
  names: readonly string[];
  format(value: number): string;
}

function Axes({ most, names, format }: AxesProps) {
  const first = names[0] ?? '';
  const last = names.at(-1) ?? '';
  return (
    <g class="axes">
      {[0, 0.5, 1].map((part) => {
        const y = PLOT.bottom - part * (PLOT.bottom - PLOT.top);
        return (
          <g key={part}>
            <line x1={PLOT.left} x2={PLOT.right} y1={y} y2={y} />
            <text x={PLOT.left - 6} y={y + 4} text-anchor="end">
              {format(most * part)}
            </text>
          </g>
        );
      })}
      <text x={PLOT.left} y={HEIGHT - 5}>
        {asPlainLine(first)}
      </text>
      {last !== first && (
        <text x={PLOT.right} y={HEIGHT - 5} text-anchor="end">
          {asPlainLine(last)}
        </text>
      )}
    </g>
  );
}

interface LineChartProps {
  label: string;
  /** Null: there is no value. */
  points: readonly { name: string; value: number | null; link: string }[];
  format(value: number): string;
}

export function LineChart({ label, points, format }: LineChartProps) {
  const known = points.flatMap(({ value, ...point }, at) =>
    value === null ? [] : [{ ...point, value, at }],
  );
  if (known.length === 0) return <p class="muted">No values yet.</p>;
  const most = Math.max(...known.map(({ value }) => value)) || 1;
  const step = (PLOT.right - PLOT.left) / Math.max(1, points.length - 1);
  const placed = known.map((point) => ({
    ...point,
    x: points.length === 1 ? (PLOT.left + PLOT.right) / 2 : PLOT.left + point.at * step,
    y: PLOT.bottom - (point.value / most) * (PLOT.bottom - PLOT.top),
  }));
  const line = placed.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join('');
  const area = `${line}L${placed.at(-1)!.x} ${PLOT.bottom}L${placed[0]!.x} ${PLOT.bottom}Z`;
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        <Axes most={most} names={points.map(({ name }) => name)} format={format} />
        <path class="chart-area" d={area} />
        <path class="chart-line" d={line} />
        {placed.map(({ name, value, link, x, y }) => (
          <a key={name} href={link} tabindex={-1}>
            <title>{`${asPlainLine(name)}: ${format(value)}`}</title>
            <circle class="chart-target" cx={x} cy={y} r="10" />
            <circle class="chart-dot" cx={x} cy={y} r="3" />
          </a>
        ))}
      </svg>
      <ChartTable
        label={label}
        rows={known.map(({ name, value, link }) => ({ name, words: format(value), link }))}
      />
    </figure>
  );
}

interface BarChartProps {
  label: string;
  /** `part` of the value is filled. */
  bars: readonly { name: string; value: number; part: number; link: string }[];
  format(value: number): string;
}

export function BarChart({ label, bars, format }: BarChartProps) {
  const most = Math.max(0, ...bars.map(({ value }) => value));
  if (most === 0) return <p class="muted">No values yet.</p>;
  const step = (PLOT.right - PLOT.left) / bars.length;
  const width = Math.min(28, Math.max(1, step * 0.7));
  const heightOf = (value: number) => (value / most) * (PLOT.bottom - PLOT.top);
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        <Axes most={most} names={bars.map(({ name }) => name)} format={format} />
        {bars.map(({ name, value, part, link }, at) => {
          const x = PLOT.left + step * at + (step - width) / 2;
          return (
            <a key={name} href={link} tabindex={-1}>
              <title>{`${asPlainLine(name)}: ${format(value)}`}</title>
              <rect
                class="chart-bar"
                x={x}
                y={PLOT.bottom - heightOf(value)}
                width={width}
                height={heightOf(value)}
                rx="2"
              />
              <rect
                class="chart-part"
                x={x}
                y={PLOT.bottom - heightOf(part)}
                width={width}
                height={heightOf(part)}
                rx="2"
              />
            </a>
          );
        })}
      </svg>
      <ChartTable
        label={label}
        rows={bars.map(({ name, value, link }) => ({ name, words: format(value), link }))}
      />
    </figure>
  );
}
