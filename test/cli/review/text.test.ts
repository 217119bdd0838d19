import { describe, expect, test } from 'vitest';
import { withoutCrlf } from '../../../src/core/changeset/diff-rows.js';
import { findLookalikes } from '../../../src/core/plan/lookalikes.js';
import type { Action } from '../../../src/core/plan/types.js';
import { chooseLook } from '../../../src/faces/cli/output.js';
import { diffLines, measureDiff } from '../../../src/faces/cli/review/diff-lines.js';
import { markdownLines } from '../../../src/faces/cli/review/markdown-lines.js';
import { readKeys } from '../../../src/faces/cli/terminal/keyboard.js';
import {
  foreign,
  type Line,
  layOut,
  paintRow,
  prose,
  textWidth,
} from '../../../src/faces/cli/terminal/line.js';
import { COMMAND, FILE } from './review.js';

process.env.LANG = 'C.UTF-8';
process.env.LC_ALL = '';
process.env.TERM = 'xterm';
const look = chooseLook({ color: false });

function rows(line: Line, width: number): string[] {
  return layOut(line, width).map((row) => paintRow(row, look));
}

function code(text: string): Line {
  return { lead: [{ text: '| ' }], more: [{ text: ': ' }], spans: foreign(text, look), wrap: 'cells' };
}

describe('cells', () => {
  test.each([
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['日本', 4],
    ['한국', 4],
    ['ｆｕ', 4],
    ['🟢', 2],
    ['│─✔', 3],
    ['עברית', 5],
  ])('%s takes %i', (text, width) => expect(textWidth(text)).toBe(width));

  test('code is cut where the row is full, a wide character never in two', () => {
    expect(rows(code('abcdefg'), 6)).toEqual(['| abcd', ': efg']);
    expect(rows(code('a日本語b'), 6)).toEqual(['| a日', ': 本語', ': b']);
    expect(rows(code(''), 6)).toEqual(['| ']);
  });

  test('tabs are counted', () => {
    expect(rows(code('a\tb'), 20)).toEqual(['| a   b']);
    expect(rows(code('\t\tb'), 8)).toEqual(['|       ', ':   b']);
  });

  test('prose breaks between words, and a long word where it must', () => {
    expect(rows(prose([{ text: 'one two three' }], 2), 10)).toEqual(['  one two', '  three']);
    expect(rows(prose([{ text: 'incomprehensible' }], 0), 6)).toEqual(['incomp', 'rehens', 'ible']);
  });

  test('nothing is lost, at any width', () => {
    const text = 'x日\tfoo  bar e\u0301🟢 \u202e<U+0041> end';
    const whole = rows(code(text), 500)[0]!.slice(2);
    for (let width = 4; width < 60; width++) {
      const parts = rows(code(text), width);
      expect(parts.map((row) => row.slice(2)).join('')).toBe(whole);
      for (const row of parts) expect(textWidth(row)).toBeLessThanOrEqual(width);
    }
  });
});

describe('keys', () => {
  test.each<[string, string, string[]]>([
    ['letters', 'yß日', ['y', 'ß', '日']],
    ['arrows of both kinds', '\u001b[A\u001bOB\u001b[1;5C', ['up', 'down', 'unknown']],
    ['Esc alone', '\u001b', ['escape']],
    ['Alt and Enter', '\u001b\r', ['alt-enter']],
    ['controls', '\u0003\u0004\r\n\t\u007f', ['ctrl-c', 'ctrl-d', 'enter', 'newline', 'tab', 'backspace']],
    ['a paste', '\u001b[200~y\rn\u001b[201~q', ['paste', 'q']],
    ['half a paste', '\u001b[200~y', ['paste']],
    ['half a sequence', '\u001b[1;', ['unknown']],
  ])('%s', (_, typed, names) => {
    expect(readKeys(typed, true).keys.map(({ name }) => name)).toEqual(names);
  });

  test('what may go on is waited for, however it is cut', () => {
    const typed = 'a\u001b[A\u001b[200~p\u001b[A\u001b[201~b';
    for (let cut = 0; cut <= typed.length; cut++) {
      const first = readKeys(typed.slice(0, cut), false);
      const second = readKeys(first.rest + typed.slice(cut), true);
      const names = [...first.keys, ...second.keys].map(({ name }) => name);
      expect(names).toEqual(['a', 'up', 'paste', 'b']);
    }
  });
});

