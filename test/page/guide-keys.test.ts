import { expect, test } from 'vitest';
import { BOX_KEYS, SHORTCUTS } from '../../src/faces/web/page/keys.js';
import { readPage } from '../docs/page.js';

test('docs/page.md lists the keys of the help', () => {
  const [, table] = /\| key \| does \|\n.*\n((?:\|.*\n)+)/.exec(readPage('docs/page.md'))!;
  const rows = [...SHORTCUTS, ...BOX_KEYS].map(
    ({ keys, does }) => `| ${keys.map((key) => `\`${key}\``).join(' ')} | ${does} |\n`,
  );
  expect(table).toBe(rows.join(''));
});
