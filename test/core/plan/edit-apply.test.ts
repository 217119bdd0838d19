import { describe, expect, it } from 'vitest';
import { type AppliedEdit, applyEdit } from '../../../src/core/plan/edit/apply.js';
import { findEdit } from '../../../src/core/plan/edit/match.js';

function edit(text: string, find: string, replace: string): AppliedEdit {
  const match = findEdit(text, find, replace);
  if (match.status !== 'found') throw new Error(`not found: ${JSON.stringify(match)}`);
  return applyEdit(text, match, find, replace);
}

function edited(text: string, find: string, replace: string): string {
  const result = edit(text, find, replace);
  if (result.status !== 'applied') throw new Error(result.reason);
  return result.text;
}

describe('applyEdit', () => {
  it('trap 1: splices by offset', () => {
    expect(edited('max = 1;\n(x = 1);\n', '(x = 1)', '(x = 2)')).toBe('max = 1;\n(x = 2);\n');
  });

  it('trap 2: takes $ patterns as text', () => {
    expect(edited('a b c', 'b', "$& $$ $` $' $1")).toBe("a $& $$ $` $' $1 c");
    expect(edited('a\r\nb\r\n', 'a\nb', '$&\n$$')).toBe('$&\r\n$$\r\n');
  });

  it('deletes', () => {
    expect(edited('a\nb\nc\n', 'b\n', '')).toBe('a\nc\n');
  });

  describe('trap 3: line endings, byte order mark, final newline, trailing white space', () => {
    it('writes CRLF into a CRLF file, with an exact FIND of one line too', () => {
      expect(edited('a\r\nb\r\nc\r\n', 'b', 'x\ny')).toBe('a\r\nx\r\ny\r\nc\r\n');
      expect(edited('a\r\nb\r\nc\r\n', 'b\nc', 'x\ny\nz')).toBe('a\r\nx\r\ny\r\nz\r\n');
    });

    it('does not double a CR that REPLACE has', () => {
      expect(edited('a\r\nb\r\n', 'b', 'x\r\ny')).toBe('a\r\nx\r\ny\r\n');
    });

    it('goes by the ending of the region before that of the file', () => {
      expect(edited('a\nb\nc\nd\r\ne\r\n', 'd\ne', 'd\nx\ne')).toBe('a\nb\nc\nd\r\nx\r\ne\r\n');
      expect(edited('a\r\nb\r\nc\r\nd\ne\n', 'd\ne', 'd\nx\ne')).toBe('a\r\nb\r\nc\r\nd\nx\ne\n');
      expect(edited('a\r\nb\r\nc\n', 'c', 'x\ny')).toBe('a\r\nb\r\nx\r\ny\n');
    });

    it('leaves the endings of lines that stay, in a file that mixes them', () => {
      expect(edited('a\r\nb\nc\r\nd\n', 'a\nb\nc\nd', 'a\nb\nC\nd')).toBe('a\r\nb\nC\r\nd\n');
    });

    it('leaves no stray CR when FIND begins with a newline', () => {
      expect(edited('a\r\nb\r\nc\r\n', '\nb', '')).toBe('a\r\nc\r\n');
      expect(edited('a\r\nb\r\nc\r\n', '\nb', '\nx')).toBe('a\r\nx\r\nc\r\n');
    });

    it('keeps the byte order mark', () => {
      expect(edited('\ufeffa\nb\n', 'a', 'x')).toBe('\ufeffx\nb\n');
      expect(edited('\ufeffa\r\nb\r\n', 'a\nb', 'x')).toBe('\ufeffx\r\n');
      expect(edited('\ufeffa\nb\n', '\ufeffa', 'x')).toBe('\ufeffx\nb\n');
      expect(edited('\ufeffa\nb\n', '\ufeffa', '\ufeffx')).toBe('\ufeffx\nb\n');
    });

    it('keeps the final newline, and its absence', () => {
      expect(edited('a\nb\n', 'b', 'x')).toBe('a\nx\n');
      expect(edited('a\nb', 'b', 'x')).toBe('a\nx');
      expect(edited('a\nb\n', 'b\n', 'x')).toBe('a\nx\n');
      expect(edited('a\r\nb\r\n', 'a\nb\n', 'a\nx')).toBe('a\r\nx\r\n');
    });

    it('leaves trailing white space of lines that FIND and REPLACE share', () => {
      expect(edited('a  \nb\nc  \nd\n', 'a\nb\nc\nd', 'a\nB\nc\nD')).toBe('a  \nB\nc  \nD\n');
    });

    it('leaves typographic quotes on lines that FIND and REPLACE share', () => {
      expect(edited('say “a”\nb – c\n', 'say "a"\nb - c', 'say "a"\nnew\nb - c')).toBe(
        'say “a”\nnew\nb – c\n',
      );
    });
  });

  describe('blank edge lines', () => {
    it('takes from REPLACE what FIND lost', () => {
      expect(edited('a\nb\n', '\na\nb\n\n', '\nx\n\n')).toBe('x\n');
    });

    it('takes no more than that, and no line that is not blank', () => {
      expect(edited('a\nb\n', '\na\nb', '\n\nx')).toBe('\nx\n');
      expect(edited('a\nb\n', '\n\na\nb', 'x\n\ny')).toBe('x\n\ny\n');
    });
  });

  describe('trap 6: an indent shift', () => {
    it('is added to REPLACE too, blank lines left out', () => {
      const text = 'class A:\n    def f(self):\n        return 1\n';
      expect(edited(text, 'def f(self):\n    return 1', 'def f(self):\n    x = 2\n\n    return x')).toBe(
        'class A:\n    def f(self):\n        x = 2\n\n        return x\n',
      );
    });

    it('is taken from REPLACE too', () => {
      expect(edited('if a:\n  b\n', '    if a:\n      b', '    if a:\n      c\n    else:\n      d')).toBe(
        'if a:\n  c\nelse:\n  d\n',
      );
    });

    it('is refused where REPLACE has no such indent', () => {
      const result = edit('if a:\n  b\n', '    if a:\n      b', '    if a:\n  c');
      expect(result).toMatchObject({ status: 'refused', reason: expect.stringContaining('"  c"') });
    });

    it.each([
      ['deeper', '  a\n  b', '  a\n    c\n  b'],
      ['less deep', '  a\n  b', '  a\n  b\nc'],
      ['deeper, all of it dedented', 'a\nb', 'a\n  c\nb'],
      ['twice as deep', '        a\n        b', '        a\n                c\n        b'],
    ])('is refused where it may be levels of another width, and REPLACE is %s', (_, find, replace) => {
      const text = 'x {\n    a\n    b\n}\ny {\n    z {\n        d(e,\n          f)\n            g\n';
      const reason = expect.stringMatching(/how the file indents this line of REPLACE: " *c"/);
      expect(edit(text, find, replace)).toMatchObject({ status: 'refused', reason });
    });

    it('is trusted where REPLACE has levels as wide as the file’s', () => {
      const text = 'x {\n    a\n    b\n}\ny {\n    z {\n        d\n';
      expect(edited(text, 'a\nb', 'a\nif {\n    c\n}\nb')).toContain('    if {\n        c\n    }\n');
    });

    it('is refused where REPLACE lost its indent too', () => {
      const text = 'def f():\n    a()\n    b()\n';
      const reason = expect.stringContaining('lost its indent after this line: "if c:"');
      expect(edit(text, 'a()\nb()', 'a()\nif c:\nb()')).toMatchObject({ status: 'refused', reason });
    });

    it('keeps tabs as tabs', () => {
      expect(edited('\t\ta\n\t\t\tb\n', 'a\n\tb', 'a\n\tc')).toBe('\t\ta\n\t\t\tc\n');
    });
  });

  describe('a FIND that begins inside an indent', () => {
    const text = 'def f():\n    a()\n\nb()\n';

    it('is written with all of the indent where FIND has a part of it', () => {
      const file = '{\n    a(\n    );\n}\n\nb\n';
      expect(edited(file, '  );\n}', '  );\n}\nc {\n  d\n}')).toBe(
        '{\n    a(\n    );\n}\nc {\n    d\n}\n\nb\n',
      );
    });

    it('is refused where its first line comes again without the indent', () => {
      expect(edit('{\n    a\n  b\n}\n', 'a\n  b', 'c\na\n  b')).toMatchObject({ status: 'refused' });
    });

    it('is none where FIND begins with the end of a line of white space', () => {
      expect(edited('x\n  \na\n', '\na', '\nb\nc')).toBe('x\n  \nb\nc\n');
    });

    it('is taken literally where REPLACE has the indents of the file', () => {
      expect(edited(text, 'a()', 'if c:\n        a()\n    d()')).toBe(
        'def f():\n    if c:\n        a()\n    d()\n\nb()\n',
      );
      expect(edited('{\n    a\n  b\n}\n', 'a\n  b', 'a\n  c\n}\nd')).toBe('{\n    a\n  c\n}\nd\n}\n');
    });

    it.each([
      ['a line is less deep', 'a()', 'a()\nc()', /starts inside the indent of line 2.*: "c\(\)"/],
      [
        'nothing else of FIND is indented',
        'a()\n\nb()',
        'a()\nc()\n\nb()',
        /starts inside the indent of line 2/,
      ],
      [
        'FIND’s own first line comes again',
        'a()',
        'c()\na()',
        /starts inside the indent of line 2.*: "a\(\)"/,
      ],
      ['a block is no deeper', 'a()', 'if c:\n    a()', /lost its indent after this line: " *if c:"/],
    ])('is refused where %s', (_, find, replace, reason) => {
      expect(edit(text, find, replace)).toMatchObject({
        status: 'refused',
        reason: expect.stringMatching(reason),
      });
    });
  });

  describe('quotes, dashes and spaces', () => {
    it('writes the file’s where FIND has others', () => {
      expect(edited('say("a");\nrun();\n', 'say(“a”);\nrun();', 'say(“b”, ”c“);\nrun();')).toBe(
        'say("b", "c");\nrun();\n',
      );
      expect(edited('a – b\nit’s\n', "a - b\nit's", "c - d\nit's")).toBe('c – d\nit’s\n');
      expect(edited('say “a” now\nx\n', 'say "a" now\nx', 'say "b" ("c")\nx')).toBe('say “b” (“c”)\nx\n');
    });

    it('tells a closing quote by both of its sides', () => {
      expect(edited('the “a”, or “b”.\nx\n', 'the "a", or "b".\nx', 'the "a," or "b."\nx')).toBe(
        'the “a,” or “b.”\nx\n',
      );
      expect(edit('the “a”, or “b”.\nx\n', 'the "a", or "b".\nx', 'the ("-") or "b."\nx')).toMatchObject({
        status: 'refused',
      });
    });

    it('writes those that REPLACE has from the file', () => {
      expect(edited('say("a");\nrun();\n', 'say(“a”);\nrun();', 'say("b");\nrun();')).toBe(
        'say("b");\nrun();\n',
      );
    });

    it.each([
      ['the file has both kinds', "it’s 'a'\nx\n", "it's 'a'\nx", "it's 'b'\nx"],
      ['the file has no curly quotes, and FIND no quotes', '  a\n  b\n  c("d")\n', 'a\nb', 'a\nc(“e”)'],
      ['FIND shows none of the kind', 'say("a");\nx\n', 'say(“a”);\nx', 'say(‘b’);\nx'],
    ])('is refused where %s', (_, text, find, replace) => {
      expect(edit(text, find, replace)).toMatchObject({ status: 'refused' });
    });

    it('leaves other kinds alone', () => {
      expect(edited('say("a");\nx\n', 'say(“a”);\nx', 'say(“a – b”);\nx')).toBe('say("a – b");\nx\n');
      expect(edited('a\u00a0b\nc d\n', 'a b\nc d', 'a b\nc e f')).toBe('a\u00a0b\nc e f\n');
    });
  });

  describe('indents that are not one shift', () => {
    const text = 'class A:\n    def f(self):\n        if a:\n            b()\n';

    it('are written as the file has them', () => {
      const find = '\tdef f(self):\n\t\tif a:\n\t\t\tb()';
      expect(edited(text, find, '\tdef f(self):\n\t\tif c:\n\t\t\td()')).toBe(
        'class A:\n    def f(self):\n        if c:\n            d()\n',
      );
    });

    it('are extended where FIND does not have them, inwards and outwards', () => {
      const find = '\t\tif a:\n\t\t\tb()';
      expect(edited(text, find, '\t\tif a:\n\t\t\tif c:\n\t\t\t\td()\n\n\tx = 1')).toBe(
        'class A:\n    def f(self):\n        if a:\n            if c:\n                d()\n\n    x = 1\n',
      );
      expect(edited('\tx\n{\n\t\ta\n}\n', '{\n        a\n}', '{\n    b\n}')).toBe('\tx\n{\n\tb\n}\n');
      expect(edited('{\n    a\n        b\n', '  a\n    b', '  a\n    b\n      c')).toBe(
        '{\n    a\n        b\n            c\n',
      );
    });

    it.each([
      ['one indent of FIND is two in the file', 'if a:\n  b\n  c\n', 'if a:\nb\n  c', 'if a:\nx\n  c'],
      ['FIND does not show what a tab is', '{\n    a\n    b\n', '\ta\n\tb', '\ta\n\t\tc\n\tb'],
      ['a tab would follow the spaces of a shift', 'x:\n    a\n    b\n', 'a\nb', 'a\n\tc\nb'],
      ['a line is aligned, and no level deeper', '{\n    a\n', '{\n  a', '{\n  a\n   b'],
      ['the file has nothing as deep', '{\n\ta\n', '{\n  a', '{\n  a\n        b'],
      ['the file has no tabs', 'a {\n\n  b\n}\n', 'a {\n  b\n}', 'a {\n  b\n\tc\n}'],
    ])('are refused where %s', (_, file, find, replace) => {
      expect(edit(file, find, replace)).toMatchObject({ status: 'refused' });
    });
  });

  describe('blank lines that only the file or only FIND has', () => {
    it('stay as the file has them around what changes', () => {
      expect(edited('a\n\nb\nc\n\nd\n', 'a\nb\nc\nd', 'a\nb\nX\nd')).toBe('a\n\nb\nX\n\nd\n');
      expect(edited('a\nb\nc\n', 'a\n\nb\nc', 'a\n\nb\nX')).toBe('a\nb\nX\n');
      expect(edited('a\n \nb\nc\n', 'a\nb\nc', 'a\n\nb\nX')).toBe('a\n \nb\nX\n');
    });

    it.each([
      ['a line comes there', 'a\n\nb\nc\n', 'a\nb\nc', 'a\nX\nb\nc'],
      ['a line goes there', 'a\n\nb\nc\n', 'a\nb\nc', 'a\nc'],
      ['the lines on both sides change', 'a\n\nb\nc\n', 'a\nb\nc', 'X\nY\nc'],
      ['a line comes there, and the next one changes', 'a\n\nb\nc\nd\n', 'a\nb\nc\nd', 'a\nX\nb\nY\nd'],
      ['a line goes there, and the next one changes', 'a\n\nb\nc\nd\ne\n', 'a\nb\nc\nd\ne', 'a\nc\nX\ne'],
      ['REPLACE has once FIND’s and once the file’s', 'a\n\nb\n\nc\nd\n', 'a\nb\nc\nd', 'a\nb\n\nc\nX'],
      ['REPLACE has a third number of them', 'a\n\nb\nc\n', 'a\nb\nc', 'a\n\n\nb\nX'],
    ])('are refused where %s', (_, text, find, replace) => {
      expect(edit(text, find, replace)).toMatchObject({
        status: 'refused',
        reason: expect.stringContaining('blank'),
      });
    });
  });

  it('refuses a match that was found in another text', () => {
    const match = findEdit('a\nb\n', 'b');
    if (match.status !== 'found') throw new Error('not found');
    expect(applyEdit('b\na\n', match, 'b', 'c')).toMatchObject({ status: 'refused' });
  });
});
