import { shorten } from '../text.js';
import type { JsonPath } from './values.js';

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const LONGEST_NAME = 200;

/**
 * As in RFC 9535: `$.findings.context_map[1][0]`, `$['odd key']`. Characters that cannot be seen are escaped. A name of
 * more than 200 characters ends in `…`, so that no path is without end.
 */
export function writePath(path: JsonPath): string {
  return `$${path.map(writeStep).join('')}`;
}

function writeStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`;
  const name = shorten(step, LONGEST_NAME);
  if (PLAIN_NAME.test(name)) return `.${name}`;
  return `['${escapeUnseen(name.replace(/['\\]/g, '\\$&'))}']`;
}

/** Every character that cannot be seen, or is half of one, as an escape of JSON. */
export function escapeUnseen(text: string): string {
  return text.replace(UNSEEN, escapeUnits);
}

function escapeUnits(char: string): string {
  return char
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`)
    .join('');
}

const LONGEST_TEXT = 80;

/** Foreign text, in quotes and shortened. */
export function quoteJson(text: string): string {
  return escapeUnseen(JSON.stringify(shorten(text, LONGEST_TEXT)));
}
