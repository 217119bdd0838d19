/** One figure against its limit; `limit` is null where the figure only informs. */
export interface Check {
  name: string;
  value: number;
  limit: number | null;
  /** Whether the value may not pass the limit, or may not stay below it. */
  bound: 'at most' | 'at least';
  unit: '×' | '%' | '';
  detail?: string;
}

export const holds = ({ value, limit, bound }: Check): boolean =>
  limit === null || (bound === 'at most' ? value <= limit : value >= limit);

export const percent = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(2)} %`;

/** Rows of cells as aligned columns: the first to the left, the others to the right. */
export function table(head: string[], rows: string[][]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const line = (row: string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ');
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

export function checkTable(checks: Check[]): string {
  const rows = checks.map((check) => [
    check.detail ? `${check.name} (${check.detail})` : check.name,
    figure(check.value, check),
    check.limit === null ? '–' : `${check.bound} ${figure(check.limit, check)}`,
    check.limit === null ? '' : holds(check) ? 'ok' : 'MISSED',
  ]);
  return table(['', 'figure', 'limit', ''], rows);
}

function figure(value: number, { unit }: Check): string {
  const places = unit === '' ? 0 : value !== 0 && Math.abs(value) < 0.1 ? 4 : 2;
  return unit === '' ? value.toFixed(places) : `${value.toFixed(places)} ${unit}`;
}
