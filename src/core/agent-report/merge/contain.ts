import { fenceFor } from '../../markdown/lines.js';
import { cutText, foldText, shorten } from '../../shorten.js';

// A text of an agent's within a document of ours. It may be any Markdown, so it stands in a list item, every line
// indented: as it is where it is calm, that is, sentences and lists and nothing that a reader could take for a part of the
// document or that works beyond its item; else in a fence.

/** The list item `- **lead:** text`; without a lead where it is empty. A text longer than `longest` is cut, and that is said. */
export function writeItem(lead: string, text: string, longest: number): string {
  const { shown, left } = /\S/.test(text) ? cutItem(text, longest) : EMPTY;
  const note = left === 0 ? '' : `… (${writeNumber(left)} more characters in the JSON)`;
  const lines = shown.split(LINE_END);
  if (!isCalm(lines)) {
    const fence = fenceFor(shown);
    const block = [`${fence}markdown`, ...lines, fence, ...(note === '' ? [] : ['', note])];
    return `- ${indent([...(lead === '' ? [] : [`${lead}:`, '']), ...block])}`;
  }
  lines.push(`${lines.pop()}${note}`);
  if (lead === '') return `- ${indent(lines)}`;
  return lines.length === 1 ? `- ${lead}: ${lines[0]}` : `- ${indent([`${lead}:`, '', ...lines])}`;
}

/** A list item with items of its own. */
export function writeItemOf(lead: string, items: readonly string[]): string {
  return `- ${indent([`${lead}:`, ...items.flatMap((item) => item.split('\n'))])}`;
}

const LONGEST_NAME = 80;

/** A name or a number on one line, in which nothing means anything to Markdown, not even in a table. */
export function writeInline(text: string, longest = LONGEST_NAME): string {
  const short = shorten(foldText(text), longest);
  return short.replace(/[\\`*[\]<>|~!&#]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&');
}

export function writeNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

/** An item without anything behind its dash could make a heading of the line above it. */
const EMPTY = { shown: '(empty)', left: 0 };

const LINE_END = /\r\n|\r|\n/;

function cutItem(text: string, longest: number): { shown: string; left: number } {
  const trimmed = trimBlankLines(text);
  const shown = cutText(trimmed, longest);
  return { shown: shown.trimEnd(), left: trimmed.length - shown.length };
}

/** A blank line at the top would end an item before it begins. */
function trimBlankLines(text: string): string {
  const ink = text.search(/\S/);
  const line = Math.max(text.lastIndexOf('\n', ink), text.lastIndexOf('\r', ink)) + 1;
  return text.slice(line).trimEnd();
}

function indent(lines: readonly string[]): string {
  return lines.map((line, i) => (i === 0 || line === '' ? line : `  ${line}`)).join('\n');
}

const LIST_MARKERS = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*/;
/**
 * What a line may begin with, behind the markers of lists: no heading, fence, quote, table,
 * definition of a link, or HTML.
 */
const CALM_START = /^[\p{L}\p{N}"'“”‘’«(*_`$@/.…%§→]/u;

function isCalm(lines: readonly string[]): boolean {
  const hasSimpleSpans = lines.every(isClosed);
  return lines.every(
    (line) =>
      line.trim() === '' ||
      (CALM_START.test(line.replace(LIST_MARKERS, '')) &&
        !line.includes('```') &&
        !hasMarkup(line, hasSimpleSpans)),
  );
}

/** Whether every backtick of the line has its other one in it. */
function isClosed(line: string): boolean {
  return line.split('`').length % 2 === 1 && !line.includes('``') && !line.includes('\\`');
}

/** HTML and images. Within a code span, `<` is only a character. */
function hasMarkup(line: string, hasSimpleSpans: boolean): boolean {
  const outside = hasSimpleSpans ? line.replace(/`[^`]*`/g, '') : line;
  return outside.includes('<') || outside.includes('![');
}
