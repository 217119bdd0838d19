// The libraries that read a page, which only its worker loads.
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import {
  cleanPage,
  isElement,
  isText,
  nextAfter,
  type Page,
  type PageNode,
  resolveUrl,
} from './clean-page.js';
import { toMarkdown } from './page-markdown.js';

/** All that the worker gets. */
export type PageTask = { html: string; url: string };

const DEEPEST = 250;
/** Every line of a list in a list is indented again, every link has a whole address. */
const MOST_MARKDOWN = 32 * 1024 * 1024;
/** How often anything is looked at by what looks at all that is in an element, for every element. */
const MOST_WORK = 1_000_000;
const CHARACTERS_OF_WORK = 64;

/**
 * The article of a page as Markdown, or all of the page where no article is found in it; undefined where it is so large
 * or deep that it would take too long, or overflows the stack. May throw.
 */
export function readHtml({ html, url }: PageTask): string | undefined {
  try {
    const markdown = convert(html, url);
    return markdown === undefined || markdown.length > MOST_MARKDOWN ? undefined : markdown;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function convert(html: string, url: string): string | undefined {
  const page = parsePage(html);
  if (isTooMuch(page)) return undefined;
  cleanPage(page, baseOf(page, url));
  const all = lengthOf(page.body);
  const article = new Readability<PageNode>(page, {
    serializer: (node) => node,
    keepClasses: true,
    disableJSONLD: true,
  }).parse();
  const content = article?.content;
  if (content && isWorthwhile(lengthOf(content), all)) return toMarkdown(content);
  // Readability takes a page apart.
  const again = parsePage(html);
  cleanPage(again, baseOf(again, url));
  return toMarkdown(again.body);
}

/** Pages without `<html>` or `<body>` are common; the parser wants both. */
function parsePage(html: string): Page {
  const page = parseHTML(html).document as unknown as Page;
  const root = page.documentElement;
  if (root?.tagName !== 'HTML') {
    return parseHTML(`<html><head></head><body>${html}</body></html>`).document as unknown as Page;
  }
  const { head, body } = page;
  for (let node = root.firstChild; node !== null; ) {
    const next: PageNode | null = node.nextSibling;
    if (node !== head && node !== body) body.append(node);
    node = next;
  }
  return page;
}

function baseOf(page: Page, url: string): string {
  const href = page.querySelector('base[href]')?.getAttribute('href') ?? '';
  return resolveUrl(href, url)?.href ?? url;
}

function isTooMuch({ body }: Page): boolean {
  let work = 0;
  for (let node = body.firstChild, depth = 1; node !== null; ) {
    work += isText(node) ? (depth * (node.textContent?.length ?? 0)) / CHARACTERS_OF_WORK : depth;
    if (depth > DEEPEST || work > MOST_WORK) return true;
    if (isElement(node) && node.firstChild !== null) {
      node = node.firstChild;
      depth++;
      continue;
    }
    const next: PageNode | null = nextAfter(node, body);
    for (
      let up: PageNode | null = node;
      next !== null && up !== null && up.parentNode !== next.parentNode;
      depth--
    ) {
      up = up.parentNode;
    }
    node = next;
  }
  return false;
}

/** What is taken for an article may be a line in a list. */
function isWorthwhile(article: number, all: number): boolean {
  return article > all / 2 || (article > 200 && article > all / 20);
}

function lengthOf(node: PageNode): number {
  return node.textContent?.trim().length ?? 0;
}
