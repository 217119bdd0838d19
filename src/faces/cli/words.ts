import { formatDuration } from '../../core/text.js';
import type { Finished } from '../../orchestrate/events.js';
import type { SessionCost } from '../../sessions/turns/turn.js';
import { visibleLine } from './output.js';

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `980`, `12.3k`, `1.2M`, input and output together; `~` if they are our estimate. Empty if unknown. */
export function tokenWords({ tokens }: Pick<SessionCost, 'tokens'>): string {
  if (tokens === null) return '';
  return `${tokens.estimated ? '~' : ''}${roundCount(tokens.input + tokens.output)}`;
}

/** `$0.042`, `$1.20`. Empty if unknown. */
export function costWords({ costUsd }: Pick<SessionCost, 'costUsd'>): string {
  if (costUsd === null) return '';
  if (costUsd > 0 && costUsd < 0.0005) return '<$0.001';
  return `$${costUsd.toFixed(costUsd < 0.9995 ? 3 : 2)}`;
}

function roundCount(count: number): string {
  if (count < 1000) return String(count);
  return count < 999_950 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** `850 ms`, `1.2 s`, and from a minute on like `26m`. */
export function exactTime(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  return ms < 59_950 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms);
}

/** `0.875` is `88%`. */
/** Shows 100% only for all of them. */
export function percent(share: number): string {
  return `${Math.min(Math.round(share * 100), share < 1 ? 99 : 100)}%`;
}

/** `850 ms`, `45s`, `1m 05s`, `2h 10m`. */
export function spellTime(ms: number): string {
  if (ms < 999.5) return exactTime(Math.max(0, ms));
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${pad(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${pad(minutes % 60)}m`;
}

/** The local time of day: `19:32:22`. */
export function clockTime(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '--:--:--';
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(pad).join(':');
}

function pad(number: number): string {
  return String(number).padStart(2, '0');
}

/** `12.3k tokens, $0.042`, without unknown parts. */
export function spentWords({ inputTokens, outputTokens, costUsd }: Finished['usage']): string {
  const known = inputTokens !== null || outputTokens !== null;
  const counted = { input: inputTokens ?? 0, output: outputTokens ?? 0, estimated: false };
  const tokens = tokenWords({ tokens: known ? counted : null });
  return [tokens === '' ? '' : `${tokens} ${tokens === '1' ? 'token' : 'tokens'}`, costWords({ costUsd })]
    .filter((part) => part !== '')
    .join(', ');
}

/** Quotes a word for a shell and escapes control characters. */
export function quoteWord(word: string): string {
  if (/^[\w./:@%+=-]+$/.test(word)) return word;
  if (visibleLine(word) === word) return `'${word.replaceAll("'", `'\\''`)}'`;
  const bytes = [...new TextEncoder().encode(word)];
  const escaped = bytes.map((byte) =>
    /[\w ./:@%+=-]/.test(String.fromCharCode(byte))
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`,
  );
  return `$'${escaped.join('')}'`;
}
