import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseLook } from '../../../src/faces/cli/output.js';
import { SyntaxColours } from '../../../src/faces/cli/review/syntax.js';
import { foreign, type Span } from '../../../src/faces/cli/terminal/line.js';

const look = chooseLook({ color: true });

function paint(path: string, ...lines: string[]): string[][] {
  const colours = new SyntaxColours(path);
  return lines.map((line) =>
    colours.paint(line, foreign(line, look)).map(({ text, style }) => (style ? `${style}:${text}` : text)),
  );
}

test('keywords, strings, numbers and comments', () => {
  expect(paint('a.ts', `const x = "a // b" + 12; // done`)).toEqual([
    ['keyword:const', ' x = ', 'string:"a // b"', ' + ', 'number:12', '; ', 'dim:// done'],
  ]);
  expect(paint('a.py', `if x: # why`)).toEqual([['keyword:if', ' x: ', 'dim:# why']]);
  expect(paint('a.sh', 'echo $# a#b')).toEqual([['echo $# a#b']]);
});

test('comments and strings of several lines', () => {
  expect(paint('a.ts', 'a /* b', 'const', 'c */ const')).toEqual([
    ['a ', 'dim:/* b'],
    ['dim:const'],
    ['dim:c */', ' ', 'keyword:const'],
  ]);
});

test('added and removed lines keep their colour', () => {
  const line = 'return 1; // x';
  const spans: Span[] = [{ text: line, style: 'added' }];
  expect(new SyntaxColours('a.go').paint(line, spans)).toEqual([
    { text: 'return', style: 'addedStrong' },
    { text: ' ', style: 'added' },
    { text: '1', style: 'added' },
    { text: '; ', style: 'added' },
    { text: '// x', style: 'addedDim' },
  ]);
});

test('files of no known language, and lines that are not shown as they are, stay as they are', () => {
  expect(paint('a.txt', 'const x')).toEqual([['const x']]);
  expect(paint('a.ts', 'const \u202e x')).toEqual([['const ', 'hidden:<U+202E>', ' x']]);
});

test('no text is ever changed, whatever it is', () => {
  const piece = fc.constantFrom(
    'const',
    '"',
    "'",
    '`',
    '/*',
    '*/',
    '//',
    '#',
    '\\',
    ' ',
    '1e9',
    'é',
    '\u001b',
    '"""',
    '<U+0041>',
    '\t',
  );
  const line = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(
      fc.constantFrom('a.ts', 'a.py', 'a.sh', 'a.json', 'a.css', 'a.sql'),
      fc.array(line),
      (path, lines) => {
        const colours = new SyntaxColours(path);
        for (const each of lines) {
          const spans = foreign(each, look, { spaces: true });
          const joined = (list: readonly Span[]) => list.map(({ text }) => text).join('');
          expect(joined(colours.paint(each, spans))).toBe(joined(spans));
        }
      },
    ),
  );
});
