import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const PAGE = join(import.meta.dirname, '../../dist/page');
const KB = 1024;

/** What is loaded before anything is opened: the page, its style, and the parts that it imports at once. */
function firstFiles(): string[] {
  const names = new Set(['page.js']);
  for (const name of names)
    for (const [, imported] of read(name).matchAll(/(?:\bfrom|\bimport)\s*"\.\/([\w-]+\.js)"/g))
      names.add(imported!);
  return ['index.html', 'icon.svg', 'style.css', ...names];
}

function read(name: string): string {
  return readFileSync(join(PAGE, name), 'utf8');
}

function weigh(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + gzipSync(readFileSync(join(PAGE, name))).length, 0);
}

test('the first load is at most 60 KB, and all of the page with its editor at most 250 KB', () => {
  expect(weigh(firstFiles())).toBeLessThanOrEqual(60 * KB);
  expect(weigh(readdirSync(PAGE))).toBeLessThanOrEqual(250 * KB);
});

test('the page names no other address', () => {
  const known = /^https?:\/\/(?:www\.w3\.org\/|127\.0\.0\.1)/;
  for (const name of readdirSync(PAGE)) {
    const text = read(name);
    const addresses = text.match(/\bhttps?:\/\/[^\s"'`)]+/g) ?? [];
    expect(
      addresses.filter((address) => !known.test(address)),
      name,
    ).toEqual([]);
    if (name.endsWith('.css')) expect(text, name).not.toMatch(/@import|@font-face|url\(\s*["']?(?!#)/);
  }
});

test('the page has no inline script, style or handler, and writes no HTML', () => {
  const index = read('index.html');
  expect(index).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=/i);
  const script = read('page.js');
  expect(script).not.toMatch(/insertAdjacentHTML|document\.write|\beval\(|new Function/);
});
