import { decodeEntities } from './html-entities.js';

export interface ScannedHtml {
  title: string;
  /** What a reader would see, line by line, without any form. */
  text: string;
  /** How many `<` and `&` there are, how many elements are opened, and the most attributes that one of them has. */
  marks: number;
  elements: number;
  attributes: number;
}

const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/;
/** Their content is no markup. */
const RAW = /^(?:script|style|textarea|title|iframe|noembed|noframes|xmp)$/;
const UNSEEN =
  /^(?:script|style|textarea|title|iframe|noembed|noframes|noscript|template|object|svg|select)$/;
const INLINE =
  /^(?:a|abbr|b|bdi|bdo|cite|code|data|del|dfn|em|font|i|img|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|time|tt|u|var|wbr)$/;

/**
 * The text of a page in one pass over its source, in a time that grows with its length and no faster: for pages that
 * would be too much for anything that builds a tree of them. Never throws, whatever the source.
 */
export function scanHtml(html: string): ScannedHtml {
  const counts = { marks: countOf('&', html), elements: 0, attributes: 0 };
  const pieces: string[] = [];
  let title = '';
  let unseen: Unseen | undefined;
  for (let at = 0; at < html.length; ) {
    const mark = html.indexOf('<', at);
    const end = mark === -1 ? html.length : mark;
    if (unseen === undefined && end > at) pieces.push(html.slice(at, end));
    if (mark === -1) break;
    counts.marks++;
    const tag = readTag(html, mark);
    at = tag.end;
    if (tag.kind === 'text') {
      if (unseen === undefined) pieces.push('<');
      continue;
    }
    if (tag.kind === 'open') {
      counts.elements++;
      counts.attributes = Math.max(counts.attributes, tag.attributes);
    }
    if (tag.kind === 'open' && RAW.test(tag.name)) {
      const close = findClose(html, tag.name, at);
      if (tag.name === 'title' && title === '') title = html.slice(at, close);
      at = close;
    }
    if (unseen !== undefined) unseen = stillUnseen(unseen, tag);
    else if (tag.kind === 'open' && hides(tag)) unseen = { name: tag.name, depth: 1 };
    else if (tag.kind !== 'other' && !INLINE.test(tag.name))
      pieces.push(/^t[dh]$/.test(tag.name) ? ' ' : '\n');
  }
  return {
    ...counts,
    title: tidy(decodeEntities(title)).replaceAll('\n', ' '),
    text: tidy(decodeEntities(pieces.join(''))),
  };
}

function countOf(character: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count++;
  return count;
}

type Tag =
  | { kind: 'open'; name: string; source: string; attributes: number; end: number }
  | { kind: 'close'; name: string; end: number }
  /** A comment, a declaration. */
  | { kind: 'other'; end: number }
  | { kind: 'text'; end: number };

function readTag(html: string, at: number): Tag {
  const next = html[at + 1] ?? '';
  if (next === '!' || next === '?') {
    const closing = html.startsWith('<!--', at) ? '-->' : '>';
    return { kind: 'other', end: after(html, closing, at + 2) };
  }
  const isClose = next === '/';
  const name = readName(html, isClose ? at + 2 : at + 1);
  if (name === '') return { kind: 'text', end: at + 1 };
  const start = at + (isClose ? 2 : 1) + name.length;
  if (isClose) return { kind: 'close', name: name.toLowerCase(), end: after(html, '>', start) };
  const { end, attributes } = readAttributes(html, start);
  return { kind: 'open', name: name.toLowerCase(), source: html.slice(start, end), attributes, end };
}

function readName(html: string, at: number): string {
  return /^[a-zA-Z][\w:-]{0,50}/.exec(html.slice(at, at + 60))?.[0] ?? '';
}

/** To the end of the tag; a `>` in quotes is none. Words are counted, of which every attribute has one at least. */
function readAttributes(html: string, start: number): { end: number; attributes: number } {
  let attributes = 0;
  let inWord = false;
  for (let at = start; at < html.length; at++) {
    const character = html[at]!;
    if (character === '>') return { end: at + 1, attributes };
    if (character === '"' || character === "'") {
      const close = html.indexOf(character, at + 1);
      if (close === -1) break;
      at = close;
      inWord = false;
    } else if (/[\s/]/.test(character)) {
      inWord = false;
    } else if (!inWord) {
      inWord = true;
      attributes++;
    }
  }
  return { end: html.length, attributes };
}

function after(html: string, closing: string, from: number): number {
  const at = html.indexOf(closing, from);
  return at === -1 ? html.length : at + closing.length;
}

function findClose(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}[\\s/>]`, 'gi');
  close.lastIndex = from;
  return close.exec(html)?.index ?? html.length;
}

/** An element that is not shown, and how many of its name are open in it. */
type Unseen = { name: string; depth: number };

function stillUnseen(unseen: Unseen, tag: Tag): Unseen | undefined {
  if ((tag.kind !== 'open' && tag.kind !== 'close') || tag.name !== unseen.name) return unseen;
  const depth = unseen.depth + (tag.kind === 'open' ? 1 : -1);
  return depth === 0 ? undefined : { ...unseen, depth };
}

function hides({ name, source }: Extract<Tag, { kind: 'open' }>): boolean {
  if (VOID.test(name)) return false;
  return UNSEEN.test(name) || hidesByAttribute(source.slice(0, 5000));
}

function hidesByAttribute(source: string): boolean {
  if (!/hidden|none/i.test(source)) return false;
  return (
    /\shidden(?:[\s=/>]|$)/i.test(source) ||
    /aria-hidden\s{0,9}=\s{0,9}["']?true/i.test(source) ||
    HIDING_STYLE.test(source)
  );
}

export const HIDING_STYLE = /display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden/i;

/** No white space at the ends of lines, one space for any other, and no more than one blank line in a row. */
function tidy(text: string): string {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const words = line.split(/\s/).filter((word) => word !== '');
    if (words.length > 0 || (lines.length > 0 && lines.at(-1) !== '')) lines.push(words.join(' '));
  }
  return lines.join('\n').trimEnd();
}
