import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeReadersFolder, walkPage } from './shell.js';

const PAGE = 'docs/page.md';

test('the commands print what the page shows, from its first line to its last', () => {
  const others = walkPage(PAGE, join(makeReadersFolder(), 'examples/first-turn'));
  // How to reach the page from another machine.
  expect(others.map(({ language }) => language)).toEqual(['sh']);
});
