import { isElement, isText, nextAfter, type Page, type PageElement, type PageNode } from './page.js';
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
 * neither long attributes nor long stretches of white space.
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
      replaceWithText(page, node, node.getAttribute('alt')?.trim() ?? '');
    } else if (node.tagName === 'BR') {
      if (node.closest('pre') !== null) replaceWithText(page, node, '\n');
      else if (++breaks > 2) node.remove();
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

/** Whether there is anything to see in it. */
function cleanText(node: PageNode): boolean {
  const text = node.textContent ?? '';
  const isCode =
    node.parentNode !== null && isElement(node.parentNode) && node.parentNode.closest('pre') !== null;
  const clean = isCode ? shortenSpace(text) : text.replace(/\s/g, ' ');
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
  else element.replaceWith(page.createTextNode(text.slice(0, MOST_OF_AN_ATTRIBUTE)));
}

function cleanAttributes(element: PageElement, base: string): void {
  for (const { name, value } of [...element.attributes]) {
    if (!KEPT_ATTRIBUTES.has(name) || value.length > MOST_OF_AN_ATTRIBUTE) element.removeAttribute(name);
  }
  const href = element.getAttribute('href');
  if (href === null) return;
  const url = URL.canParse(href, base) ? new URL(href, base) : undefined;
  if (url && /^(?:https?|mailto):$/.test(url.protocol)) element.setAttribute('href', url.href);
  else element.removeAttribute('href');
}

/** No stretch of white space longer than a bound, in one pass. */
export function shortenSpace(text: string): string {
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
