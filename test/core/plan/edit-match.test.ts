import { describe, expect, it } from 'vitest';
import { type EditMatch, findEdit, isWholeFile } from '../../../src/core/plan/edit/match.js';
import { describeMiss, type EditMiss, explainMiss } from '../../../src/core/plan/edit/miss.js';

function foundText(text: string, match: EditMatch): string {
  if (match.status !== 'found') throw new Error(`not found: ${JSON.stringify(match)}`);
  return text.slice(match.start, match.end);
}

function missOf(text: string, find: string, replace?: string): EditMiss {
  const match = findEdit(text, find, replace);
  if (match.status !== 'missing') throw new Error(`not missing: ${JSON.stringify(match)}`);
  return match.miss;
}

describe('exact', () => {
  it('finds the one substring, with its offsets and lines', () => {
    const match = findEdit('one\ntwo three\nfour\n', 'three\nfour');
    expect(match).toMatchObject({ status: 'found', tier: 'exact', start: 8, end: 18, line: 2, endLine: 3 });
  });

  it('counts a newline to the line that it ends', () => {
    expect(findEdit('a\nb\nc', 'b\n')).toMatchObject({ status: 'found', line: 2, endLine: 2 });
  });

  it('counts overlapping hits', () => {
    expect(findEdit('- - - -', '- -')).toEqual({
      status: 'ambiguous',
      tier: 'exact',
      count: 3,
      lines: [1, 1, 1],
    });
  });

  it('lists the lines of ten places and counts all', () => {
    const match = findEdit('same\n'.repeat(25), 'same');
    expect(match).toMatchObject({ count: 25, lines: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] });
  });

  it('counts every hit of a FIND longer than the searched head', () => {
    const unit = 'abcdefghij';
    expect(findEdit(unit.repeat(30), unit.repeat(10))).toMatchObject({ status: 'ambiguous', count: 21 });
  });

  it('trap 1: refuses the only hit when it begins inside a word', () => {
    const miss = missOf('let max = 1;\n', 'x = 1;');
    expect(miss).toMatchObject({
      reason: 'inside-word',
      word: { word: 'max', line: 1, text: 'let max = 1;' },
    });
  });

  it.each([
    ['ends inside a word', 'value10', 'value1'],
    ['ends inside an underscored name', 'a_b', 'a_'],
    ['cuts a word of other letters', 'жук', 'жу'],
    ['cuts a word of letters beyond the basic plane', '𝒜𝒷', '𝒜'],
    ['cuts a letter from its accent', 'cafe\u0301', 'cafe'],
    ['cuts a surrogate pair', '\ud83d\ude00', '\ude00'],
  ])('refuses a hit that %s', (_, text, find) => {
    expect(missOf(text, find).reason).toBe('inside-word');
  });

  it('takes a hit whose edge is a word but not its neighbour', () => {
    expect(findEdit('max = 1', '= 1')).toMatchObject({ status: 'found', tier: 'exact' });
    expect(findEdit('f(x)', 'x')).toMatchObject({ status: 'found', tier: 'exact' });
  });

  it('tries no looser tier after a hit inside a word', () => {
    expect(missOf('prefoo\n  bar\nfoo \nbar', 'foo\n  bar').reason).toBe('inside-word');
  });

  it('trap 5: two exact hits do not fall through to a looser tier', () => {
    const text = 'if (a) {\n  go();\n}\nif (b) {\n  go();\n}\n\tgo();\n';
    expect(findEdit(text, '  go();')).toMatchObject({ status: 'ambiguous', tier: 'exact', lines: [2, 5] });
  });

  it('takes a whole line ending when FIND begins with a newline in a CRLF file', () => {
    const text = 'one\r\ntwo\r\n';
    const match = findEdit(text, '\ntwo');
    expect(match).toMatchObject({ tier: 'line-endings' });
    expect(foundText(text, match)).toBe('\r\ntwo');
  });
});

