import { readLink, writePathLink } from '../markdown/inline.js';
import { fenceFor } from '../markdown/lines.js';
import type { Captured } from './record.js';

// A value is written so that a reader sees it as it is, and in a way that gives it back to the letter. What cannot stand
// as it is (a carriage return, a line that would break out of its list) is written as a JSON string in a code span.

/** `- **Label:** value`, the value as one of the functions below gives it. */
export function writeListItem(label: string, value: string): string {
  return `- ${writeLabelled(label, value)}`;
}

/** `**Label:** value`. */
export function writeLabelled(label: string, value: string): string {
  return `**${label}:**${value === '' || value.startsWith('\n') ? '' : ' '}${value}`;
}

/** A value of one line. */
export function writeLineValue(value: string): string {
  return /[\r\n]/.test(value) || isQuoted(value) ? quote(value) : value;
}

/** A value of a list item, each further line indented by two. */
export function writeTextValue(value: string): string {
  if (!endsInLine(value)) return quote(value);
  return value.replace(/\n(?!\n)/g, '\n  ');
}

export function readTextValue(lines: readonly string[]): string {
  const [first = '', ...others] = lines;
  if (others.length === 0) return unquote(first) ?? first;
  return [first, ...others.map((line) => (line.startsWith('  ') ? line.slice(2) : line))].join('\n');
}

/**
 * A word of ours without the picture behind it, which may be missing, mangled by an encoding, or written `:like_this:`.
 * Any other text comes back as it is.
 */
export function readWord(value: string): string {
  const word = /^[A-Za-z_]+(?: [A-Za-z]+)*/.exec(value)?.[0] ?? '';
  return /^(?:[^A-Za-z0-9]*|\s*:[a-z_]+:)$/.test(value.slice(word.length)) ? word : value;
}

/** Metadata of a plan, its lines as they are: in the plan they were indented under their item, too. */
export function writeMetadata(value: string): string {
  const [, ...others] = value.split('\n');
  const stays = endsInLine(value) && others.every((line) => line === '' || isIndented(line));
  return stays ? value : quote(value);
}

export function readMetadata(lines: readonly string[]): string {
  return lines.length === 1 ? (unquote(lines[0]!) ?? lines[0]!) : lines.join('\n');
}

/** Whether a line continues the item of a list. */
export function isIndented(line: string): boolean {
  return line.startsWith('  ') || line.startsWith('\t') || line.startsWith(' \t');
}

/** A path from the root, as a link. */
export function writePathValue(path: string): string {
  const link = writePathLink(path);
  return !/[\r\n]/.test(path) && readPath(link) === path ? link : quote(path);
}

export function readPath(value: string): string | undefined {
  const link = readLink(value);
  if (link === undefined) return unquote(value);
  return link.rest === '' && link.destination.startsWith('/') ? link.destination.slice(1) : undefined;
}

/** Text on one line, for a heading. */
export function foldLines(text: string): string {
  const folded = text.replace(/[\r\n]+/g, ' ').trim();
  // Hashes at its end would be read as the end of the heading.
  return folded.endsWith('#') ? `${folded} #` : folded;
}

/** Of several lines, the last holds something: an empty one would be lost between this item and what follows. */
function endsInLine(value: string): boolean {
  return !value.includes('\r') && !value.endsWith('\n') && !isQuoted(value);
}

function isQuoted(value: string): boolean {
  return value.startsWith('`"') && value.endsWith('"`');
}

function quote(value: string): string {
  return `\`${JSON.stringify(value).replaceAll('`', '\\u0060')}\``;
}

function unquote(value: string): string | undefined {
  if (!isQuoted(value)) return undefined;
  try {
    const read: unknown = JSON.parse(value.slice(1, -1));
    return typeof read === 'string' ? read : undefined;
  } catch {
    return undefined;
  }
}

export interface ReportBlock {
  info: string;
  /** All between the fences, the newline before the closing one included. */
  body: string;
}

// What was captured mostly ends in a newline, and where it does not, that is said. What a person typed mostly does not:
// the newline before its closing fence is not part of it, as in the blocks of FIND and REPLACE.

export function writeBlock(text: string, least: number): string {
  return fenced(text === '' ? '' : `${text}\n`, '', least);
}

export function readBlockText({ body }: ReportBlock): string {
  return body.endsWith('\n') ? body.slice(0, -1) : body;
}

/** Lines, each with its newline. */
export function writeLinesBlock(text: string, least: number): string {
  return fenced(endLine(text), '', least);
}

const NO_NEWLINE = 'no newline at its end';

/** What follows the label, and the block. */
export function writeCaptured({ text, language = '', whole }: Captured, least: number): [string, string] {
  const remarks: string[] = [];
  if (text !== '' && !text.endsWith('\n')) remarks.push(NO_NEWLINE);
  if (whole) remarks.push(writeWhole(whole));
  const info = LANGUAGE.test(language) ? language : '';
  return [remarks.join('; '), fenced(endLine(text), info, least)];
}

/** Undefined when the remarks are none of ours. */
export function readCaptured(remarks: string, block: ReportBlock): Captured | undefined {
  const cut = remarks.startsWith(NO_NEWLINE);
  const rest = cut ? remarks.slice(NO_NEWLINE.length).replace(/^; /, '') : remarks;
  const whole = rest === '' ? undefined : readWhole(rest);
  if (rest !== '' && !whole) return undefined;
  return {
    text: cut ? readBlockText(block) : block.body,
    ...(block.info === '' ? {} : { language: block.info }),
    ...(whole ? { whole } : {}),
  };
}

const LANGUAGE = /^[A-Za-z0-9_+#.-]{1,40}$/;

function writeWhole({ file, bytes, lines }: NonNullable<Captured['whole']>): string {
  const size = `${lines} ${lines === 1 ? 'line' : 'lines'}, ${bytes} ${bytes === 1 ? 'byte' : 'bytes'} in all`;
  return `in part; ${size}, ${file === null ? 'not kept' : `kept in ${writePathValue(file)}`}`;
}

const WHOLE = /^in part; (\d{1,16}) lines?, (\d{1,16}) bytes? in all, (?:not kept$|kept in )/;

function readWhole(remark: string): Captured['whole'] {
  const match = WHOLE.exec(remark);
  if (!match) return undefined;
  const sizes = { bytes: Number(match[2]), lines: Number(match[1]) };
  if (match[0].endsWith('not kept')) return { file: null, ...sizes };
  const file = readPath(remark.slice(match[0].length));
  return file === undefined ? undefined : { file, ...sizes };
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function fenced(body: string, info: string, least: number): string {
  const fence = fenceFor(body, '`', least);
  return `${fence}${info}\n${body}${fence}`;
}
