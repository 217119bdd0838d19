import Turndown from 'turndown';
import { isElement, type PageElement, type PageNode } from './clean-page.js';

/** Markdown of a cleaned element, with ATX headings, fenced code and tables. Throws where it is too deep. */
export function toMarkdown(root: PageNode): string {
  const turndown = new Turndown({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
    hr: '---',
    br: '',
  });
  const add = (
    name: string,
    tags: readonly string[],
    write: (content: string, element: PageElement) => string,
  ) =>
    turndown.addRule(name, {
      filter: (node: unknown) => tags.includes((node as PageElement).tagName),
      replacement: (content: string, node: unknown) => write(content, node as PageElement),
    });
  add('link', ['A'], writeLink);
  add('code', ['CODE'], (content) => writeInlineCode(content));
  add('list', ['UL', 'OL'], writeList);
  add('list-item', ['LI'], writeItem);
  add('code-block', ['PRE'], (_, element) => writeCode(element));
  add('table-cell', ['TD', 'TH'], writeCell);
  add('table-row', ['TR'], writeRow);
  add('table-part', ['THEAD', 'TBODY', 'TFOOT'], (content) => content);
  add('table-caption', ['CAPTION'], (content) => `${content.trim()}\n\n`);
  add('table', ['TABLE'], (content) => `\n\n${content}\n\n`);
  return turndown.turndown(root as unknown as Turndown.Node);
}

function writeLink(content: string, element: PageElement): string {
  const text = content.replace(/\s+/g, ' ').trim();
  const href = element.getAttribute('href');
  if (text === '' || href === null) return content;
  return `[${text}](${href.replace(/[()]/g, '\\$&')})`;
}

/** More fences than any that is in it, and a space where an edge would join them. */
function writeInlineCode(content: string): string {
  if (content === '') return '';
  const code = content.replace(/\r?\n|\r/g, ' ');
  const fence = '`'.repeat(longestOf(code, /`+/g, 0) + 1);
  const space = code.startsWith('`') || code.endsWith('`') ? ' ' : '';
  return `${fence}${space}${code}${space}${fence}`;
}

/** A list at the end of an item follows its text at once. */
function writeList(content: string, list: PageElement): string {
  const { parentNode } = list;
  const endsItem = parentNode !== null && isNamed(parentNode, 'LI') && nextElement(list) === null;
  return endsItem ? `\n${content}` : `\n\n${content}\n\n`;
}

function writeItem(content: string, item: PageElement): string {
  const list = item.parentNode;
  const mark = list !== null && isNamed(list, 'OL') ? `${startOf(list) + positionOf(item, list)}.  ` : '-   ';
  const text = content.replace(/^\n+/, '').trimEnd() + (content.endsWith('\n') ? '\n' : '');
  return `${mark}${text.replaceAll('\n', `\n${' '.repeat(mark.length)}`)}${item.nextSibling ? '\n' : ''}`;
}

function startOf(list: PageElement): number {
  const start = list.getAttribute('start') ?? '';
  return /^\d{1,9}$/.test(start) ? Number(start) : 1;
}

const positions = new WeakMap<PageElement, number>();

/** From 0. All items of a list are counted when the first is asked for. */
function positionOf(item: PageElement, list: PageElement): number {
  if (!positions.has(item)) {
    let count = 0;
    for (let node = list.firstChild; node !== null; node = node.nextSibling) {
      if (isElement(node)) positions.set(node, count++);
    }
  }
  return positions.get(item) ?? 0;
}

function nextElement(element: PageElement): PageElement | null {
  for (let node = element.nextSibling; node !== null; node = node.nextSibling) {
    if (isElement(node)) return node;
  }
  return null;
}

function longestOf(text: string, pattern: RegExp, least: number): number {
  return (text.match(pattern) ?? []).reduce((most, run) => Math.max(most, run.length), least);
}

function writeCode(element: PageElement): string {
  const code = (element.textContent ?? '').replace(/^\n/, '');
  const fence = '`'.repeat(longestOf(code, /`+/g, 2) + 1);
  return `\n\n${fence}${languageOf(element)}\n${code.endsWith('\n') ? code : `${code}\n`}${fence}\n\n`;
}

/** As the usual highlighters say it: on the block or around it. */
function languageOf(element: PageElement): string {
  for (const node of [element, element.parentNode, element.parentNode?.parentNode]) {
    if (!node || !isElement(node)) continue;
    const found = /(?:^|\s)(?:language|lang|highlight-source)-([\w+#.-]{1,30})/.exec(
      node.getAttribute('class') ?? '',
    );
    if (found) return found[1]!;
  }
  return '';
}

function writeCell(content: string, cell: PageElement): string {
  if (!isData(cell)) return `\n\n${content}\n\n`;
  const text = content
    .trim()
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\|/g, '\\|');
  return ` ${text} |${'  |'.repeat(spanOf(cell) - 1)}`;
}

const headed = new WeakSet<PageElement>();

/** The first row stands for the head, which every Markdown table has. */
function writeRow(content: string, row: PageElement): string {
  const table = around(row, ['TABLE']);
  if (table === null || !isData(row)) return content;
  const line = `\n|${content}`;
  if (headed.has(table)) return line;
  headed.add(table);
  let columns = 0;
  for (let cell = row.firstChild; cell !== null; cell = cell.nextSibling) {
    if (isElement(cell) && /^T[DH]$/.test(cell.tagName)) columns += spanOf(cell);
  }
  return `${line}\n|${' --- |'.repeat(columns)}`;
}

const dataTables = new WeakMap<PageElement, boolean>();

/** A table that holds tables or code is there for the layout, and what is in it stands by itself. */
function isData(part: PageElement): boolean {
  const table = around(part, ['TABLE']);
  if (table === null) return false;
  const known =
    dataTables.get(table) ??
    (table.querySelector('table, pre') === null && around(table, ['TD', 'TH']) === null);
  dataTables.set(table, known);
  return known;
}

/** The nearest element of such a name that this one is in. */
function around(element: PageElement, names: readonly string[]): PageElement | null {
  for (let node = element.parentNode; node !== null; node = node.parentNode) {
    if (isElement(node) && names.includes(node.tagName)) return node;
  }
  return null;
}

function isNamed(node: PageNode, name: string): node is PageElement {
  return isElement(node) && node.tagName === name;
}

function spanOf(cell: PageElement): number {
  const span = Number.parseInt(cell.getAttribute('colspan') ?? '1', 10);
  return span >= 1 && span <= 20 ? span : 1;
}
