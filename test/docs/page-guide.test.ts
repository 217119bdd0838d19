import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BOX_KEYS, SHORTCUTS } from '../../src/faces/web/page/keys.js';
import { readPage } from './page.js';
import { makeReadersFolder, walkPage } from './shell.js';

const PAGE = 'docs/page.md';

test('the commands print what the page shows, from its first line to its last', () => {
  const others = walkPage(PAGE, join(makeReadersFolder(), 'examples/first-turn'));
  // How to reach the page from another machine.
  expect(others.map(({ language }) => language)).toEqual(['sh']);
});

test('the keys on the page are those of the help', () => {
  const [, table] = /\| key \| does \|\n.*\n((?:\|.*\n)+)/.exec(readPage(PAGE))!;
  const rows = [...SHORTCUTS, ...BOX_KEYS].map(
    ({ keys, does }) => `| ${keys.map((key) => `\`${key}\``).join(' ')} | ${does} |\n`,
  );
  expect(table).toBe(rows.join(''));
});
