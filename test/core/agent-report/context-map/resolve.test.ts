import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readContextMap } from '../../../../src/core/agent-report/context-map/forms.js';
import { referenceIssues, resolveReferences } from '../../../../src/core/agent-report/context-map/resolve.js';
import type { Reference } from '../../../../src/core/agent-report/types.js';
import { MemoryTree, type Tree } from '../../../../src/core/tree.js';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const entriesOf = (...uris: (string | null)[]) =>
  readContextMap(uris.map((uri, at) => [`Entry ${at}.`, uri]))!;

function resolve(tree: Tree, uris: (string | null)[], pins?: ReadonlyMap<string, string>): Reference[] {
  return resolveReferences(entriesOf(...uris), tree, { hash, ...(pins && { pins }) });
}

function resolveOne(tree: Tree, uri: string): Reference {
  return resolve(tree, [uri])[0]!;
}

const TREE = new MemoryTree({
  'src/a.ts': 'one\ntwo\nthree\n',
  'src/b.ts': 'one\r\ntwo\r\nthree',
  'bom.ts': '\uFEFFone\ntwo\n',
  'empty.ts': '',
  'a%20b.md': 'escaped\n',
  'c d.md': 'spaced\n',
  'docs/notes:2': 'only\n',
});

describe('what a reference points to', () => {
  test.each([
    ['repo://src/a.ts', 'ok', null],
    ['repo://src/a.ts:1', 'ok', 'one'],
    ['repo://src/a.ts:2-3', 'ok', 'two\nthree'],
    ['repo://src/b.ts:2-3', 'ok', 'two\nthree'],
    ['repo://bom.ts:1', 'ok', 'one'],
    ['src/a.ts#L1-L3', 'ok', 'one\ntwo\nthree'],
    ['/src/a.ts:3', 'ok', 'three'],
    ['repo://src', 'ok', null],
    ['repo://', 'ok', null],
    ['repo://c%20d.md:1', 'ok', 'spaced'],
    ['repo://a%20b.md:1', 'ok', 'escaped'],
    ['docs/notes:2', 'ok', null],
  ])('%s holds', (uri, status, text) => {
    const root: Tree = {
      ...bind(TREE),
      stat: (path) => (path === '.' ? { kind: 'folder' } : TREE.stat(path)),
    };
    expect(resolveOne(root, uri)).toMatchObject({
      status,
      reason: null,
      now: null,
      hash: text === null ? null : hash(text),
    });
  });

  test.each([
    ['repo://src/a.ts:4', 'missing-lines', 'points to line 4, but src/a.ts has 3 lines'],
    ['repo://src/a.ts:2-9', 'missing-lines', 'points to lines 2 to 9, but src/a.ts has 3 lines'],
    ['repo://src/a.ts:0', 'missing-lines', 'points to line 0, but lines count from 1'],
    ['repo://src/a.ts:3-1', 'missing-lines', 'points to lines in the wrong order, 3 to 1'],
    ['repo://empty.ts:1', 'missing-lines', 'points to line 1, but empty.ts is empty'],
    ['repo://src:3', 'missing-lines', 'points to lines, but src is a folder'],
    [
      `repo://src/a.ts:${'9'.repeat(40)}`,
      'missing-lines',
      'points to line 9007199254740991, but src/a.ts has 3 lines',
    ],
    ['repo://src/c.ts:1-2', 'missing-file', 'does not exist: there is no src/c.ts'],
    ['repo://lib/c.ts', 'missing-file', 'does not exist: there is no lib/c.ts, and no folder lib'],
    ['repo://src/A.ts', 'missing-file', 'does not exist: there is no src/A.ts'],
    ['src\\a.ts', 'missing-file', 'is not a path: it contains a backslash; folders are separated by "/"'],
    ['repo://../a.ts:1', 'outside', 'leads out of the project root'],
    ['repo://%2e%2e/a.ts:1', 'outside', 'leads out of the project root'],
    ['~/a.ts', 'outside', 'leads to a home folder'],
    [
      'repo://src/a.ts#login',
      'unverifiable',
      'names "login", but only lines can be checked; src/a.ts exists',
    ],
    ['repo://src/c.ts:login', 'missing-file', 'does not exist: there is no src/c.ts'],
    ['https://example.org', 'unverifiable', 'is an address outside the project, which teddy does not check'],
  ])('%s does not', (uri, status, reason) => {
    expect(resolveOne(TREE, uri)).toMatchObject({ status, reason, hash: null, now: null });
  });

  test('an entry without an address', () => {
    expect(resolve(TREE, [null])).toEqual([
      {
        text: 'Entry 0.',
        uri: null,
        status: 'none',
        file: null,
        lines: null,
        now: null,
        hash: null,
        reason: null,
      },
    ]);
  });

  test('a file that is no text, and something that is no file', () => {
    const tree: Tree = {
      stat: (path) => ({ kind: path === 'link' ? 'other' : 'file' }),
      text: () => ({ status: 'refused', reason: 'is binary' }),
    };
    const reason = 'cannot be checked: logo.png is binary';
    expect(resolveOne(tree, 'logo.png:1')).toMatchObject({
      status: 'unverifiable',
      file: 'logo.png',
      reason,
    });
    expect(resolveOne(tree, 'logo.png')).toMatchObject({ status: 'ok' });
    expect(resolveOne(tree, 'link')).toMatchObject({ status: 'unverifiable', lines: null });
  });

  test('file and lines are told', () => {
    expect(resolveOne(TREE, '/src/./a.ts:2-3')).toMatchObject({
      file: 'src/a.ts',
      lines: { from: 2, to: 3 },
    });
  });
});

