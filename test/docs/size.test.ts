import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

test('the README fits on 150 lines: a table, a picture, three ways in', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  expect(readme).toContain('| an agent with write access | an agent with teddy |');
  expect(readme).toMatch(/!\[[^\]]+\]\(docs\/review\.svg\)/);
  const [, ways = ''] = /^## Three ways in\n(.*?)^## /ms.exec(readme) ?? [];
  expect(ways.match(/^\*\*Your [^*]+\*\*/gm)).toHaveLength(3);
});

test('the README and the docs have at most 30,000 words: bars and rules of tables are none', () => {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path));
  const words = ['README.md', ...pages].flatMap((path) =>
    readFileSync(join(ROOT, path), 'utf8')
      .split(/\s+/)
      .filter((word) => /[\p{L}\p{N}]/u.test(word)),
  );
  expect(pages.length).toBeGreaterThan(15);
  expect(words.length).toBeLessThanOrEqual(30_000);
});
