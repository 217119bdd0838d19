import { describe, expect, test } from 'vitest';
import { readContextMap } from '../../../../src/core/agent-report/context-map/forms.js';
import { referenceIssues, resolveReferences } from '../../../../src/core/agent-report/context-map/resolve.js';
import type { Reference } from '../../../../src/core/agent-report/types.js';
import { MemoryTree, type Tree } from '../../../../src/core/tree.js';

const entriesOf = (...uris: (string | null)[]) =>
  readContextMap(uris.map((uri, at) => [`Entry ${at}.`, uri]))!;

function resolve(tree: Tree, uris: (string | null)[]): Reference[] {
  return resolveReferences(entriesOf(...uris), tree);
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
    ['repo://src/a.ts'],
    ['repo://src/a.ts:1'],
    ['repo://src/a.ts:2-3'],
    ['repo://src/b.ts:2-3'],
    ['repo://bom.ts:1'],
    ['src/a.ts#L1-L3'],
    ['/src/a.ts:3'],
    ['repo://src'],
    ['repo://'],
    ['repo://c%20d.md:1'],
    ['repo://a%20b.md:1'],
    ['docs/notes:2'],
  ])('%s holds', (uri) => {
    const root: Tree = {
      ...bind(TREE),
      stat: (path) => (path === '.' ? { kind: 'folder' } : TREE.stat(path)),
    };
    expect(resolveOne(root, uri)).toMatchObject({ status: 'ok', reason: null });
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
    expect(resolveOne(TREE, uri)).toMatchObject({ status, reason });
  });

  test('an entry without an address', () => {
    expect(resolve(TREE, [null])).toEqual([
      {
        text: 'Entry 0.',
        uri: null,
        status: 'none',
        file: null,
        lines: null,
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
    const references = resolveReferences(entries, TREE);
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

  test('not without end', () => {
    const entries = entriesOf(...Array.from({ length: 1000 }, (_, at) => `gone${at}.ts`));
    const issues = referenceIssues(resolveReferences(entries, TREE), entries);
    expect(issues.length).toBeLessThan(50);
    expect(issues.at(-1)!.message).toContain('more issues');
  });
});

function bind(tree: Tree): Tree {
  return { stat: (path) => tree.stat(path), text: (path) => tree.text(path) };
}
