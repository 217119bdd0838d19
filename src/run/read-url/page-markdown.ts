import Turndown from 'turndown';
import { shortenSpace } from './clean-page.js';
import { isElement, type PageElement, type PageNode } from './page.js';

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

function writeCode(element: PageElement): string {
  const code = shortenSpace(element.textContent ?? '').replace(/^\n/, '');
  const longest = (code.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `\n\n${fence}${languageOf(element)}\n${code.endsWith('\n') ? code : `${code}\n`}${fence}\n\n`;
}

/** As the usual highlighters say it: on the block, on the code in it, or around it. */
function languageOf(element: PageElement): string {
  const around = [element.querySelector('code'), element, element.parentNode, element.parentNode?.parentNode];
  for (const node of around) {
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

/** The first row stands for the head, which every Markdown table has. */
function writeRow(content: string, row: PageElement): string {
  if (!isData(row)) return content;
  const line = `\n|${content}`;
  if (row.closest('table')?.querySelector('tr') !== row) return line;
  let columns = 0;
  for (let cell = row.firstChild; cell !== null; cell = cell.nextSibling) {
    if (isElement(cell) && /^T[DH]$/.test(cell.tagName)) columns += spanOf(cell);
  }
  return `${line}\n|${' --- |'.repeat(columns)}`;
}

const dataTables = new WeakMap<PageElement, boolean>();

/** A table that holds tables or code is there for the layout, and what is in it stands by itself. */
function isData(part: PageElement): boolean {
  const table = part.closest('table');
  if (table === null) return false;
  const known = dataTables.get(table) ?? (table.querySelector('table, pre') === null && isInnermost(table));
  dataTables.set(table, known);
  return known;
}

function isInnermost(table: PageElement): boolean {
  return (
    table.parentNode === null || !isElement(table.parentNode) || table.parentNode.closest('td, th') === null
  );
}

function spanOf(cell: PageElement): number {
  const span = Number.parseInt(cell.getAttribute('colspan') ?? '1', 10);
  return span >= 1 && span <= 20 ? span : 1;
}
