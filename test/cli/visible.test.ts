import { expect, test } from 'vitest';
import { visible, visibleJson, visibleLine } from '../../src/faces/cli/output.js';
import { expectLinear } from '../growth.js';

test.each([
  ['an ANSI sequence', 'a\u001b[31mb', 'a<U+001B>[31mb'],
  ['an 8-bit control', 'a\u009b31mb', 'a<U+009B>31mb'],
  ['a carriage return', 'safe\rrm -rf', 'safe<U+000D>rm -rf'],
  ['a backspace', 'a\bb', 'a<U+0008>b'],
  ['a right-to-left override', 'a\u202eb', 'a<U+202E>b'],
  ['an isolate', 'a\u2066b\u2069', 'a<U+2066>b<U+2069>'],
  ['a zero-width space', 'a\u200bb', 'a<U+200B>b'],
  ['a joiner between letters', 'a\u200db', 'a<U+200D>b'],
  ['a byte order mark', '\ufeffa', '<U+FEFF>a'],
  ['a line separator', 'a\u2028b', 'a<U+2028>b'],
  ['a filler that looks like nothing', 'a\u3164b', 'a<U+3164>b'],
  ['a tag character', 'a\u{e0041}b', 'a<U+E0041>b'],
  ['a lone surrogate', 'a\ud800b', 'a<U+D800>b'],
  ['a selector that hides data', 'a\ufe01b', 'a<U+FE01>b'],
  ['a private-use character', 'a\ue000b\u{f0000}\u{10fffd}', 'a<U+E000>b<U+F0000><U+10FFFD>'],
  ['an unassigned character', 'a\u0378b\u{1fffd}', 'a<U+0378>b<U+1FFFD>'],
  ['a noncharacter', 'a\ufdd0b\uffff\u{1fffe}', 'a<U+FDD0>b<U+FFFF><U+1FFFE>'],
  ['a blank Braille pattern', 'rm\u2800-rf', 'rm<U+2800>-rf'],
  ['an object placeholder', 'a\ufffcb', 'a<U+FFFC>b'],
])('%s is made visible', (_, text, shown) => expect(visible(text)).toBe(shown));

test.each([
  'Grün 🟢, naïve, 日本語, עברית',
  'a replacement \ufffd, Braille \u2801',
  'one\ttwo\nthree',
  '⚠️ 👨‍👩‍👧 👍🏽 🏳️‍🌈',
])('%j stays as it is', (text) => {
  expect(visible(text)).toBe(text);
});

test('on one line, a newline is made visible too', () => {
  expect(visibleLine('a\nb')).toBe('a<U+000A>b');
});

test('JSON reads back as what it was', () => {
  const value = { a: '\u001b\u202e\ufeff\u{e0041}\n"\\', '\u200b': ['\u0085'] };
  const json = visibleJson(value);
  expect(json).not.toMatch(/[\u0085\u200b\u202e\ufeff]/);
  expect(JSON.parse(json)).toEqual(value);
});

test('time grows with the length, whatever the text', () => {
  expectLinear(1_000_000, (size) => visible('\u200d'.repeat(size)));
  expectLinear(300_000, (size) => visible('👨\u200d'.repeat(size)));
});
