import { formatDuration } from '../../../../core/state/forms.js';

/** `850 ms`, `1.2 s`, and from a minute on like `26m`. */
export function exactTime(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  return ms < 59_950 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms);
}

/** `0.875` is `88%`. */
export function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