describe('a later look', () => {
  const pinsOf = (references: readonly Reference[]) =>
    new Map(references.flatMap(({ uri, pin }) => (pin === undefined ? [] : [[uri!, pin] as const])));
  const before = ['// head', 'function a() {', '  return 1;', '}', 'function b() {', '  return 2;', '}'];
  const file = (lines: readonly string[]) => new MemoryTree({ 'a.ts': `${lines.join('\n')}\n` });
  const look = (uri: string, lines: readonly string[]) =>
    resolve(file(lines), [uri], pinsOf(resolve(file(before), [uri])))[0]!;

  test('nothing happened', () => {
    expect(look('a.ts:2-4', before)).toMatchObject({ status: 'ok' });
  });

  test('line endings do not count', () => {
    const pins = pinsOf(resolve(file(before), ['a.ts:2-4']));
    const crlf = new MemoryTree({ 'a.ts': before.join('\r\n') });
    expect(resolve(crlf, ['a.ts:2-4'], pins)[0]).toMatchObject({ status: 'ok' });
  });

  test('moved down, moved up', () => {
    const reason = 'has moved: these lines are now at a.ts:4-6';
    expect(look('a.ts:2-4', ['x', 'y', ...before])).toMatchObject({
      status: 'moved',
      lines: { from: 2, to: 4 },
      now: { from: 4, to: 6 },
      reason,
    });
    expect(look('a.ts:5-7', before.slice(4))).toMatchObject({ status: 'moved', now: { from: 1, to: 3 } });
  });

  test('changed', () => {
    const reason =
      'points to lines that have changed since they were first seen; the original lines are no longer in a.ts';
    expect(look('a.ts:2-4', before.with(2, '  return 3;'))).toMatchObject({
      status: 'changed',
      now: null,
      reason,
    });
  });

  test('as they were, but twice', () => {
    expect(look('a.ts:2-4', ['x', ...before, ...before])).toMatchObject({
      status: 'changed',
      reason: expect.stringContaining('more than once'),
    });
  });

  test('at its place it may stand elsewhere, too', () => {
    expect(look('a.ts:2-4', [...before, ...before])).toMatchObject({ status: 'ok' });
  });

  test('the file became shorter', () => {
    expect(look('a.ts:5-7', before.slice(0, 3))).toMatchObject({ status: 'missing-lines', now: null });
  });

  test('what is no pin says nothing', () => {
    for (const pin of ['', 'x', 'abc', '0'.repeat(64), `${'0'.repeat(64)}.1`, '__proto__']) {
      expect(resolve(file(before), ['a.ts:2-4'], new Map([['a.ts:2-4', pin]]))[0]).toMatchObject({
        status: 'ok',
      });
    }
  });

  test('agrees with a plain search of all blocks', () => {
    const line = fc.constantFrom('', '}', 'a', 'b');
    const block = fc.array(line, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(block, block, fc.nat(7), fc.nat(7), (old, current, start, length) => {
        const from = (start % old.length) + 1;
        const to = Math.min(old.length, from + length);
        const uri = `a.ts:${from}-${to}`;
        const [found] = resolve(file(current), [uri], pinsOf(resolve(file(old), [uri])));
        const wanted = old.slice(from - 1, to).join('\n');
        const blockAt = (at: number) => current.slice(at - 1, at + to - from).join('\n');
        const isThere = (at: number) => at + to - from <= current.length && blockAt(at) === wanted;
        const places = current.map((_, at) => at + 1).filter(isThere);
        const expected = isThere(from)
          ? { status: 'ok', now: null }
          : places.length === 1
            ? { status: 'moved', now: { from: places[0], to: places[0]! + to - from } }
            : { status: to <= current.length ? 'changed' : 'missing-lines', now: null };
        expect(found).toMatchObject(expected);
      }),
      { numRuns: process.env.TEDDY_SOAK ? 50_000 : 1000 },
    );
  });
});

