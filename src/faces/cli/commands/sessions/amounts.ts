import type { SessionCost } from '../../../../sessions/turns/spent.js';

/** `980`, `12.3k`, `1.2M`, input and output together; `~` where they were counted by us. Empty where nobody counted. */
export function tokenWords({ tokens }: Pick<SessionCost, 'tokens'>): string {
  if (tokens === null) return '';
  return `${tokens.estimated ? '~' : ''}${roundCount(tokens.input + tokens.output)}`;
}

/** `$0.042`, `$1.20`. Empty where it is not known. */
export function costWords({ costUsd }: Pick<SessionCost, 'costUsd'>): string {
  if (costUsd === null) return '';
  if (costUsd > 0 && costUsd < 0.0005) return '<$0.001';
  return `$${costUsd.toFixed(costUsd < 0.9995 ? 3 : 2)}`;
}

function roundCount(count: number): string {
  if (count < 1000) return String(count);
  return count < 999_950 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}
