import { fenceFor } from '../../markdown/lines.js';
import type { Captured } from '../record.js';
import { readPath, writePathValue } from '../values.js';
import type { ReportBlock } from './reader.js';

// What was captured mostly ends in a newline, and where it does not, that is said. What a person typed mostly does not:
// the newline before its closing fence is no part of it, as in the blocks of FIND and REPLACE.

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

/** What stands behind the label, and the block. */
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