describe('the work', () => {
  const counting = (tree: Tree) => {
    const calls = { stat: 0, text: 0 };
    const counted: Tree = {
      stat(path) {
        calls.stat++;
        return tree.stat(path);
      },
      text(path) {
        calls.text++;
        return tree.text(path);
      },
    };
    return { calls, counted };
  };

  test('a file is looked at and read once, however many point to it', () => {
    const { calls, counted } = counting(new MemoryTree({ 'a.ts': 'x\n'.repeat(5000), 'b.ts': 'x\n' }));
    const uris = Array.from({ length: 6000 }, (_, at) =>
      at % 7 === 0 ? 'b.ts:1' : `a.ts:${at + 1}-${at + 2}`,
    );
    const references = resolve(counted, uris);
    expect(calls).toEqual({ stat: 2, text: 2 });
    expect(references.filter(({ status }) => status === 'missing-lines')).toHaveLength(
      uris.filter((uri) => Number(uri.split('-')[1] ?? 0) > 5000).length,
    );
  });

  test('thousands that moved are found, though every block begins alike', () => {
    const lines = Array.from({ length: 8000 }, (_, at) => (at % 4 === 0 ? '}' : `line ${at}`));
    const uris = Array.from({ length: 2000 }, (_, at) => `a.ts:${at * 4 + 1}-${at * 4 + 4}`);
    const pins = new Map(
      resolve(new MemoryTree({ 'a.ts': lines.join('\n') }), uris).map(({ uri, pin }) => [uri!, pin!]),
    );
    const later = resolve(new MemoryTree({ 'a.ts': `new\n${lines.join('\n')}` }), uris, pins);
    expect(later.map(({ now }) => now)).toEqual(uris.map((_, at) => ({ from: at * 4 + 2, to: at * 4 + 5 })));
  });

  test('a search of every length is given up, and says so', () => {
    const text = 'x\n'.repeat(20_000);
    const uris = Array.from({ length: 7000 }, (_, at) => `a.ts:${at + 2}-20000`);
    const pins = new Map(uris.map((uri) => [uri, `${'0'.repeat(64)}.00000000`]));
    const cheap = { hash: () => '11111111', pins };
    const later = resolveReferences(entriesOf(...uris), new MemoryTree({ 'a.ts': text }), cheap);
    expect(later[0]!.reason).toContain('the original lines are no longer');
    expect(later.at(-1)).toMatchObject({
      status: 'changed',
      reason: expect.stringContaining('was stopped because it takes too long'),
    });
  });

  test('more to hash than anybody hashes: the lines are there, and have no hash', () => {
    const text = `${'x'.repeat(99)}\n`.repeat(50_000);
    const uris = Array.from({ length: 200 }, (_, at) => `a.ts:${at + 1}-50000`);
    let hashed = 0;
    const hash = (block: string): string => {
      hashed += block.length;
      return '00000000';
    };
    const references = resolveReferences(entriesOf(...uris), new MemoryTree({ 'a.ts': text }), { hash });
    expect(references[0]).toMatchObject({ status: 'ok', hash: '00000000' });
    expect(references.at(-1)).toMatchObject({ status: 'ok', hash: null });
    expect(hashed).toBeLessThanOrEqual(500_000_000);
  });

  test('more paths than anybody points to are not looked up', () => {
    const { calls, counted } = counting(new MemoryTree());
    const references = resolve(
      counted,
      Array.from({ length: 30_000 }, (_, at) => `p${at}.ts`),
    );
    expect(calls.stat).toBeLessThanOrEqual(10_010);
    expect(references.at(-1)).toMatchObject({
      status: 'unverifiable',
      reason: 'was not checked: the map names more than 10000 paths',
    });
  });
});

