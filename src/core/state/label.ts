import { findComment } from './inline.js';

/** A line that begins with a label: `- **Status:** Blocked <!-- since May -->`. Joined, its parts are the line. */
export interface Label {
  /** Indent, bullet and emphasis. */
  lead: string;
  name: string;
  /** The name in lower case, with single spaces. */
  key: string;
  /** Colon, emphasis and white space. */
  joint: string;
  /** As it is written, without white space and comments around it. */
  raw: string;
  /** All that follows the value. */
  rest: string;
  /** The emphasis that is still open at the value, as in `**Status: Blocked**`; else empty. */
  open: string;
}

const LABEL =
  /^([ \t]{0,3}|[ \t]{0,12}(?:[-*+]|\d{1,9}[.)])[ \t]{1,4})(\*{1,3}|_{1,3}|)(\p{L}[\p{L}\p{N} _.&/()-]{0,47}?)([ \t]{0,3}(?:\2[ \t]{0,3}:|:\2|:)(?!\/\/)[ \t]*)/u;
const BARE = /^([ \t]{0,3})(\*{2,3}|_{2,3})(\p{L}[\p{L}\p{N} _.&/()-]{0,47}?)(\2)[ \t]*$/u;

export function readLabel(line: string): Label | undefined {
  const read = LABEL.exec(line);
  if (!read) return readBare(line);
  const [all, lead = '', emphasis = '', name = '', joint = ''] = read;
  const open = joint.includes(emphasis) ? '' : emphasis;
  const value = line.slice(all.length);
  const close = open === '' ? -1 : value.indexOf(open);
  const comment = findComment(value);
  const ends = [close, comment, value.length].filter((end) => end !== -1);
  const raw = value.slice(0, inkEnd(value, Math.min(...ends)));
  const rest = value.slice(raw.length);
  return { lead: lead + emphasis, name, key: foldLabel(name), joint, raw, rest, open };
}

/** `**Velocity**`, without a colon. */
function readBare(line: string): Label | undefined {
  if (!line.includes('**') && !line.includes('__')) return undefined;
  const [, lead = '', emphasis = '', name = '', joint = ''] = BARE.exec(line) ?? [];
  if (name === '') return undefined;
  return { lead: lead + emphasis, name, key: foldLabel(name), joint, raw: '', rest: '', open: '' };
}

/** Without white space, and without backslashes that break the line. */
function inkEnd(value: string, to: number): number {
  let end = to;
  while (end > 0 && ' \t\r\\\u00a0'.includes(value[end - 1]!)) end--;
  return end;
}

export function foldLabel(name: string): string {
  return name
    .toLowerCase()
    .replace(/[\s_]+/g, ' ')
    .trim();
}

/** A value without emphasis or code ticks around all of it. */
export function unwrap(raw: string): string {
  const [, mark = '', inner = ''] = /^(\*{1,3}|_{1,3}|`)(.+)\1$/.exec(raw) ?? [];
  return mark !== '' && !inner.includes(mark[0]!) ? inner.trim() : raw;
}

/** A line like that of `like`, with another name and value; a break at its end stays. */
export function writeLabel(like: Label, name: string, value: string): string {
  const lineBreak = /^(?: {2,}|\\)$/.test(like.rest) ? like.rest : '';
  return `${like.lead}${name}${spaced(like.joint)}${within(like, value)}${like.open}${lineBreak}`;
}

/** The line with another value; what follows the value stays. */
export function replaceValue(label: Label, value: string): string {
  const isNew = label.raw === '';
  const after = isNew && label.rest.startsWith('<') ? ' ' : '';
  return `${label.lead}${label.name}${isNew ? spaced(label.joint) : label.joint}${value}${after}${label.rest}`;
}

/** The line with another name. */
export function nameLine({ lead, joint, raw, rest }: Label, name: string): string {
  return lead + name + joint + raw + rest;
}

/** Words behind the value, outside of its emphasis: ` since May` in `**Status: Blocked** since May`. */
export function textAfter({ rest, open }: Label): string {
  const behind = rest.trimStart().slice(open.length);
  const comment = findComment(behind);
  return (comment === -1 ? behind : behind.slice(0, comment)).replaceAll('\\', '').trim();
}

function spaced(joint: string): string {
  return /[ \t]$/.test(joint) ? joint : `${joint} `;
}

/** Open emphasis would end at the same characters in the value. */
export function within({ open }: Label, value: string): string {
  return open === '' ? value : value.replaceAll(open[0]!, '').trim();
}
