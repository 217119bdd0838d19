interface Link {
  text: string;
  destination: string;
  /** What follows the link, trimmed. */
  rest: string;
}

/**
 * The link that a value starts with, taken from the source and not from rendered Markdown: in
 * `[app/[id]/__main__.py](/app/[id]/__main__.py)` brackets and underscores are part of the path.
 */
export function readLink(value: string): Link | undefined {
  if (!value.startsWith('[')) return undefined;
  let first: Link | undefined;
  for (
    let seam = value.indexOf(']('), tries = 0;
    seam !== -1 && tries < 8;
    seam = value.indexOf('](', seam + 1), tries++
  ) {
    const link = linkAt(value, seam);
    if (!link) continue;
    first ??= link;
    if (link.text === link.destination.replace(/^\//, '')) return link;
  }
  return first;
}

/** A link to a path of the project, as CommonMark reads it too. */
export function writePathLink(path: string): string {
  const isPlain = !/[\s<>()\\\u0000-\u001f\u007f]/.test(path);
  return isPlain ? `[${path}](/${path})` : `[${path}](</${path}>)`;
}

function linkAt(value: string, seam: number): Link | undefined {
  const start = seam + 2;
  const angled = value[start] === '<' ? value.indexOf('>)', start) : -1;
  const end = angled === -1 ? closingParen(value, start) : angled + 1;
  if (end === -1) return undefined;
  const destination =
    angled === -1 ? dropTitle(value.slice(start, end).trim()) : value.slice(start + 1, angled);
  return { text: value.slice(1, seam), destination: destination.trim(), rest: value.slice(end + 1).trim() };
}

/** `/a.md "A title"`: the title is not part of the destination. */
function dropTitle(destination: string): string {
  const quote = destination.at(-1);
  if (quote !== '"' && quote !== "'") return destination;
  const open = destination.lastIndexOf(` ${quote}`, destination.length - 2);
  return open === -1 ? destination : destination.slice(0, open);
}

function closingParen(value: string, start: number): number {
  let depth = 0;
  for (let i = start; i < value.length; i++) {
    if (value[i] === '(') depth++;
    else if (value[i] === ')' && depth-- === 0) return i;
  }
  return -1;
}

/** The text of a value that is one code span, and nothing else. */
export function readCodeSpan(value: string): string | undefined {
  let ticks = 0;
  while (value[ticks] === '`') ticks++;
  if (ticks === 0 || value.length <= 2 * ticks) return undefined;
  const fence = '`'.repeat(ticks);
  const inner = value.slice(ticks, -ticks);
  if (!value.endsWith(fence) || inner.startsWith('`') || inner.endsWith('`') || inner.includes(fence))
    return undefined;
  return inner.trim();
}

/** A value without the code span or the quotes around it. */
export function unwrapValue(value: string): string {
  const code = readCodeSpan(value);
  if (code !== undefined) return unquote(code);
  return unquote(value);
}

function unquote(value: string): string {
  const quote = value[0];
  if (value.length >= 2 && (quote === '"' || quote === "'") && value.endsWith(quote))
    return value.slice(1, -1);
  return value;
}

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
  /** What is before the remark, undecorated. */
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