describe('line endings and blank edge lines', () => {
  it('finds LF lines in a CRLF file, and the other way round', () => {
    const crlf = 'a\r\nb\r\nc\r\n';
    expect(foundText(crlf, findEdit(crlf, 'a\nb'))).toBe('a\r\nb');
    expect(findEdit('a\nb\nc\n', 'b\r\nc')).toMatchObject({ tier: 'line-endings', start: 2, end: 5 });
  });

  it('compares whole lines only', () => {
    expect(findEdit('xa y\r\nb\r\n', 'a y\nb').status).toBe('missing');
    expect(findEdit('a\r\nb y\r\n', 'a\nb').status).toBe('missing');
  });

  it('drops blank edge lines that the file lacks, and says how many', () => {
    const text = 'first\nsecond\n';
    const match = findEdit(text, '\n\nfirst\nsecond\n\n');
    expect(match).toMatchObject({ tier: 'line-endings', line: 1, dropped: { top: 2, bottom: 2 } });
    expect(foundText(text, match)).toBe('first\nsecond');
  });

  it('keeps blank edge lines that the file has', () => {
    const text = 'x\r\n\r\nfirst\r\n\r\ny\r\n';
    const match = findEdit(text, '\n\nfirst\n');
    expect(match).toMatchObject({ line: 2, endLine: 4, dropped: { top: 1, bottom: 0 } });
    expect(foundText(text, match)).toBe('\r\nfirst\r\n');
  });

  it('is ambiguous with two windows, overlapping ones too', () => {
    expect(findEdit('a\r\na\r\na\r\n', 'a\na')).toMatchObject({
      tier: 'line-endings',
      count: 2,
      lines: [1, 2],
    });
  });

  it('does not take the byte order mark for a part of line 1', () => {
    const text = '\ufeffone\r\ntwo\r\n';
    expect(findEdit(text, 'one\ntwo')).toMatchObject({ tier: 'line-endings', start: 1, line: 1, endLine: 2 });
  });
});

describe('trailing white space', () => {
  it('is disregarded on either side, and the span takes in the file’s', () => {
    const text = 'one  \ntwo\t\nthree';
    const match = findEdit(text, 'one\ntwo\nthree ');
    expect(match).toMatchObject({ tier: 'trailing-space', start: 0, end: text.length });
  });

  it('makes a line of white space equal to an empty one', () => {
    expect(findEdit('a\n   \nb', 'a\n\nb')).toMatchObject({ status: 'found', tier: 'trailing-space' });
  });

  it('is not reached when line endings alone decide', () => {
    expect(findEdit('a\r\nb\r\n--\r\na \r\nb\r\n', 'a\nb')).toMatchObject({ tier: 'line-endings', line: 1 });
  });

  it('does not disregard white space within a line', () => {
    expect(findEdit('one  two\nx', 'one two\nx').status).toBe('missing');
  });
});

describe('indent', () => {
  it('finds lines with one prefix added in the file', () => {
    const text = 'def f():\n    if x:\n        y()\n\n    z()\n';
    expect(findEdit(text, 'if x:\n    y()\n\nz()')).toMatchObject({
      tier: 'indent',
      line: 2,
      endLine: 5,
    });
  });

  it('finds lines with one prefix taken away in the file', () => {
    expect(findEdit('a:\n\tb\nc', '\t\ta:\n\t\t\tb')).toMatchObject({ status: 'found', tier: 'indent' });
  });

  it.each([
    ['another shift on one line', '  a\n   b\n', 'a\nb'],
    ['a shift in both directions', '  a\nb\n', 'a\n  b'],
    ['tabs for spaces', '\ta\n\t\tb\n', '    a\n        b'],
    ['a prefix that is not at the beginning', ' \ta\n \t\tb\n', ' a\n\tb'],
  ])('does not take %s for one shift', (_, text, find) => {
    expect(findEdit(text, find)).toMatchObject({ status: 'found', tier: 'leading-space' });
  });

  it('sees the shift past blank lines', () => {
    expect(findEdit('  a\n\n   b\n', 'a\n\nb')).toMatchObject({ tier: 'leading-space' });
    expect(findEdit('  a\n\n   b\n', 'a\n\n b')).toMatchObject({ status: 'found', tier: 'indent' });
  });

  it('is ambiguous when two shifts fit', () => {
    expect(findEdit('  a\n  b\n    a\n    b\n', '\ta\n\tb'.replaceAll('\t', '      '))).toMatchObject({
      status: 'ambiguous',
      tier: 'indent',
      lines: [1, 3],
    });
  });
});

