import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { descendantsOf, parseCommonmark } from '../corpus/commonmark.js';
import { listPages, ROOT, readPage } from './page.js';

describe.each(listPages())('%s', (page) => {
  const text = readPage(page);
  const nodes = [...descendantsOf(parseCommonmark(text))];

  test('every link leads somewhere', () => {
    const links = nodes.flatMap(({ type, destination }) =>
      type === 'link' || type === 'image' ? (destination ?? '') : [],
    );
    expect(links.filter((link) => !leads(page, link))).toEqual([]);
  });

  test('every path of the project that it names exists', () => {
    const spans = nodes.flatMap(({ type, literal }) => (type === 'code' ? (literal ?? '') : []));
    const paths = spans.filter((span) => isPath(span) && !text.includes(`file: ${span}`));
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test('it holds no path of a machine', () => {
    expect(text.match(/(?<![\w.])\/(?:work|home|Users|tmp|root|usr|var)\/\S*/g) ?? []).toEqual([]);
  });
});

function leads(page: string, link: string): boolean {
  if (/^https?:\/\//.test(link)) return true;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

/** The anchors that GitHub gives to a page's headings. */
function anchorsOf(page: string): string[] {
  const headings = readPage(page).match(/^#{1,6} .*/gm) ?? [];
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, '')
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

/**
 * A code span that begins with a folder of this project; patterns and placeholders are no paths. A file that the page
 * itself shows, with `file: PATH` behind its fence, belongs to another project.
 */
function isPath(span: string): boolean {
  return /^(?:src|test|spec|docs|examples|scripts|bench|bin|\.ci)\/[\w./-]*$/.test(span);
}
