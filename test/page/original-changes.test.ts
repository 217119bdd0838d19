import { ChangeSet, Text } from '@codemirror/state';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyToOriginal, editorLines } from '../../src/faces/web/page/review/edit/original-changes.js';

const change = (text: string, ...specs: { from: number; to?: number; insert?: string }[]) => {
  const doc = Text.of(editorLines(text));
  return applyToOriginal(text, ChangeSet.of(specs, doc.length));
};

describe('an edit is put into the text as it was', () => {
  test.each([
    ['CRLF', 'a\r\nb\r\nc\r\n', 'a\r\nXb\r\nc\r\n', 2],
    ['mixed endings', 'a\nb\r\nc\n', 'a\nXb\r\nc\n', 2],
    ['a lone carriage return', 'a\rb\nc\n', 'a\rb\nXc\n', 4],
    ['no last newline', 'a\r\nb', 'a\r\nXb', 2],
    ['a byte order mark', '\uFEFFa\r\nb\r\n', '\uFEFFa\r\nXb\r\n', 3],
  ])('%s stays', (_, before, after, at) => {
    expect(change(before, { from: at, insert: 'X' })).toBe(after);
  });

  test('a new line ends as most lines do', () => {
    expect(change('a\r\nb\r\nc\n', { from: 1, insert: '\nnew' })).toBe('a\r\nnew\r\nb\r\nc\n');
    expect(change('a\nb\nc\r\n', { from: 1, insert: '\nnew' })).toBe('a\nnew\nb\nc\r\n');
  });

  test('a removed line takes its own ending with it', () => {
    expect(change('a\r\nb\nc\r\n', { from: 2, to: 4 })).toBe('a\r\nc\r\n');
    expect(change('a\r\nb\nc\r\n', { from: 1, to: 2 })).toBe('ab\nc\r\n');
  });
});

const texts = fc.array(fc.constantFrom('a', 'bc', '\r', '\n', '\r\n', '\uFEFF', 'é', '😀'), {
  maxLength: 40,
});

test('no change changes nothing, whatever the text', () => {
  fc.assert(
    fc.property(texts, (parts) => {
      const text = parts.join('');
      expect(change(text)).toBe(text);
    }),
  );
});

test('only what was replaced is different', () => {
  fc.assert(
    fc.property(texts, fc.nat(), fc.nat(), (parts, one, other) => {
      const text = parts.join('');
      const { length } = Text.of(editorLines(text));
      const [from, to] = [one % (length + 1), other % (length + 1)].sort((a, b) => a - b) as [number, number];
      const edited = change(text, { from, to, insert: 'XYZ' });
      const at = edited.indexOf('XYZ');
      expect(text.startsWith(edited.slice(0, at))).toBe(true);
      expect(text.endsWith(edited.slice(at + 3))).toBe(true);
      expect(editorLines(edited)).toEqual(
        Text.of(editorLines(text))
          .replace(from, to, Text.of(['XYZ']))
          .toJSON(),
      );
    }),
  );
});
