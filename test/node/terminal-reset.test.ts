import { expect, test } from 'vitest';
import { ColourWatch } from '../../src/node/terminal/reset.js';

function changes(chunks: readonly string[]): boolean {
  const watch = new ColourWatch();
  for (const chunk of chunks) watch.see(Buffer.from(chunk, 'latin1'));
  return watch.hasChanged;
}

test.each([
  ['the palette', '\x1b]4;1;#000000\x07'],
  ['the background', '\x1b]11;#000000\x07'],
  ['more than one after a question', '\x1b]10;?;#000000\x07'],
  ['zeros before the number', `\x1b]${'0'.repeat(99)}4;1;red\x07`],
  ['a command within UTF-8', '\xc2\x9d11;red\x07'],
  ['another encoding', '\x1b%@'],
  ['a command of one terminal', '\x1b]21;foreground=red\x07'],
])('colours that a program changes are noticed, however they arrive: %s', (_, text) => {
  expect(changes([text])).toBe(true);
  expect(changes([`${'x'.repeat(50_000)}${text}`])).toBe(true);
  expect(changes([...text, ...'next'])).toBe(true);
});

test.each([
  ['a title', '\x1b]0;a title that is long\x07'],
  ['a link', '\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\'],
  ['a question for the background', '\x1b]11;?\x07\x1b]10;?\x1b\\'],
  ['colours of text', '\x1b[1;31mred\x1b[0m ” “ 100 %'],
])('what leaves them as they are is not: %s', (_, text) => {
  expect(changes([text, 'next one'])).toBe(false);
  expect(changes([...text, ...'next one'])).toBe(false);
});
