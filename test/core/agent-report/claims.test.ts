import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareClaims, readClaims } from '../../../src/core/agent-report/claims.js';
import type { FileChange } from '../../../src/core/agent-report/types.js';
import type { JsonValue } from '../../../src/core/json/values.js';

const claim = (path: string, change: string) => ({ path, change });
const fact = (path: string, change: FileChange['change']): FileChange => ({ path, change });

function compare(files: JsonValue, facts: FileChange[], inScope: ((path: string) => boolean) | null = null) {
  return compareClaims(readClaims({ changed_files: files })!, facts, inScope).map(
    ({ code, path, message }) => ({
      code,
      path,
      message,
    }),
  );
}

describe('what is claimed', () => {
  test('files with their fate, and where each stands', () => {
    expect(
      readClaims({ changed_files: [claim('a.ts', 'created'), 'b.ts', claim('c.ts', 'renamed')] }),
    ).toEqual([
      { path: 'a.ts', change: 'created', at: ['findings', 'changed_files', 0] },
      { path: 'b.ts', change: null, at: ['findings', 'changed_files', 1] },
      { path: 'c.ts', change: null, at: ['findings', 'changed_files', 2] },
    ]);
  });

  test('no list is no claim; what is no file is passed over', () => {
    expect(readClaims({})).toBeNull();
    expect(readClaims({ changed_files: { a: 1 } })).toBeNull();
    expect(readClaims({ changed_files: [null, 4, {}, { path: 4 }] })).toEqual([]);
  });
});

describe('claims that hold', () => {
  test('each file as git sees it', () => {
    const files = [claim('a.ts', 'created'), claim('/src/./b.ts', 'modified'), claim('c.ts', 'deleted')];
    const facts = [fact('a.ts', 'created'), fact('c.ts', 'deleted'), fact('src/b.ts', 'modified')];
    expect(compare(files, facts)).toEqual([]);
    expect(compare([], [])).toEqual([]);
  });

  test('a bare path holds whatever became of it', () => {
    expect(compare(['a.ts'], [fact('a.ts', 'deleted')])).toEqual([]);
  });

  test('one of two claims of a path is enough', () => {
    const files = [claim('a.ts', 'created'), claim('a.ts', 'modified')];
    expect(compare(files, [fact('a.ts', 'created')])).toEqual([]);
  });

  test('files in a repository within', () => {
    const files = [claim('sub/src/a.c', 'modified'), claim('sub/b.c', 'created')];
    expect(compare(files, [fact('sub/', 'modified')])).toEqual([]);
    expect(compare([claim('sub', 'created')], [fact('sub/', 'modified')])).toEqual([]);
  });

  test('a name in another form of the same characters', () => {
    expect(compare([claim('u\u0308.ts', 'created')], [fact('\u00fc.ts', 'created')])).toEqual([]);
  });

  test('what is in a protected folder is nobody’s change', () => {
    expect(compare([], [fact('.teddy/reports/x.json', 'created'), fact('.Git/x', 'created')])).toEqual([]);
  });
});

describe('claims that do not', () => {
  test('nothing changed', () => {
    expect(compare([claim('a.ts', 'modified'), 'b.ts'], [])).toEqual([
      {
        code: 'claim-unchanged',
        path: '$.findings.changed_files[0].path',
        message: 'The report says that "a.ts" was modified, but git shows no change.',
      },
      {
        code: 'claim-unchanged',
        path: '$.findings.changed_files[1]',
        message: 'The report says that "b.ts" was changed, but git shows no change.',
      },
    ]);
  });

  test('a file is no folder: one below it is not covered', () => {
    expect(compare([claim('a/b.ts', 'created')], [fact('a', 'deleted')]).map(({ code }) => code)).toEqual([
      'claim-unchanged',
      'change-unclaimed',
    ]);
  });

  test('another fate', () => {
    expect(compare([claim('a.ts', 'created')], [fact('a.ts', 'modified')])).toEqual([
      {
        code: 'claim-kind',
        path: '$.findings.changed_files[0].change',
        message: 'The report says that "a.ts" was created, but git shows that it was modified.',
      },
    ]);
  });

  test.each([
    ['../a.ts', '"../a.ts" leads out of the project root.'],
    ['', '"" is empty.'],
    ['.', '"." is the project root, not a file.'],
    ['.git/hooks/pre-commit', '".git/hooks/pre-commit" is in a folder that agents must not change.'],
  ])('no path of the project: %j', (path, message) => {
    expect(compare([claim(path, 'created')], [])).toEqual([
      { code: 'claim-invalid', path: '$.findings.changed_files[0].path', message },
    ]);
  });

  test('a change that nobody claims', () => {
    expect(compare([], [fact('a.ts', 'deleted')])).toEqual([
      {
        code: 'change-unclaimed',
        path: '$.findings.changed_files',
        message: 'git shows that "a.ts" was deleted, but the report does not list it.',
      },
    ]);
  });

  test('a renamed file of which only the new name is claimed', () => {
    const facts = [fact('new.ts', 'created'), fact('old.ts', 'deleted')];
    expect(compare([claim('new.ts', 'created')], facts)).toMatchObject([{ code: 'change-unclaimed' }]);
    expect(compare([claim('new.ts', 'created'), claim('old.ts', 'deleted')], facts)).toEqual([]);
  });

  test('out of scope: claimed, unclaimed, and each once', () => {
    const inSource = (path: string) => path.startsWith('src/');
    const facts = [
      fact('a.ts', 'created'),
      fact('b.ts', 'created'),
      fact('src/c.ts', 'created'),
      fact('sub/', 'created'),
    ];
    const files = [claim('a.ts', 'created'), claim('src/c.ts', 'created')];
    const outside = compare(files, facts, inSource).filter(({ code }) => code === 'change-out-of-scope');
    expect(outside).toEqual([
      {
        code: 'change-out-of-scope',
        path: '$.findings.changed_files[0]',
        message: '"a.ts" is outside the scope of the briefing.',
      },
      {
        code: 'change-out-of-scope',
        path: '$.findings.changed_files',
        message: '"b.ts" is outside the scope of the briefing.',
      },
      {
        code: 'change-out-of-scope',
        path: '$.findings.changed_files',
        message: '"sub" is outside the scope of the briefing.',
      },
    ]);
  });

  test('not without end', () => {
    const facts = Array.from({ length: 5000 }, (_, at) => fact(`f${at}.ts`, 'created'));
    const issues = compare([], facts);
    expect(issues.length).toBeLessThan(50);
    expect(issues.at(-1)!.message).toContain('more issues');
  });
});

test('there is an issue exactly where the two sides differ', () => {
  const change = fc.constantFrom('created' as const, 'modified' as const, 'deleted' as const);
  const side = fc.dictionary(fc.constantFrom('a', 'b/c', 'b/d', 'e'), change);
  fc.assert(
    fc.property(side, side, (claimed, seen) => {
      const issues = compare(
        Object.entries(claimed).map(([path, kind]) => claim(path, kind)),
        Object.entries(seen).map(([path, kind]) => fact(path, kind)),
      );
      const expected = [...new Set([...Object.keys(claimed), ...Object.keys(seen)])].flatMap((path) => {
        if (claimed[path] === seen[path]) return [];
        if (seen[path] === undefined) return ['claim-unchanged'];
        return [claimed[path] === undefined ? 'change-unclaimed' : 'claim-kind'];
      });
      expect(issues.map(({ code }) => code).sort()).toEqual(expected.sort());
    }),
  );
});
