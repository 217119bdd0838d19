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
