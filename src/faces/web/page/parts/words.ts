import { splitHidden } from '../../../../core/text.js';

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

/** `850 ms`, `4.2 s`, `3 min 20 s`, `2 h` */
export function shortTime(ms: number): string {
  if (ms === 0) return '0';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return inTwo(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  return inTwo(minutes, 'min', seconds % 60, 's');
}

function inTwo(large: number, unit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;
}

export function inDollars(usd: number): string {
  if (usd === 0) return '$0';
  return `$${usd.toFixed(usd < 1 ? 3 : 2)}`;
}

export function asPercent(rate: number): string {
  return `${Math.round(rate * 100)}%`;
}

/** Of a sentence that teddy wrote without its subject. */
export function capitalize(sentence: string): string {
  return sentence.slice(0, 1).toUpperCase() + sentence.slice(1);
}

/** For places that take a text and no elements, such as titles and drawings. */
export function asPlainLine(text: string): string {
  return splitHidden(text.replaceAll('\n', ' '))
    .map((part) => part.text)
    .join('');
}