describe('unicode', () => {
  it.each([
    ['quotes', 'say “hi”, it’s me\nx', 'say "hi", it\'s me\nx'],
    ['dashes', 'a – b — c\nx', 'a - b - c\nx'],
    ['spaces', 'a\u00a0b\u202fc\nx', 'a b c\nx'],
    ['an indent of odd spaces', '\u00a0\u00a0a\n\u00a0\u00a0b', '  a\n  b'],
  ])('folds %s', (_, text, find) => {
    expect(findEdit(text, find)).toMatchObject({
      status: 'found',
      tier: 'unicode',
      start: 0,
      end: text.length,
    });
    expect(findEdit(find, text)).toMatchObject({ status: 'found', tier: 'unicode' });
  });

  it('comes after indent', () => {
    expect(findEdit('“a”\n--\n  "a"\n', '\t"a"'.replace('\t', '    '))).toMatchObject({
      tier: 'indent',
      line: 3,
    });
  });

  it('folds nothing else', () => {
    expect(findEdit('naïve\nx', 'naive\nx').status).toBe('missing');
    expect(findEdit('wait…\nx', 'wait...\nx').status).toBe('missing');
  });
});

describe('leading white space', () => {
  it('is disregarded line by line, together with all that tighter tiers disregard', () => {
    const text = 'x\n\tif (a) {\n\t\tsay(“b”); \n\t}\ny\n';
    expect(findEdit(text, '  if (a) {\n        say("b");\n  }')).toMatchObject({
      status: 'found',
      tier: 'leading-space',
      line: 2,
      endLine: 4,
    });
  });

  it('is ambiguous where two places have the same lines, however they are indented', () => {
    const text = 'a\n  b\n--\n a\nb\n';
    expect(findEdit(text, 'a\n\tb')).toMatchObject({
      status: 'ambiguous',
      tier: 'leading-space',
      lines: [1, 4],
    });
  });

  it('is not tried where one shift of all lines decides', () => {
    expect(findEdit('  a\n    b\n--\na\n      b\n', 'a\n  b')).toMatchObject({ tier: 'indent', line: 1 });
  });
});

describe('blank lines', () => {
  it.each([
    ['that FIND lacks', 'x\na\n\n\nb\nc\n', 'a\nb\nc'],
    ['that the file lacks', 'x\na\nb\nc\n', 'a\n\nb\n \nc'],
    ['and shifted lines', 'x\n  a\n\n  b\nc\n', '    a\n    b\nc'],
  ])('are disregarded: those %s', (_, text, find) => {
    expect(findEdit(text, find)).toMatchObject({ status: 'found', tier: 'blank-lines', line: 2 });
  });

  it('are ambiguous where two places have the same lines', () => {
    expect(findEdit('a\n\nb\na\n\n\nb\n', 'a\nb')).toMatchObject({
      status: 'ambiguous',
      tier: 'blank-lines',
      lines: [1, 4],
    });
  });

  it('are all that may stand between two lines', () => {
    expect(findEdit('a\n\n-\n\nb\nc\n', 'a\n\nb\nc').status).toBe('missing');
  });
});

