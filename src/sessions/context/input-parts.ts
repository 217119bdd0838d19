import { fenceFor } from '../../core/markdown/lines.js';
import { shorten } from '../../core/text.js';
import type { LeftOut } from './types.js';

const CHARACTERS = 4;

/** The only estimate in use; each model counts differently. */
export function countTokens(text: string): number {
  return tokensOf(text.length);
}

/** Estimates the tokens of a text by its length. */
export function tokensOf(length: number): number {
  return Math.ceil(length / CHARACTERS);
}

/** The largest number of characters that fit into so many tokens. */
export function charactersOf(tokens: number): number {
  return tokens * CHARACTERS;
}

/** A section that teddy writes. Text from elsewhere must be fenced or on one line. */
export function section(heading: string, ...paragraphs: readonly string[]): string {
  return `${[heading, ...paragraphs].join('\n\n')}\n`;
}

/** A fenced block that `text` cannot end. */
export function toFencedBlock(text: string, language = ''): string {
  const fence = fenceFor(text);
  const body = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return `${fence}${language}\n${body}${fence}`;
}

/** Escapes control characters and line breaks, so that text from elsewhere stays on one line. */
export function toOneLine(text: string): string {
  if (!/[\u0000-\u001f\u007f\u0085\u2028\u2029]/.test(text)) return text;
  return text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]/g, (char) => {
    const code = char.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${code}`;
  });
}

const MOST_LINES = 50;
const FEWEST_LINES = 5;
const TOKENS_A_LINE = 100;
const MOST_FOLDERS = 10;
const LONGEST_NAME = 300;

/** How many omitted resources to list one by one: usually less than a third of the budget. */
export function mostNamed(budget: number): number {
  if (budget === 0) return MOST_LINES;
  return Math.min(MOST_LINES, Math.max(FEWEST_LINES, Math.floor(budget / TOKENS_A_LINE)));
}

/** The section on omitted resources; empty if there are none. */
export function writeLeftOut(
  leftOut: readonly LeftOut[],
  most: number,
  mask: (text: string) => string,
): string[] {
  if (leftOut.length === 0) return [];
  const lines = leftOut.slice(0, most).map(leftOutLine);
  const rest = leftOut.slice(most);
  if (rest.length > 0) lines.push(`and ${rest.length} more: ${countByFolder(rest)}`);
  return [section('## Left Out', toFencedBlock(mask(lines.join('\n')), 'text'))];
}

/** Estimates how many characters one more omitted resource adds. */
export function leftOutLength(count: number, most: number, next: LeftOut): number {
  if (count < most) return leftOutLine(next).length + 1;
  return count === most ? MOST_FOLDERS * 30 : 0;
}

function leftOutLine({ target, from, reason, tokens }: LeftOut): string {
  const size = tokens === null ? '' : ` (about ${tokens} tokens)`;
  return `${from}: ${shorten(toOneLine(target), LONGEST_NAME)} ${toOneLine(reason)}${size}`;
}

/** `800 in src, 434 in docs, 2 elsewhere`, largest first. */
function countByFolder(leftOut: readonly LeftOut[]): string {
  const counts = new Map<string, number>();
  for (const { target } of leftOut) {
    const slash = /^https?:/i.test(target) ? -1 : target.indexOf('/', 1);
    const folder = slash === -1 ? '' : target.slice(0, slash);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const named = [...counts]
    .filter(([folder]) => folder !== '')
    .sort(([one, many], [other, more]) => more - many || (one < other ? -1 : 1))
    .slice(0, MOST_FOLDERS);
  const elsewhere = leftOut.length - named.reduce((sum, [, count]) => sum + count, 0);
  const words = named.map(([folder, count]) => `${count} in ${shorten(toOneLine(folder), LONGEST_NAME)}`);
  return [...words, ...(elsewhere > 0 ? [`${elsewhere} elsewhere`] : [])].join(', ');
}