describe('issues', () => {
  test('code, severity, place and words of each', () => {
    const entries = readContextMap([
      ['Fine.', 'repo://src/a.ts:1'],
      { text: 'Gone.', file: 'src/c.ts', lines: '1-2' },
      ['Out.', 'repo://../x'],
      ['Symbol.', 'repo://src/a.ts#login'],
      ['Short.', 'repo://src/a.ts:45-120'],
      ['Words.', null],
    ])!;
    const references = resolveReferences(entries, TREE, { hash });
    expect(referenceIssues(references, entries).map(({ hint: _, ...issue }) => issue)).toEqual([
      {
        code: 'reference-broken',
        severity: 'warning',
        path: '$.findings.context_map[1].file',
        message: 'The reference "src/c.ts:1-2" does not exist: there is no src/c.ts.',
      },
      {
        code: 'reference-outside',
        severity: 'warning',
        path: '$.findings.context_map[2][1]',
        message: 'The reference "repo://../x" leads out of the project root.',
      },
      {
        code: 'reference-unverifiable',
        severity: 'info',
        path: '$.findings.context_map[3][1]',
        message:
          'The reference "repo://src/a.ts#login" names "login", but only lines can be checked; src/a.ts exists.',
      },
      {
        code: 'reference-broken',
        severity: 'warning',
        path: '$.findings.context_map[4][1]',
        message:
          'The reference "repo://src/a.ts:45-120" points to lines 45 to 120, but src/a.ts has 3 lines.',
      },
    ]);
  });

  test('lines that moved: the hint says where to', () => {
    const entries = entriesOf('a.ts:1');
    const [{ pin }] = resolveReferences(entries, new MemoryTree({ 'a.ts': 'one\n' }), { hash }) as [
      Reference,
    ];
    const later = new MemoryTree({ 'a.ts': 'zero\none\n' });
    const references = resolveReferences(entries, later, { hash, pins: new Map([['a.ts:1', pin!]]) });
    expect(referenceIssues(references, entries)).toEqual([
      {
        code: 'reference-stale',
        severity: 'warning',
        path: '$.findings.context_map[0][1]',
        message: 'The reference "a.ts:1" has moved: these lines are now at a.ts:2.',
        hint: 'Write "repo://a.ts:2".',
      },
    ]);
  });

  test('not without end', () => {
    const entries = entriesOf(...Array.from({ length: 1000 }, (_, at) => `gone${at}.ts`));
    const issues = referenceIssues(resolveReferences(entries, TREE, { hash }), entries);
    expect(issues.length).toBeLessThan(50);
    expect(issues.at(-1)!.message).toContain('more issues');
  });
});

function bind(tree: Tree): Tree {
  return { stat: (path) => tree.stat(path), text: (path) => tree.text(path) };
}