describe('a miss', () => {
  const text = Array.from({ length: 60 }, (_, n) => `  const item${n} = make(${n});`).join('\n');

  it('trap 4: is not applied because it is 98% alike', () => {
    const long = `${'word '.repeat(60)}30 end`;
    expect(findEdit(`${long}\n`, long.replace('30', '10')).status).toBe('missing');
  });

  it('shows the closest region and the first line that differs', () => {
    const find = '  const item9 = make(9);\n  const item10 = make(30);\n  const item11 = make(11);';
    expect(missOf(text, find)).toEqual({
      reason: 'not-found',
      alreadyApplied: false,
      closest: {
        line: 10,
        endLine: 12,
        text: '  const item9 = make(9);\n  const item10 = make(10);\n  const item11 = make(11);',
        differsAtLine: 11,
        expected: '··const·item10·=·make(30);',
        actual: '··const·item10·=·make(10);',
      },
    });
  });

  it('looks past an indent shift for the line that really differs', () => {
    const find = 'const item9 = make(9);\nconst item10 = make(30);';
    expect(missOf(text, find).closest).toMatchObject({
      differsAtLine: 11,
      expected: 'const·item10·=·make(30);',
    });
  });

  it('begins at FIND’s first line where FIND leaves a line out', () => {
    const find = text.split('\n').slice(20, 26).toSpliced(1, 1).join('\n');
    expect(missOf(text, find).closest).toMatchObject({ line: 21, differsAtLine: 22 });
  });

  it('finds a single line by what a typo leaves of it', () => {
    expect(missOf(text, '  const itme42 = make(42);').closest).toMatchObject({ line: 43, endLine: 43 });
  });

  it('finds a part of a line by its words', () => {
    const file = 'alpha\n    const answer = computeEverything(input, options, true);\nomega\n';
    expect(missOf(file, 'computeEverything(inputs, options').closest).toMatchObject({ line: 2 });
  });

  it('shows no region where nothing is alike', () => {
    expect(missOf(text, 'zebra\nokapi')).toEqual({ reason: 'not-found', alreadyApplied: false });
  });

  it('makes tabs, carriage returns and odd spaces visible', () => {
    const miss = missOf('head line of it\n\tx\u200by\u00a0z\r\r\n', 'head line of it\nq\u2003');
    expect(miss.closest).toMatchObject({ expected: 'q<U+2003>', actual: '→x<U+200B>y<U+00A0>z␍' });
  });

  it('reaches before the first and past the last line of the file', () => {
    expect(missOf('the second line\nx', 'the first line!\nthe second line').closest).toMatchObject({
      line: 1,
      endLine: 1,
      differsAtLine: 1,
      actual: '(the file has no such line)',
    });
    expect(missOf('a\nthe last line\n', 'the last line\nnot there').closest).toMatchObject({
      line: 2,
      endLine: 2,
      differsAtLine: 2,
    });
  });

  it('clips long regions and long lines', () => {
    const lines = Array.from({ length: 30 }, (_, n) => `${n} ${'long '.repeat(100)}${n}`);
    const { closest } = missOf(lines.join('\n'), lines.join('\n').replace('20\n', 'twenty\n'));
    const shown = closest!.text.split('\n');
    expect(shown).toHaveLength(13);
    expect(shown[12]).toBe('… (18 more lines)');
    expect(shown[0]).toMatch(/^0 long .*… \(\d+ more characters\)$/);
    expect(closest).toMatchObject({ line: 1, endLine: 30, differsAtLine: 21 });
    expect(closest!.expected).toMatch(/^….*·twenty$/);
  });

  it.each(['', '\n', '  \n\t\n'])('calls a FIND of %j empty', (find) => {
    expect(missOf('some text', find)).toEqual({ reason: 'empty', alreadyApplied: false });
  });

  it('says so when REPLACE stands there instead, whatever its indent', () => {
    expect(missOf('if x:\n    new()\n', 'old()', 'new()').alreadyApplied).toBe(true);
    expect(missOf('  a\n  new()\n  b\n', 'a\nold()\nb', 'a\nnew()\nb').alreadyApplied).toBe(true);
    expect(missOf('counter = 1\n', 'count', 'counter')).toMatchObject({
      reason: 'inside-word',
      alreadyApplied: true,
    });
  });

  it.each([
    ['is nowhere', 'a\nb\n', 'old', 'new'],
    ['is empty', 'a\nb\n', 'old', ''],
    ['is a part of FIND, and so proves nothing', 'import a\nimport c\n', 'import a\nimport b', 'import a'],
    ['stands in many places', 'new\nnew\n', 'old', 'new'],
  ])('does not say so when REPLACE %s', (_, file, find, replace) => {
    expect(missOf(file, find, replace).alreadyApplied).toBe(false);
  });
});

describe('the cause of a miss', () => {
  const text = 'function f(a) {\n  if (a < 1 && b) return "low";\n  go();\n  return \'x\';\n}\n';

  it.each([
    ['line numbers', '2 |   if (a < 1 && b) return "low";\n3 |   go();'],
    ['line numbers', '     2\t  if (a < 1 && b) return "low";\n     3\t  go();'],
    ['line numbers', '2:   if (a < 1 && b) return "low";'],
    ['HTML entities', '  if (a &lt; 1 &amp;&amp; b) return &quot;low&quot;;'],
    ['backslashes before quotes', '  if (a < 1 && b) return \\"low\\";'],
    ['leaves lines out', "function f(a) {\n  // ...\n  return 'x';"],
    ['leaves lines out', 'function f(a) {\n  ...\n}'],
    ['leaves lines out', 'function f(a) {\n  /* ... existing code ... */\n}'],
  ])('is named: %s', (cause, find) => {
    expect(explainMiss(missOf(text, find), find)).toContain(cause);
  });

  it.each([
    ['what the file has itself', 'a &lt; b\n1 | x\n...\n', 'a &lt; b\n1 | x\n...\nnot there'],
    ['a number that no line has less', 'x = 1\n', '12 monkeys'],
  ])('is not %s', (_, file, find) => {
    expect(missOf(file, find).cause).toBeUndefined();
  });
});

