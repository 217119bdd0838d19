import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPlainYaml } from '../../../src/formats/task-plan/plain-yaml.js';
import { parseYaml } from '../../../src/formats/yaml.js';

const USUAL = `phase: 01-part
plan: 01
type: execute
wave: 2
depends_on: ["01-01", 01-02]
files_modified:
  - src/a.ts
  - src/b/[id]/page.tsx
  - .planning/x (new)
autonomous: true

# What has to be true in the end.
must_haves:
  truths:
    - "A person can log in"
    - It's fast: 3ms # not so
`;

/** Reading it with the library gives the same value, and the same lines of keys and items. */
function expectSame(text: string): boolean {
  const plain = readPlainYaml(text);
  if (!plain) return false;
  const yaml = parseYaml(text);
  expect(yaml, JSON.stringify(text)).toMatchObject({ status: 'value' });
  if (yaml.status !== 'value') return false;
  expect(plain.value, JSON.stringify(text)).toEqual(yaml.value);
  const lines = (read: typeof plain) =>
    Object.entries(plain.value as object).flatMap(([key, value]) => [
      read.lineOf([key]),
      ...(Array.isArray(value) ? value.map((_, i) => read.lineOf([key, i])) : []),
      read.lineOf([key, 99]),
      read.lineOf(['nowhere']),
    ]);
  expect(lines(plain), JSON.stringify(text)).toEqual(lines(yaml));
  return true;
}

describe('plain YAML', () => {
  test('is what frontmatter mostly is', () => {
    const usual = USUAL.split('\n').slice(0, -2).join('\n');
    expect(expectSame(usual)).toBe(true);
    expect(readPlainYaml(usual)?.value).toMatchObject({ plan: 1, depends_on: ['01-01', '01-02'] });
    expect(
      expectSame(
        'a:\n- x\n- y: 1\n  z:\n    - q\n    - r: [1, 2.5]\n  w:\n\nb:\n    c: 0.10\n    d:   text  \n    e: Null\n    f: nULL\n',
      ),
    ).toBe(true);
  });

  test('all else is for the library', () => {
    for (const text of [
      USUAL,
      '',
      '# nothing\n',
      'a: b\n  c',
      'a: |\n  b',
      'a: &x b',
      'a: *x',
      'a: !!str b',
      'a: "x\\n"',
      'a: {b: c}',
      'a: b: c',
      'a: b\na: c',
      'a:\tb',
      'a: 0x1f',
      'a: 1e3',
      'a: 1_000',
      'a: .inf',
      'a: -1',
      'a: ~',
      'a: [b, [c]]',
      'a: [b,\n c]',
      'true: b',
      '- a',
      'a: b\r\n',
      '---\na: b',
      'a: b\n...\n',
      'a:\n  - - b',
      'a:\n  -\n    b: c',
      ' a: b',
      'a:\n  b: c\n d: e',
    ])
      expect(readPlainYaml(text), JSON.stringify(text)).toBeUndefined();
  });

  test('a value has the kind that the library gives it', () => {
    const words =
      '01 1 1. .5 1.50 00.1 01-02 1-2-3 2.1-3 null Null nulL True yes no on a.b a:b a#b :a a: http://x.y 1e5 0o7 0b1 ../x ./x (x) <a> "" \'\' ... --- - "a""b" [] [,] [a,] ["a, b"] [a: b] [a #b] [01]';
    const read = words.split(' ').filter((word) => expectSame(`key: ${word}\nlist:\n  - ${word}\n`));
    expect(read).toContain('01-02');
    expect(read.length).toBeGreaterThan(20);
  });

  test('is read as the library reads it, whatever is made of its parts', () => {
    const part = fc.constantFrom(
      ...[
        'a',
        'key',
        'b c',
        '1',
        '01',
        '0.5',
        '1.',
        '03-01',
        'true',
        'Null',
        '~',
        '-',
        '- ',
        ':',
        ': ',
        ' ',
        '  ',
      ],
      ...[
        '\n',
        '\n',
        '\n',
        '\n  ',
        '\n  - ',
        '\n- ',
        '\n    ',
        'k: ',
        'a: ',
        'b: ',
        'c:',
        'd:\n',
        '#',
        ' #',
        '"',
        "'",
      ],
      ...[
        '[',
        ']',
        '[x, 1]',
        ',',
        '"q"',
        "'q'",
        '"a: b"',
        '.',
        '/',
        'src/a.ts',
        '\\',
        '|',
        '>',
        '&a',
        '*a',
        '!',
        '?',
      ],
      ...['{', '}', '%', '@', '`', 'é', '\t', '\r\n', '\u2028', '…', '---', '...', '<<: '],
    );
    let plain = 0;
    const count = process.env.TEDDY_SOAK === '1' ? 300_000 : 6000;
    const text = fc.array(part, { maxLength: 24 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          text.map((rest) => `a: ${rest}`),
          text.map((rest) => `a:\n${rest}`),
        ),
        (each) => {
          if (expectSame(each)) plain++;
        },
      ),
      { numRuns: count },
    );
    expect(plain).toBeGreaterThan(count / 100);
  });

  test('is read as the library reads it, whatever a mapping holds', () => {
    const scalar = fc.constantFrom(
      'x',
      '1',
      '01',
      '"a: b"',
      "'c'",
      'd e',
      'true',
      '0.50',
      '',
      '[a, "b"]',
      '[]',
      'src/x.ts',
      '2.1',
    );
    const key = fc.constantFrom('a', 'b', 'c', 'd_e', 'f-g');
    const { block } = fc.letrec<{ block: string[] }>((tie) => ({
      block: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.tuple(key, scalar).map(([name, value]) => [`${name}: ${value}`]),
        fc
          .tuple(key, fc.array(scalar, { minLength: 1, maxLength: 3 }), fc.nat(3))
          .map(([name, values, indent]) => [
            `${name}:`,
            ...values.map((value) => `${' '.repeat(indent)}- ${value}`),
          ]),
        fc
          .tuple(key, fc.array(tie('block'), { minLength: 1, maxLength: 3 }), fc.integer({ min: 1, max: 4 }))
          .map(([name, blocks, indent]) => [
            `${name}:`,
            ...blocks.flat().map((line) => ' '.repeat(indent) + line),
          ]),
        fc
          .tuple(key, fc.array(tie('block'), { minLength: 1, maxLength: 2 }), fc.integer({ min: 1, max: 3 }))
          .map(([name, blocks, indent]) => {
            const [first, ...rest] = blocks.flat();
            return [
              `${name}:`,
              `-${' '.repeat(indent)}${first}`,
              ...rest.map((line) => ' '.repeat(indent + 1) + line),
            ];
          }),
        fc.constantFrom('', '# note', '   # note').map((line) => [line]),
      ),
    }));
    let plain = 0;
    const count = process.env.TEDDY_SOAK === '1' ? 100_000 : 3000;
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 4 }), (blocks) => {
        if (expectSame(blocks.flat().join('\n'))) plain++;
      }),
      { numRuns: count },
    );
    expect(plain).toBeGreaterThan(count / 10);
  });
});
