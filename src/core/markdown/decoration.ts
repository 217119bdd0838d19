import { readCodeSpan, readLink } from './inline.js';

const QUOTES = [
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['‘', '’'],
  ['«', '»'],
] as const;
const EMPHASIS = ['***', '**', '*', '___', '__', '_'];

/** A value without the code span, quotes, bold and italics around the whole of it. */
export function undecorate(value: string): string {
  let text = value;
  for (let layers = 0; layers < 8; layers++) {
    const inner = withoutLayer(text);
    if (inner === undefined) break;
    text = inner;
  }
  return text;
}

function withoutLayer(text: string): string | undefined {
  const code = readCodeSpan(text);
  if (code !== undefined) return code;
  for (const [open, close] of QUOTES) {
    if (text.length > 2 && text.startsWith(open) && text.endsWith(close)) return text.slice(1, -1).trim();
  }
  for (const mark of EMPHASIS) {
    if (text.length <= 2 * mark.length || !text.startsWith(mark) || !text.endsWith(mark)) continue;
    const inner = text.slice(mark.length, -mark.length);
    if (inner.includes(mark) && mark.startsWith('*')) return undefined;
    return mark.startsWith('*') || isEmphasized(inner) ? inner.trim() : undefined;
  }
  return undefined;
}

/** Underscores are part of many names, `__init__` and `_private_` among them; no name ends in `.py_`. */
function isEmphasized(inner: string): boolean {
  return /^[^_\s].*\.[A-Za-z0-9]{1,10}$/.test(inner) || /^[[`"'“].*[)`"'”]$/.test(inner);
}

/** Whether a path without a link around it would be read as another one. */
export function needsLink(path: string): boolean {
  return undecorate(path) !== path || readLink(path) !== undefined || splitRemark(path) !== undefined;
}

interface Remark {
  /** What stands before the remark, undecorated. */
  intended: string;
  remark: string;
}

/** `a.py (new file)`, `a.py - main`, `a.py # why`: white space, then a bracket, a dash or `#`, then more text. */
export function splitRemark(text: string): Remark | undefined {
  const seam = /\s(?=[([{<#\-\u2010-\u2015\u2212])/.exec(text);
  if (!seam || !/[^-\s]/.test(text.slice(seam.index + 2))) return undefined;
  const intended = undecorate(text.slice(0, seam.index).trim());
  return intended === '' ? undefined : { intended, remark: text.slice(seam.index).trim() };
}
