import { HIDING_STYLE } from './scan-html.js';

const DROPPED = new Set(
  'SCRIPT STYLE NOSCRIPT TEMPLATE IFRAME FRAME NOFRAMES NOEMBED OBJECT EMBED APPLET SVG CANVAS AUDIO VIDEO SOURCE TRACK MAP SELECT DATALIST TEXTAREA INPUT BUTTON LINK META TITLE BASE'.split(
    ' ',
  ),
);
const KEPT_ATTRIBUTES = new Set(['href', 'class', 'id', 'role', 'colspan', 'start']);
const MOST_OF_AN_ATTRIBUTE = 2000;
/** Of white space in a row, line breaks included. */
const MOST_SPACE = 200;

/**
 * Leaves of a page what a reader sees and what becomes text: nothing that is hidden, no script, no picture but what
 * it says of itself, links as whole URLs. What comes after it, and looks through the text again and again, gets
 * neither long attributes nor long white space.
 */
export function cleanPage(page: Page, base: string): void {
  const { body } = page;
  let breaks = 0;
  for (let node = body.firstChild; node !== null; ) {
    if (isText(node)) takeInFollowing(node);
    const inside: PageNode | null = node.firstChild;
    const after: PageNode | null = nextAfter(node, body);
    if (isText(node)) {
      if (cleanText(node)) breaks = 0;
    } else if (!isElement(node) || isUnseen(node)) {
      node.remove();
      node = after;
      continue;
    } else if (node.tagName === 'IMG') {
      replaceWithText(page, node, altOf(node));
    } else if (node.tagName === 'BR') {
      if (++breaks > 2) node.remove();
    } else if (node.tagName === 'PRE') {
      flattenCode(node);
      cleanAttributes(node, base);
      breaks = 0;
      node = after;
      continue;
    } else {
      cleanAttributes(node, base);
    }
    node = inside ?? after;
  }
}

/** The parser begins a new text at each entity, and a text's start is where Markdown has its marks. */
function takeInFollowing(text: PageNode): void {
  const pieces = [text.textContent ?? ''];
  for (let next = text.nextSibling; next !== null && isText(next); next = text.nextSibling) {
    pieces.push(next.textContent ?? '');
    next.remove();
  }
  if (pieces.length > 1) text.textContent = pieces.join('');
}

/** A block of code becomes one text that knows its language: no markup in it means anything. */
function flattenCode(block: PageElement): void {
  const pieces: string[] = [];
  const classes = [block.getAttribute('class') ?? ''];
  for (let node = block.firstChild; node !== null; ) {
    let inside: PageNode | null = null;
    if (isText(node)) pieces.push(node.textContent ?? '');
    else if (isElement(node) && !isUnseen(node)) {
      inside = node.firstChild;
      if (node.tagName === 'BR') pieces.push('\n');
      else if (node.tagName === 'IMG') pieces.push(altOf(node));
      else if (node.tagName === 'CODE' && classes.length === 1) {
        classes.unshift(node.getAttribute('class') ?? '');
      }
    }
    node = inside ?? nextAfter(node, block);
  }
  block.textContent = shortenSpace(pieces.join(''));
  block.setAttribute('class', classes.join(' ').trim());
}

/** Whether there is anything to see in it. */
function cleanText(node: PageNode): boolean {
  const text = node.textContent ?? '';
  const clean = text.replace(/\s/g, ' ');
  if (clean !== text) node.textContent = clean;
  return clean.trim() !== '';
}

function isUnseen(element: PageElement): boolean {
  const name = element.tagName.toUpperCase();
  return (
    DROPPED.has(name) ||
    (name === 'DIALOG' && !element.hasAttribute('open')) ||
    element.hasAttribute('hidden') ||
    element.getAttribute('aria-hidden') === 'true' ||
    HIDING_STYLE.test((element.getAttribute('style') ?? '').slice(0, MOST_OF_AN_ATTRIBUTE))
  );
}

function replaceWithText(page: Page, element: PageElement, text: string): void {
  if (text === '') element.remove();
  else element.replaceWith(page.createTextNode(text));
}

function altOf(picture: PageElement): string {
  return picture.getAttribute('alt')?.trim().slice(0, MOST_OF_AN_ATTRIBUTE) ?? '';
}

function cleanAttributes(element: PageElement, base: string): void {
  for (const { name, value } of [...element.attributes]) {
    if (!KEPT_ATTRIBUTES.has(name) || value.length > MOST_OF_AN_ATTRIBUTE) element.removeAttribute(name);
  }
  const href = element.getAttribute('href');
  if (href === null) return;
  const url = resolveUrl(href, base);
  if (url && /^(?:https?|mailto):$/.test(url.protocol)) element.setAttribute('href', url.href);
  else element.removeAttribute('href');
}

/** undefined where it is none, or so long that a page full of them would be endless. */
export function resolveUrl(href: string, base: string): URL | undefined {
  if (href.length > MOST_OF_AN_ATTRIBUTE || !URL.canParse(href, base)) return undefined;
  const url = new URL(href, base);
  return url.href.length > MOST_OF_AN_ATTRIBUTE ? undefined : url;
}

/** No white space longer than a bound, in one pass. */
function shortenSpace(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  let space = 0;
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && isSpace(text.charCodeAt(at))) {
      space++;
      continue;
    }
    if (space > MOST_SPACE) {
      pieces.push(text.slice(from, at - space + MOST_SPACE));
      from = at;
    }
    space = 0;
  }
  return pieces.join('') + text.slice(from);
}

function isSpace(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 9 && code <= 13);
  return /\s/.test(String.fromCharCode(code));
}

/** As much of a page's tree as is asked of it here. */
export interface PageNode {
  nodeType: number;
  parentNode: PageNode | null;
  firstChild: PageNode | null;
  nextSibling: PageNode | null;
  textContent: string | null;
  remove(): void;
}

export interface PageElement extends PageNode {
  tagName: string;
  attributes: Iterable<{ name: string; value: string }>;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  querySelector(selector: string): PageElement | null;
  replaceWith(node: PageNode): void;
  append(node: PageNode): void;
}

export interface Page {
  documentElement: PageElement | null;
  head: PageElement;
  body: PageElement;
  createTextNode(text: string): PageNode;
  querySelector(selector: string): PageElement | null;
}

const ELEMENT = 1;
const TEXT = 3;

export function isElement(node: PageNode): node is PageElement {
  return node.nodeType === ELEMENT;
}

export function isText(node: PageNode): boolean {
  return node.nodeType === TEXT;
}

/** The node that comes after this one and all that is in it; null at the end of `root`. */
export function nextAfter(node: PageNode, root: PageNode): PageNode | null {
  let here: PageNode | null = node;
  while (here !== null && here !== root) {
    if (here.nextSibling !== null) return here.nextSibling;
    here = here.parentNode;
  }
  return null;
}
