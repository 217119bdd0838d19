/** `1 file`, `2 files` */
export function countNoun(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

const STEPS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
];

/** `3 min ago`; a date where it is more than a week ago. */
export function timeAgo(time: string, now = Date.now()): string {
  const seconds = (now - Date.parse(time)) / 1000;
  if (!Number.isFinite(seconds)) return '';
  if (seconds > 7 * 86_400) return new Date(time).toLocaleDateString('en', { dateStyle: 'medium' });
  for (const [length, name] of STEPS)
    if (seconds >= length) return `${Math.floor(seconds / length)} ${name} ago`;
  return 'just now';
}