describe('what passes for something else', () => {
  const judge = (command: string) => findLookalikes({ ...COMMAND, command } as Action);

  test.each(['npm test', 'echo Grüße', 'cat документ.txt', 'ls 日本語', 'echo "naïve café" 🟢'])(
    '%s is plain',
    (command) => {
      expect(judge(command)).toEqual([]);
    },
  );

  test.each([
    ['cat p\u0430sswd', 'mixed alphabets in "p\u0430sswd": \u0430 U+0430 Cyrillic, among Latin letters'],
    ['cat \u03bfpt', 'mixed alphabets in "\u03bfpt": \u03bf U+03BF Greek, among Latin letters'],
    ['rm \u2013rf', 'U+2013 looks like a hyphen but is not'],
    ['echo \u201chi\u201d', 'U+201C looks like a quote but is not'],
    ['a\u2003b', 'U+2003 looks like a space but is not'],
    ['echo \u{1d42b}\u{1d426}', 'U+1D42B looks like r but is not'],
    ['cat \u05e7\u05d5\u05d1\u05e5', 'is written from right to left'],
  ])('%s is flagged', (command, words) => expect(judge(command).join('\n')).toContain(words));

  test.each([
    'Adlam',
    'Arabic',
    'Avestan',
    'Chorasmian',
    'Cypriot',
    'Elymaic',
    'Hanifi_Rohingya',
    'Hatran',
    'Hebrew',
    'Imperial_Aramaic',
    'Inscriptional_Pahlavi',
    'Inscriptional_Parthian',
    'Kharoshthi',
    'Lydian',
    'Mandaic',
    'Manichaean',
    'Mende_Kikakui',
    'Meroitic_Cursive',
    'Meroitic_Hieroglyphs',
    'Nabataean',
    'Nko',
    'Old_Hungarian',
    'Old_North_Arabian',
    'Old_Sogdian',
    'Old_South_Arabian',
    'Old_Turkic',
    'Old_Uyghur',
    'Palmyrene',
    'Phoenician',
    'Psalter_Pahlavi',
    'Samaritan',
    'Sogdian',
    'Syriac',
    'Thaana',
    'Yezidi',
  ])('every letter of %s is flagged as written from right to left', (script) => {
    const letter = new RegExp(`(?=\\p{L})\\p{Script=${script}}`, 'u');
    const letters = Array.from({ length: 0x1f000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((each) => letter.test(each));
    expect(letters).not.toEqual([]);
    const unflagged = letters.filter((each) => !judge(`cat ${each}`).join().includes('from right to left'));
    expect(unflagged).toEqual([]);
  });

  test('so are right-to-left signs without a letter, and words that mix', () => {
    for (const text of ['a \u05be b', 'a\u061fb', 'x\u0710y', '\u{1e900}1', '\u0661\u0662'])
      expect(judge(`cat ${text}`).join()).toContain('from right to left');
  });

  test('paths count, contents do not', () => {
    expect(findLookalikes({ ...FILE, path: 'src/\u0430pp.ts' })).toHaveLength(1);
    expect(findLookalikes({ ...FILE, content: 'p\u0430ypal \u2013 \u201cx\u201d\n' })).toEqual([]);
  });
});

describe('differences', () => {
  const show = (before: string, after: string) =>
    diffLines({ path: 'a', before, after }, look, 80).flatMap((line) => rows(line, 80));

  test('a missing newline at the end is said', () => {
    expect(show('a\nb', 'a\nb\n')).toContain(
      '        │ (There was no newline at the end of the file.)'.replace('        ', '      '),
    );
  });

  test('CRLF on both sides is one fact, on one side it is on every line', () => {
    expect(show('a\r\nb\r\n', 'a\r\nc\r\n').join('\n')).not.toContain('U+000D');
    expect(show('a\r\nb\r\n', 'a\nb\n').join('\n')).toContain('-a<U+000D>');
    expect(withoutCrlf('a\r\nb\n')).toBeUndefined();
  });

  test('white space that changed is to be seen', () => {
    expect(show('\ta\n', '    a\n').join('\n')).toContain('-→   a');
    expect(show('a\n', 'a  \n').join('\n')).toContain('+a··');
  });

  test('two large texts with nothing in common do not take for ever', () => {
    const text = (word: string) =>
      Array.from({ length: 40_000 }, (_, at) => `${word} ${at * 7919}\n`).join('');
    expect(measureDiff({ path: 'a', before: text('a'), after: text('b') })).toEqual({
      added: 40_000,
      removed: 40_000,
    });
  });
});

test('Markdown for a terminal', () => {
  const text = `# Title
One *two*
**three** [four](https://five.example) [six](/six).

- first
  1. inner \`code\`
- second

> quoted
> again

\`\`\`js
const a = "**b**";
\`\`\`

---

| a | b |
|---|---|

    indented`;
  expect(
    markdownLines(text, look)
      .flatMap((line) => rows(line, 70))
      .map((row) => row.trimEnd()),
  ).toEqual([
    '  │ Title',
    '  │ One two three four (https://five.example) six.',
    '  │',
    '  │ • first',
    '  │   1. inner `code`',
    '  │ • second',
    '  │',
    '  │ ┊ quoted',
    '  │ ┊ again',
    '  │',
    '  │ ┊ js',
    '  │ ┊ const a = "**b**";',
    '  │',
    '  │ ────────',
    '  │',
    '  │ | a | b |',
    '  │ |---|---|',
    '  │',
    '  │     indented',
  ]);
});
