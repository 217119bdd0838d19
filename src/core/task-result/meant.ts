import type { ResultStatus } from './types.js';

// What a value of another type, or another word, can only mean. The checks name it as the fix, and `--fix` writes it.

const STATUSES: Readonly<Record<ResultStatus, RegExp>> = {
  success: /^(?:success(?:ful|fully)?|succeeded|completed?|done|finished|pass(?:ed)?|ok|okay)$/,
  failure: /^(?:failure|fail(?:ed|s)?|error(?:ed)?|partial(?:ly)?|incomplete|not[ _-]done)$/,
  blocked: /^(?:blocked|waiting)$/,
};

export function meantStatus(value: string): ResultStatus | undefined {
  const word = value.trim().toLowerCase();
  return (Object.keys(STATUSES) as ResultStatus[]).find((status) => STATUSES[status].test(word));
}

export function meantBoolean(value: unknown): boolean | undefined {
  const word = String(value).trim();
  if (/^(?:yes|y|on|true|1)$/i.test(word)) return true;
  return /^(?:no|n|off|false|0)$/i.test(word) ? false : undefined;
}

export function meantNumber(value: unknown): number | undefined {
  const word = typeof value === 'string' ? value.trim() : '';
  return /^-?\d{1,9}$/.test(word) ? Number(word) + 0 : undefined;
}

/** Words for null, where a text or null is wanted. */
export function meansNull(value: unknown): boolean {
  return typeof value === 'string' && /^(?:null|none|nil|n\/a|-|~|)$/i.test(value.trim());
}
