import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wordPattern } from '../../src/core/text.js';

const SOURCES = [
  String.raw`^[^\p{L}\p{N}]+`,
  String.raw`[\p{L}\p{N}\p{M}]+`,
  String.raw`(?<![\p{L}\d.])\d{1,3}(?![\p{L}])`,
  String.raw`^(?:[\p{So}\ufe0f]{1,4} ?)?([\p{L}][\p{L}\p{N} _-]{0,9}?):`,
];

const text = fc.string({ unit: fc.constantFrom(...'aZ09 _-:.é★️١') });

test.each(SOURCES)('%s finds the same, whether a text is ASCII or not', (source) => {
  const pattern = wordPattern(source);
  fc.assert(
    fc.property(text, (each) => {
      expect(pattern(each).exec(each)).toEqual(new RegExp(source, 'u').exec(each));
    }),
  );
});

test('an ASCII text is read without the classes of other scripts', () => {
  expect(wordPattern(String.raw`[\p{L}\p{N}]`)('abc').source).toBe('[A-Za-z0-9]');
  expect(wordPattern(String.raw`[\p{L}\p{N}]`, 'i')('é').flags).toBe('iu');
});