describe('describeMiss', () => {
  it('numbers the closest lines and shows both sides', () => {
    const miss = missOf('one()\n  two(30);\nthree of a kind()\n', 'one()\n  two(10);\nthree of a kind()');
    expect(describeMiss(miss)).toBe(
      [
        'Closest are lines 1-3:',
        '  1 | one()',
        '  2 |   two(30);',
        '  3 | three of a kind()',
        'The first difference is on line 2 (· is a space, → a tab, ␍ a carriage return):',
        '  FIND: ··two(10);',
        '  file: ··two(30);',
        'Hint: copy FIND from the file as it is now, including white space.',
      ].join('\n'),
    );
  });

  it('says that an edit is already applied', () => {
    expect(describeMiss(missOf('new()\n', 'old()', 'new()'))).toContain('Already applied');
  });

  it('names the word that FIND cuts', () => {
    const text = describeMiss(missOf('a\nmax = 1\n', 'x = 1'));
    expect(text).toContain('inside the word "max" on line 2');
    expect(text).toContain('  2 | max = 1');
  });

  it('has something to say about an empty FIND and about nothing alike', () => {
    expect(describeMiss(missOf('a', ''))).toContain('empty');
    expect(describeMiss(missOf('a', 'zebra'))).toContain('check the path');
  });
});

describe('isWholeFile', () => {
  it.each([
    ['a\nb\n', 'a\nb', true],
    ['a\nb', 'a\nb', true],
    ['a\nb', 'a\nb\n', true],
    ['\ufeffa\r\nb\r\n', 'a\nb', true],
    ['a\nb\n\n', 'a\nb', false],
    ['a\nb\nc\n', 'a\nb', false],
    ['long\n'.repeat(9), 'long', false],
  ])('%j is all of FIND %j: %s', (text, find, expected) => {
    expect(isWholeFile(text, find)).toBe(expected);
  });
});

describe('hostile input', () => {
  const line = '  const same = compute(every, line);';
  const equal = (count: number, text = line): string => Array(count).fill(text).join('\n');

  it.each<[string, string, string, EditMatch['status']]>([
    ['equal lines, the last differs', equal(50_000), `${equal(5000)}\n  other`, 'missing'],
    ['equal lines, the first differs', equal(50_000), `other thing\n${equal(5000)}`, 'missing'],
    ['equal lines, shifted', equal(50_000), equal(5000, `    ${line}`), 'ambiguous'],
    ['indents that part at the very end', equal(50_000, '\t\tx'), `${equal(4999, '\tx')}\n x`, 'ambiguous'],
    ['blank lines everywhere', 'x\n\n'.repeat(50_000), `${equal(5000, 'x')}\n\n\nx`, 'ambiguous'],
    ['one letter, and another first', 'a'.repeat(2_000_000), `b${'a'.repeat(100_000)}`, 'missing'],
    ['one letter, and another last', 'a'.repeat(2_000_000), `${'a'.repeat(100_000)}b`, 'missing'],
    ['long lines', equal(4, 'q'.repeat(1_000_000)), `${'q'.repeat(999_999)}z`, 'missing'],
    ['blank lines', '\n'.repeat(200_000), '\n\nx\n\n', 'missing'],
    ['lone surrogates', '\ud800\n'.repeat(50_000), '\udc00\n\ud800x', 'missing'],
  ])('is answered: %s', (_, text, find, status) => {
    const match = findEdit(text, find, 'b\nc');
    expect(match.status).toBe(status);
    if (match.status === 'missing') expect(describeMiss(match.miss).length).toBeLessThan(10_000);
  });
});
